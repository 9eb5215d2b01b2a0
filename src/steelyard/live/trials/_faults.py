"""Wrong clocks and false motions, as `[faults]` states them."""

import os
import time
from collections.abc import Mapping

from steelyard.config import WrongClock, WrongMotion
from steelyard.live.robot._local_clock import Clock, LocalClock

TRIAL_START = "STEELYARD_TRIAL_START"
"""In the environment: the system's monotonic clock when a trial began, from when wrong clocks drift."""


class DriftingClock(Clock):
    """A clock that is wrong by an offset and a drift; see `Clock`."""

    def __init__(self, wrong: WrongClock):
        self._wrong, self._true = wrong, LocalClock()
        self._start = float(os.environ.get(TRIAL_START, time.monotonic()))

    def now(self) -> float:
        """See `Clock`."""
        return self.at(time.monotonic())

    def at(self, monotonic: float) -> float:
        """See `Clock`."""
        return self._true.at(monotonic) + self._wrong.offset + self._wrong.drift * (monotonic - self._start)


def falsified(values: tuple[float, ...], motion: int, fault: WrongMotion) -> tuple[float, ...]:
    """The load moves more, and along."""
    return (*(fault.scale * value + fault.offset for value in values[:motion]), *values[motion:])


def clock_of(name: str, wrong: Mapping[str, WrongClock]) -> Clock:
    """A robot's clock in a trial."""
    return DriftingClock(wrong[name]) if name in wrong else LocalClock()
