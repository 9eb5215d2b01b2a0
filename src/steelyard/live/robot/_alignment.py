"""From samples at a sensor's own times and rate to one sample a tick of the team."""

from collections import deque
from typing import NamedTuple

import numpy as np

from steelyard.live.robot._tuning import TUNING


class Aligned(NamedTuple):
    """A sample of a tick."""

    tick: int
    values: tuple[float, ...]


class Aligner:
    """Gives each sample to its nearest tick, moved there along the signal's slope.

    Where samples were lost, what was measured is missing, and what the robot did is taken from before and after. A
    sensor that is slower than the team has the ticks between its samples filled by straight lines; one that is faster
    has its samples of a tick averaged. Road not taken: straight lines always, which average the noise of two samples
    and make a white noise coloured.
    """

    def __init__(self, rate: float, motion: int):
        self.rate = rate
        self._motion = motion  # how many values are measured; the others are what the robot does, and varies smoothly
        self._recent: deque[tuple[float, np.ndarray]] = deque()
        self._last: Aligned | None = None
        self._held: list[np.ndarray] = []
        self._held_tick = -1
        self._faster = False

    def take(self, time: float, values: tuple[float, ...]) -> list[Aligned]:
        """A sample, `time` in s since the team's start; the ticks that it completes."""
        tick = round(time * self.rate)
        newest = self._held_tick if self._faster else (-1 if self._last is None else self._last.tick)
        # What came late, twice, or from before the first tick is left out.
        if tick < 0 or tick < newest or (self._recent and time <= self._recent[-1][0]):
            return []
        moved = self._moved(time, np.asarray(values, float), tick)
        if tick == newest and not self._faster:
            # The first time that a tick gets a second sample it is gone already; from then on ticks wait for theirs.
            self._faster = self._interval() < 0.75 / self.rate
            return []
        if not self._faster:
            return self._emit(tick, moved)
        done = [] if tick == self._held_tick or not self._held else self._emit(self._held_tick, self._mean())
        if tick != self._held_tick:
            self._held, self._held_tick = [], tick
        self._held.append(moved)
        return done

    def _mean(self) -> np.ndarray:
        return np.mean(self._held, axis=0)

    def _emit(self, tick: int, values: np.ndarray) -> list[Aligned]:
        last, found = self._last, []
        if last is not None and last.tick + 1 < tick <= last.tick + TUNING.longest_interpolation * self.rate:
            slow = tick - last.tick <= 1.5 * self._interval() * self.rate + 1.0
            before = np.asarray(last.values)
            for between in range(last.tick + 1, tick):
                filled = before + (between - last.tick) / (tick - last.tick) * (values - before)
                if not slow:  # samples were lost
                    filled[: self._motion] = np.nan
                found.append(Aligned(between, tuple(filled.tolist())))
        self._last = Aligned(tick, tuple(values.tolist()))
        return [*found, self._last]

    def _moved(self, time: float, values: np.ndarray, tick: int) -> np.ndarray:
        self._recent.append((time, values))
        while time - self._recent[0][0] > TUNING.gradient_span:
            self._recent.popleft()
        shift = tick / self.rate - time
        if abs(shift) * self.rate < TUNING.on_tick or len(self._recent) < 5:
            return values
        times = np.array([one for one, _ in self._recent])
        table = np.stack([one for _, one in self._recent])
        away = times - times.mean()
        gradient = away @ (table - table.mean(axis=0)) / (away @ away)
        return values + np.where(np.isfinite(gradient), gradient, 0.0) * shift

    def _interval(self) -> float:
        """Between two samples of the sensor, s; the team's own until there are some."""
        if len(self._recent) < 3:
            return 1.0 / self.rate
        return (self._recent[-1][0] - self._recent[0][0]) / (len(self._recent) - 1)
