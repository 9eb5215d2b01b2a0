"""Two vector signals of one motion: which rotation, scale, delay and drift take one to the other, how certainly."""

import dataclasses
import itertools

import numpy as np

from steelyard.logs.mapping._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Track:
    """Samples of one vector signal."""

    time: np.ndarray
    """(n,), s, increasing."""
    values: np.ndarray
    """(n, 3)."""

    @property
    def rate(self) -> float:
        """Hz, of most samples."""
        return 1.0 / float(np.median(np.diff(self.time))) if len(self.time) > 2 else 0.0


@dataclasses.dataclass(frozen=True)
class Alignment:
    """y = scale R x, as well as a rotation can do it."""

    R: np.ndarray
    scale: float
    coherence: float
    """1 where a rotation explains everything, 0 where nothing."""
    mirrored: float
    """The same for the best mirror image: larger than `coherence` where a sign or an order is wrong."""
    second: float
    """Second singular value over the first: near 0 where all motion is about one axis."""


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


def averaged(time: np.ndarray, values: np.ndarray, at: np.ndarray, width: float) -> np.ndarray:
    """Means (m, k) over windows of `width` around each time of `at`, the signal being linear between its samples.

    NaN where a window reaches beyond the samples or over a gap longer than the tuning allows.
    """
    steps = np.diff(time)
    area = np.concatenate(
        [np.zeros((1, values.shape[1])), np.cumsum(0.5 * (values[1:] + values[:-1]) * steps[:, None], 0)]
    )

    def integral(t: np.ndarray) -> np.ndarray:
        k = np.clip(np.searchsorted(time, t, side="right") - 1, 0, len(time) - 2)
        u = ((t - time[k]) / steps[k])[:, None]
        return area[k] + steps[k][:, None] * (u * values[k] + 0.5 * u**2 * (values[k + 1] - values[k]))

    low, high = at - 0.5 * width, at + 0.5 * width
    inside = (low >= time[0]) & (high <= time[-1])
    lo, hi = np.where(inside, low, time[0]), np.where(inside, high, time[0])
    means = (integral(hi) - integral(lo)) / width
    gap = np.concatenate([[0], np.cumsum(steps > max(TUNING.gap, 4 * float(np.median(steps))))])
    over = (
        gap[np.clip(np.searchsorted(time, hi), 0, len(time) - 1)]
        != gap[np.clip(np.searchsorted(time, lo, side="right") - 1, 0, len(time) - 1)]
    )
    means[~inside | over] = np.nan
    return means


def derivative(track: Track, width: float) -> Track:
    """Differences over `width`: the mean of the derivative over it."""
    t = track.time[(track.time > track.time[0] + width / 2) & (track.time < track.time[-1] - width / 2)]
    ends = [np.stack([np.interp(t + s * width / 2, track.time, v) for v in track.values.T], 1) for s in (-1, 1)]
    return Track(t, (ends[1] - ends[0]) / width)


def grid_of(*tracks: Track) -> np.ndarray | None:
    """Evenly spaced times at which all tracks can be compared; of a long recording the part with most motion."""
    start, end = max(t.time[0] for t in tracks), min(t.time[-1] for t in tracks)
    rate = min(TUNING.grid_rate, *(max(t.rate, 1.0) for t in tracks))
    if end - start < 1.0 or (end - start) * rate < 30:
        return None
    if end - start > TUNING.longest_examined:
        x = tracks[0]
        edges = np.arange(start, end, TUNING.longest_examined / 4)
        rows = np.searchsorted(x.time, edges)
        motion = [float(np.nansum(np.var(x.values[a:b], axis=0))) for a, b in itertools.pairwise(rows) if b > a]
        best = int(np.argmax(motion)) if motion else 0
        start = max(start, float(edges[best]) - TUNING.longest_examined / 2)
        end = min(end, start + TUNING.longest_examined)
    return np.arange(start, end, 1.0 / rate)


def width_for(*tracks: Track) -> float:
    """s, of the window that all tracks of a comparison are averaged over."""
    return max(2.5 * TUNING.smoothing, 2.0 / min(max(t.rate, 1.0) for t in tracks))


def align(x: np.ndarray, y: np.ndarray, centred: bool = True) -> Alignment:
    """The rotation that takes x (n, 3) to y (n, 3) best; means taken off where `centred`."""
    good = np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1)
    x, y = x[good], y[good]
    if centred and len(x):
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    size = float(np.sqrt(np.sum(x**2) * np.sum(y**2)))
    if len(x) < 10 or size < 1e-12:
        return Alignment(np.eye(3), 1.0, 0.0, 0.0, 0.0)
    U, s, Vt = np.linalg.svd(y.T @ x)
    sign = 1.0 if np.linalg.det(U @ Vt) > 0 else -1.0
    R = U @ np.diag([1.0, 1.0, sign]) @ Vt
    scale = float(np.sqrt(np.sum(y**2) / np.sum(x**2)))
    proper, mirror = (s[0] + s[1] + sign * s[2]) / size, (s[0] + s[1] - sign * s[2]) / size
    return Alignment(R, scale, float(proper), float(mirror), float(s[1] / s[0]))


def compare(x: Track, y: Track, longest: float, centred: bool = True) -> tuple[Alignment, float]:
    """The best alignment y(t) = s R x(t − delay) over delays up to `longest`, and that delay, s, to the grid's step."""
    grid = grid_of(x, y)
    if grid is None:
        return align(np.zeros((0, 3)), np.zeros((0, 3))), 0.0
    width = width_for(x, y)
    a, b = averaged(x.time, x.values, grid, width), averaged(y.time, y.values, grid, width)
    step = float(grid[1] - grid[0])
    lags = list(range(-round(longest / step), round(longest / step) + 1))
    coarse = lags if len(lags) < 40 else lags[:: max(round(0.02 / step), 1)]
    best = max(coarse, key=lambda k: align(_shifted(a, k), b, centred).coherence)
    near = [k for k in lags if abs(k - best) <= max(round(0.02 / step), 1)]
    best = max(near, key=lambda k: align(_shifted(a, k), b, centred).coherence)
    return align(_shifted(a, best), b, centred), float(best * step)


def _shifted(values: np.ndarray, rows: int) -> np.ndarray:
    """Each row replaced by the one `rows` before it; NaN where there is none."""
    moved = np.full_like(values, np.nan)
    if rows >= 0:
        moved[rows:] = values[: len(values) - rows]
    else:
        moved[:rows] = values[-rows:]
    return moved


def shift(x: Track, y: Track, first: float, chunks: int = 8, centred: bool = True) -> Shift | None:
    """Delay and drift of y behind x by least squares near a first value, with what the residuals leave uncertain."""
    grid = grid_of(x, Track(y.time - first, y.values))
    if grid is None:
        return None
    width = width_for(x, y)
    alignment = align(averaged(x.time, x.values, grid, width), averaged(y.time - first, y.values, grid, width), centred)
    turned = Track(x.time, alignment.scale * x.values @ alignment.R.T)
    whole = _delay(turned, y, grid, width, first)
    if whole is None:
        return None
    delay, std = whole
    parts = [_delay(turned, y, part, width, delay) for part in np.array_split(grid, chunks) if len(part) > 30]
    mids = [float(part.mean()) for part in np.array_split(grid, chunks) if len(part) > 30]
    kept = [(m, *p) for m, p in zip(mids, parts, strict=True) if p is not None and p[1] < 0.05]
    drift, drift_std, at_start = 0.0, np.inf, delay
    if len(kept) >= 4:
        t, d, s = np.array(kept).T
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


def _delay(x: Track, y: Track, grid: np.ndarray, width: float, first: float) -> tuple[float, float] | None:
    """Delay and standard deviation where y(t) = x(t − delay) + offset, from one span of the grid."""
    delay, h, curvature = first, 0.002, 0.0
    r, good = [], np.zeros(0, bool)
    b = averaged(y.time, y.values, grid + first, width)

    def residual(tau: float) -> np.ndarray:
        r = b - averaged(x.time, x.values, grid + first - tau, width)
        return r - np.nanmean(r, axis=0)

    with np.errstate(invalid="ignore"):
        for _ in range(6):
            r = [residual(delay + s * h) for s in (-1, 0, 1)]
            good = np.all([np.isfinite(one).all(axis=1) for one in r], axis=0)
            if good.sum() < 30:
                return None
            J = [0.5 * float(np.sum(one[good] ** 2)) for one in r]
            curvature = (J[0] - 2 * J[1] + J[2]) / h**2
            if curvature <= 0:
                return None
            step = -(J[2] - J[0]) / (2 * h) / curvature
            delay += float(np.clip(step, -0.02, 0.02))
            if abs(step) < 1e-5:
                break
    if abs(delay - first) > 0.06:
        return None
    slope = (r[2] - r[0])[good] / (2 * h)
    g = np.sum(r[1][good] * slope, axis=1)
    return delay, float(np.sqrt(len(g) * _long_run_variance(g, grid)) / curvature)


def _long_run_variance(g: np.ndarray, grid: np.ndarray) -> float:
    """Newey and West over 0.6 s."""
    g = g - g.mean()
    lags = min(round(0.6 / float(grid[1] - grid[0])), len(g) // 4)
    total = float(np.mean(g**2))
    for k in range(1, lags + 1):
        total += 2 * (1 - k / (lags + 1)) * float(np.mean(g[k:] * g[:-k]))
    return max(total, float(np.mean(g**2)) / 10)
