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
    C: np.ndarray
    """(3, 3): normalised correlation of y with x, axis by axis."""

    def coherence_of(self, R: np.ndarray) -> float:
        """The coherence that this rotation would reach."""
        return float(np.trace(R.T @ self.C))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The best alignment over delays."""

    alignment: Alignment
    delay: float
    """s, to the step of the grid: y(t) = s R x(t − delay)."""
    width: float
    """s, over which both were averaged."""

    @property
    def coherence(self) -> float:
        """Of the alignment."""
        return self.alignment.coherence


class Means:
    """Means of a signal over windows, the signal being linear between its samples; its integral is kept."""

    def __init__(self, time: np.ndarray, values: np.ndarray):
        self.time, self.values, self.steps = time, values, np.diff(time)
        trapezoids = 0.5 * (values[1:] + values[:-1]) * self.steps[:, None]
        self.area = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(trapezoids, 0)])
        far = self.steps > max(TUNING.gap, 4 * float(np.median(self.steps)))
        self.gaps = np.concatenate([[0], np.cumsum(far)])

    def __call__(self, at: np.ndarray, width: float) -> np.ndarray:
        """(m, k) means over windows of `width` around each time of `at`.

        NaN where a window reaches beyond the samples or over a gap longer than the tuning allows.
        """
        low, high = at - 0.5 * width, at + 0.5 * width
        inside = (low >= self.time[0]) & (high <= self.time[-1])
        lo, hi = np.where(inside, low, self.time[0]), np.where(inside, high, self.time[0])
        first, last = (np.searchsorted(self.time, t, side="right") - 1 for t in (lo, hi))
        means = (self._integral(hi, last) - self._integral(lo, first)) / width
        after = np.minimum(last + (self.time[last] < hi), len(self.time) - 1)
        means[~inside | (self.gaps[after] != self.gaps[first])] = np.nan
        return means

    def integral(self, t: np.ndarray) -> np.ndarray:
        """(m, k), from the first sample to each time."""
        return self._integral(t, np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, len(self.steps) - 1))

    def _integral(self, t: np.ndarray, k: np.ndarray) -> np.ndarray:
        k = np.minimum(k, len(self.steps) - 1)
        dt = self.steps[k]
        u = ((t - self.time[k]) / dt)[:, None]
        return self.area[k] + dt[:, None] * (u * self.values[k] + 0.5 * u**2 * (self.values[k + 1] - self.values[k]))


def averaged(time: np.ndarray, values: np.ndarray, at: np.ndarray, width: float) -> np.ndarray:
    """`Means` for one use."""
    return Means(time, values)(at, width)


def derivative(track: Track, width: float) -> Track:
    """Differences over `width`: the mean of the derivative over it."""
    if not len(track.time):
        return track
    t = track.time[(track.time > track.time[0] + width / 2) & (track.time < track.time[-1] - width / 2)]
    ends = [np.stack([np.interp(t + s * width / 2, track.time, v) for v in track.values.T], 1) for s in (-1, 1)]
    return Track(t, (ends[1] - ends[0]) / width)


def grid_of(*tracks: Track) -> np.ndarray | None:
    """Evenly spaced times at which all tracks can be compared; of a long recording the part with most motion."""
    if not all(len(t.time) for t in tracks):
        return None
    start, end = max(t.time[0] for t in tracks), min(t.time[-1] for t in tracks)
    rate = min(TUNING.grid_rate, *(max(t.rate, 1.0) for t in tracks))
    if end - start < 1.0 or (end - start) * rate < 30:
        return None
    start, end = liveliest(tracks[0], start, end)
    return np.arange(start, end, 1.0 / rate)


def liveliest(x: Track, start: float, end: float) -> tuple[float, float]:
    """Of a long span the part with most motion, s; a short one as it is."""
    if end - start <= TUNING.longest_examined:
        return start, end
    edges = np.linspace(start, end, 1 + min(int((end - start) / (TUNING.longest_examined / 4)), TUNING.most_parts))
    rows = np.searchsorted(x.time, edges)
    motion = [float(np.nansum(np.var(x.values[a:b], axis=0))) for a, b in itertools.pairwise(rows) if b > a]
    best = int(np.argmax(motion)) if motion else 0
    start = max(start, float(edges[best]) - TUNING.longest_examined / 2)
    return start, min(end, start + TUNING.longest_examined)


def width_for(*tracks: Track) -> float:
    """s, of the shortest window that all tracks of a comparison are averaged over."""
    return max(2.5 * TUNING.smoothing, 2.0 / min(max(t.rate, 1.0) for t in tracks))


def align(x: np.ndarray, y: np.ndarray, centred: bool = True) -> Alignment:
    """The rotation that takes x (n, 3) to y (n, 3) best; means taken off where `centred`."""
    good = np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1)
    x, y = x[good], y[good]
    if centred and len(x):
        x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    size = float(np.sqrt(np.sum(x**2) * np.sum(y**2)))
    if len(x) < 10 or size < 1e-12:
        return Alignment(np.eye(3), 1.0, 0.0, 0.0, 0.0, np.zeros((3, 3)))
    U, s, Vt = np.linalg.svd(y.T @ x)
    sign = 1.0 if np.linalg.det(U @ Vt) > 0 else -1.0
    R = U @ np.diag([1.0, 1.0, sign]) @ Vt
    scale = float(np.sqrt(np.sum(y**2) / np.sum(x**2)))
    proper, mirror = (s[0] + s[1] + sign * s[2]) / size, (s[0] + s[1] - sign * s[2]) / size
    return Alignment(R, scale, float(proper), float(mirror), float(s[1] / s[0]), y.T @ x / size)


def compare(x: Track, y: Track, longest: float, centred: bool = True, free: bool = True) -> Comparison:
    """The best alignment over delays up to `longest`; where axes are not `free` they are taken as equal.

    Noise decides how long to average: from the shortest window on, each is twice as long, until the two agree. Where
    axes are known they must not be free: in a circular motion a delay is a rotation.
    """
    grid = grid_of(x, y)
    width = width_for(x, y)
    best = Comparison(align(np.zeros((0, 3)), np.zeros((0, 3))), 0.0, width)
    while grid is not None and width <= TUNING.longest_window and len(grid) > 30:
        found = _compared(x, y, grid, width, longest, centred, free)
        if found.coherence > best.coherence + 0.01:
            best = found
        if best.coherence > TUNING.agreed:
            break
        width *= 2
    return best


def compare_axes(x: Track, y: Track, longest: float) -> Alignment:
    """The alignment of two tracks: in equal axes where those explain them, else in whichever do best."""
    same = compare(x, y, longest, free=False)
    if same.coherence > TUNING.agreed:
        return same.alignment
    free = compare(x, y, longest)
    if same.coherence > max(free.coherence - TUNING.margin, TUNING.coherence):
        return same.alignment
    return free.alignment


def _compared(x, y, grid: np.ndarray, width: float, longest: float, centred: bool, free: bool) -> Comparison:
    # Means over long windows say nothing new from one grid time to the next, so some are enough.
    times = grid[:: max(int(width / 3 * (len(grid) - 1) / (grid[-1] - grid[0])), 1)]
    a, b = Means(x.time, x.values), Means(y.time, y.values)(times, width)

    def aligned(delay: float, every: int = 1) -> Alignment:
        found = align(a(times[::every] - delay, width), b[::every], centred)
        if free:
            return found
        return dataclasses.replace(found, R=np.eye(3), coherence=found.coherence_of(np.eye(3)))

    best, first = 0.0, max(0.025, 0.4 * width)
    # Windows that just touch hold every sample; the last of the search takes those between them, too.
    for step, reach, every in ((first, longest, 3), (first / 4, 0.75 * first, 3), (first / 16, 0.2 * first, 1)):
        trials = best + step * np.arange(-round(reach / step), round(reach / step) + 1)
        trials = trials[np.abs(trials) <= longest]
        best = max(map(float, trials), key=lambda delay: aligned(delay, every).coherence)
    return Comparison(aligned(best), best, width)
