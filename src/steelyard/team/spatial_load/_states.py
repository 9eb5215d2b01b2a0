"""What the spatial estimator is doing, as a tagged union; docs/TEAMS.md has the transitions, a test holds them."""

import dataclasses
from enum import Enum

import numpy as np

from steelyard.team.spatial_load._excitation import Excitation
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._prior import Prior
from steelyard.team.spatial_load._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class Starting:
    """Rows from `start` on are collected for a linearisation point; nothing is known."""

    start: int


@dataclasses.dataclass(frozen=True, eq=False)
class AfterGap:
    """The same; load and grips are known from before rows of which nobody knows the motion."""

    start: int
    prior: Prior
    excitation: Excitation
    """Of the rows before."""
    rows: int
    """Of the same load, before."""


@dataclasses.dataclass(frozen=True, eq=False)
class AfterChange:
    """The same; the load is another one, the grips are known."""

    start: int
    prior: Prior
    rows: int
    """That tell of the grips, before."""


Collecting = Starting | AfterGap | AfterChange


@dataclasses.dataclass(frozen=True, eq=False)
class Tracking:
    """A filter pass follows the rows."""

    origin: Collecting
    """What it began from."""
    filter_pass: FilterPass
    relinearised_rows: int
    """How many rows there were at the last relinearisation."""
    damping: float = 0.0
    """Of the next Gauss-Newton step (Levenberg-Marquardt)."""
    correction: np.ndarray | None = None
    """By how much the estimates of two passes over the same rows differed when they were last compared: what the point
    of the other one was off. None before any were."""

    @property
    def start(self) -> int:
        """Its first row."""
        return self.origin.start

    @property
    def contradicted(self) -> bool:
        """Whether readings contradict the estimate."""
        return self.filter_pass.covariance_inflation > TUNING.failed_above

    @property
    def hopeless(self) -> bool:
        """Whether they do, or the estimate is as far from its point as after a start at a wrong one."""
        found = self.filter_pass
        return self.contradicted or found.newton_decrement > TUNING.stuck_above * found.point.size


@dataclasses.dataclass(frozen=True, eq=False)
class Relinearising:
    """A filter pass follows the rows, and a second one catches up from a better point."""

    tracking: Tracking
    second: FilterPass

    @property
    def start(self) -> int:
        """The first row of both."""
        return self.tracking.start


State = Collecting | Tracking | Relinearising


def tracking_of(state: State) -> Tracking | None:
    """The pass that follows the rows, with what belongs to it; None where there is none."""
    match state:
        case Tracking():
            return state
        case Relinearising(tracking=tracking):
            return tracking
        case _:
            return None


def origin_of(state: State) -> Collecting:
    """What its pass began from; where rows are collected, the state itself."""
    found = tracking_of(state)
    return state if isinstance(state, Collecting) else found.origin if found is not None else Starting(state.start)


def rows_of_load(state: State, processed: int) -> int:
    """Before `processed`, of the load as it is now."""
    origin = origin_of(state)
    return processed - origin.start + (origin.rows if isinstance(origin, AfterGap) else 0)


def rows_of_grips(state: State, processed: int) -> int:
    """Before `processed`, that tell of the grips."""
    origin = origin_of(state)
    return processed - origin.start + (0 if isinstance(origin, Starting) else origin.rows)


class Phase(Enum):
    """The name of a state, at a row."""

    STARTING = "starting"
    TRACKING = "tracking"
    RELINEARISING = "relinearising"
    GAP = "in a gap"
    """Somebody's wrench is unknown for long: what was reported stands, while a filter pass goes on."""
    AFTER_GAP = "after a gap"
    AFTER_CHANGE = "after a change"


_PHASES = {
    Starting: Phase.STARTING,
    AfterGap: Phase.AFTER_GAP,
    AfterChange: Phase.AFTER_CHANGE,
    Tracking: Phase.TRACKING,
    Relinearising: Phase.RELINEARISING,
}


def phase_of(state: State, gap: bool) -> Phase:
    """The name of a state; `gap`: whether somebody's wrench is unknown for long."""
    return Phase.GAP if gap else _PHASES[type(state)]
