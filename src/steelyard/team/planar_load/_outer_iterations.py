"""Outer iterations of the contact positions: how the next positions are made, and what they will change.

The shared fit holds positions fixed; an outer iteration moves all of them by the joint Gauss-Newton step, and all sums
are made again with the new ones. See docs/PLANAR_FIT.md, section 6.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.planar_load._contact_position import contact_likelihood, position_from_rotation, rotation_suffices
from steelyard.team.planar_load._contributions import (
    Contributions,
    contribute,
    contributions_at,
    newest_contributions,
    occasion_for,
    skip_until,
)
from steelyard.team.planar_load._fit import LOG_INERTIA, LOG_MASS, N_UNKNOWNS
from steelyard.team.planar_load._state import PlanarAgentState, arbitrary_position, iteration_at
from steelyard.team.planar_load._sum_keys import Occasion, occasion_number, occasion_of, row_key, shift_key
from steelyard.team.planar_load._sums import N_SUMS, Sum
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LONGEST, Span
from steelyard.team.planar_load._window_ends import blocked

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent

_MASS_AND_INERTIA = [LOG_MASS, LOG_INERTIA]


class PredictedStep(NamedTuple):
    """What the next joint step will change."""

    unknowns: np.ndarray
    """Motion at the end and load."""
    position: complex
    """The robot's own."""


def begin_iteration(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """An outer iteration is due: by the contributions on a fit that all robots choose alike, else by the robot alone.

    A joint step is only good if all take it, so a robot that has not received all contributions yet waits for them.
    """
    if state.steps.iteration in state.contacts.own.positions:  # from when it seemed that no more samples came
        return
    occasion = occasion_for(state.row)
    end = occasion.end
    comes = state.window.fit_end < end or occasion in state.contacts.own.contributions
    if (
        state.window.fit is not None
        and state.window.start is not None
        and state.window.start + TUNING.contribute_every < end
        and comes
    ):
        state.steps.due[state.steps.iteration] = occasion
    else:
        _make(agent, state, state.steps.iteration, None)


def complete_iterations(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """Makes the iterations whose contributions have come, one after the other, so that all robots make the same."""
    for iteration, occasion in sorted(state.steps.due.items()):
        found = contributions_at(agent.cache, state, occasion)
        own = state.contacts.own.contributions.get(occasion)
        over = state.row > occasion.end + TUNING.contribution_timeout or (
            own is not None and own.fit.start != state.window.start
        )
        if found is None and not over and not blocked(state, occasion.end):
            return
        del state.steps.due[iteration]
        if found is not None and own is not None:
            newest = max(state.contacts.own.positions)
            on_its_way = own.fit.iteration < newest and iteration <= newest + 1  # longer ago, it may never be complete
            if found.joint is None or on_its_way:  # no step that all would take, or a newer one
                continue
        _make(agent, state, iteration, found)


def _make(agent: "PlanarLoadAgent", state: PlanarAgentState, iteration: int, found: Contributions | None) -> None:
    """The contacts' positions in an iteration, what their steps do to the fit for all to add up, and all rows again."""
    shift, stepped = np.zeros(N_SUMS), False
    for contact in state.contacts.all:
        own = None if found is None else contact.contributions.get(found.occasion)
        base = None if own is None else contact.positions.get(own.fit.iteration)
        if found is not None and found.joint is not None and own is not None and base is not None:
            step = own.likelihood.step(found.joint)
            contact.positions[iteration] = base + step
            shift[:N_UNKNOWNS] += own.likelihood.fit_change(step)
            stepped = stepped or contact is state.contacts.own
        else:
            contact.positions[iteration] = contact.newest_position
    state.steps.missed = 0 if stepped else state.steps.missed + 1
    state.steps.taken += stepped
    if stepped:
        state.steps.stepped.add(iteration)
    if not stepped:
        state.contacts.own.positions[iteration] = _position_without_step(agent, state)
    state.sums.tree.add(shift_key(iteration), shift)
    _add_rows(state, iteration)


def _add_rows(state: PlanarAgentState, iteration: int) -> None:
    for row in range(max(0, state.row - LONGEST), state.row + 1):
        state.sums.tree.add(row_key(row, iteration), state.contacts.part_of(row, iteration))


def _position_without_step(agent: "PlanarLoadAgent", state: PlanarAgentState) -> complex | None:
    """The own position where there is no joint step: from the rotation, else as before, else an arbitrary one."""
    span, position = state.complete_span(), state.contacts.own.newest_position
    lost = state.steps.taken == 0 or state.steps.missed > TUNING.iterations_stored
    if span is not None and lost and not state.window.prior.information.any():
        # Others may go on from their fit: once there was one, a position that does not fit theirs would only disturb.
        # And what is known of the centre of mass from earlier windows is in the axes of the positions of then.
        window, v = agent.window(state, span), state.contacts.own.readings(span.start, span.end)[0]
        position = position_from_rotation(window.rows, v) or position
    return _first_position(agent, state) if position is None else position


def _first_position(agent: "PlanarLoadAgent", state: PlanarAgentState) -> complex | None:
    velocities = state.contacts.own.velocities
    seen = [total for key, total in state.sums.rows.items() if key.row in velocities and total[Sum.MEMBERS] >= 2]
    positioned = any(total[Sum.POSITIONED] >= 2 for total in seen)
    if not positioned and (len(seen) >= TUNING.newcomer_rows or not any(state.heard.positions.values())):
        return arbitrary_position(agent.name)  # one position of another robot says nothing of the rotation
    for iteration in sorted({key.iteration for key in state.sums.rows}, reverse=True):
        rows = sorted(key.row for key in state.sums.rows if key.iteration == iteration and key.row in velocities)
        if len(rows) >= TUNING.newcomer_rows:
            totals = np.stack([state.sums.rows[row_key(row, iteration)] for row in rows])
            position = position_from_rotation(totals, np.array([velocities[row] for row in rows]))
            if position is not None and rotation_suffices(totals, agent.row_noise):
                return position
    return None


def place_newcomer(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """Gives a robot that came later its position as soon as the rotation tells it: the others wait for it."""
    own = state.contacts.own
    if own.newest_position is not None or not any(state.heard.positions.values()):
        return
    position = _first_position(agent, state)
    if position is None:
        return
    received = {max(positions) for positions in state.heard.positions.values() if positions}
    iterations = received | {iteration for iteration in own.positions if iteration > max(received)}
    own.positions |= dict.fromkeys(iterations, position)
    for iteration in sorted(iterations):
        _add_rows(state, iteration)


def contribute_on_fit(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """At every other fit, the likelihoods of the contacts' positions for all to add up."""
    if (state.window.fit_end + 1) % TUNING.contribute_every:
        skip_until(state, occasion_number(state.window.fit_end + 1))
    else:
        _contribute(agent, state, occasion_of(occasion_number(state.window.fit_end)))


def finish(agent: "PlanarLoadAgent", state: PlanarAgentState) -> None:
    """No more samples come: contributes on the last fit, and takes joint steps while they matter."""
    occasion, fitted = Occasion(state.window.fit_end, state.window.fit_iteration), state.fitted_span()
    if fitted is None:
        return
    if occasion not in state.contacts.own.contributions:
        _contribute(agent, state, occasion)
        return
    found = contributions_at(agent.cache, state, occasion)
    iteration = max(state.window.fit_iteration, iteration_at(state.window.fit_end)) + 1
    made = iteration in state.contacts.own.positions or iteration > state.steps.iteration + TUNING.final_steps
    if found is None or found.joint is None or made:
        return
    if not _is_small(agent, state, fitted, found.joint.shift, TUNING.final_step_size):
        _make(agent, state, iteration, found)


def _contribute(agent: "PlanarLoadAgent", state: PlanarAgentState, occasion: Occasion) -> None:
    fitted, likelihoods = state.fitted_span(), []
    for contact in state.contacts.all:
        base, likelihood = contact.positions.get(state.window.fit_iteration), None
        if state.window.fit is not None and fitted is not None and base is not None and contact.within(fitted):
            v, f, w = contact.readings(fitted.start, fitted.end)
            window = agent.window(state, fitted)
            likelihood = contact_likelihood(agent.cache, window, state.window.fit, f, base, v, w, contact.prior)
            contact.information = likelihood.information
        likelihoods.append(likelihood)
    contribute(state, occasion, fitted, likelihoods)


def positions_converged(agent: "PlanarLoadAgent", state: PlanarAgentState) -> bool:
    """Whether the next joint step would move the load by less than its noise: then what does not fit is a change."""
    step, fitted = predicted_step(agent.cache, state), state.fitted_span()
    if step is None or fitted is None or state.window.fit is None or state.steps.taken < 3:
        return False
    return _is_small(agent, state, fitted, step.unknowns, 1.0)


def _is_small(agent: "PlanarLoadAgent", state: PlanarAgentState, fitted: Span, step: np.ndarray, most: float) -> bool:
    """Whether a step of the unknowns moves the load by less than `most` of its standard deviation."""
    assert state.window.fit is not None
    std = np.sqrt(np.diag(agent.covariance_of(state, agent.window(state, fitted), state.window.fit)))
    return bool(np.all(np.abs(step[_MASS_AND_INERTIA]) < most * std[_MASS_AND_INERTIA]))


def predicted_step(cache: Cache, state: PlanarAgentState) -> PredictedStep | None:
    """Where the next joint step takes motion at the end, load and own position; None before the team knows."""
    fitted, found = state.fitted_span(), newest_contributions(cache, state)
    own = None if found is None else state.contacts.own.contributions.get(found.occasion)
    if found is None or found.joint is None or own is None or fitted is None or own.fit[:2] != fitted[:2]:
        return None
    return PredictedStep(found.joint.shift, own.likelihood.step(found.joint))
