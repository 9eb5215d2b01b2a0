"""Velocities that are wrong, told from changes of the mass, which leave an outlier at the block where they happen."""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._changes import scan
from steelyard.problems.multirotor._coloured import Blocks, whitened
from steelyard.problems.multirotor._piecewise import Fit
from steelyard.problems.multirotor._tuning import TUNING


def without_outliers(found: Fit, spared: np.ndarray) -> tuple[Blocks, float]:
    """The blocks with outliers silenced but those `spared` (blocks,), and what share of those heard they are."""
    out, heard = _outlying(found) & ~spared, found.blocks.heard
    return dataclasses.replace(found.blocks, heard=np.where(out, 0.0, heard)), out.sum() / max((heard > 0).sum(), 1)


def perhaps_changes(found: Fit) -> np.ndarray:
    """(blocks,), outliers that a step of the mass explains better than a wrong velocity does.

    A wrong velocity is right again in the next block, and a blow leaves no acceleration behind it; a step stays.
    Without the blocks in which it happens a step hardly shows, because what was known of the error is lost in the
    silence.
    """
    spared, out = np.zeros(len(found.blocks), bool), np.flatnonzero(_outlying(found))
    if out.size:
        reach = TUNING.late_blocks
        steps = np.pad(scan(found).statistic[0], reach)
        near = np.max([steps[out + k] for k in range(2 * reach + 1)], axis=0)
        spared[out] = near > _wrong_velocity(found, out)
    return spared


def beside_steps(found: Fit) -> np.ndarray:
    """(blocks,), those so near to a step that late or smoothed signals leave a misfit there."""
    late = TUNING.late_blocks * found.blocks.step
    steps = [begin for kind, begin in found.unknowns.pieces if kind == "step"]
    return np.any([np.abs(found.blocks.time - begin) < late for begin in [-np.inf, *steps]], axis=0)


def _outlying(found: Fit) -> np.ndarray:
    return (found.blocks.heard > 0) & (np.abs(found.left).max(axis=1) > TUNING.outlier_deviations)


def _wrong_velocity(found: Fit, at: np.ndarray) -> np.ndarray:
    """Likelihood ratio of a velocity of its own, in all three axes, at each of these blocks."""
    ratio = np.empty(len(at))
    for k, block in enumerate(at):
        column = np.zeros((len(found.blocks), 3, 3))
        column[block] = np.eye(3)
        g = whitened(found.blocks, column, found.error).reshape(-1, 3)
        b = g.T @ found.left.ravel()
        ratio[k] = b @ np.linalg.lstsq(g.T @ g, b, rcond=None)[0]
    return ratio
