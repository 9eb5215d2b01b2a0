"""What stays known of a load and of who holds it where, when the load changes or nobody can say what acts on it."""

import numpy as np

from steelyard.team.spatial_load._linearisation_point import LOAD, TILT

_KNOWN_TILT = 0.1  # rad


def prior_after_change(covariance: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """The precision of what stays known when the load changes."""
    precision = _of_tilt(len(covariance))
    precision[LOAD, LOAD] = np.diag(spread**-2.0)
    grips = slice(TILT.stop, len(covariance))
    precision[grips, grips] = np.linalg.inv(covariance[grips, grips])
    return precision


def prior_after_gap(covariance: np.ndarray) -> np.ndarray:
    """The precision of what stays known over a gap: all but the vertical, which is found again."""
    precision = _of_tilt(len(covariance))
    rest = np.delete(np.arange(len(covariance)), np.r_[TILT])
    precision[np.ix_(rest, rest)] = np.linalg.inv(covariance[np.ix_(rest, rest)])
    return precision


def _of_tilt(size: int) -> np.ndarray:
    precision = np.zeros((size, size))
    precision[TILT, TILT] = np.eye(3) / _KNOWN_TILT**2
    return precision
