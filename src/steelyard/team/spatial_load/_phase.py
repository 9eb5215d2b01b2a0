"""What the spatial estimator is doing, as a tagged union; docs/TEAMS.md has the transitions, a test holds them."""

import dataclasses
from enum import Enum

import numpy as np

from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._known_before import AfterChange, AfterGap


@dataclasses.dataclass(frozen=True, eq=False)
class Collecting:
    """Rows from `start` on are collected for a linearisation point."""

    start: int
    known: AfterChange | AfterGap | None = None
    """What was known before; None where nothing was."""


@dataclasses.dataclass(frozen=True, eq=False)
class Tracking:
    """A filter pass follows the rows from `start` on."""

    start: int
    known: AfterChange | AfterGap | None
    filter_pass: FilterPass
    relinearised_rows: int
    """How many rows there were at the last relinearisation."""
    second: FilterPass | None = None
    """The relinearisation pass, which catches up from a better point."""
    damping: float = 0.0
    """Of the next Gauss-Newton step (Levenberg-Marquardt)."""
    correction: np.ndarray | None = None
    """By how much the estimates of two passes over the same rows differed when they were last compared: what the point
    of the other one was off. None before any were."""


Doing = Collecting | Tracking


class Phase(Enum):
    """A name for it, one at any row."""

    STARTING = "starting"
    """Collects rows for a first linearisation point; nothing is known."""
    TRACKING = "tracking"
    """A filter pass follows the rows."""
    RELINEARISING = "relinearising"
    """A filter pass follows the rows, and a second one catches up from a better point."""
    GAP = "in a gap"
    """Somebody's wrench is unknown for long: what was reported stands, while a filter pass goes on."""
    AFTER_GAP = "after a gap"
    """Collects rows; load and grips are known from before."""
    AFTER_CHANGE = "after a change"
    """Collects rows; the load is another one, the grips are known."""


def phase_of(doing: Doing, gap: bool) -> Phase:
    """The name of it; `gap`: whether somebody's wrench is unknown for long."""
    match doing:
        case _ if gap:
            return Phase.GAP
        case Tracking(second=second):
            return Phase.TRACKING if second is None else Phase.RELINEARISING
        case Collecting(known=None):
            return Phase.STARTING
        case Collecting(known=known):
            return Phase.AFTER_GAP if isinstance(known, AfterGap) else Phase.AFTER_CHANGE
