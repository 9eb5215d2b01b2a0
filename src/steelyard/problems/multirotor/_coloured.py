"""Generalised least squares under a coloured model error: docs/DRONE.md has the equations.

What the model lacks is an acceleration `e` in body axes, an Ornstein-Uhlenbeck process an axis plus white noise, of one
size along the thrust axis and another across it. From block to block the velocity that is left over changes by its
integral, and by the difference of two white velocity noises. Turned into body axes each such change is a scalar
process; a Kalman filter of two states, the error and the last block's noise, whitens any column of it. Its gain settles
within a second: from there on it is a fixed digital filter. Least squares on whitened columns is generalised least
squares on the raw ones.
"""

import dataclasses
import functools

import numpy as np
from scipy.signal import lfilter

from steelyard.problems.multirotor._tuning import TUNING

NAMES = ("velocity", "white_along", "coloured_along", "time_along", "white_across", "coloured_across", "time_across")


@dataclasses.dataclass(frozen=True)
class Blocks:
    """A flight as means over blocks of rows; columns are velocities in world axes, m/s a unit of a parameter."""

    time: np.ndarray
    """(n,), s."""
    span: np.ndarray
    """(n,), s since the block before; 0 at the first."""
    R: np.ndarray
    """(n, 3, 3), body to world, at the middle between a block and the one before."""
    fresh: np.ndarray
    """(n,), whether the velocity is unknown before this block: the first one, and the first after a gap."""
    heard: np.ndarray
    """(n,), the share of rows in the block with a velocity; 0 for a block without."""

    def __len__(self) -> int:
        return len(self.time)

    @functools.cached_property
    def step(self) -> float:
        """Usual time from block to block, s."""
        return float(np.median(self.span[1:])) if len(self) > 1 else TUNING.block

    @functools.cached_property
    def used(self) -> np.ndarray:
        """(n,), whether the change of the velocity since the block before is known, over a usual time."""
        heard = self.heard > 0
        usual = np.abs(self.span / self.step - 1.0) < TUNING.uneven_blocks
        return heard & np.concatenate([[False], heard[:-1]]) & ~self.fresh & usual

    @functools.cached_property
    def runs(self) -> list[tuple[int, int]]:
        """First block and the one after the last of each unbroken run of used blocks."""
        edges = np.flatnonzero(np.diff(np.concatenate([[0], self.used.astype(int), [0]])))
        return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


@dataclasses.dataclass(frozen=True)
class ErrorModel:
    """Sizes of what is random; SI units."""

    velocity: float
    """White noise of the mean velocity of a block, m/s an axis."""
    white_along: float
    """White acceleration along the thrust axis, m/s² per root Hz."""
    coloured_along: float
    """Coloured acceleration along the thrust axis, m/s²."""
    time_along: float
    """Its correlation time, s."""
    white_across: float
    coloured_across: float
    time_across: float

    def logarithms(self) -> np.ndarray:
        """As a search sees it."""
        return np.log([getattr(self, name) for name in NAMES])

    @staticmethod
    def of(logarithms: np.ndarray) -> "ErrorModel":
        """The inverse."""
        return ErrorModel(*map(float, np.exp(logarithms)))


@dataclasses.dataclass(frozen=True)
class Whitener:
    """The Kalman filter of one axis: states are the coloured error, m/s², and the last block's noise, m/s."""

    F: np.ndarray
    H: np.ndarray
    gains: np.ndarray
    """(k, 2), from the first block of a run on; the last one stays."""
    deviations: np.ndarray
    """(k,), of the innovations; m/s."""

    def white(self, columns: np.ndarray) -> np.ndarray:
        """One run of changes (n, k), whitened."""
        n, few = len(columns), min(len(self.gains) - 1, len(columns))
        found = np.empty_like(columns)
        x = np.zeros((2, columns.shape[1]))
        for k in range(few):
            innovation = columns[k] - self.H @ x
            found[k] = innovation / self.deviations[k]
            x = self.F @ x + self.gains[k][:, None] * innovation
        if n > few:
            closed = self.F - np.outer(self.gains[-1], self.H)
            a = np.array([1.0, -np.trace(closed), np.linalg.det(closed)])
            b = np.array([1.0, -np.trace(self.F), np.linalg.det(self.F)])
            free = [-self.H @ x, -self.H @ closed @ x]  # what the state alone would give, in the filter's own state
            start = np.stack([free[0], free[1] + a[1] * free[0]])
            found[few:] = lfilter(b, a, columns[few:], axis=0, zi=start)[0] / self.deviations[-1]
        return found

    def log_determinant(self, runs: list[tuple[int, int]]) -> float:
        """Of the covariance of all runs."""
        logs = 2.0 * np.log(self.deviations)
        total = np.concatenate([[0.0], np.cumsum(logs)])
        few = len(logs)
        return float(sum(total[min(b - a, few)] + max(b - a - few, 0) * logs[-1] for a, b in runs))


def whitener(step: float, noise: float, white: float, coloured: float, time: float) -> Whitener:
    """For blocks `step` s apart: noise of a mean velocity, and of the acceleration; SI units."""
    x = step / time
    keep, lost = np.exp(-x), -np.expm1(-x)
    series = (2.0 / 3.0) * x**3 * (1.0 - 0.75 * x)  # of the difference below, which cancels for a short step
    whole = series if x < 1e-3 else 2 * x - 3 + 4 * keep - keep**2
    F, H = np.diag([keep, 0.0]), np.array([time * lost, -1.0])
    Q = np.diag([coloured**2 * -np.expm1(-2 * x), noise**2])
    both = np.array([coloured**2 * time * lost**2, noise**2])
    observed = coloured**2 * time**2 * whole + white**2 * step + noise**2
    # The covariance of (error, last noise) by its three entries: plain numbers, for a flight takes a thousand.
    (h, b0, b1, q0, q1) = map(float, (H[0], *both, Q[0, 0], Q[1, 1]))
    p00, p01, p11 = float(coloured**2), 0.0, float(noise**2)
    gains, variances = [], []
    g0 = g1 = np.inf
    for _ in range(TUNING.settling_blocks):
        ph0, ph1 = h * p00 - p01, h * p01 - p11
        variance = h * ph0 - ph1 + observed
        k0, k1 = (keep * ph0 + b0) / variance, b1 / variance
        p00, p01, p11 = keep * keep * p00 + q0 - k0 * k0 * variance, -k0 * k1 * variance, q1 - k1 * k1 * variance
        settled = max(abs(k0 - g0), abs(k1 - g1)) < TUNING.settled_gain * max(abs(k0), abs(k1))
        g0, g1 = k0, k1
        gains.append((k0, k1))
        variances.append(variance)
        if settled:
            break
    return Whitener(F, H, np.array(gains), np.sqrt(variances))


def whiteners(blocks: Blocks, error: ErrorModel) -> tuple[Whitener, Whitener]:
    """Across the thrust axis, and along it."""
    heard = blocks.heard[blocks.used]
    noise = error.velocity / np.sqrt(float(heard.mean()) if heard.size else 1.0)
    return (
        whitener(blocks.step, noise, error.white_across, error.coloured_across, error.time_across),
        whitener(blocks.step, noise, error.white_along, error.coloured_along, error.time_along),
    )


def changes_of(blocks: Blocks, columns: np.ndarray) -> np.ndarray:
    """From block to block, in body axes (n, 3, k); 0 where unknown."""
    difference = np.diff(columns, axis=0, prepend=columns[:1]) * blocks.used[:, None, None]
    return np.matmul(blocks.R.transpose(0, 2, 1), difference)


def _white_part(blocks: Blocks, changes: np.ndarray, filter: Whitener) -> np.ndarray:
    """Some axes (n, axes, k)."""
    flat = changes.reshape(len(changes), -1)
    found = np.zeros_like(flat)
    for a, b in blocks.runs:
        found[a:b] = filter.white(flat[a:b])
    return found.reshape(changes.shape)


def whitened(blocks: Blocks, columns: np.ndarray, error: ErrorModel) -> np.ndarray:
    """Columns of velocities (n, 3, k) as white noise of unit variance would leave them, in body axes."""
    across, along = whiteners(blocks, error)
    changes = changes_of(blocks, columns)
    parts = _white_part(blocks, changes[:, :2], across), _white_part(blocks, changes[:, 2:], along)
    return np.concatenate(parts, axis=1)


class Likelihood:
    """Restricted log-likelihood of the last column, the others' coefficients unknown, of any error model.

    `prior` is the information that the coefficients have before, diagonal; its zeros are flat. What an axis says is
    stored for as long as its own part of the error model stays.
    """

    def __init__(self, blocks: Blocks, columns: np.ndarray, prior: np.ndarray):
        self.blocks, self.prior = blocks, prior
        changes = changes_of(blocks, columns)
        self._changes = (np.ascontiguousarray(changes[:, :2]), np.ascontiguousarray(changes[:, 2:]))
        heard = blocks.heard[blocks.used]
        self._heard = float(heard.mean()) if heard.size else 1.0
        self._parts: dict[tuple[float, ...], tuple[np.ndarray, float]] = {}

    def _part(self, axes: int, noise: float, rest: tuple[float, ...]) -> tuple[np.ndarray, float]:
        key = (axes, noise, *rest)
        if key not in self._parts:
            filter = whitener(self.blocks.step, noise, *rest)
            changes = self._changes[axes]
            W = _white_part(self.blocks, changes, filter).reshape(-1, changes.shape[2])
            self._parts[key] = W.T @ W, (2 - axes) * filter.log_determinant(self.blocks.runs)
        return self._parts[key]

    def __call__(self, logarithms: np.ndarray) -> float:
        """At one error model."""
        noise, *rest = map(float, np.exp(logarithms))
        noise /= np.sqrt(self._heard)
        (A_along, log_along), (A_across, log_across) = (
            self._part(1, noise, tuple(rest[:3])),
            self._part(0, noise, tuple(rest[3:])),
        )
        A, logs = A_along + A_across, log_along + log_across
        H, b = A[:-1, :-1] + np.diag(self.prior), A[:-1, -1]
        sign, log_H = np.linalg.slogdet(H)
        if sign <= 0:
            return -np.inf
        return -0.5 * float(logs + log_H + A[-1, -1] - b @ np.linalg.solve(H, b))


def log_prior(logarithms: np.ndarray) -> np.ndarray:
    """Of each part of an error model before the flight, but for a constant."""
    usual, spread = (np.array(part) for part in zip(*TUNING.error_prior, strict=True))
    return -0.5 * ((logarithms - np.log(usual)) / spread) ** 2


def likeliest_error(
    blocks: Blocks,
    columns: np.ndarray,
    prior: np.ndarray,
    first: ErrorModel,
    fixed: tuple[str, ...] = (),
    near: bool = False,
) -> tuple[ErrorModel, float]:
    """The error model of highest posterior probability: a compass search in logarithms, in small steps if `near`.

    A correlation time moves at a constant size² / time, which the data tell best: across that ridge the search would
    stop on its way.
    """
    free = [k for k, name in enumerate(NAMES) if name not in fixed]
    likelihood = Likelihood(blocks, columns, prior)

    def score(point: np.ndarray) -> float:
        point[[3, 6]] = np.minimum(point[[3, 6]], np.log(TUNING.longest_correlation))
        return likelihood(point) + float(np.sum(log_prior(point)[free]))

    along = np.eye(len(NAMES))
    along[3, 2] = along[6, 5] = 0.5
    best = first.logarithms()
    value = score(best)
    step = np.full(len(NAMES), TUNING.error_steps[1 if near else 0])
    for _ in range(TUNING.error_rounds):
        tried, move = [(value, best)], np.zeros(len(NAMES))
        for k in free:
            up, down = best + step[k] * along[k], best - step[k] * along[k]
            tried += [(score(up), up), (score(down), down)]
            higher, lower = tried[-2][0], tried[-1][0]
            curvature = higher + lower - 2 * value
            if curvature < 0:
                move[k] = np.clip(0.5 * (lower - higher) / curvature, -1.5, 1.5) * step[k]
            else:
                move[k] = step[k] if higher > lower else -step[k]
        for share in (1.0, 0.5, 0.25):
            moved = best + share * move @ along
            tried.append((score(moved), moved))
        found, where = max(tried, key=lambda one: one[0])
        if found <= value + TUNING.error_settled:
            if step.max() < 0.3:
                break
            step *= 0.5
        best, value = where, found
    return ErrorModel.of(best), value
