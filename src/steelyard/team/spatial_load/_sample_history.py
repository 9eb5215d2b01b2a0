"""All robots' samples by row, and what a filter pass needs of them: weights, wrenches smoothed and between rows."""

import functools
import hashlib

import numpy as np

from steelyard.team._state_copies import shallow_copy
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._silences import grip_moves, rows_of_gap, runs
from steelyard.team.spatial_load._tuning import TUNING


class SampleHistory:
    """Rows of a team, oldest first; those that nobody needs any more are forgotten.

    A row is raw as it comes, and ready once the rows are there over which its wrench is smoothed. Rows keep their
    numbers when older ones are forgotten.
    """

    def __init__(self, robots: int, rate: float, noise: np.ndarray, held: bool, compiled: bool = False):
        """`noise`: standard deviations in the order of `models.WRIST_SIGNALS`; `held`: wrenches act until the next row.

        `compiled`: whether rows are filtered in machine code, where there is a compiler.
        """
        self.robots, self.rate, self.held, self.compiled = robots, rate, held, compiled
        self.noise = np.asarray(noise, float)
        self.wide = max(round(TUNING.smoothing * rate), 3)
        self.first = 0
        self._time = np.empty(0)
        self._raw = np.empty((0, robots, 15))
        self._length = 0
        self._used = [0]  # rows that are taken in the arrays, which copies share as long as they only add to them
        start = f"{robots} {rate} {self.noise.tolist()} {held} {compiled}"
        self._digests = [hashlib.blake2b(start.encode(), digest_size=16).digest()]

    @property
    def end(self) -> int:
        """The row after the last."""
        return self.first + self._length

    def copied(self) -> "SampleHistory":
        """A record with the same rows; neither sees what is added to the other."""
        twin = shallow_copy(self)
        twin._digests = self._digests.copy()
        return twin

    def append(self, time: float, raw: np.ndarray) -> None:
        """Adds a row (robot, 15); NaN where nothing was heard."""
        if self._length == len(self._time) or self._used[0] != self._length:
            room, there = TUNING.spare_rows, self._length
            self._time = np.concatenate([self._time[:there], np.zeros(room)])
            self._raw = np.concatenate([self._raw[:there], np.zeros((room, self.robots, 15))])
        self._time[self._length], self._raw[self._length] = time, raw
        self._length += 1
        self._used = [self._length] if self._used[0] != self._length - 1 else self._used
        self._used[0] = self._length
        content = self._digests[-1] + np.float64(time).tobytes() + raw.tobytes()
        self._digests.append(hashlib.blake2b(content, digest_size=16).digest())

    def forget(self, before: int) -> None:
        """Drops rows before a number, when it is worth the while."""
        drop = before - self.first
        if drop >= TUNING.spare_rows:
            keep = slice(drop, self._length)
            self._time, self._raw = self._time[keep], self._raw[keep]
            self._digests = self._digests[drop:]
            self._length -= drop
            self._used = [self._length]
            self.first = before

    def digest(self, end: int) -> bytes:
        """A short name of all rows that rows before `end` depend on."""
        return self._digests[min(end + self.wide + 2, self.end) - self.first]

    def time(self, row: int) -> float:
        """Of a row, s."""
        return float(self._time[row - self.first])

    def raw(self, begin: int, end: int) -> np.ndarray:
        """(time, robot, 15)."""
        return self._raw[begin - self.first : end - self.first]

    def times(self, begin: int, end: int) -> np.ndarray:
        """(time,), s."""
        return self._time[begin - self.first : end - self.first]

    def rows(self, begin: int, end: int) -> MeasuredRows:
        """Rows as a filter pass takes them; around the ends of the record, smoothed over what there is."""
        margin = self.wide + 2
        lo, hi = max(begin - margin, self.first), min(end + margin, self.end)
        raw, time = self.raw(lo, hi), self.times(lo, hi)
        wrench, noise_inflation, unknown, steps = self._wrench(raw, time, lo)
        smoothed_wrench, alpha, gyros = self._around(raw, wrench)
        # Not over what is no line: noise in a few Jacobians is less than a wrench that is not there.
        beside = np.convolve(unknown | steps, np.ones(2 * self.wide + 1))[self.wide : -self.wide] > 0.0
        smoothed_wrench = np.where(beside[:, None, None], wrench, smoothed_wrench)
        cut = slice(begin - lo, end - lo)
        heard = np.isfinite(raw[cut, :, :9])
        weight = np.where(heard, np.repeat(self.noise[:3], 3) ** -2.0, 0.0)
        weight[unknown[cut], :, 6:] *= TUNING.accelerometers_in_gaps
        weight[steps[cut]] = 0.0
        dt = np.diff(time, prepend=time[0])
        return MeasuredRows(
            dt[cut],
            np.where(heard, raw[cut, :, :9], 0.0),
            weight,
            wrench[cut],
            self._halfway(wrench, dt)[cut],
            smoothed_wrench[cut],
            alpha[cut],
            self._alpha_noise / np.sqrt(gyros[cut]),
            np.full(end - begin, self._force_noise),
            noise_inflation[cut],
        )

    def _wrench(self, raw: np.ndarray, time: np.ndarray, lo: int) -> tuple[np.ndarray, ...]:
        """Wrenches without blanks, the factor on the noise of each row's total, where nobody knows it, and its steps.

        Over a few rows a wrench is a straight line. Over more, a robot may have done anything, or let go: its wrench
        stays as it was, the total is as good as unknown, and accelerometers hardly count. So gyros and velocities
        follow the motion there, and nothing is learned of the load. Where a grip opens or closes between two rows, the
        second is as good as not read: what acted over the two intervals beside it is free. What a row is does not
        depend on the rows that it is asked for with: the filter carries the total's error from block to block.
        """
        wrench, sizes = raw[:, :, 9:], np.repeat(self.noise[3:], 3)
        missing, moved = ~np.isfinite(wrench), grip_moves(wrench / sizes)
        missing[moved], steps, unknown = True, np.asarray(moved.any(axis=1)), np.zeros(len(raw), bool)
        if not missing.any():
            return wrench, np.ones(len(raw)), unknown, steps
        wrench = wrench.copy()
        for j in np.flatnonzero(missing.any(axis=(0, 2))).tolist():
            for begin, end in runs(np.asarray(missing[:, j].any(axis=1))):
                if end - begin >= rows_of_gap(self.rate, TUNING.longest_line):
                    unknown[begin:end] = True
                    wrench[begin:end, j] = wrench[begin - 1, j] if begin else self._last_wrench(j, lo)
                    missing[begin:end, j] = False
            for a in np.flatnonzero(missing[:, j].any(axis=0)).tolist():
                heard = ~missing[:, j, a]
                wrench[~heard, j, a] = np.interp(time[~heard], time[heard], wrench[heard, j, a]) if heard.any() else 0.0
        spread = float(np.max(np.std(wrench, axis=0) / sizes)) + 1.0
        size = np.sqrt(np.mean(np.sum((wrench / sizes) ** 2, axis=2), axis=1)) + 1.0
        inflation = np.where(missing.any(axis=(1, 2)), TUNING.missing_wrench * spread, 1.0)
        return wrench, np.where(unknown | steps, TUNING.unknown_wrench * size, inflation), unknown, steps

    def _last_wrench(self, robot: int, row: int) -> np.ndarray:
        """(6,), as last heard before a row; zero where it never was."""
        heard = np.flatnonzero(np.isfinite(self.raw(self.first, row)[:, robot, 9:]).all(axis=1))
        return self.raw(self.first, row)[heard[-1], robot, 9:] if len(heard) else np.zeros(6)

    def _halfway(self, wrench: np.ndarray, dt: np.ndarray) -> np.ndarray:
        """The cubic through the four rows around an interval, at its middle; a straight line where rows are uneven."""
        half = wrench.copy()
        if self.held:
            half[1:] = wrench[:-1]
            return half
        half[1:] = 0.5 * (wrench[1:] + wrench[:-1])
        if len(wrench) > 3:
            even = np.ptp(np.stack([dt[1:-2], dt[2:-1], dt[3:]]), axis=0) < 1e-3 * dt[2:-1]
            if self.first == 0:
                even[0] &= dt[1] > 0
            cubic = (9.0 * (wrench[1:-2] + wrench[2:-1]) - wrench[:-3] - wrench[3:]) / 16.0
            half[2:-1] = np.where(even[:, None, None], cubic, half[2:-1])
        return half

    def _around(self, raw: np.ndarray, wrench: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Wrenches as means over the rows around, angular accelerations by lines through them, and of how many gyros.

        The row itself and those beside it are left out. The accelerations' mean over all robots is that over the
        gyros that were heard.
        """
        heard = np.isfinite(raw[:, :, :3])
        n, there = len(raw), np.ones((len(raw), 1))
        table = [there, wrench.reshape(n, -1), heard.reshape(n, -1), np.where(heard, raw[:, :, :3], 0.0).reshape(n, -1)]
        sums = self._sums(np.concatenate(table, axis=1, dtype=float))
        ends = np.cumsum([part.shape[1] for part in table])
        count, total = sums[:, :1, 0], sums[:, 1 : ends[1], 0]
        smoothed_wrench = np.where(count > 0.0, total / np.maximum(count, 1e-300), table[1]).reshape(wrench.shape)
        s0, s1, s2 = np.moveaxis(sums[:, ends[1] : ends[2]], -1, 0)
        y0, y1, _ = np.moveaxis(sums[:, ends[2] :], -1, 0)
        scale = s0 * s2 - s1 * s1
        gradient = np.where(scale > 1e-9, (s0 * y1 - s1 * y0) / np.maximum(scale, 1e-9), 0.0) * self.rate
        gyros = np.maximum(np.sum(scale.reshape(n, self.robots, 3).min(axis=2) > 1e-9, axis=1), 1)
        return smoothed_wrench, gradient.reshape(n, self.robots, 3) * (self.robots / gyros)[:, None, None], gyros

    @property
    def _alpha_noise(self) -> float:
        """Of one robot's gradient, an axis, rad/s²."""
        weights, lags = _weights(self.wide)
        gradient = weights * lags / np.sum(weights * lags**2)
        return float(self.noise[0] * self.rate * np.linalg.norm(gradient))

    @property
    def _force_noise(self) -> float:
        """Of the sum over the robots of smoothed forces, an axis, N."""
        weights, _ = _weights(self.wide)
        return float(self.noise[4] * np.sqrt(self.robots) * np.linalg.norm(weights) / np.sum(weights))

    def _sums(self, values: np.ndarray) -> np.ndarray:
        """(time, column, 3): weighted sums over the rows around, times powers 0 to 2 of how many rows away they are."""
        weights, lags = _weights(self.wide)
        powers = weights[:, None] * lags[:, None] ** np.arange(3)
        padded = np.zeros((len(values) + 2 * self.wide, values.shape[1]))
        padded[self.wide : self.wide + len(values)] = values
        return np.lib.stride_tricks.sliding_window_view(padded, len(lags), axis=0) @ powers


@functools.cache
def _weights(wide: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the rows around, and how many rows away they are."""
    lags = np.arange(-wide, wide + 1)
    return np.where(np.abs(lags) < 2, 0.0, 1.0 + np.cos(np.pi * lags / (wide + 1))), lags.astype(float)
