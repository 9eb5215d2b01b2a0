"""What is known of load, vertical and grips before a filter pass: nothing, or what a change or a gap left."""

import dataclasses

import numpy as np

from steelyard.team.spatial_load._linearisation_point import LOAD, TILT, LinearisationPoint, pose_of
from steelyard.team.spatial_load._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class Prior:
    """A Gaussian about a point, in the point's coordinates."""

    point: LinearisationPoint
    precision: np.ndarray
    """(param, param), the inverse of a covariance."""


def vague_prior(point: LinearisationPoint) -> Prior:
    """Next to nothing is known."""
    spread = np.full(point.size, TUNING.prior_position)
    spread[LOAD], spread[TILT] = load_spread(point), TUNING.prior_tilt
    for j in range(1, point.robots):
        spread[pose_of(j).start + 3 : pose_of(j).stop] = TUNING.prior_rotation
    return Prior(point, np.diag(spread**-2.0))


def load_spread(point: LinearisationPoint) -> np.ndarray:
    """(10,): how far a load may be from the first guess, one standard deviation in each coordinate."""
    reach = max(1.0, float(np.linalg.norm(point.t, axis=1).max()))
    moment = max(0.1, float(np.sum(point.load[1:4])), 0.3 * reach**2)
    return np.array([TUNING.prior_mass, *[moment] * 6, *[reach] * 3])


def prior_after_change(point: LinearisationPoint, covariance: np.ndarray) -> Prior:
    """What stays known when the load changes: the grips."""
    precision = _precision_of_tilt(len(covariance))
    precision[LOAD, LOAD] = np.diag(load_spread(point) ** -2.0)
    grips = slice(TILT.stop, len(covariance))
    precision[grips, grips] = np.linalg.inv(covariance[grips, grips])
    return Prior(point, precision)


def prior_after_gap(point: LinearisationPoint, covariance: np.ndarray) -> Prior:
    """What stays known over a gap: all but the vertical, which is found again."""
    precision = _precision_of_tilt(len(covariance))
    rest = np.delete(np.arange(len(covariance)), np.r_[TILT])
    precision[np.ix_(rest, rest)] = np.linalg.inv(covariance[np.ix_(rest, rest)])
    return Prior(point, precision)


def _precision_of_tilt(size: int) -> np.ndarray:
    precision = np.zeros((size, size))
    precision[TILT, TILT] = np.eye(3) / TUNING.refound_tilt**2
    return precision
