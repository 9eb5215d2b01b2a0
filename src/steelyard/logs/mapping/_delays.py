"""How late one signal is behind another of the same motion, and how much later it gets, with uncertainties."""

import dataclasses

import numpy as np

from steelyard.logs.mapping._compare import Comparison, Means, Track, averaged, grid_of
from steelyard.logs.mapping._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Shift:
    """How late y is behind x."""

    delay: float
    """s, at the first common sample."""
    std: float
    drift: float
    """s/s."""
    drift_std: float
    coherence: float
    seconds: float
    """Of common motion."""


def shift(x: Track, y: Track, near: Comparison, turned: bool = True, chunks: int = 8) -> Shift | None:
    """Delay and drift of y behind x, in about equal axes, by least squares near a comparison's.

    Scale and offset, and where the axes may be `turned` a small rotation, are estimated along with it: what a circular
    motion cannot tell from a delay widens its deviation. The drift is a straight line through the delays of parts.
    """
    first, width = near.delay, near.width
    grid = grid_of(x, Track(y.time - first, y.values))
    if grid is None:
        return None
    grid = grid[:: max(int(width / 5 * (len(grid) - 1) / (grid[-1] - grid[0])), 1)]
    alignment = near.alignment
    x, y = _smoothed(x, width), _smoothed(y, width)
    if min(len(x.time), len(y.time)) < 30:
        return None
    whole = _delay(x, y, grid, width, first, turned)
    if whole is None:
        return None
    delay, std = whole
    std = float(np.hypot(std, _band(x, y, grid, width, delay, turned)))
    parts = [_delay(x, y, part, width, delay, False) for part in np.array_split(grid, chunks) if len(part) > 30]
    mids = [float(part.mean()) for part in np.array_split(grid, chunks) if len(part) > 30]
    precise = [(m, *p) for m, p in zip(mids, parts, strict=True) if p is not None and p[1] < 0.05]
    drift, drift_std, at_start = 0.0, np.inf, delay
    if len(precise) >= 4:
        t, d, s = np.array(precise).T
        t = t - grid[0]
        A, w = np.stack([np.ones_like(t), t], 1), 1 / np.maximum(s, TUNING.delay_floor)
        cov = np.linalg.inv((A * w[:, None] ** 2).T @ A)
        (at_start, drift) = cov @ ((A * w[:, None] ** 2).T @ d)
        chi2 = float(np.sum(((d - A @ np.array([at_start, drift])) * w) ** 2)) / (len(d) - 2)
        drift_std = float(np.sqrt(cov[1, 1] * max(chi2, 1.0)))
        mean = float(np.sum(d * w**2) / np.sum(w**2))
        spread = float(np.sum(((d - mean) * w) ** 2)) / (len(d) - 1)
        std = std * np.sqrt(max(spread, 1.0))
        if abs(drift) > TUNING.certain_by * drift_std:
            std = float(np.sqrt(cov[0, 0] * max(chi2, 1.0)))
        else:
            drift = 0.0
    if drift == 0.0:
        at_start = delay
    std = float(np.hypot(std, TUNING.delay_floor))
    return Shift(float(at_start), std, float(drift), drift_std, alignment.coherence, float(grid[-1] - grid[0]))


def _band(x: Track, y: Track, grid: np.ndarray, width: float, delay: float, turned: bool) -> float:
    """s, how much half of the band changes the delay, as a standard deviation."""
    x, y = _smoothed(x, 2 * width), _smoothed(y, 2 * width)
    if min(len(x.time), len(y.time)) < 30:
        return 0.0
    found = _delay(x, y, grid, 2 * width, delay, turned)
    return 0.0 if found is None else max(abs(found[0] - delay) - found[1], 0.0)


def _smoothed(track: Track, width: float) -> Track:
    """Averaged once more, at its own times.

    The noise of a single window's mean depends on where its ends lie between samples, and would draw the delay towards
    half a step.
    """
    values = averaged(track.time, track.values, track.time, width)
    good = np.isfinite(values).all(axis=1)
    return Track(track.time[good], values[good])


def _delay(
    x: Track, y: Track, grid: np.ndarray, width: float, first: float, turned: bool
) -> tuple[float, float] | None:
    """Delay and standard deviation where y(t) = s R x(t − delay) + offset, from one span of the grid."""
    delay, h, curvature = first, 0.002, 0.0
    means, b = Means(x.time, x.values), averaged(y.time, y.values, grid + first, width)
    r, good = [], np.zeros(0, bool)
    for _ in range(6):
        a = [means(grid + first - delay - s * h, width) for s in (-1, 0, 1)]
        good = np.isfinite(np.column_stack([b, *a])).all(axis=1)
        if good.sum() < 30:
            return None
        # The same scale, rotation and offset for all three, or their changes would hide the delay's.
        columns = _nuisances(a[1][good], turned)
        r = [_projected(b[good] - s * one[good], columns) for s in (_scale(a[1][good], b[good]),) for one in a]
        J = [0.5 * float(np.sum(one**2)) for one in r]
        curvature = (J[0] - 2 * J[1] + J[2]) / h**2
        if curvature <= 0:
            return None
        step = -(J[2] - J[0]) / (2 * h) / curvature
        delay += float(np.clip(step, -0.02, 0.02))
        if abs(step) < 1e-5:
            break
    if abs(delay - first) > 0.06:
        return None
    gradient = (r[2] - r[0]) / (2 * h)
    g = np.sum(r[1] * gradient, axis=1)
    return delay, float(np.sqrt(len(g) * _long_run_variance(g, grid)) / curvature)


def _scale(x: np.ndarray, y: np.ndarray) -> float:
    a, b = x - x.mean(axis=0), y - y.mean(axis=0)
    return float(np.sum(a * b) / max(np.sum(a * a), 1e-12))


def _nuisances(x: np.ndarray, turned: bool) -> np.ndarray:
    """(3 n, k): what scale, offset and a small rotation would change."""
    ones = [np.tile(e, (len(x), 1)) for e in np.eye(3)]
    turns = [np.cross(e, x) for e in np.eye(3)] if turned else []
    return np.stack([column.ravel() for column in (x, *ones, *turns)], axis=1)


def _projected(r: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """What is left of r (n, 3) once the nuisances have explained what they can."""
    theta = np.linalg.lstsq(columns.T @ columns, columns.T @ r.ravel(), rcond=None)[0]
    return (r.ravel() - columns @ theta).reshape(r.shape)


def _long_run_variance(g: np.ndarray, grid: np.ndarray) -> float:
    """Newey and West over 0.6 s."""
    g = g - g.mean()
    lags = min(round(0.6 / float(grid[1] - grid[0])), len(g) // 4)
    total = float(np.mean(g**2))
    for k in range(1, lags + 1):
        total += 2 * (1 - k / (lags + 1)) * float(np.mean(g[k:] * g[:-k]))
    return max(total, float(np.mean(g**2)) / 10)
