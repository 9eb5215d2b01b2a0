"""The estimates of a robot of a team in space, in its own frame: a number only if the motion identifies it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steelyard._rotations import quaternion_from_matrix, skew
from steelyard.estimators import Estimate, Knowledge
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._incremental import IncrementalEstimator
from steelyard.team.spatial_load._linearisation_point import (
    LinearisationPoint,
    load_jacobian,
    load_parameters,
    matrix_from_moments,
    moments_times,
    pose_of,
)
from steelyard.team.spatial_load._states import tracking_of
from steelyard.team.spatial_load._tuning import TUNING


def load_in_frame(point: LinearisationPoint, robot: int) -> tuple[np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia (row by row) as a robot sees them, and how they follow the point's steps."""
    numbers, R_t = load_parameters(point.load), point.R[robot].T
    by_load = load_jacobian(point.load)
    com, I = R_t @ (numbers[1:4] - point.t[robot]), R_t @ matrix_from_moments(numbers[4:]) @ R_t.T
    J = np.zeros((13, point.size))
    J[0, :10] = by_load[0]
    J[1:4, :10] = R_t @ by_load[1:4]
    entries = moments_times(R_t)  # of every row of R_iᵀ: I r = entries m
    turned = np.einsum("ack,bc->abk", entries, R_t)  # (R_iᵀ I R_i)_ab by moments
    J[4:, :10] = turned.reshape(9, 6) @ by_load[4:]
    if robot:
        at = pose_of(robot)
        J[1:4, at.start : at.start + 3] = -R_t
        J[1:4, at.start + 3 : at.stop] = skew(com)
        for a in range(3):
            W = skew(np.eye(3)[a])
            J[4:, at.start + 3 + a] = (I @ W - W @ I).ravel()
    return np.concatenate([numbers[:1], com, I.ravel()]), J


def pose_in_frame(point: LinearisationPoint, robot: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion of another's frame in a robot's own, and how position and rotation follow the point."""
    R_t = point.R[robot].T
    t, R = R_t @ (point.t[other] - point.t[robot]), R_t @ point.R[other]
    J = np.zeros((6, point.size))
    if other:
        at = pose_of(other)
        J[:3, at.start : at.start + 3], J[3:, at.start + 3 : at.stop] = R_t, np.eye(3)
    if robot:
        at = pose_of(robot)
        J[:3, at.start : at.start + 3] -= R_t
        J[:3, at.start + 3 : at.stop] += skew(t)
        J[3:, at.start + 3 : at.stop] -= R.T
    return np.concatenate([t, quaternion_from_matrix(R)]), J


class Viewer(NamedTuple):
    """The robot that reports, in its own frame."""

    name: str
    number: int
    neighbours: Sequence[tuple[int, str]]
    """By number and name."""


def report(estimator: IncrementalEstimator, viewer: Viewer, time: float) -> dict[str, Estimate]:
    """Every quantity as a robot sees it.

    This is the only place where a number becomes known: its standard deviation is small, the pass has converged, and
    noise in the Jacobians cannot make that deviation much larger. What a motion does not tell may never settle; once
    the point explains the rows, a mass or a centre of mass that does not move with it is reported all the same. All
    poses are in the frame of robot 0: while nobody has heard of that (it is `unplaced`), the frame is another one, and
    nothing is known in its own.
    """
    name, robot, neighbours = viewer
    filter_pass, age, failed = estimator.filter_pass, estimator.age, estimator.failed
    tracking = tracking_of(estimator.state)
    correction = None if tracking is None else tracking.correction
    units = {"mass": "kg", "com": "m", "inertia": "kg m²"} | {f"pose/{other}": "m" for _, other in neighbours}
    frames = dict.fromkeys(units, name) | {"mass": None}
    if failed or filter_pass is None or age < TUNING.reported_after or not (filter_pass.converged or filter_pass.fits):
        why: Knowledge = "not-identifiable" if age > TUNING.unidentifiable_after else "not-yet-known"
        why = "failed" if failed else why
        return {what: Estimate.unknown(why, unit, frames[what], time) for what, unit in units.items()}
    point = filter_pass.estimate
    values, J = load_in_frame(point, robot)
    mass, com, inertia = (
        _Number(filter_pass, values[rows], J[rows], correction) for rows in (slice(0, 1), slice(1, 4), slice(4, 13))
    )
    moment = float(np.trace(inertia.value.reshape(3, 3))) / 3.0
    unforced = 0.0 if filter_pass.excitation.shows_mass else np.inf
    unseen = 0.0 if filter_pass.excitation.shows_com else np.inf
    unturned = 0.0 if filter_pass.excitation.shows_inertia else np.inf
    excess = {
        "mass": unforced + mass.std.max() / values[0] / TUNING.known_mass,
        "com": unseen + com.std.max() / TUNING.known_com,
        "inertia": unturned + inertia.std.max() / moment / TUNING.known_inertia,
    }
    firm = {"mass": mass.moved < TUNING.settled_step, "com": com.moved < TUNING.settled_step}
    numbers = {"mass": mass, "com": com, "inertia": inertia}
    for number, other in neighbours:
        pose = numbers[f"pose/{other}"] = _Number(filter_pass, *pose_in_frame(point, robot, number), correction)
        excess[f"pose/{other}"] = unseen + max(
            pose.std[:3].max() / TUNING.known_com, pose.std[3:].max() / TUNING.known_rotation
        )
    estimates = {}
    for what, unit in units.items():
        one = numbers[what]
        settled = (filter_pass.converged and one.moved < TUNING.known_step) or firm.get(what, False)
        settled &= what != "inertia" or filter_pass.relative_step < TUNING.known_shape_step
        nowhere = 0 in estimator.unplaced and what in _in_frame_of_first(viewer)
        settled &= one.corrected < TUNING.confirmed_below and one.widened < TUNING.most_widened
        if excess[what] < 1.0 and settled and not nowhere:
            value = one.value[0] if what == "mass" else one.value.reshape(3, 3) if what == "inertia" else one.value
            estimates[what] = Estimate(np.asarray(value), one.covariance, unit, frames[what], time, "known")
        else:
            late = age > TUNING.unidentifiable_after and excess[what] > TUNING.far_from_known
            estimates[what] = Estimate.unknown(
                "not-identifiable" if late else "not-yet-known", unit, frames[what], time
            )
    return estimates


def _in_frame_of_first(viewer: Viewer) -> set[str]:
    """What is in the frame of robot 0, or about it."""
    poses = {f"pose/{other}" for number, other in viewer.neighbours if 0 in (number, viewer.number)}
    return poses | {"com", "inertia"} if viewer.number == 0 else poses


class _Number:
    """Some numbers that follow the point, with what their status depends on."""

    def __init__(self, filter_pass: FilterPass, value: np.ndarray, J: np.ndarray, correction: np.ndarray | None):
        self.value = value
        self.covariance = J @ (filter_pass.covariance_inflation * filter_pass.covariance) @ J.T
        self.std = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        self.moved = float(np.max(np.abs(J @ filter_pass.step) / np.maximum(self.std, 1e-300)))
        """Standard deviations by which the last step moves the worst of them."""
        off = np.inf if correction is None else float(np.max(np.abs(J @ correction) / np.maximum(self.std, 1e-300)))
        self.corrected = off
        """Standard deviations by which two passes over the same rows differed when they were last compared."""
        variance = np.sum((J @ filter_pass.covariance) * J, axis=1)
        widest = np.sum((J @ filter_pass.widest_covariance) * J, axis=1)
        self.widened = float(np.sqrt(np.max(widest / np.maximum(variance, 1e-300))))
        """By which noise in the Jacobians may make the worst of their deviations larger."""
