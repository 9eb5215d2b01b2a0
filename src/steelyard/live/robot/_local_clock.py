"""A robot's own clock: this machine's, or for a trial one that is wrong."""

import os
import time

from steelyard.config import WrongClock

TRIAL = "STEELYARD_TRIAL_START"
"""In the environment: the system's monotonic clock when a trial began, from when wrong clocks drift."""


class OwnClock:
    """Seconds since 1970 that never jump back."""

    def __init__(self, wrong: WrongClock | None = None):
        self._wrong = wrong or WrongClock()
        self._zero = time.time() - time.monotonic()
        self._trial = float(os.environ.get(TRIAL, time.monotonic()))

    def now(self) -> float:
        """What the clock shows."""
        return self.at(time.monotonic())

    def at(self, monotonic: float) -> float:
        """What it showed, or will show, at a time of the system's monotonic clock, which all processes share."""
        drifted = self._wrong.drift * (monotonic - self._trial)
        return self._zero + monotonic + self._wrong.offset + drifted
