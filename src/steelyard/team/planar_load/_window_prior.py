"""From one window to the next: the prior of load and contact positions, and which window a robot takes part in."""

from typing import TYPE_CHECKING

import numpy as np

from steelyard.team.planar_load._contact_position import NO_CONTACT_PRIOR, ContactPrior, contact_likelihood
from steelyard.team.planar_load._contributions import skip_until, window_accounted
from steelyard.team.planar_load._fit import LOG_MASS, N_UNKNOWNS
from steelyard.team.planar_load._outer_iterations import predicted_step
from steelyard.team.planar_load._rollouts import rollout_of
from steelyard.team.planar_load._shared_fit import solve
from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._sum_keys import occasion_number
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LOAD, Fit, Prior, Span, inverse
from steelyard.team.planar_load._window_progress import Origin

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
    origin = Origin.CONTINUED if LOG_MASS in keep else Origin.CHANGE
    skip_until(state, occasion_number(start))
    fit: Fit | None = state.window.fit
    if fit is None:
        state.window.move(start)
        return
    window, step = agent.window(state, span), predicted_step(agent.cache, state)
    P = agent.covariance_of(state, window, fit)
    unknowns = fit.unknowns.copy()
    if step is not None:
        unknowns[4:] += step.unknowns[4:]
    for contact in state.contacts.all:
        position = contact.positions.get(span.iteration)
        if position is not None and contact.information > 0.0:
            moved = step.position if step is not None and contact is state.contacts.own else 0j
            contact.prior = ContactPrior(position + moved, contact.information / (1.0 + inflation) ** 2)
    accounted = state.window.prior.information.any() or window_accounted(agent.cache, state)
    prior = window_prior(unknowns, P, keep, inflation) if accounted else Prior.none()
    ends = rollout_of(agent.cache, window, fit.unknowns).ends
    unknowns[:4] = ends[min(start - span.start, len(window.rows)) - 1]
    state.window.begin(start, origin, prior, fit._replace(unknowns=unknowns))


def begin_again(state: PlanarAgentState, start: int) -> None:
    """A window from row `start` on that takes over the contact positions and nothing else."""
    skip_until(state, occasion_number(start))
    state.window.begin(start, Origin.AGAIN, Prior.none(), None)
    state.consistency.began_again = True
    if not state.steps.converged:
        # The positions may be as wrong as the load: they are read off the rotation.
        state.steps.taken, state.steps.missed = 0, TUNING.iterations_stored + 1
    state.steps.converged = state.consistency.one_load = False
    state.consistency.since = None
    for contact in state.contacts.all:
        contact.prior, contact.information = NO_CONTACT_PRIOR, 0.0


def resynchronise(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """Takes the window of a neighbour that has long begun a later one: only robots with the same rows take joint steps.

    Windows differ where one robot saw the team without somebody for a moment and ended its window there. A robot that
    is lost takes the latest that there is, be it a newcomer's.
    """
    heard = state.heard
    if state.lost:
        begun = [start for start in heard.window_starts.values() if (state.window.start or 0) < start <= state.row]
        if begun:
            begin_again(state, max(begun))
        return
    settled = {name: first + TUNING.settled_in for name, first in heard.first_rows.items()}
    starts = [start for name, start in heard.window_starts.items() if start > settled[name]]
    later, own = max(starts, default=-1), state.window.start
    if own is None or later <= own or state.window.fit is None or state.window.fit_end < later:
        heard.later_window = None
        return
    if heard.later_window is None or heard.later_window[0] != later:
        heard.later_window = later, state.row
    if state.row - heard.later_window[1] < TUNING.resynchronise_after:
        return
    span = Span(state.window.fit_iteration, own, later - 1)
    if later - own > TUNING.window_sizes[0] and state.fitted_span() is not None:
        window = agent.window(state, span)
        fit = solve(agent.cache, window, [state.window.fit.unknowns], TUNING.iterations)
        if fit is not None and fit.consistent:
            for contact in state.contacts.all:
                position, (v, f, w) = contact.positions.get(span.iteration), contact.readings(own, later - 1)
                contact.information = (
                    0.0
                    if position is None
                    else contact_likelihood(agent.cache, window, fit, f, position, v, w, contact.prior).information
                )
            state.window.take_fit(span, fit)
            begin_window(agent, state, span, later, LOAD, 0.0)
            return
    if state.unknown:
        begin_again(state, later)
        return
    state.window.move(later, later - 1)  # the prior from before it began is all there is


def adopt_window(state: PlanarAgentState) -> None:
    """A robot that came later takes its neighbours' window, once it has all of its sums."""
    start, window = max(state.heard.window_starts.values(), default=-1), state.window
    if start < 0 or start >= state.contacts.own.first or window.start == start or window.prior.information.any():
        return
    own, whole = state.complete_span(), state.complete_span(start)
    if whole is None or whole.end - start + 1 < TUNING.fewest_rows or (own is not None and whole.end < own.end):
        return
    state.window.move(start)
