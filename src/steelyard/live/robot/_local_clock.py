"""A robot's own clock: this machine's."""

import abc
import time


class Clock(abc.ABC):
    """Seconds since 1970 that never jump back."""

    @abc.abstractmethod
    def now(self) -> float:
        """What the clock shows."""

    @abc.abstractmethod
    def at(self, monotonic: float) -> float:
        """What it showed, or will show, at a time of the system's monotonic clock, which all processes share."""


class LocalClock(Clock):
    """See `Clock`."""

    def __init__(self) -> None:
        self._zero = time.time() - time.monotonic()

    def now(self) -> float:
        """See `Clock`."""
        return self.at(time.monotonic())

    def at(self, monotonic: float) -> float:
        """See `Clock`."""
        return self._zero + monotonic
