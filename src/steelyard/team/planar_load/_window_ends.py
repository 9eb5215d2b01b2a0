"""Where a window ends, and from which row the team goes on: robots go, forces are unknown, sums never come."""

from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.planar_load._state import PlanarAgentState
from steelyard.team.planar_load._sums import Sum
from steelyard.team.planar_load._tuning import TUNING


def row_after_break(state: PlanarAgentState, end: int) -> int | None:
    """The row from which the team goes on after `end` where it is smaller or somebody's force was not known."""
    row = end + 1
    while _without_force(state, row):
        row += 1
    if row > end + 1:
        return row
    now, then = state.sums.members.get(end + 1), state.sums.members.get(end)
    if now is None or then is None or not state.sums.ends_window(then, now):
        return None
    return end + 1 + max(TUNING.guard, state.sums.lets_go)


def row_after_stall(state: PlanarAgentState, end: int) -> int | None:
    """The row from which the newest sums go on without a break, if the window has long ended at `end`."""
    if state.row - end < (TUNING.lost_after if state.unknown and state.window.start is not None else TUNING.stalled):
        return None
    row = state.sums.members.newest
    made = max(state.contacts.own.positions, default=state.steps.iteration)
    while state.sums.complete(row, made, row):
        row -= 1
    return row + 1 if state.sums.members.newest - row >= MEMBERSHIP.steady_rows else None


def blocked(state: PlanarAgentState, end: int) -> bool:
    """Whether the team has a member without a position at a row up to `end`, and so no fit that reaches it."""
    iteration = max(state.contacts.own.positions)
    rows = range(max(state.window.fit_end + 1, state.window.start or 0), end + 1)
    found = (state.sums.whole(row, iteration) for row in rows)
    return any(one is not None and one[Sum.POSITIONED] < one[Sum.MEMBERS] for one in found)


def _without_force(state: PlanarAgentState, row: int) -> bool:
    """Whether no sum of a row will ever be complete, because somebody's force there is not known."""
    found = (state.sums.whole(row, iteration) for iteration in state.contacts.own.positions)
    return any(one is not None and one[Sum.UNKNOWN_FORCE] > 0.0 for one in found)
