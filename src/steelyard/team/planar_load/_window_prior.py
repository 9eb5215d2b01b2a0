"""What one window hands on to the next: what is known of the load and of the places."""

from typing import TYPE_CHECKING

import numpy as np

from steelyard.team.planar_load._contact_position import Held, own_part
from steelyard.team.planar_load._contributions import pass_over
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._outer_iterations import ahead_of
from steelyard.team.planar_load._rollouts import slopes_of
from steelyard.team.planar_load._shared_fit import solve
from steelyard.team.planar_load._state import NOTE_EVERY, LoadState
from steelyard.team.planar_load._window import LOAD, SIZES, Fit, Prior, inverse

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent

_PATIENCE = 36  # rows in which neighbours that are a little behind begin the same window
_AT_HOME = 100  # rows after which a window is no longer that of somebody who has just come


def carried_on(mean: np.ndarray, P: np.ndarray, keep: tuple[int, ...], slack: float = 0.0) -> Prior:
    """What a fit says about some unknowns, as the prior of the next window; `slack` widens it."""
    information = np.zeros((N_UNKNOWNS, N_UNKNOWNS))
    information[np.ix_(keep, keep)] = inverse(P[np.ix_(keep, keep)]) / (1.0 + slack) ** 2
    return Prior(mean.copy(), information)


def begin_again(
    agent: "PlanarLoadAgent", state: LoadState, stretch, start: int, keep: tuple[int, ...], slack: float
) -> None:
    """A new window from a row on, with what the last fit says of some unknowns and the own place."""
    pass_over(state, start // NOTE_EVERY)
    fit: Fit | None = state.fit
    if fit is None:
        state.start = start
        return
    window, ahead = agent.window(state, *stretch), ahead_of(state)
    P = agent.covariance_of(state, window, fit)
    unknowns = fit.unknowns.copy()
    if ahead is not None:
        unknowns[4:] += ahead.unknowns[4:]
    for contact in state.contacts:
        place = contact.places.get(stretch[0])
        if place is not None and contact.weight > 0.0:
            step = ahead.place if ahead is not None and contact is state.own else 0j
            contact.held = Held(place + step, contact.weight / (1.0 + slack) ** 2)
    state.prior = carried_on(unknowns, P, keep, slack)
    unknowns[:4] = slopes_of(window, fit.unknowns).ends[min(start - stretch[1], len(window.rows)) - 1]
    state.start, state.fit = start, Fit(unknowns, fit.matrix, fit.gradient, fit.fitness, fit.n_rows)


def follow_others(agent: "PlanarLoadAgent", state: LoadState) -> None:
    """Takes the window of a neighbour that has long begun a later one: only who fits the same rows can take steps.

    Somebody has seen the team without somebody, for a moment, and ended its window there; others have not.
    """
    starts = [start for name, start in state.starts.items() if start > state.firsts[name] + _AT_HOME]
    later, own = max(starts, default=-1), state.start
    if own is None or later <= own or state.fit is None or state.fit_end < later:
        state.apart = None
        return
    if state.apart is None or state.apart[0] != later:
        state.apart = later, state.row
    if state.row - state.apart[1] < _PATIENCE:
        return
    stretch = state.fit_version, own, later - 1
    if later - own > SIZES[0] and state.fitted() is not None:
        window = agent.window(state, *stretch)
        fit = solve(window, [state.fit.unknowns], 15)
        if fit is not None and fit.good:
            for contact in state.contacts:
                place, (v, f) = contact.places.get(state.fit_version), contact.readings(own, later - 1)
                contact.weight = 0.0 if place is None else own_part(window, fit, f, place, v, contact.held).weight
            state.fit, state.fit_end = fit, later - 1
            begin_again(agent, state, stretch, later, LOAD, 0.0)
            return
    state.start, state.fit_end = later, later - 1  # what was known before it began is all there is


def begin_with_others(state: LoadState) -> None:
    """Who came later takes its neighbours' window, once it has all of its sums."""
    start = min((start for start in state.starts.values() if start >= 0), default=None)
    if start is None or start >= state.own.first or state.start == start or state.prior.information.any():
        return
    own, before = state.stretch(), state.start
    state.start = start
    whole = state.stretch()
    if whole is None or (own is not None and whole[2] < own[2]):
        state.start = before
