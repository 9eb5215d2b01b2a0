"""The moments of changes as unknowns: found to a part of a row, and their uncertainty in that of the mass.

The search for changes places them between two blocks. A step of a third of the mass that is placed 25 ms off moves the
mean of the next eight seconds by a thousandth, which is what such a flight tells.
"""

import dataclasses

import numpy as np
from scipy.stats import norm

from steelyard.problems.multirotor._blocks import Piece, moment_column
from steelyard.problems.multirotor._coloured import whitened
from steelyard.problems.multirotor._piecewise import Fit, fit, shapes
from steelyard.problems.multirotor._placing import ordered
from steelyard.problems.multirotor._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Moments:
    """A fit, and the joint covariance of its unknowns and of the moments of its changes."""

    fit: Fit
    changes: tuple[Piece, ...]
    covariance: np.ndarray
    """(unknowns + changes, unknowns + changes)."""
    shift: np.ndarray
    """(changes,), s: by how much each moment would be later."""

    def mass(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Value and standard deviation at any times, kg; where a step may be before or after, both count."""
        found, pieces = self.fit, self.fit.unknowns.pieces
        few, many = len(pieces), found.white.shape[2]
        shape = np.concatenate([shapes(pieces, time), np.zeros((len(time), len(self.changes)))], axis=1)
        both = np.zeros_like(time)
        for k, (kind, begin) in enumerate(self.changes):
            size = found.of((kind, begin))[0]
            if kind == "slope":
                shape[:, few + k] = -size * (time >= begin)
            else:
                std = max(float(np.sqrt(self.covariance[many + k, many + k])), 1e-9)
                after = norm.cdf((time - begin) / std)
                shape[:, pieces.index((kind, begin))] = after
                both += size**2 * after * (1.0 - after)
        used = [*range(few), *range(many, many + len(self.changes))]
        variance = np.einsum("np,pq,nq->n", shape, self.covariance[np.ix_(used, used)], shape)
        return shape[:, :few] @ found.values[:few], np.sqrt(variance + both)


def with_moments(found: Fit) -> Moments:
    """Every change at its likeliest moment, whatever the rows are."""
    for _ in range(TUNING.moment_rounds):
        moments = _solved(found)
        if np.all(np.abs(moments.shift) < TUNING.moment_settled * found.blocks.step):
            break
        later = np.clip(moments.shift, -found.blocks.step, found.blocks.step)
        moved = {piece: (piece[0], piece[1] + float(by)) for piece, by in zip(moments.changes, later, strict=True)}
        pieces = tuple(moved.get(piece, piece) for piece in found.unknowns.pieces)
        again = fit(found.motion, found.blocks, ordered(pieces, found), found.error, found.linearised)
        found = dataclasses.replace(again, coloured=found.coloured, plain=found.plain)
    return _solved(found)


def _lighter(found: Fit) -> np.ndarray:
    """(blocks,), root of the variance of the acceleration's error along the thrust beyond the flight's mean.

    Motors' noise goes with the root of the thrust, so its acceleration with one over the root of the mass: after a load
    was dropped the error is larger than the flight's mean, which the error model has.
    """
    inverse = 1.0 / found.mass(found.blocks.time)
    return np.sqrt(np.maximum(inverse / inverse.mean() - 1.0, 0.0))


def _solved(found: Fit) -> Moments:
    begin = found.motion.time[0]
    changes = tuple(piece for piece in found.unknowns.pieces if piece[0] != "level" and piece[1] > begin)
    columns = [found.of(piece)[0] * moment_column(found.motion, found.linearised, piece) for piece in changes]
    white = [whitened(found.blocks, column[:, :, None], found.error) for column in columns]
    W = np.concatenate([found.white, *white], axis=2)
    W = W.reshape(-1, W.shape[2])
    widths = [TUNING.moment_prior[kind == "slope"] for kind, _ in changes]
    prior = [*found.unknowns.prior, *(width**-2.0 for width in widths)]
    covariance = np.linalg.inv(W.T @ W + np.diag(prior))
    few = found.white.shape[2]
    widened = _lighter(found)[:, None, None] * W.reshape(*found.left.shape, -1)[:, 2:]
    widened = widened.reshape(-1, W.shape[1])
    covariance = covariance + covariance @ (widened.T @ widened) @ covariance
    shift = covariance[few:, few:] @ (W[:, few:].T @ found.left.ravel())  # the others are at their optimum
    return Moments(found, changes, covariance, shift)
