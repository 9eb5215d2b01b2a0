"""What rows without noise would tell, if noise there were: information along a true motion."""

import numpy as np

from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion
from steelyard.team.spatial_load._linearisation_point import LinearisationPoint
from steelyard.team.spatial_load._linearised_filter import filter_rows, initial_filter_state
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._tuning import TUNING


def noise_free_information(
    point: LinearisationPoint,
    time: np.ndarray,
    readings: np.ndarray,
    wrenches: np.ndarray,
    down: np.ndarray,
    noises: np.ndarray,
) -> np.ndarray:
    """(param, param): Fisher information of rows about their true point, steps as in `LinearisationPoint.retract`.

    `readings` (time, robot, 9) and `wrenches` (time, robot, 6) are the true ones in everybody's sensor axes, `down`
    (time, 3) is gravity in the first robot's, and `noises` are five standard deviations, by signal.
    """
    noise = np.repeat(noises[3:], 3)
    equations = EquationsOfMotion(point, noise)
    alpha = equations.felt(readings[:, 0, :3], equations.total(wrenches))[:, :3]
    weight = np.broadcast_to(np.repeat(noises[:3], 3) ** -2.0, readings.shape)
    midpoint_wrench = wrenches.copy()
    midpoint_wrench[1:] = 0.5 * (wrenches[1:] + wrenches[:-1])
    rows = MeasuredRows(
        np.diff(time, prepend=time[0]),
        readings,
        weight,
        wrenches,
        midpoint_wrench,
        wrenches,
        np.einsum("jba,tb->tja", point.R, alpha),
        np.zeros(len(time)),
        np.zeros(len(time)),
        np.ones(len(time)),
    )
    path = np.concatenate([readings[:, 0, :6], down], axis=1)
    motion, result = initial_filter_state(point, rows, noise), np.zeros((point.size, point.size))
    for start in range(0, len(time), TUNING.block_rows):
        low, end = max(start - 1, 0), min(start + TUNING.block_rows, len(time))
        motion, block = filter_rows(point, motion, path[low:end], rows.between(low, end), noise, start == 0)
        result += block.information
    return result
