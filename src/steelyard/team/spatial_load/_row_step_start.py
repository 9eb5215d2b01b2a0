"""A start and rows for `RowStep`, from a team's history of samples."""

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.spatial_load._advance import advance
from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._initial_guess import first_linearisation_point
from steelyard.team.spatial_load._linearisation_point import LinearisationPoint
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._motion_path import MotionPath
from steelyard.team.spatial_load._prior import vague_prior
from steelyard.team.spatial_load._row_step import RowBelief, RowPoint, RowSample, RowStep
from steelyard.team.spatial_load._sample_history import SampleHistory


def row_steps(history: SampleHistory, gravity: float) -> tuple[RowStep, RowBelief, RowSample]:
    """The step, the belief after a history's first row, and the rows after it, with a leading axis of time.

    Linearised at the point and along the path that an agent begins with.
    """
    noise = np.repeat(history.noise[3:], 3)
    point, path = first_point_and_path(history, gravity)
    rows = history.rows(history.first, history.end)
    step = RowStep(jnp.asarray(noise), jnp.asarray(np.linalg.norm(point.down)))
    return step, started(point, rows, path, noise), row_samples(rows, path)


def first_point_and_path(history: SampleHistory, gravity: float) -> tuple[LinearisationPoint, np.ndarray]:
    """The first linearisation point of all rows, and the motion (time, 9) that a filter pass at it predicts."""
    begin, end = history.first, history.end
    point = first_linearisation_point(history, begin, end, gravity)
    fresh = FilterPass.at(point, vague_prior(point), begin)
    return point, advance(fresh, MotionPath(begin, np.empty((0, 9))), history, end, 0, Cache()).path.between(begin, end)


def started(point: LinearisationPoint, rows: MeasuredRows, path: np.ndarray, noise: np.ndarray) -> RowBelief:
    """The belief after the first of the rows."""
    first, equations = rows.between(0, 1), EquationsOfMotion(point, noise)
    motion, result = filter_rows(point, initial_filter_state(point, rows, noise), path[:1], first, noise, True)
    felt = equations.proper_acceleration_jacobians(motion.mean[None, :3], first.smoothed_wrench, first.alpha)
    belief = RowBelief(
        RowPoint(point.load, point.R, point.t),
        motion.mean,
        motion.columns,
        motion.covariance,
        equations.total(first.wrench)[0],
        first.noise_inflation[0],
        felt.by_omega[0],
        felt.by_point[0],
        result.score[0],
        result.information,
        result.nis[0],
        result.predicted[0],
        result.residual[0],
    )
    return jax.tree.map(jnp.asarray, belief)


def row_samples(rows: MeasuredRows, path: np.ndarray) -> RowSample:
    """All rows but the first, linearised along a path (time, 9)."""
    return RowSample(*(jnp.asarray(part[1:]) for part in rows.along(path)))
