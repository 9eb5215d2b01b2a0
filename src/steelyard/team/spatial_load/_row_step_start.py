"""A start and rows for `RowStep`, from a team's record."""

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.team.spatial_load._equations_of_motion import Gears, Rows
from steelyard.team.spatial_load._filter_pass import Course, advance, vague
from steelyard.team.spatial_load._initial_guess import first_point
from steelyard.team.spatial_load._linearisation_point import SpatialPoint
from steelyard.team.spatial_load._linearised_filter import begin, sweep
from steelyard.team.spatial_load._record import Record
from steelyard.team.spatial_load._row_step import HeldPoint, RowBelief, RowSample, RowStep


def row_steps(record: Record, gravity: float) -> tuple[RowStep, RowBelief, RowSample]:
    """The step, the belief after a record's first row, and the rows after it, with a leading axis of time.

    Linearised at the point and along the path that an agent begins with.
    """
    point, noise = first_point(record, record.first, record.end, gravity), np.repeat(record.noise[3:], 3)
    rows = record.rows(record.first, record.end)
    advance(Course.at(point, vague(point), record.first), record, record.end, 0)
    path = record.motion(record.first, record.end)  # as that has just left it
    step = RowStep(jnp.asarray(noise), jnp.asarray(np.linalg.norm(point.down)))
    return step, started(point, rows, path, noise), row_samples(rows, path)


def started(point: SpatialPoint, rows: Rows, path: np.ndarray, noise: np.ndarray) -> RowBelief:
    """The belief after the first of the rows."""
    first, gears = rows.between(0, 1), Gears(point, noise)
    motion, told = sweep(point, begin(point, rows, noise), path[:1], first, noise, True)
    felt = gears.felt_slopes(motion.mean[None, :3], first)
    belief = RowBelief(
        HeldPoint(point.load, point.R, point.t),
        motion.mean,
        motion.columns,
        motion.covariance,
        gears.total(first.wrench)[0],
        first.doubt[0],
        felt.by_omega[0],
        felt.by_point[0],
        told.score[0],
        told.information,
        told.surprise[0],
        told.predicted[0],
        told.residual[0],
    )
    return jax.tree.map(jnp.asarray, belief)


def row_samples(rows: Rows, path: np.ndarray) -> RowSample:
    """All rows but the first, linearised along a path (time, 9)."""
    parts = [rows.dt, path, rows.reading, rows.weight, rows.wrench, rows.halfway, rows.smooth, rows.alpha, rows.doubt]
    return RowSample(*(jnp.asarray(part[1:]) for part in parts))
