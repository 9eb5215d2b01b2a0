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

_LOCAL = 6 * (DEGREE + 1)
_STEP = np.array([1.0, 1.0, 1.0, 10.0, 10.0, 10.0])
"""rad and m/s: no coefficient is expected to move farther in one step, so those that no sample sees stay put."""


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
            coefficients = block.interval[:, None] + np.arange(DEGREE + 1)
            around = self.followed[coefficients].reshape(len(block.interval), _LOCAL, self.followed.shape[2])
            found.append(block.by_unknowns - block.by_motion @ around)
        return found

    def covariance(
        self, blocks: Sequence[Block], weights: Sequence[np.ndarray], excess: Sequence[np.ndarray], prior: np.ndarray
    ) -> np.ndarray:
        """(size, size), of the unknowns, where the variance of each channel's axes is `excess` times the assumed one.

        The sandwich S^-1 M S^-1, M the sum of excess times the products of effective rows.
        """
        middle = np.diag(prior**-2.0)
        for rows, weight, ratio in zip(self.effective(blocks), weights, excess, strict=True):
            flat = (rows * (weight[:, None] * np.sqrt(ratio))[:, :, None]).reshape(-1, len(prior))
            middle += flat.T @ flat
        inverse = np.linalg.inv(self.information)
        return inverse @ middle @ inverse


def solve(
    blocks: Sequence[Block], weights: Sequence[np.ndarray], spline: Spline, prior: np.ndarray, now: np.ndarray
) -> Solution:
    """One step; `weights` (n,) of each block scale its rows, `prior` are standard deviations about `now` = 0."""
    size = len(prior)
    local, corner = np.zeros((spline.intervals, _LOCAL, _LOCAL + size + 1)), np.diag(prior**-2.0)
    right = prior**-2.0 * now
    for block, weight in zip(blocks, weights, strict=True):
        rows = (
            np.concatenate([block.by_motion, block.by_unknowns, block.residual[:, :, None]], axis=2)
            * weight[:, None, None]
        )
        _add_products(local, rows, block.interval)
        dense = rows[:, :, _LOCAL:].reshape(-1, size + 1)
        products = dense.T @ dense
        corner += products[:size, :size]
        right += products[:size, size]
    band, border = _assembled(local, spline)
    factor = _factor(band)
    solved = cho_solve_banded((factor, False), border, check_finite=False)
    information = corner - border[:, :size].T @ solved[:, :size]
    du = -np.linalg.solve(information, right - border[:, :size].T @ solved[:, size])
    dx = -(solved[:, size] + solved[:, :size] @ du)
    followed = solved[:, :size].reshape(spline.size, 6, size)
    return Solution(dx.reshape(spline.size, 6), du, 0.5 * (information + information.T), followed)


def _add_products(local: np.ndarray, rows: np.ndarray, interval: np.ndarray) -> None:
    """Adds the products of rows that lie in one interval, for many intervals at a time."""
    order = np.argsort(interval, kind="stable")
    counts = np.bincount(interval, minlength=len(local))
    starts = np.concatenate([[0], np.cumsum(counts)])
    for count in np.unique(counts[counts > 0]):
        chosen = np.flatnonzero(counts == count)
        for part in np.array_split(chosen, max(1, len(chosen) * count * rows.shape[1] // 20000)):
            own = order[starts[part][:, None] + np.arange(count)]
            stacked = rows[own].reshape(len(part), -1, rows.shape[2])
            local[part] += stacked[:, :, :_LOCAL].transpose(0, 2, 1) @ stacked


def _assembled(local: np.ndarray, spline: Spline) -> tuple[np.ndarray, np.ndarray]:
    """The band in LAPACK's upper form, and the border with the right side as its last column."""
    band, border = np.zeros((_LOCAL, 6 * spline.size)), np.zeros((6 * spline.size, local.shape[2] - _LOCAL))
    i, j = np.triu_indices(_LOCAL)
    for k, block in enumerate(local):
        band[_LOCAL - 1 + i - j, 6 * k + j] += block[i, j]
        border[6 * k : 6 * k + _LOCAL] += block[:, _LOCAL:]
    return band, border


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
    raise FloatingPointError("The normal equations have no finite solution.")
