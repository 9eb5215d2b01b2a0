"""From the columns of a robot that holds a load alone to a record, its noise levels included."""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np

from steelyard.config import Config
from steelyard.estimators import Guess, Noise, Sample
from steelyard.geometry import SO3
from steelyard.logs import Log
from steelyard.models import WRIST_SIGNALS, RigidLoad, RigidLoadState
from steelyard.problems._wrist_sensors import read_wrist, wrist_noise

_SMOOTH = 0.1  # s, to either side
_FIRST_SECONDS = 2.0  # s, over which the vertical is looked for


@dataclasses.dataclass(frozen=True, eq=False)
class WristRecord:
    """What one robot recorded while it moved a load; sensor axes, NaN where a sample is missing."""

    robot: str
    time: np.ndarray
    """(n,), s."""
    reading: np.ndarray
    """(n, 9): angular velocity (rad/s), velocity (m/s), specific force (m/s²)."""
    wrench: np.ndarray
    """(n, 6): torque (N m) and force (N)."""
    noise: dict[str, float]
    """One standard deviation an axis, by signal."""
    gravity: tuple[float, float, float]
    zero_order_hold: bool
    """Whether a wrench acts unchanged until the next row."""
    notes: tuple[str, ...]

    @property
    def model(self) -> RigidLoad:
        """The model of the load in this robot's sensor frame."""
        return RigidLoad(self.gravity, self.zero_order_hold)

    def between(self, begin: int, end: int) -> "WristRecord":
        """The rows from `begin` on, before `end`."""
        rows = slice(begin, end)
        return dataclasses.replace(self, time=self.time[rows], reading=self.reading[rows], wrench=self.wrench[rows])

    def samples(self) -> Sample:
        """Row by row, as an estimator takes them."""
        dt = np.diff(self.time, prepend=self.time[0])
        return Sample(dt, self.wrench, self.reading)

    def smoothed(self) -> "WristRecord":
        """Every row replaced by a mean of its neighbours, itself left out: its noise is not that of the row."""
        wide = max(round(_SMOOTH / float(np.median(np.diff(self.time)))), 2)
        lags = np.arange(-wide, wide + 1)
        weights = np.where(lags == 0, 0.0, 1.0 + np.cos(np.pi * lags / (wide + 1)))

        def mean(values: np.ndarray) -> np.ndarray:
            present = np.isfinite(values)
            padded = [
                np.pad(part, ((wide, wide), (0, 0))) for part in (np.where(present, values, 0.0), present.astype(float))
            ]
            total, count = (
                sum(w * part[wide + lag : wide + lag + len(values)] for lag, w in zip(lags, weights, strict=True))
                for part in padded
            )
            return np.where(present, total / np.maximum(count, 1e-9), np.nan)

        return dataclasses.replace(self, reading=mean(self.reading), wrench=mean(self.wrench))

    def random(self, drift: float = 0.0) -> Noise:
        """All noise; `drift` is a random walk of the motion, SI units per √s."""
        sizes = [self.noise[signal] for signal in WRIST_SIGNALS for _ in range(3)]
        walk = jnp.asarray([drift] * 9 + [0.0] * 16)
        spread = np.nan_to_num(np.nanstd(self.wrench, axis=0)) + np.array(sizes[9:])
        return Noise(jnp.asarray(sizes[:9]), jnp.asarray(sizes[9:]), walk, jnp.asarray(spread))

    def first(self, log_cholesky: np.ndarray) -> Guess:
        """The state at the first row; the load is taken as known, the motion as uncertain."""
        angular, linear = (_first(self.reading[:, k : k + 3]) for k in (0, 3))
        std_angular, std_linear = (max(10 * self.noise[s], 0.1) for s in ("twist/angular", "twist/linear"))
        state = RigidLoadState(
            attitude=SO3(jnp.asarray(_level(vertical(self)))),
            angular=jnp.asarray(angular),
            linear=jnp.asarray(linear),
            log_cholesky=jnp.asarray(log_cholesky),
            wrench=jnp.asarray(np.concatenate([_first(self.wrench[:, :3]), _first(self.wrench[:, 3:])])),
            bias=jnp.zeros(0),
        )
        present = np.isfinite(self.reading[:, 3]).any()
        std = [0.5] * 3 + [std_angular] * 3 + [std_linear if present else 1.0] * 3 + [0.0] * 16
        return Guess(state, jnp.asarray(std))


def read_wrist_record(log: Log, robot: str, config: Config) -> WristRecord:
    """Reads a robot's columns, and estimates noise that is not stated; a log that cannot be read is a `BadInput`."""
    time, readings = np.asarray(log.time), read_wrist(log, robot)
    noise, notes = wrist_noise(time, readings[:, None], config)
    zero_order_hold = config.inputs.hold == "step"
    return WristRecord(robot, time, readings[:, :9], readings[:, 9:], noise, config.gravity, zero_order_hold, notes)


def vertical(record: WristRecord) -> np.ndarray:
    """R_wiᵀ g at the first row, sensor axes, m/s²: the mean specific force of the first two seconds, turned back.

    What the velocity gained meanwhile is taken off where it is known; where there is no accelerometer, the force shows
    the direction.
    """
    size = float(np.linalg.norm(record.gravity))
    early = record.time <= record.time[0] + _FIRST_SECONDS
    time, reading = record.time[early], np.nan_to_num(record.reading[early])
    R = turned(time, reading[:, :3])
    present = np.isfinite(record.reading[early])
    if present[:, 6:].all(axis=1).any():
        rows = present[:, 6:].all(axis=1)
        up = np.einsum("tab,tb->ta", R[rows], reading[rows, 6:]).mean(axis=0)
        if present[:, 3:6].all(axis=1).sum() > 10 and time[-1] > time[0]:
            v = np.einsum("tab,tb->ta", R, reading[:, 3:6])[present[:, 3:6].all(axis=1)]
            third = max(len(v) // 3, 1)
            up = up - (v[-third:].mean(axis=0) - v[:third].mean(axis=0)) / (2 / 3 * (time[-1] - time[0]))
    else:
        up = np.einsum("tab,tb->ta", R, np.nan_to_num(record.wrench[early, 3:])).mean(axis=0)
    length = float(np.linalg.norm(up))
    return -size * (up / length if length > 1e-9 else np.array([0.0, 0.0, 1.0]))


def turned(time: np.ndarray, angular: np.ndarray) -> np.ndarray:
    """(n, 3, 3): rotations from every row's sensor axes to the first row's."""
    R = [np.eye(3)]
    for dt, omega in zip(np.diff(time), 0.5 * (angular[1:] + angular[:-1]), strict=True):
        angle = float(np.linalg.norm(omega)) * dt
        W = dt * np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
        sine = 1.0 if angle < 1e-9 else math.sin(angle) / angle
        versine = 0.5 if angle < 1e-9 else (1 - math.cos(angle)) / angle**2
        R.append(R[-1] @ (np.eye(3) + sine * W + versine * (W @ W)))
    return np.stack(R)


def _level(weight: np.ndarray) -> np.ndarray:
    """A quaternion w, x, y, z, sensor to world, that brings this direction down."""
    size = float(np.linalg.norm(weight))
    if size < 1e-9:
        return np.array([1.0, 0.0, 0.0, 0.0])
    down, target = weight / size, np.array([0.0, 0.0, -1.0])
    q = np.array([1.0 + down @ target, *np.cross(down, target)])
    length = float(np.linalg.norm(q))
    return q / length if length > 1e-6 else np.array([0.0, 1.0, 0.0, 0.0])


def _first(values: np.ndarray) -> np.ndarray:
    present = np.flatnonzero(np.isfinite(values).all(axis=1))
    return values[present[0]] if present.size else np.zeros(3)
