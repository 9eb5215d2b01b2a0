"""Where in a flight a step or a change of slope of the mass would explain what is left over: a likelihood-ratio scan.

Every block may be the begin of one. The column of velocities that a unit step from there on makes is whitened by the
same filter as the data, for all begins at once, block after block.
"""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._coloured import Blocks, ErrorModel, changes_of, whiteners
from steelyard.problems.multirotor._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Scan:
    """A candidate a block, `step` and `slope` in the first axis."""

    begin: np.ndarray
    """(n,), s."""
    statistic: np.ndarray
    """(2, n), likelihood ratio: the square of size over deviation."""
    size: np.ndarray
    """(2, n), kg or kg/s."""


def scan_changes(
    blocks: Blocks, columns: np.ndarray, left: np.ndarray, base: np.ndarray, covariance: np.ndarray, error: ErrorModel
) -> Scan:
    """`columns` (n, 3, 2): the unit step from the first row on, and the same times the time.

    `left` (n, 3) and `base` (n, 3, p) are the whitened residuals and columns of the fit, and its covariance.
    """
    n, horizon = len(blocks), round(TUNING.change_horizon / blocks.step)
    begin = blocks.time - 0.5 * blocks.span
    whole = changes_of(blocks, columns)
    first = 0.5 * whole  # a change begins in the middle between two blocks
    both = whiteners(blocks, error)
    keep = np.array([both[axis].keep for axis in (0, 0, 1)])[:, None]
    now, last, earlier = np.stack([both[axis].settled for axis in (0, 0, 1)], axis=1)[:, :, None]
    change, g, before = np.zeros((3, n, 3, 2))  # the last change, and the last two whitened ones
    gg, ge, gB = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n, 2, base.shape[2]))
    for late in range(min(horizon, n)):
        count, rows = n - late, slice(late, n)
        y = (whole if late else first)[rows]
        y = np.stack([y[:, :, 0], y[:, :, 1] - begin[:count, None] * y[:, :, 0]], axis=2)
        used = blocks.used[rows][:, None, None]
        change, g, before = change[:count] * used, g[:count] * used, before[:count] * used
        g, before = (y - keep * change - last * g - earlier * before) / now * used, g
        change = y
        gg[:count] += (g * g).sum(axis=1)
        ge[:count] += np.matmul(left[rows][:, None, :], g)[:, 0]
        gB[:count] += np.matmul(g.transpose(0, 2, 1), base[rows])
    spread = gg - np.einsum("nsp,pq,nsq->ns", gB, covariance, gB)
    usable = spread > 1e-3 * np.maximum(gg, 1e-300)
    spread = np.where(usable, spread, np.inf)
    return Scan(begin, (ge**2 / spread).T, (ge / spread).T)
