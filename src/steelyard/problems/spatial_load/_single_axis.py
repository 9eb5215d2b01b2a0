"""A load that turned about one axis only, as in a plane: its moment of inertia about that axis is identifiable."""

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems.spatial_load._reading import SpatialRecord
from steelyard.problems.spatial_load._tuning import TUNING
from steelyard.team import SpatialState, load_in_frame

AXIS_INERTIA = "axis_inertia"
"""The quantity: about the axis of the rotation, through the centre of mass."""


def turning_of(record: SpatialRecord, robot: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean squares of a robot's angular velocities along their principal axes (columns), and what counts as turning."""
    omega = record.readings[:, robot, :3]
    omega = omega[np.isfinite(omega).all(axis=1)]
    noise = record.noise["twist/angular"]
    squares = omega.T @ omega / max(len(omega), 1) - noise**2 * np.eye(3)
    sizes, axes = np.linalg.eigh(squares)
    return sizes, axes, max(TUNING.turning_above**2, 4.0 * noise**2 / max(len(omega), 1) ** 0.5)


def axis_of(record: SpatialRecord, robot: int) -> np.ndarray | None:
    """(3,), sensor axes: the one axis about which the load turned; None where it was none, or more."""
    sizes, axes, least = turning_of(record, robot)
    return axes[:, 2] if sizes[2] >= least and sizes[1] < max(TUNING.single_axis_share * sizes[2], least) else None


def axis_inertia(record: SpatialRecord, state: SpatialState, robot: int, time: float) -> Estimate | None:
    """In kg m², as a robot knows it; None where the load turned about more axes or none, or it is not known.

    To first order from the linearisation point: the rest of the inertia is unknown, and a step along it is so long that
    the moments it leads to are only kept physically possible.
    """
    axis, filter_pass = axis_of(record, robot), state.estimator.filter_pass
    if (
        axis is None
        or filter_pass is None
        or filter_pass.covariance_inflation > TUNING.consistent_below
        or not filter_pass.excitation.shows_inertia
    ):
        return None
    numbers, J = load_in_frame(filter_pass.point, robot)
    about = np.concatenate([np.zeros(4), np.outer(axis, axis).ravel()]) @ J
    value = float(axis @ numbers[4:].reshape(3, 3) @ axis + about @ filter_pass.step)
    std = float(np.sqrt(filter_pass.covariance_inflation * (about @ filter_pass.covariance @ about)))
    if value <= 0.0 or std > TUNING.axis_known_below * value:
        return None
    return Estimate.known(np.asarray(value), np.asarray(std), "kg m²", record.graph.names[robot], time)
