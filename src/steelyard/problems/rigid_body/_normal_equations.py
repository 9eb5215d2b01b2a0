"""Normal equations of a smooth motion and a few unknowns: a band for the motion, a dense corner for the unknowns.

    [ A  B ] [dx]     [a]          A: banded (coefficients of the spline), C: dense (unknowns)
    [ B' C ] [du] = - [b]

The unknowns are solved first, from the Schur complement S = C - B' A^-1 B, whose inverse is their covariance with the
motion's own uncertainty in it; the motion follows.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np
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
    """A Gauss-Newton step."""

    motion: np.ndarray
    """(spline.size, 6): coefficients of the correction."""
    unknowns: np.ndarray
    """(size,)."""
    information: np.ndarray
    """(size, size): of the unknowns, the motion being unknown too; S."""
    followed: np.ndarray
    """(spline.size, 6, size): how the motion follows the unknowns, A^-1 B."""

    def effective(self, blocks: Sequence[Block]) -> list[np.ndarray]:
        """(n, k, size) of each block: rows by unknowns once the motion has followed."""
        found = []
        for block in blocks:
            size = self.followed.shape[2]
            count, axes = block.residual.shape
            rows = np.empty((count, axes, size))
            for interval, own in _by_interval(block.interval):  # a matrix product an interval, not one a sample
                around = self.followed[interval : interval + DEGREE + 1].reshape(_LOCAL, size)
                rows[own] = -(block.by_motion[own].reshape(-1, _LOCAL) @ around).reshape(-1, axes, size)
            rows[:, :, block.columns] += block.by_unknowns
            found.append(rows)
        return found

    def covariance(self, middle: np.ndarray) -> np.ndarray:
        """(size, size), of the unknowns: the sandwich S^-1 M S^-1, M the sum of all blocks' `products` and priors."""
        inverse = np.linalg.inv(self.information)
        return inverse @ middle @ inverse


def products(rows: np.ndarray, weight: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """(size, size): of effective rows (n, k, size), the variance of an axis being `excess` times the assumed one."""
    flat = (rows * (weight[:, None] * np.sqrt(excess))[:, :, None]).reshape(-1, rows.shape[2])
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
        stacked = _stacked(rows, block.interval, spline.intervals)
        if stacked is not None:
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
    du = -np.linalg.solve(information, right - border[:, :size].T @ solved[:, size])
    dx = -(solved[:, size] + solved[:, :size] @ du)
    if not (np.isfinite(du).all() and np.isfinite(dx).all() and np.isfinite(information).all()):
        raise np.linalg.LinAlgError(_NO_SOLUTION)
    followed = solved[:, :size].reshape(spline.size, 6, size)
    return Solution(dx.reshape(spline.size, 6), du, 0.5 * (information + information.T), followed)


def _stacked(rows: np.ndarray, interval: np.ndarray, intervals: int) -> np.ndarray | None:
    """(intervals, most, columns): rows (n, k, columns) of each, filled up by zeros; None where most would be zeros."""
    counts = np.bincount(interval, minlength=intervals)
    most = int(counts.max(initial=1))
    if most * intervals > 2 * len(interval) + 8 or np.any(np.diff(interval) < 0):
        return None
    stacked = np.zeros((intervals, most, *rows.shape[1:]))
    place = np.arange(len(interval)) - (np.cumsum(counts) - counts)[interval]
    stacked[interval, place] = rows
    return stacked.reshape(intervals, -1, rows.shape[2])


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
