"""One robot alone: the batch estimate of a load that is known roughly already."""

import dataclasses

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.spatial_load._incremental import IncrementalEstimator
from steelyard.team.spatial_load._linearisation_point import LinearisationPoint
from steelyard.team.spatial_load._report import load_in_frame
from steelyard.team.spatial_load._sample_history import SampleHistory

_ROUNDS = 12


@dataclasses.dataclass(frozen=True, eq=False)
class SingleRobotEstimate:
    """A load in the robot's own frame."""

    load: np.ndarray
    """(13,): mass, centre of mass, and inertia about it row by row."""
    covariance: np.ndarray
    """(13, 13)."""
    misfit: float
    """NIS over the number of readings: 1 where noise is as stated, 0 where there is none."""


def estimate_single_robot(
    point: LinearisationPoint, time: np.ndarray, rows: np.ndarray, noise: np.ndarray, held: bool
) -> SingleRobotEstimate | None:
    """From rows (time, 15) in the order of a sample and five standard deviations; None where it does not converge."""
    history = SampleHistory(1, 1.0 / float(np.median(np.diff(time))), noise, held)
    for at, row in zip(time, rows, strict=True):
        history.append(float(at), row[None])
    filter_pass = IncrementalEstimator(history, float(np.linalg.norm(point.down))).fitted(point, _ROUNDS, Cache())
    if filter_pass is None or not filter_pass.converged:
        return None
    values, J = load_in_frame(filter_pass.estimate, 0)
    return SingleRobotEstimate(
        values,
        J @ (filter_pass.covariance_inflation * filter_pass.covariance) @ J.T,
        filter_pass.misfit / max(filter_pass.count, 1),
    )
