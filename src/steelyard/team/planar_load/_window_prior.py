"""From one window to the next: the prior of load and contact positions, and which window a robot takes part in."""

from typing import TYPE_CHECKING

import numpy as np

from steelyard.team.planar_load._contact_position import NO_CONTACT_PRIOR, ContactPrior, contact_likelihood
from steelyard.team.planar_load._contributions import positions_account, skip_until
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._outer_iterations import predicted_step
from steelyard.team.planar_load._rollouts import rollout_of
from steelyard.team.planar_load._shared_fit import solve
from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._sum_keys import contribution_number
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LOAD, Fit, Prior, Span, inverse

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent


def window_prior(mean: np.ndarray, P: np.ndarray, keep: tuple[int, ...], inflation: float = 0.0) -> Prior:
    """What a fit tells of the unknowns `keep`, for the next window; standard deviations are inflated."""
    information = np.zeros((N_UNKNOWNS, N_UNKNOWNS))
    information[np.ix_(keep, keep)] = inverse(P[np.ix_(keep, keep)]) / (1.0 + inflation) ** 2
    return Prior(mean.copy(), information)


def begin_window(
    agent: "PlanarLoadAgent", state: PlanarAgentState, span: Span, start: int, keep: tuple[int, ...], inflation: float
) -> None:
    """A new window from row `start` on, with what the last fit tells of the unknowns `keep` and the positions."""
    skip_until(state, contribution_number(start))
    fit: Fit | None = state.fit
    if fit is None:
        state.start = start
        return
    window, step = agent.window(state, span), predicted_step(agent.cache, state)
    P = agent.covariance_of(state, window, fit)
    unknowns = fit.unknowns.copy()
    if step is not None:
        unknowns[4:] += step.unknowns[4:]
    for contact in state.contacts:
        position = contact.positions.get(span.iteration)
        if position is not None and contact.information > 0.0:
            moved = step.position if step is not None and contact is state.own else 0j
            contact.prior = ContactPrior(position + moved, contact.information / (1.0 + inflation) ** 2)
    accounted = state.prior.information.any() or positions_account(agent.cache, state) is not None
    state.prior = window_prior(unknowns, P, keep, inflation) if accounted else Prior.none()
    ends = rollout_of(agent.cache, window, fit.unknowns).ends
    unknowns[:4] = ends[min(start - span.start, len(window.rows)) - 1]
    state.start, state.fit = start, Fit(unknowns, fit.matrix, fit.gradient, fit.chi_square, fit.n_rows)


def begin_again(state: PlanarAgentState, start: int) -> None:
    """A window from row `start` on that takes over the contact positions and nothing else."""
    skip_until(state, contribution_number(start))
    state.start, state.fit, state.prior, state.began_again = start, None, Prior.none(), True
    if not state.converged:
        # The positions may be as wrong as the load: they are read off the rotation.
        state.joint_steps, state.steps_missed = 0, TUNING.iterations_stored + 1
    state.converged = state.one_load = False
    state.inconsistent_since = None
    for contact in state.contacts:
        contact.prior, contact.information = NO_CONTACT_PRIOR, 0.0


def resynchronise(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """Takes the window of a neighbour that has long begun a later one: only robots with the same rows take joint steps.

    Windows differ where one robot saw the team without somebody for a moment and ended its window there. A robot that
    is lost takes the latest that there is, be it a newcomer's.
    """
    if state.lost:
        begun = [start for start in state.window_starts.values() if (state.start or 0) < start <= state.row]
        if begun:
            begin_again(state, max(begun))
        return
    starts = [
        start for name, start in state.window_starts.items() if start > state.first_rows[name] + TUNING.settled_in
    ]
    later, own = max(starts, default=-1), state.start
    if own is None or later <= own or state.fit is None or state.fit_end < later:
        state.later_window = None
        return
    if state.later_window is None or state.later_window[0] != later:
        state.later_window = later, state.row
    if state.row - state.later_window[1] < TUNING.resynchronise_after:
        return
    span = Span(state.fit_iteration, own, later - 1)
    if later - own > TUNING.window_sizes[0] and state.fitted_span() is not None:
        window = agent.window(state, span)
        fit = solve(agent.cache, window, [state.fit.unknowns], TUNING.iterations)
        if fit is not None and fit.consistent:
            for contact in state.contacts:
                position, (v, f, w) = contact.positions.get(state.fit_iteration), contact.readings(own, later - 1)
                contact.information = (
                    0.0
                    if position is None
                    else contact_likelihood(agent.cache, window, fit, f, position, v, w, contact.prior).information
                )
            state.fit, state.fit_end = fit, later - 1
            begin_window(agent, state, span, later, LOAD, 0.0)
            return
    if state.unknown:
        begin_again(state, later)
        return
    state.start, state.fit_end = later, later - 1  # the prior from before it began is all there is


def adopt_window(state: PlanarAgentState) -> None:
    """A robot that came later takes its neighbours' window, once it has all of its sums."""
    start = max(state.window_starts.values(), default=-1)
    if start < 0 or start >= state.own.first or state.start == start or state.prior.information.any():
        return
    own, before = state.complete_span(), state.start
    state.start = start
    whole = state.complete_span()
    short = whole is None or whole.end - start + 1 < TUNING.fewest_rows
    if short or (whole is not None and own is not None and whole.end < own.end):
        state.start = before
