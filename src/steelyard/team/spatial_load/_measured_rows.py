"""Consecutive rows of samples, as a filter pass takes them."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Consecutive rows of everybody's samples, sensor axes."""

    dt: np.ndarray
    """(time,), s since the row before."""
    reading: np.ndarray
    """(time, robot, 9): angular velocity, velocity, specific force; any number where `weight` is zero."""
    weight: np.ndarray
    """(time, robot, 9): 1 / variance, zero where nothing was read."""
    wrench: np.ndarray
    """(time, robot, 6): torque and force."""
    midpoint_wrench: np.ndarray
    """(time, robot, 6): the wrench in the middle of the interval before the row."""
    smoothed_wrench: np.ndarray
    """(time, robot, 6): the wrench as the rows around tell, this one and those beside it left out."""
    alpha: np.ndarray
    """(time, robot, 3): angular acceleration, as the gyros of the same rows around tell."""
    alpha_noise: np.ndarray
    """(time,): standard deviation of the mean of these over the robots, an axis."""
    force_noise: np.ndarray
    """(time,): standard deviation of the force of all in `smoothed_wrench`, an axis."""
    noise_inflation: np.ndarray
    """(time,): factor on the noise of the total wrench; 1 where everybody's was received."""

    def between(self, begin: int, end: int) -> "MeasuredRows":
        """The rows from `begin` on, before `end`."""
        return MeasuredRows(*(part[begin:end] for part in vars(self).values()))

    def along(self, path: np.ndarray) -> tuple[np.ndarray, ...]:
        """What a `RowSample` holds, in its order, for all rows; to be linearised along a path (time, 9)."""
        wrenches = self.wrench, self.midpoint_wrench, self.smoothed_wrench
        return self.dt, path, self.reading, self.weight, *wrenches, self.alpha, self.noise_inflation
