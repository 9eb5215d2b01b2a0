"""How well a team in space can know its load at best: the Cramér-Rao bound, poses unknown, nothing known before."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from steelyard.team import LinearisationPoint, load_in_frame, noise_free_information, pose_in_frame
from steelyard.worlds import SpatialTruth


@dataclasses.dataclass(frozen=True, eq=False)
class SpatialBound:
    """Least standard deviations as one robot sees them."""

    mass: float
    """kg."""
    com: np.ndarray
    """(3,), m."""
    inertia: np.ndarray
    """(3, 3), kg m²."""
    poses: dict[int, np.ndarray]
    """(6,) by robot, counted from 0: position (m) and rotation (rad)."""


def spatial_bound(truth: SpatialTruth, noises: Sequence[float], row: int) -> list[SpatialBound]:
    """Of every robot at a row; `noises` in the order of `worlds.SpatialScenario.noises`, none of them zero.

    The Fisher information of all rows up to there about load, poses and first vertical, along the true motion. When the
    load has changed, poses stay known and the load is new.
    """
    changes = [k for k in range(1, row + 1) if truth.mass[k] != truth.mass[k - 1]]
    starts, ends = [0, *changes], [*changes, row + 1]
    grips, point = None, None
    C = np.zeros((0, 0))
    for begin, end in zip(starts, ends, strict=True):
        point = true_linearisation_point(truth, begin)
        rows = slice(begin, end)
        S = noise_free_information(
            point, truth.time[rows], truth.readings[rows], truth.wrenches[rows], _down(truth)[rows], np.array(noises)
        )
        if grips is not None:
            S[13:, 13:] += grips
        C = np.linalg.pinv(S, hermitian=True)  # turning about the vertical tells nothing, and matters to nothing
        grips = np.linalg.inv(C[13:, 13:]) if len(C) > 13 else np.zeros((0, 0))
    assert point is not None
    return [_seen_by(point, C, i) for i in range(point.robots)]


def true_linearisation_point(truth: SpatialTruth, row: int) -> LinearisationPoint:
    """Load, vertical and grips as they truly are at a row, in the first robot's frame."""
    return LinearisationPoint.of(
        float(truth.mass[row]),
        truth.com[row, 0],
        truth.inertia[row, 0],
        _down(truth)[row],
        np.einsum("ba,jbc->jac", truth.turns[0], truth.turns),
        (truth.grips - truth.grips[0]) @ truth.turns[0],
    )


def _down(truth: SpatialTruth) -> np.ndarray:
    return truth.attitude[:, 0].transpose(0, 2, 1) @ np.array([0.0, 0.0, -9.81])


def _seen_by(point: LinearisationPoint, C: np.ndarray, robot: int) -> SpatialBound:
    def std(J: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(np.einsum("ia,ab,ib->i", J, C, J), 0.0))

    load = std(load_in_frame(point, robot)[1])
    poses = {other: std(pose_in_frame(point, robot, other)[1]) for other in range(point.robots) if other != robot}
    return SpatialBound(float(load[0]), load[1:4], load[4:].reshape(3, 3), poses)
