"""Generalised least squares under a coloured model error: docs/DRONE.md has the equations.

What the model lacks is an acceleration `e` in body axes, an Ornstein-Uhlenbeck process an axis plus white noise, of one
size along the thrust axis and another across it. From block to block the velocity that is left over changes by its
integral, and by the difference of two white velocity noises. Turned into body axes each such change is a scalar
process. Less what is left of the change before, its covariance has three diagonals, and the inverse of their Cholesky
factor whitens any column of it. Least squares on whitened columns is generalised least squares on the raw ones.
"""

import dataclasses
import functools

import numpy as np
from scipy.linalg import get_lapack_funcs

from steelyard.problems.multirotor._tuning import TUNING

_pbtrf, _tbtrs = get_lapack_funcs(("pbtrf", "tbtrs"), dtype=np.float64)  # banded: Cholesky, triangular solution

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

    @functools.cached_property
    def longest_run(self) -> int:
        """Blocks of the longest of them."""
        return max((b - a for a, b in self.runs), default=1)


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
    """Of one axis. A change less `keep` times the one before has a covariance of three diagonals, whose factor is here.

    The factor's rows settle within a second: from there on it is a fixed digital filter.
    """

    keep: float
    """What is left of the coloured error after a block."""
    factor: np.ndarray
    """(3, n), lower Cholesky factor by diagonals, m/s: of the longest run, and of its first blocks of any other."""

    @property
    def settled(self) -> np.ndarray:
        """(3,), the last row of the factor: by how much white noise of this block and of the two before count, m/s."""
        n = self.factor.shape[1]
        return np.array([self.factor[k, max(n - 1 - k, 0)] for k in range(3)])

    def white(self, columns: np.ndarray) -> np.ndarray:
        """One run of changes (n, k), whitened."""
        apart = np.array(columns, order="F")
        apart[1:] -= self.keep * columns[:-1]
        found, failed = _tbtrs(self.factor[:, : len(columns)], apart, uplo="L", overwrite_b=1)
        if failed:
            raise np.linalg.LinAlgError("an error model without any noise")
        return found

    def log_determinant(self, runs: list[tuple[int, int]]) -> float:
        """Of the covariance of all runs."""
        total = np.concatenate([[0.0], np.cumsum(2.0 * np.log(self.factor[0]))])
        return float(sum(total[b - a] for a, b in runs))


def whitener(step: float, noise: float, white: float, coloured: float, time: float, count: int) -> Whitener:
    """For at most `count` blocks, `step` s apart: noise of a mean velocity, and of the acceleration; SI units.

    In a block the error e becomes keep e + eta and adds reach e + u to the velocity; eta and u belong to the block.
    """
    x = step / time
    keep, lost = float(np.exp(-x)), float(-np.expm1(-x))
    series = (2.0 / 3.0) * x**3 * (1.0 - 0.75 * x)  # of the difference below, which cancels for a short step
    whole = series if x < 1e-3 else 2 * x - 3 + 4 * keep - keep**2
    reach, power = time * lost, coloured**2
    eta, both, u = power * -float(np.expm1(-2 * x)), power * time * lost**2, power * time**2 * whole
    u, read = u + white**2 * step, noise**2
    band = np.empty((3, max(count, 1)))
    band[0] = reach**2 * eta + u * (1.0 + keep**2) - 2.0 * keep * reach * both
    band[0] += read * (1.0 + (1.0 + keep) ** 2 + keep**2)
    band[1] = reach * both - keep * u - read * (1.0 + keep) ** 2
    band[2] = keep * read
    band[0, 0] = reach**2 * power + u + 2.0 * read  # nothing is subtracted from the first change
    band[1, 0] = reach * both - keep * u - read * (1.0 + 2.0 * keep)
    factor, failed = _pbtrf(band, lower=1, overwrite_ab=1)
    if failed:
        raise np.linalg.LinAlgError("an error model without any noise")
    return Whitener(keep, factor)


def whiteners(blocks: Blocks, error: ErrorModel) -> tuple[Whitener, Whitener]:
    """Across the thrust axis, and along it."""
    heard = blocks.heard[blocks.used]
    noise = error.velocity / np.sqrt(float(heard.mean()) if heard.size else 1.0)
    return (
        whitener(blocks.step, noise, error.white_across, error.coloured_across, error.time_across, blocks.longest_run),
        whitener(blocks.step, noise, error.white_along, error.coloured_along, error.time_along, blocks.longest_run),
    )


def changes_of(blocks: Blocks, columns: np.ndarray) -> np.ndarray:
    """From block to block, in body axes (n, 3, k); 0 where unknown."""
    difference = np.diff(columns, axis=0, prepend=columns[:1]) * blocks.used[:, None, None]
    return np.matmul(blocks.R.transpose(0, 2, 1), difference)


def _white_part(blocks: Blocks, changes: np.ndarray, filter: Whitener) -> np.ndarray:
    """Columns (n, k) of changes along one axis each."""
    found = np.zeros_like(changes)
    for a, b in blocks.runs:
        found[a:b] = filter.white(changes[a:b])
    return found


def whitened(blocks: Blocks, columns: np.ndarray, error: ErrorModel) -> np.ndarray:
    """Columns of velocities (n, 3, k) as white noise of unit variance would leave them, in body axes."""
    across, along = whiteners(blocks, error)
    changes = changes_of(blocks, columns)
    x, y, z = (_white_part(blocks, changes[:, a], filter) for a, filter in enumerate((across, across, along)))
    return np.stack([x, y, z], axis=1)


class Likelihood:
    """Restricted log-likelihood of the last column, the others' coefficients unknown, of any error model.

    `prior` is the information that the coefficients have before, diagonal; its zeros are flat. What an axis says is
    stored for as long as its own part of the error model stays.
    """

    def __init__(self, blocks: Blocks, columns: np.ndarray, prior: np.ndarray):
        self.blocks, self.prior = blocks, prior
        changes = changes_of(blocks, columns)
        self._changes = tuple(np.asfortranarray(changes[:, a]) for a in range(3))  # as LAPACK takes them
        heard = blocks.heard[blocks.used]
        self._heard = float(heard.mean()) if heard.size else 1.0
        self._parts: dict[tuple[float, ...], tuple[np.ndarray, float]] = {}

    def _part(self, axes: tuple[int, ...], noise: float, rest: tuple[float, ...]) -> tuple[np.ndarray, float]:
        key = (len(axes), noise, *rest)
        if key not in self._parts:
            size, coloured, time = rest
            filter = whitener(self.blocks.step, noise, size, coloured, time, self.blocks.longest_run)
            white = [_white_part(self.blocks, self._changes[axis], filter) for axis in axes]
            logs = len(axes) * filter.log_determinant(self.blocks.runs)
            self._parts[key] = np.sum([W.T @ W for W in white], axis=0), logs
        return self._parts[key]

    def __call__(self, logarithms: np.ndarray) -> float:
        """At one error model."""
        noise, *rest = map(float, np.exp(logarithms))
        noise /= np.sqrt(self._heard)
        (A_along, log_along), (A_across, log_across) = (
            self._part((2,), noise, tuple(rest[:3])),
            self._part((0, 1), noise, tuple(rest[3:])),
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
