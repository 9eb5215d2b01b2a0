"""Which rows are fitted now: the window that they are in, its last row, and whether there is anything new."""

from typing import TYPE_CHECKING

from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LOAD, Span
from steelyard.team.planar_load._window_ends import row_after_break, row_after_stall
from steelyard.team.planar_load._window_prior import adopt_window, begin_again, begin_window, resynchronise

if TYPE_CHECKING:
    from steelyard.team.planar_load._agent import PlanarLoadAgent


def rows_to_fit(agent: "PlanarLoadAgent", state: PlanarAgentState, sampled: bool) -> Span | None:
    """None for nothing; `sampled`: whether the robot has a sample of its own."""
    if state.tick % agent.per_row:
        return None
    adopt_window(state)
    resynchronise(agent, state)
    span = state.complete_span()
    if span is None:
        first = state.sums.members.first if state.window.start is None else state.window.start
        again = None if first is None else row_after_stall(state, first)
        if again is not None:  # the row that a window would begin with lacks somebody for good
            state.window.move(again, again - 1)
        return None
    again, following = row_after_stall(state, span.end), row_after_break(state, span.end)
    if again is not None and state.unknown:
        begin_again(state, again)
        return None
    if again is not None:
        begin_window(agent, state, span, max(again, span.start + 1), LOAD, 0.0)
        return None
    if following is not None and span.end - span.start + 1 < TUNING.fewest_rows:
        state.window.move(following, following - 1)
        return None
    if sampled and following is None:
        span = _cut(state, span)
    new = span.end > state.window.fit_end or (following is not None and agent.report_is_due(state))
    new = new or (state.finishing and span.end == state.window.fit_end and span.iteration > state.window.fit_iteration)
    return span if new and span.end - span.start + 1 >= TUNING.fewest_rows else None


def _cut(state: PlanarAgentState, span: Span) -> Span:
    """All robots cut at the same rows, so that each finds what the others find.

    A robot without samples of its own is not cut: it takes all that there is. So does the first fit of a window that
    began later than the team.
    """
    every = TUNING.fit_every
    end = span.end - (span.end + 1) % every
    following = state.window.fit_end + every - (state.window.fit_end + 1) % every
    fitted = state.window.start is None or span.start <= state.window.fit_end
    if fitted and span.start < following < end <= following + TUNING.catch_up:  # one by one, to contribute to all
        end = following
    return span._replace(end=end)
