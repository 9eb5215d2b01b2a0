"""Velocities that are wrong, told from changes of the mass, which leave an outlier at the block where they happen."""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._changes import scan
from steelyard.problems.multirotor._coloured import Blocks, whitened
from steelyard.problems.multirotor._piecewise import Fit
from steelyard.problems.multirotor._placing import allowed
from steelyard.problems.multirotor._tuning import TUNING


def without_outliers(found: Fit, spared: np.ndarray) -> tuple[Blocks, float]:
    """The blocks with outliers silenced but those `spared` (blocks,), and what share of those heard they are."""
    out, heard = _outlying(found) & ~spared, found.blocks.heard
    return dataclasses.replace(found.blocks, heard=np.where(out, 0.0, heard)), out.sum() / max((heard > 0).sum(), 1)


def perhaps_changes(found: Fit) -> np.ndarray:
    """(blocks,), outliers that a step of the mass explains better than a wrong velocity or a blow does.

    A wrong velocity is right again in the next block, a blow leaves no acceleration behind it, and a step does.
    Without the blocks in which it happens a step hardly shows, because what was known of the error is lost in the
    silence.
    """
    spared = np.zeros(len(found.blocks), bool)
    out = np.flatnonzero(_outlying(found) & allowed(found, "step", found.blocks.time))
    if out.size:
        reach = TUNING.late_blocks
        step, wrong = np.zeros((2, len(spared) + 2 * reach))
        step[reach : len(spared) + reach] = scan(found).statistic[0]
        wrong[out + reach] = _wrong_velocity(found, out)
        spared[out] = [step[k : k + 2 * reach + 1].max() > wrong[k : k + 2 * reach + 1].max() for k in out]
    return spared


def beside_steps(found: Fit) -> np.ndarray:
    """(blocks,), those so near to a step that late or smoothed signals leave a misfit there."""
    late = TUNING.late_blocks * found.blocks.step
    steps = [begin for kind, begin in found.unknowns.pieces if kind == "step"]
    return np.any([np.abs(found.blocks.time - begin) < late for begin in [-np.inf, *steps]], axis=0)


def _outlying(found: Fit) -> np.ndarray:
    return (found.blocks.heard > 0) & (np.abs(found.left).max(axis=1) > TUNING.outlier_deviations)


def _wrong_velocity(found: Fit, at: np.ndarray) -> np.ndarray:
    """Likelihood ratio of the better of two at each of these blocks: a velocity of its own, and a blow, which stays."""
    ratio = np.zeros(len(at))
    for k, block in enumerate(at):
        for end in (block + 1, len(found.blocks)):
            column = np.zeros((len(found.blocks), 3, 3))
            column[block:end] = np.eye(3)
            g = whitened(found.blocks, column, found.error).reshape(-1, 3)
            b = g.T @ found.left.ravel()
            ratio[k] = max(ratio[k], b @ np.linalg.lstsq(g.T @ g, b, rcond=None)[0])
    return ratio
