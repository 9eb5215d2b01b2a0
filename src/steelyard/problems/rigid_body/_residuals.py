"""What each sensor should read along a trajectory, and how that depends on trajectory and unknowns.

The wrench on the load, about the sensor's origin, in sensor axes (Newton and Euler; an accelerometer reads s):

    force  = m s + (alpha x + omega x omega x) m c
    torque = m c x s + I alpha + omega x I omega

It is linear in the ten inertial parameters, and every channel is linear in each other group of unknowns.
"""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard._rotations import skew
from steelyard.problems.rigid_body._splines import DEGREE, Spline
from steelyard.problems.rigid_body._trajectory import Trajectory
from steelyard.problems.rigid_body._unknowns import Layout, Unknowns


@dataclasses.dataclass(frozen=True, eq=False)
class Channel:
    """Samples of one signal."""

    time: np.ndarray
    """(n,), s, as recorded."""
    value: np.ndarray
    """(n, k), or (n, 3, 3) for attitudes (sensor to world)."""
    std: np.ndarray
    """(k,): one standard deviation an axis."""

    def where(self, rows: np.ndarray) -> "Channel":
        """Only some rows."""
        return Channel(self.time[rows], self.value[rows], self.std)

    def averaged(self, width: float) -> "Channel":
        """Means of as many samples in a row as `width` seconds hold; not of attitudes."""
        count = int(width / max(float(np.median(np.diff(self.time))), 1e-9))
        if count < 2 or self.value.ndim > 2:
            return self
        whole = len(self.time) // count * count
        time = self.time[:whole].reshape(-1, count)
        close = time[:, -1] - time[:, 0] < 1.5 * width  # no mean over a gap
        value = self.value[:whole].reshape(len(time), count, -1).mean(axis=1)
        return Channel(time.mean(axis=1)[close], value[close], self.std / np.sqrt(count))

    def between(self, start: float, end: float) -> "Channel":
        """The samples from `start` to `end` (s)."""
        return self.where((self.time >= start) & (self.time <= end))


@dataclasses.dataclass(frozen=True, eq=False)
class Block:
    """The residuals of one channel, each divided by its standard deviation, and their derivatives."""

    interval: np.ndarray
    """(n,): of the spline."""
    residual: np.ndarray
    """(n, k): expected less measured."""
    by_motion: np.ndarray
    """(n, k, 6 (DEGREE + 1))."""
    by_unknowns: np.ndarray
    """(n, k, size)."""


def moment_products(vectors: np.ndarray) -> np.ndarray:
    """(n, 3, 6): I x as a matrix times the moments xx, yy, zz, xy, xz, yz."""
    (x, y, z), zero = vectors.T, np.zeros(len(vectors))
    rows = [[x, zero, zero, y, z, zero], [zero, y, zero, x, zero, z], [zero, zero, z, zero, x, y]]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def wrench_regressor(s: np.ndarray, omega: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """(n, 6, 10): torque and force as a matrix times the ten parameters; `geometry.wrench_regressor` for many rows."""
    W = skew(omega)
    Y = np.zeros((len(s), 6, 10))
    Y[:, :3, 1:4] = -skew(s)
    Y[:, :3, 4:] = moment_products(alpha) + W @ moment_products(omega)
    Y[:, 3:, 0] = s
    Y[:, 3:, 1:4] = skew(alpha) + W @ W
    return Y


def symmetric(moments: np.ndarray) -> np.ndarray:
    """(3, 3) from xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = moments
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def wrench_residual(channel: Channel, motion: Trajectory, rows: np.ndarray, unknowns: Unknowns) -> np.ndarray:
    """(n, 6): torque and force, expected less measured, in standard deviations."""
    Y = wrench_regressor(motion.specific_force[rows], motion.angular[rows], motion.angular_acceleration[rows])
    offset = np.concatenate([unknowns.torque_offset, unknowns.force_offset])
    return (Y @ unknowns.load + offset - channel.value) / channel.std


def wrench_block(
    channel: Channel, motion: Trajectory, rows: np.ndarray, spline: Spline, unknowns: Unknowns, at: Layout
) -> Block:
    """Torque and force."""
    s, omega, alpha = motion.specific_force[rows], motion.angular[rows], motion.angular_acceleration[rows]
    by, theta = motion.sensitivities(spline, rows), unknowns.load
    m, mc, inertia, W = theta[0], theta[1:4], symmetric(theta[4:]), skew(omega)
    lever = skew(mc)
    torque = (
        lever @ by.specific_force
        + inertia @ by.angular_acceleration
        + (W @ inertia - skew(omega @ inertia)) @ by.angular
    )
    force = (
        m * by.specific_force - lever @ by.angular_acceleration - (skew(np.cross(omega, mc)) + W @ lever) @ by.angular
    )
    by_unknowns = np.zeros((len(s), 6, at.size))
    by_unknowns[:, :, :10] = wrench_regressor(s, omega, alpha)
    if "torque_offset" in at:
        by_unknowns[:, :3, at["torque_offset"]] = np.eye(3)
        by_unknowns[:, 3:, at["force_offset"]] = np.eye(3)
    by_motion = np.concatenate([torque, force], axis=1)
    residual = wrench_residual(channel, motion, rows, unknowns)
    return _block(motion, rows, spline, residual, by_motion, by_unknowns, channel.std)


def motion_residual(
    signal: str, channel: Channel, motion: Trajectory, rows: np.ndarray, unknowns: Unknowns, lateness: float
) -> np.ndarray:
    """(n, 3): expected less measured, in standard deviations; `lateness` (s) is not yet in the times of the rows."""
    C, scale = unknowns.rotation, 1.0 + unknowns.accelerometer_scale
    if signal == "attitude":
        expected = motion.attitude[rows] @ unknowns.attitude_rotation
        residual = Rotation.from_matrix(channel.value.transpose(0, 2, 1) @ expected).as_rotvec()
    elif signal == "twist/angular":
        residual = motion.angular[rows] @ C.T + unknowns.gyro_bias - channel.value
    elif signal == "specific_force":
        residual = scale * _at_sensor(motion, rows, unknowns) @ C.T + unknowns.accelerometer_bias - channel.value
    else:
        residual = motion.velocity[rows] + unknowns.velocity_bias - channel.value
    return (residual - lateness * _rate(signal, motion, rows, unknowns)) / channel.std


def motion_block(
    signal: str,
    channel: Channel,
    motion: Trajectory,
    rows: np.ndarray,
    spline: Spline,
    unknowns: Unknowns,
    at: Layout,
    lateness: float,
) -> Block:
    """Of one motion signal."""
    by_unknowns = np.zeros((len(rows), 3, at.size))
    C, scale = unknowns.rotation, 1.0 + unknowns.accelerometer_scale
    own: dict[str, np.ndarray] = {}
    if signal == "attitude":
        turned = _local(spline.weights(motion.time[rows] - lateness), slice(0, 3))
        by_motion = unknowns.attitude_rotation.T @ turned
        own = {"attitude_rotation": np.eye(3)}
    elif signal == "twist/angular":
        by_motion = C @ motion.sensitivities(spline, rows, lateness).angular
        own = {"gyro_bias": np.eye(3), "rotation": -C @ skew(motion.angular[rows])}
    elif signal == "specific_force":
        s, omega, alpha = _at_sensor(motion, rows, unknowns), motion.angular[rows], motion.angular_acceleration[rows]
        by, W, lever = motion.sensitivities(spline, rows, lateness), skew(omega), skew(unknowns.lever)
        turning = skew(np.cross(omega, unknowns.lever)) + W @ lever
        by_motion = scale * C @ (by.specific_force - lever @ by.angular_acceleration - turning @ by.angular)
        own = {
            "accelerometer_bias": np.eye(3),
            "accelerometer_scale": (s @ C.T)[:, :, None],
            "rotation": -scale * C @ skew(s),
            "lever": scale * C @ (skew(alpha) + W @ W),
        }
    else:
        by_motion = _local(spline.weights(motion.time[rows] - lateness), slice(3, 6))
        own = {"velocity_bias": np.eye(3)}
    own[f"delay/{signal}"] = -_rate(signal, motion, rows, unknowns)[:, :, None]
    for name, derivative in own.items():
        if name in at:
            by_unknowns[:, :, at[name]] = derivative
    residual = motion_residual(signal, channel, motion, rows, unknowns, lateness)
    interval = spline.interval_of(motion.time[rows] - lateness)
    return Block(interval, residual, by_motion / channel.std[:, None], by_unknowns / channel.std[:, None])


def _rate(signal: str, motion: Trajectory, rows: np.ndarray, unknowns: Unknowns) -> np.ndarray:
    """(n, 3): how fast what a sensor should read changes, per second."""
    if signal == "attitude":
        return motion.angular[rows] @ unknowns.attitude_rotation
    if signal == "twist/angular":
        return motion.angular_acceleration[rows] @ unknowns.rotation.T
    if signal == "twist/linear":
        return motion.velocity_rate[rows]
    return np.gradient(motion.specific_force, motion.time, axis=0)[rows] @ unknowns.rotation.T


def _at_sensor(motion: Trajectory, rows: np.ndarray, unknowns: Unknowns) -> np.ndarray:
    """(n, 3): specific force where the accelerometer is, force sensor's axes."""
    omega, alpha, r = motion.angular[rows], motion.angular_acceleration[rows], unknowns.lever
    return motion.specific_force[rows] + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))


def still_block(motion: Trajectory, rows: np.ndarray, spline: Spline, speed: float, at: Layout) -> Block:
    """Where no velocity was measured: it is not likely to be larger than a given speed."""
    by_motion = _local(spline.weights(motion.time[rows]), slice(3, 6))
    nothing = np.zeros((len(rows), 3, at.size))
    return _block(motion, rows, spline, motion.velocity[rows] / speed, by_motion, nothing, np.full(3, speed))


def unaccelerated_block(motion: Trajectory, rows: np.ndarray, spline: Spline, std: float, at: Layout) -> Block:
    """Where the frame is still, s = -gamma: nothing accelerates."""
    gravity = motion.gravity_in_sensor[rows]
    by_gravity = np.concatenate([skew(gravity), np.zeros((len(rows), 3, 3))], axis=2)  # of gamma, by phi and v
    turned = np.einsum("nb,nij->nibj", spline.weights(motion.time[rows]), by_gravity).reshape(
        len(rows), 3, 6 * (DEGREE + 1)
    )
    by_motion = motion.sensitivities(spline, rows).specific_force + turned
    residual = (motion.specific_force[rows] + gravity) / std
    return _block(motion, rows, spline, residual, by_motion, np.zeros((len(rows), 3, at.size)), np.full(3, std))


def _local(weights: np.ndarray, functions: slice) -> np.ndarray:
    """(n, 3, 6 (DEGREE + 1)): three of the six functions themselves."""
    selected = np.zeros((3, 6))
    selected[:, functions] = np.eye(3)
    return np.einsum("nb,ij->nibj", weights, selected).reshape(len(weights), 3, 6 * (DEGREE + 1))


def _block(motion, rows, spline, residual, by_motion, by_unknowns, std) -> Block:
    interval = spline.interval_of(motion.time[rows])
    return Block(interval, residual, by_motion / std[:, None], by_unknowns / std[:, None])
