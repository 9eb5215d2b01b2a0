"""The fit of a window's rows, and what it tells: one load, a change of it, or rows that do not belong together."""

import math
from typing import TYPE_CHECKING

import numpy as np

from steelyard.team.planar_load._contributions import fit_of_others
from steelyard.team.planar_load._fit import LOG_SCALE, N_UNKNOWNS
from steelyard.team.planar_load._message import PlanarLoadEvent
from steelyard.team.planar_load._shared_fit import Jump, find_jump, guesses, solve, two_loads_evidence
from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._sum_keys import shift_key
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LOAD, LONGEST, Fit, Span, Window
from steelyard.team.planar_load._window_ends import row_after_break
from steelyard.team.planar_load._window_prior import begin_again, begin_window

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent


def fit_rows(agent: "PlanarLoadAgent", state: PlanarAgentState, span: Span) -> tuple[PlanarLoadEvent, ...]:
    """Fits a span, and reports a change of the load; the window slides, or ends where the team breaks."""
    if state.window.start is None:
        state.window.move(span.start)
    if span.end - span.start + 1 >= LONGEST - TUNING.fit_every:
        begin_window(agent, state, span, span.start + TUNING.slide, LOAD, TUNING.slide_inflation)
        span = span._replace(start=span.start + TUNING.slide)
    then, now = state.sums.members.get(state.window.fit_end), state.sums.members.get(span.end)
    if then is not None and now is not None and now.robots > then.robots:
        state.steps.converged, state.steps.taken = False, min(state.steps.taken, 1)  # newcomers' positions are rough
    window, before = agent.window(state, span), state.window.fit
    fit = solve(agent.cache, window, _starts(state, span), TUNING.iterations)
    settled = state.steps.converged and span.iteration == state.window.fit_iteration
    if before is not None and before.consistent and fit is not None and settled:
        fit, jump = _jump(agent, span, window, fit)
        if jump is not None:
            return _begin_after(agent, state, span, jump)
    if fit is None or not fit.consistent or len(window.rows) < TUNING.guess_below:
        others = fit_of_others(state)  # a robot that came later may not find it by itself
        starts = guesses(window) if others is None else [others, *guesses(window)]
        again = solve(agent.cache, window, starts, TUNING.iterations_from_guess)
        if again is not None and (fit is None or again.chi_square < fit.chi_square):
            fit = again
    state.window.take_fit(span, fit)
    following = row_after_break(state, span.end)
    if _begins_again(agent, state, window, following):
        return ()
    if following is not None and fit is not None and fit.consistent:
        begin_window(agent, state, span, following, LOAD, 0.0)
    return ()


def _starts(state: PlanarAgentState, span: Span) -> list[np.ndarray]:
    """The last fit's unknowns, and before them where the new contact positions shift them."""
    if state.window.fit is None or state.window.fit.diverged:
        return []
    starts = [state.window.fit.unknowns]
    shift = state.sums.tree.totals.get(shift_key(span.iteration))
    if span.iteration != state.window.fit_iteration and shift is not None:
        starts.insert(0, starts[0] + shift[:N_UNKNOWNS])
    return starts


def _begins_again(agent: "PlanarLoadAgent", state: PlanarAgentState, window: Window, following: int | None) -> bool:
    """Finds whether the rows are of one load; where they have not been for long, a new window begins.

    `following`: the row from which the team goes on after the window, where that has ended.
    """
    fit, found = state.window.fit, state.consistency
    consistent = fit is not None and fit.consistent
    if fit is not None and not (found.one_load and state.steps.converged):
        found.one_load = consistent and two_loads_evidence(agent.cache, window, fit) < TUNING.two_loads_evidence
    if consistent and found.one_load:
        found.since = None
        if len(window.rows) >= found.rows_needed:
            found.rows_needed, found.given_up = 0, 1.0
            state.window.count()
        return False
    near = following is None and fit is not None and fit.usable(TUNING.mended_by_positions)
    excess = math.inf if fit is None else (fit.chi_square - 1.0) * fit.n_rows
    if found.since is None or (near and excess < TUNING.mending * found.excess):
        found.since, found.excess, found.steps = state.window.fit_end, excess, state.steps.taken
    waited = state.window.fit_end - found.since if following is None else state.row - following
    longest = TUNING.inconsistent_rows if state.steps.taken else TUNING.converging_rows
    if waited < (TUNING.mending_rows if near else longest):
        return False
    if near and state.steps.taken < found.steps + TUNING.mending_steps:  # over a bad radio they take long
        return False
    found.rows_needed = max(found.rows_needed, min(len(window.rows), TUNING.most_rows_needed))
    found.given_up = found.given_up if fit is None else max(found.given_up, fit.chi_square)
    begin_again(state, state.window.fit_end + 1 if following is None else following)
    return True


def _jump(agent: "PlanarLoadAgent", span: Span, window: Window, fit: Fit) -> tuple[Fit, Jump | None]:
    """The fit, and a change of the load where there is evidence of one."""
    if span.end - span.start < TUNING.rows_before_jump:
        return fit, None
    jump = find_jump(agent.cache, window, fit)
    if jump is not None and jump.evidence > TUNING.jump_evidence:  # or is the fit not at its minimum yet?
        fit = solve(agent.cache, window, [fit.unknowns], TUNING.iterations_before_event) or fit
        jump = find_jump(agent.cache, window, fit)
    return fit, jump if jump is not None and jump.evidence > TUNING.jump_evidence else None


def _begin_after(
    agent: "PlanarLoadAgent", state: PlanarAgentState, span: Span, jump: Jump
) -> tuple[PlanarLoadEvent, ...]:
    """A new window from a change of the load on, and the events that report it."""
    state.window.fit_iteration, state.window.fit_end, state.consistency.one_load = span.iteration, span.end, False
    row = span.start + jump.row
    begin_window(agent, state, span, row, (LOG_SCALE,), 0.0)
    time = row * agent.per_row / agent.rate
    return tuple(PlanarLoadEvent(time, "change", quantity) for quantity in ("mass", "inertia"))
