"""How late an attitude, a velocity or a position is behind the signal that it is the integral of.

With x the derivative (rates, acceleration, velocity) and y the integral (angle, velocity, position), in every window

    y(t) = s R X(t − delay − drift t) + a + b t + noise,   X the integral of x,

where a and b take up the constant of integration and a bias of x. A difference of y over a step would have its noise
divided by the step, so that slow flight drowns in it; here the noise is that of the samples of y.

A controller answers the noise of y with motion, so x just after a sample depends on that sample's noise, and least
squares would take it for a delay (5 ms in simulated flights). x just before it does not: it is the delay's instrument.
"""

import itertools

import numpy as np

from steelyard.logs.mapping._compare import Means, Track, liveliest
from steelyard.logs.mapping._delays import Shift
from steelyard.logs.mapping._rotations import body_rates
from steelyard.logs.mapping._tuning import TUNING


def angles_of(attitude: Track) -> Track:
    """The integral of the body's rates, rad: turns from sample to sample, added up."""
    _, rates = body_rates(attitude.time, attitude.values)
    turns = rates * np.diff(attitude.time)[:, None]
    return Track(attitude.time, np.concatenate([np.zeros((1, 3)), np.cumsum(turns, axis=0)]))


def delay_bound(x: Track, y: Track, noise: float, window: float) -> float:
    """s, the Cramér-Rao bound of y's delay: white noise (one deviation an axis), a line in every window unknown."""
    fit = _Fit(x, y, window)
    rates = fit.detrended(np.stack([np.interp(fit.time, x.time, column) for column in x.values.T], axis=1))
    return noise / float(np.sqrt(np.sum(rates**2)))


def integral_shift(x: Track, y: Track, turned: bool = True, window: float = TUNING.integral_window) -> Shift | None:
    """Delay and drift of y behind the integral of x, in about equal axes; None where the motion does not tell.

    Scale, and where the axes may be `turned` a small rotation, are estimated along. Deviations count what the windows
    disagree about, so that errors of y that last for seconds widen them.
    """
    span = float(min(x.time[-1], y.time[-1]) - max(x.time[0], y.time[0]))
    window = min(window, max(span / TUNING.fewest_windows, TUNING.integral_window))
    fit = _Fit(x, y, window)
    if len(fit.time) < 100 or fit.windows < 4:
        return None
    every = max(len(fit.time) // TUNING.coarse_samples, 1)
    delay = (_Fit(x, Track(y.time[::every], y.values[::every]), window) if every > 1 else fit).coarse()
    solution = None
    for _ in range(8):
        solution = fit.solve(delay, turned, drifts=False)
        if solution is None:
            return None
        step = float(np.clip(solution[0][0], -0.02, 0.02))
        delay += step
        if abs(step) < 1e-6:
            break
    if solution is None or abs(delay) > 1.2 * TUNING.longest_delay:
        return None
    drifting = fit.solve(delay, turned, drifts=True)
    drift, drift_std = (0.0, np.inf) if drifting is None else (drifting[0][1], drifting[1][1])
    std = solution[1][0]
    if drifting is not None and abs(drift) > TUNING.certain_by * drift_std:
        delay, std = delay + drifting[0][0], drifting[1][0]
    else:
        drift = 0.0
    std = float(np.hypot(std, TUNING.delay_floor))
    return Shift(float(delay), std, float(drift), float(drift_std), solution[2], float(np.ptp(fit.time)))


class _Fit:
    """Samples of y in windows, and the least squares over them."""

    def __init__(self, x: Track, y: Track, window: float):
        self.x, step = Means(x.time, x.values), 1.0 / max(x.rate, 1.0)
        # The nearer the past, the more of the motion at the sample it tells: 0.1 s costs a third of the accuracy.
        self.half, self.past = max(0.02, step), max(0.02, 2 * step)
        reach = TUNING.longest_delay + self.past + 2 * step
        first, last = liveliest(x, max(x.time[0] + reach, y.time[0]), min(x.time[-1] - reach, y.time[-1]))
        inside = (y.time >= first) & (y.time <= last)
        edges = np.linspace(first, last, max(int((last - first) / window), 1) + 1)
        for k in np.flatnonzero(np.diff(self.x.gaps)):  # over a gap nothing is known of the integral
            inside &= (y.time < x.time[k] - reach) | (y.time > x.time[k + 1] + reach)
            edges = np.append(edges, 0.5 * (x.time[k] + x.time[k + 1]))
        self.time, self.values, self.start = y.time[inside], y.values[inside], float(y.time[0])
        rows = np.unique(np.searchsorted(self.time, np.sort(edges)[1:-1]))
        self.rows = np.unique([0, *rows, len(self.time)])
        self.windows = len(self.rows) - 1

    def detrended(self, values: np.ndarray) -> np.ndarray:
        """(n, k) less a straight line in every window."""
        out = np.zeros_like(values)
        for a, b in itertools.pairwise(self.rows):
            if b - a < 5:
                continue
            t, part = self.time[a:b], values[a:b] - values[a:b].mean(axis=0)
            u = t - t.mean()
            out[a:b] = part - u[:, None] * ((u @ part) / (u @ u))
        return out

    def coarse(self) -> float:
        """The delay at which the integral of x explains most, to 10 ms."""
        y, best, reach = self.detrended(self.values), 0.0, TUNING.longest_delay
        for step in (0.05, 0.01):
            trials, scores = best + np.arange(-reach, reach + step / 2, step), []
            for delay in trials:
                x = self.detrended(self.x.integral(self.time - delay))
                scores.append(float(np.sum(x * y)) / max(float(np.sqrt(np.sum(x**2))), 1e-12))
            best, reach = float(trials[int(np.argmax(scores))]), 0.05
        return best

    def solve(self, delay: float, turned: bool, drifts: bool) -> tuple[np.ndarray, np.ndarray, float] | None:
        """Corrections of delay (and drift), their deviations, and the coherence at this delay."""
        h, n, since = self.half, len(self.time), (self.time - self.start)[:, None]
        past, before, at, after = (self.x.integral(self.time - delay + t) for t in (-self.past, -h, 0.0, h))
        x, y = self.detrended(at), self.detrended(self.values)
        scale = float(np.sum(x * y) / max(float(np.sum(x * x)), 1e-12))
        coherence = float(np.sum(x * y) / max(float(np.sqrt(np.sum(x * x) * np.sum(y * y))), 1e-12))
        nuisances = [x, *(self.detrended(np.cross(e, scale * x)) for e in np.eye(3) if turned)]
        many, A, Z = 2 if drifts else 1, [], []
        for columns, rate in ((A, -(after - before) / (2 * h)), (Z, -(at - past) / self.past)):
            for one in (rate, rate * since)[:many]:
                columns.append(self.detrended(scale * one).ravel())
            columns += [one.ravel() for one in nuisances]
        A, Z = np.stack(A, axis=1), np.stack(Z, axis=1)
        H, size = Z.T @ A, np.linalg.norm(A, axis=0)
        if not (np.all(size > 0) and np.linalg.cond(H / np.outer(size, size)) < 1e6):
            return None
        inverse = np.linalg.inv(H)
        r = (y - scale * x).ravel()
        theta = inverse @ (Z.T @ r)
        left = (r - A @ theta)[:, None] * (Z @ inverse.T[:, :many])
        scores = left.reshape(n, 3, -1).sum(axis=1)
        white = np.sum(scores**2, axis=0)
        sums = np.add.reduceat(scores, self.rows[:-1], axis=0)
        clustered = np.sum(sums**2, axis=0) * self.windows / max(self.windows - many, 1)
        return theta[:many], np.sqrt(np.maximum(white, clustered)), coherence
