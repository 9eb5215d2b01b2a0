"""One robot alone: what all of its rows together tell of a load that is known roughly already."""

import dataclasses

import numpy as np

from steelyard.team.spatial_load._incremental import SpatialMind
from steelyard.team.spatial_load._linearisation_point import SpatialPoint
from steelyard.team.spatial_load._record import Record
from steelyard.team.spatial_load._report import load_in_frame

_ROUNDS = 12


@dataclasses.dataclass(frozen=True, eq=False)
class Alone:
    """A load in the robot's own frame."""

    load: np.ndarray
    """(13,): mass, centre of mass, and inertia about it row by row."""
    covariance: np.ndarray
    """(13, 13)."""
    misfit: float
    """Squares of the whitened surprises over how many there were: 1 where noise is as stated, 0 where there is none."""


def weigh_alone(point: SpatialPoint, time: np.ndarray, rows: np.ndarray, noise: np.ndarray, held: bool) -> Alone | None:
    """From rows (time, 15) in the order of a sample and five standard deviations; None where it does not settle."""
    record = Record(1, 1.0 / float(np.median(np.diff(time))), noise, held)
    for at, row in zip(time, rows, strict=True):
        record.append(float(at), row[None])
    course = SpatialMind(record, float(np.linalg.norm(point.down))).fitted(point, _ROUNDS)
    if course is None or not course.settled:
        return None
    values, J = load_in_frame(course.best, 0)
    return Alone(values, J @ (course.doubt * course.covariance) @ J.T, course.misfit / max(course.count, 1))
