"""Normal equations of a smooth motion and a few unknowns: a band for the motion, a dense corner for the unknowns.

    [ A  B ] [dx]     [a]          A: banded (coefficients of the spline), C: dense (unknowns)
    [ B' C ] [du] = - [b]

The unknowns are solved first, from the Schur complement S = C - B' A^-1 B, whose inverse is their covariance with the
motion's own uncertainty in it; the motion follows.
"""

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.linalg import cho_solve_banded, cholesky_banded

from steelyard.problems.rigid_body._residuals import Block
from steelyard.problems.rigid_body._splines import DEGREE, Spline
from steelyard.problems.rigid_body._tuning import NUMERICS

_LOCAL = 6 * (DEGREE + 1)
_STEP = np.repeat([NUMERICS.unseen_turn, NUMERICS.unseen_speed], 3)
"""rad and m/s, by coefficient."""
_NO_SOLUTION = "no motion and load explain the readings to finite precision"


@dataclasses.dataclass(frozen=True, eq=False)
class Solution:
    """The equations of a Gauss-Newton step, the motion eliminated; and the step."""

    information: np.ndarray
    """(size, size): of the unknowns, the motion being unknown too; S."""
    gradient: np.ndarray
    """(size,): b - B' A^-1 a."""
    followed: np.ndarray
    """(spline.size, 6, size): how the motion follows the unknowns, A^-1 B."""
    alone: np.ndarray
    """(spline.size, 6): what the motion would do without them, A^-1 a."""
    alone_gain: float
    """By how much that would lower the misfit, a' A^-1 a."""

    @functools.cached_property
    def unknowns(self) -> np.ndarray:
        """(size,): their step."""
        return -np.linalg.solve(self.information, self.gradient)

    @functools.cached_property
    def motion(self) -> np.ndarray:
        """(spline.size, 6): coefficients of the motion's correction."""
        return -(self.alone + self.followed @ self.unknowns)

    @property
    def finite(self) -> bool:
        """Whether there is a step."""
        return bool(all(np.isfinite(part).all() for part in (self.unknowns, self.motion, self.information)))

    @property
    def length(self) -> float:
        """Of the step of the unknowns, in their standard deviations; squared, the Newton decrement."""
        return float(np.sqrt(max(-self.gradient @ self.unknowns, 0.0)))

    @property
    def gain(self) -> float:
        """By how much the step would lower the misfit, were all readings linear."""
        return self.alone_gain + self.length**2

    def of_first(self, size: int) -> "Solution":
        """That of the first unknowns alone, the others held."""
        information, gradient = self.information[:size, :size], self.gradient[:size]
        return Solution(information, gradient, self.followed[:, :, :size], self.alone, self.alone_gain)

    def effective(self, blocks: Sequence[Block]) -> list[np.ndarray]:
        """(n, k, size) of each block: rows by unknowns once the motion has followed."""
        size, found, intervals = self.followed.shape[2], [], len(self.followed) - DEGREE
        around = sliding_window_view(self.followed.reshape(-1, size), _LOCAL, axis=0)[::6].transpose(0, 2, 1)
        for block in blocks:
            count, axes = block.residual.shape
            rows = np.zeros((count, axes, size))
            rows[:, :, block.columns] = block.by_unknowns
            places = _places(block.interval, intervals)
            if places is not None:  # a matrix product an interval, not one a sample
                rows -= (_stacked(block.by_motion, places) @ around).reshape(*places.shape, axes, size)[places.at]
            else:
                for interval, own in _by_interval(block.interval):
                    rows[own] -= (block.by_motion[own].reshape(-1, _LOCAL) @ around[interval]).reshape(-1, axes, size)
            found.append(rows)
        return found

    def covariance(self, middle: np.ndarray) -> np.ndarray:
        """(size, size), of the unknowns: the sandwich S^-1 M S^-1, M the sum of all blocks' `products` and priors."""
        inverse = np.linalg.inv(self.information)
        return inverse @ middle @ inverse


def products(rows: np.ndarray, weight: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """(size, size): of effective rows (n, k, size), the variance of an axis being `excess` times the assumed one."""
    scale = weight[:, None] * np.sqrt(excess)
    scaled = rows if np.all(scale == 1.0) else rows * scale[:, :, None]
    flat = scaled.reshape(-1, rows.shape[2])
    return flat.T @ flat


def solve(
    blocks: Sequence[Block], weights: Sequence[np.ndarray], spline: Spline, prior: np.ndarray, now: np.ndarray
) -> Solution:
    """One step; `weights` (n,) of each block scale its rows, `prior` are standard deviations about `now` = 0."""
    size = len(prior)
    local, corner = np.zeros((spline.intervals, _LOCAL, _LOCAL + size + 1)), np.diag(prior**-2.0)
    right = prior**-2.0 * now
    for block, weight in zip(blocks, weights, strict=True):
        columns = np.concatenate([np.arange(_LOCAL), _LOCAL + block.columns, [_LOCAL + size]])
        rows = np.concatenate([block.by_motion, block.by_unknowns, block.residual[:, :, None]], axis=2)
        if not np.all(weight == 1.0):
            rows *= weight[:, None, None]
        places = _places(block.interval, spline.intervals)
        if places is not None:
            stacked = _stacked(rows, places)
            summed = stacked[:, :, :_LOCAL].transpose(0, 2, 1) @ stacked
            local[:, :, :_LOCAL] += summed[:, :, :_LOCAL]
            local[:, :, columns[_LOCAL:]] += summed[:, :, _LOCAL:]
        else:
            for interval, own in _by_interval(block.interval):
                piece = rows[own].reshape(-1, len(columns))
                local[interval][:, columns] += piece[:, :_LOCAL].T @ piece
        dense = rows[:, :, _LOCAL:].reshape(-1, len(block.columns) + 1)
        products = dense.T @ dense
        corner[np.ix_(block.columns, block.columns)] += products[:-1, :-1]
        right[block.columns] += products[:-1, -1]
    band, border = _assembled(local, spline)
    factor = _factor(band)
    solved = cho_solve_banded((factor, False), border, check_finite=False)
    information = corner - border[:, :size].T @ solved[:, :size]
    gradient = right - border[:, :size].T @ solved[:, size]
    followed, gain = solved.reshape(spline.size, 6, size + 1), float(border[:, size] @ solved[:, size])
    found = Solution(0.5 * (information + information.T), gradient, followed[:, :, :size], followed[:, :, size], gain)
    if not found.finite:
        raise np.linalg.LinAlgError(_NO_SOLUTION)
    return found


@dataclasses.dataclass(frozen=True, eq=False)
class _Places:
    """Where the rows of each interval of a spline lie in an array that has room for as many rows in every interval."""

    shape: tuple[int, int]
    """Intervals, rows."""
    at: tuple[np.ndarray, np.ndarray]
    """(n,) each: interval and row."""


def _places(interval: np.ndarray, intervals: int) -> _Places | None:
    """Of rows in order; None where most of the room would be left empty."""
    counts = np.bincount(interval, minlength=intervals)
    most = int(counts.max(initial=1))
    if most * intervals > 2 * len(interval) + 8 or np.any(np.diff(interval) < 0):
        return None
    row = np.arange(len(interval)) - (np.cumsum(counts) - counts)[interval]
    return _Places((intervals, most), (interval, row))


def _stacked(rows: np.ndarray, places: _Places) -> np.ndarray:
    """(intervals, most k, columns): rows (n, k, columns) of each, filled up by zeros."""
    stacked = np.zeros((*places.shape, *rows.shape[1:]))
    stacked[places.at] = rows
    return stacked.reshape(places.shape[0], -1, rows.shape[2])


def _by_interval(interval: np.ndarray) -> list[tuple[int, slice | np.ndarray]]:
    """The rows of each interval that has any; a slice where they follow each other, as they do in time."""
    if len(interval) == 0:
        return []
    if np.all(np.diff(interval) >= 0):
        present, starts = np.unique(interval, return_index=True)
        return [
            (int(k), slice(int(a), int(b)))
            for k, a, b in zip(present, starts, [*starts[1:], len(interval)], strict=True)
        ]
    return [(int(k), np.flatnonzero(interval == k)) for k in np.unique(interval)]


def _assembled(local: np.ndarray, spline: Spline) -> tuple[np.ndarray, np.ndarray]:
    """The band in LAPACK's upper form, and the border with the right side as its last column."""
    size, pieces = spline.size, len(local)
    blocks = np.zeros((DEGREE + 1, size, 6, 6))  # by distance d, of coefficients p and p + d
    border = np.zeros((size, 6, local.shape[2] - _LOCAL))
    for a in range(DEGREE + 1):
        border[a : a + pieces] += local[:, 6 * a : 6 * a + 6, _LOCAL:]
        for b in range(a, DEGREE + 1):
            blocks[b - a, a : a + pieces] += local[:, 6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
    band = np.zeros((_LOCAL, size, 6))
    for d in range(DEGREE + 1):
        for i in range(6):
            for j in range(0 if d else i, 6):
                band[_LOCAL - 1 - (6 * d + j - i), d:, j] = blocks[d, : size - d, i, j]
    return band.reshape(_LOCAL, 6 * size), border.reshape(6 * size, -1)


def _factor(band: np.ndarray) -> np.ndarray:
    """Cholesky's, of a band whose unseen directions (turning about the vertical, gaps) stay where they are."""
    scale = max(float(np.median(band[-1])), 1e-9)
    for ridge in (1e-15, 1e-9, 1e-7, 1e-5, 1e-3):
        held = band.copy()
        held[-1] += np.tile(_STEP**-2.0, band.shape[1] // 6) + ridge * (scale + band[-1])
        try:
            return cholesky_banded(held, check_finite=False)
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError(_NO_SOLUTION)
