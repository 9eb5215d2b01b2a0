"""What a robot's fit is doing, as a tagged union; docs/TEAMS.md has the transitions, a test holds them."""

import dataclasses
from enum import Enum

from steelyard.team.planar_load._fit import LOG_MASS
from steelyard.team.planar_load._window import Fit, Prior, Span


class Origin(Enum):
    """Why a window began."""

    FIRST = "starting"
    CONTINUED = "in a gap"
    CHANGE = "after a change"
    AGAIN = "beginning again"


@dataclasses.dataclass(frozen=True, eq=False)
class Waiting:
    """No window has begun."""


@dataclasses.dataclass(frozen=True, eq=False)
class Begun:
    """A window from row `start` on, of which nothing is fitted yet."""

    start: int
    origin: Origin
    prior: Prior
    fit: Fit | None
    """The last one of the window before, from which the next fit goes on."""


@dataclasses.dataclass(frozen=True, eq=False)
class Fitted:
    """A window from row `start` on, and the newest fit to it."""

    start: int
    origin: Origin
    prior: Prior
    fit: Fit | None
    """None where no fit was found."""
    counts: bool
    """Whether it is consistent with one load, and the window as long as it must be."""


class WindowPhase(Enum):
    """A name for it, one after any step."""

    WAITING = "waiting for a start"
    """No sums of the whole team have come."""
    STARTING = "starting"
    """Rows are collected, or fitted with contact positions that do not agree with them yet; nothing is known."""
    TRACKING = "tracking"
    """The newest fit is consistent with one load."""
    INCONSISTENT = "inconsistent"
    """A fit goes on from what was known, and does not agree with its rows."""
    GAP = "in a gap"
    """The window has ended, and none of the next one's rows is fitted yet; what was reported stands."""
    AFTER_CHANGE = "after a change"
    """The load is another one, the contact positions are known."""
    AGAIN = "beginning again"
    """A window was given up; the next one has nothing but the contact positions, and is not long enough yet."""


Doing = Waiting | Begun | Fitted
_NO_PRIOR = Prior.none()


def phase_of(doing: Doing) -> WindowPhase:
    """The name of it."""
    match doing:
        case Waiting():
            return WindowPhase.WAITING
        case Fitted(counts=True):
            return WindowPhase.TRACKING
        case Fitted(origin=Origin.CONTINUED):
            return WindowPhase.INCONSISTENT
        case Begun(origin=origin) | Fitted(origin=origin):
            return WindowPhase(origin.value)


class WindowProgress:
    """Which window a robot fits, and how far; every change of it is one of the methods."""

    def __init__(self) -> None:
        self.doing: Doing = Waiting()
        self.fit_iteration = self.fit_end = -1
        """Outer iteration and last row of the newest fit, to whichever window."""

    @property
    def phase(self) -> WindowPhase:
        """What it is doing."""
        return phase_of(self.doing)

    @property
    def start(self) -> int | None:
        """First row of the window."""
        return None if isinstance(self.doing, Waiting) else self.doing.start

    @property
    def prior(self) -> Prior:
        """What earlier windows told."""
        return _NO_PRIOR if isinstance(self.doing, Waiting) else self.doing.prior

    @property
    def fit(self) -> Fit | None:
        """The newest one, to this window or the one before."""
        return None if isinstance(self.doing, Waiting) else self.doing.fit

    @property
    def continues(self) -> bool:
        """Whether nothing was fitted yet in a window that has begun with a load that was known before."""
        return isinstance(self.doing, Begun) and self.fit is not None and self.prior.information[LOG_MASS, LOG_MASS] > 0

    def begin(self, start: int, origin: Origin, prior: Prior, fit: Fit | None) -> None:
        """A new window."""
        self.doing = Begun(start, origin, prior, fit)

    def move(self, start: int, fit_end: int | None = None) -> None:
        """The window begins with another row; `fit_end`: as if rows up to there had been fitted."""
        origin = Origin.FIRST if isinstance(self.doing, Waiting) else self.doing.origin
        self.begin(start, origin, self.prior, self.fit)
        self.fit_end = self.fit_end if fit_end is None else fit_end

    def take_fit(self, span: Span, fit: Fit | None) -> None:
        """A fit to a span of the window, which does not count yet; see `count`."""
        origin = Origin.FIRST if isinstance(self.doing, Waiting) else self.doing.origin
        self.doing = Fitted(span.start, origin, self.prior, fit, counts=False)
        self.fit_iteration, self.fit_end = span.iteration, span.end

    def count(self) -> None:
        """What the newest fit tells holds."""
        if isinstance(self.doing, Fitted):
            self.doing = dataclasses.replace(self.doing, counts=True)
