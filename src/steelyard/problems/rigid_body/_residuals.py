"""What each sensor should read along a trajectory, and how that depends on trajectory and unknowns.

The wrench on the load, about the sensor's origin, in sensor axes (Newton and Euler; an accelerometer reads s):

    force  = m s + (alpha x + omega x omega x) m c
    torque = m c x s + I alpha + omega x I omega

It is linear in the ten inertial parameters, and every channel is linear in each other group of unknowns.
"""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard._rotations import cross, skew
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._trajectory import QUANTITIES, Trajectory, by_coefficients
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
    columns: np.ndarray
    """(c,): the unknowns that this channel depends on."""
    by_unknowns: np.ndarray
    """(n, k, c)."""


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
    s, omega, alpha = motion.specific_force[rows], motion.angular[rows], motion.angular_acceleration[rows]
    theta = unknowns.carried
    m, first, inertia = theta[0], theta[1:4], symmetric(theta[4:])
    lever = skew(first)
    torque = s @ lever.T + alpha @ inertia + cross(omega, omega @ inertia)
    force = m * s + alpha @ lever + cross(omega, omega @ lever)
    expected = np.concatenate([torque, force], axis=1) + unknowns.offsets(channel.time)
    return (expected - channel.value) / channel.std


def wrench_block(
    channel: Channel, motion: Trajectory, rows: np.ndarray, spline: Spline, unknowns: Unknowns, at: Layout
) -> Block:
    """Torque and force."""
    s, omega, alpha = motion.specific_force[rows], motion.angular[rows], motion.angular_acceleration[rows]
    by, theta = motion.sensitivities(rows), unknowns.carried
    m, mc, inertia, W = theta[0], theta[1:4], symmetric(theta[4:]), skew(omega)
    lever = skew(mc)
    by_motion = np.empty((len(rows), 6, QUANTITIES))
    by_motion[:, :3] = (
        lever @ by.specific_force
        + inertia @ by.angular_acceleration
        + (W @ inertia - skew(omega @ inertia)) @ by.angular
    )
    by_motion[:, 3:] = (
        m * by.specific_force - lever @ by.angular_acceleration - (skew(omega @ lever) + W @ lever) @ by.angular
    )
    own = {"load": wrench_regressor(s, omega, alpha)}
    if "torque_offset" in at:
        own |= {"torque_offset": np.eye(6)[:, :3], "force_offset": np.eye(6)[:, 3:]}
    if unknowns.drift is not None:
        own |= {
            f"{part}_drift": unknowns.drift.by_steps(channel.time, part == "torque") for part in ("torque", "force")
        }
    residual = wrench_residual(channel, motion, rows, unknowns)
    return _block(spline, motion.time[rows], residual, by_motion, own, at, channel.std)


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
    if lateness:
        residual = residual - lateness * _rate(signal, motion, rows, unknowns)
    return residual / channel.std


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
    C, scale = unknowns.rotation, 1.0 + unknowns.accelerometer_scale
    if signal == "attitude":
        by_motion = _by_one(len(rows), 0, unknowns.attitude_rotation.T)
        own = {"attitude_rotation": np.eye(3)}
    elif signal == "twist/angular":
        by_motion = C @ motion.sensitivities(rows).angular
        own = {"gyro_bias": np.eye(3), "rotation": -C @ skew(motion.angular[rows])}
    elif signal == "specific_force":
        s, omega, alpha = _at_sensor(motion, rows, unknowns), motion.angular[rows], motion.angular_acceleration[rows]
        by, W, lever = motion.sensitivities(rows), skew(omega), skew(unknowns.lever)
        turning = skew(omega @ lever) + W @ lever
        by_motion = scale * C @ (by.specific_force - lever @ by.angular_acceleration - turning @ by.angular)
        own = {
            "accelerometer_bias": np.eye(3),
            "accelerometer_scale": (s @ C.T)[:, :, None],
            "rotation": -scale * C @ skew(s),
            "lever": scale * C @ (skew(alpha) + W @ W),
        }
    else:
        by_motion = _by_one(len(rows), 9, np.eye(3))
        own = {"velocity_bias": np.eye(3)}
    own[f"delay/{signal}"] = -_rate(signal, motion, rows, unknowns)[:, :, None]
    residual = motion_residual(signal, channel, motion, rows, unknowns, lateness)
    return _block(spline, motion.time[rows] - lateness, residual, by_motion, own, at, channel.std)


def _rate(signal: str, motion: Trajectory, rows: np.ndarray, unknowns: Unknowns) -> np.ndarray:
    """(n, 3): how fast what a sensor should read changes, per second."""
    if signal == "attitude":
        return motion.angular[rows] @ unknowns.attitude_rotation
    if signal == "twist/angular":
        return motion.angular_acceleration[rows] @ unknowns.rotation.T
    if signal == "twist/linear":
        return motion.velocity_rate[rows]
    return motion.specific_force_rate[rows] @ unknowns.rotation.T


def _at_sensor(motion: Trajectory, rows: np.ndarray, unknowns: Unknowns) -> np.ndarray:
    """(n, 3): specific force where the accelerometer is, force sensor's axes."""
    omega, alpha, r = motion.angular[rows], motion.angular_acceleration[rows], unknowns.lever
    lever = skew(r)
    return motion.specific_force[rows] + alpha @ lever + cross(omega, omega @ lever)


def still_block(motion: Trajectory, rows: np.ndarray, spline: Spline, speed: float, at: Layout) -> Block:
    """Where no velocity was measured: it is not likely to be larger than a given speed."""
    by_motion = _by_one(len(rows), 9, np.eye(3))
    return _block(spline, motion.time[rows], motion.velocity[rows] / speed, by_motion, {}, at, np.full(3, speed))


def unaccelerated_block(motion: Trajectory, rows: np.ndarray, spline: Spline, std: float, at: Layout) -> Block:
    """Where the frame is still, s = -gamma: nothing accelerates."""
    gravity = motion.gravity_in_sensor[rows]
    by_motion = motion.sensitivities(rows).specific_force
    by_motion[:, :, :3] += skew(gravity)  # of gamma, by phi
    residual = (motion.specific_force[rows] + gravity) / std
    return _block(spline, motion.time[rows], residual, by_motion, {}, at, np.full(3, std))


def _by_one(rows: int, first: int, matrix: np.ndarray) -> np.ndarray:
    """(rows, 3, QUANTITIES): a matrix times three of the quantities."""
    found = np.zeros((rows, 3, QUANTITIES))
    found[:, :, first : first + 3] = matrix
    return found


def _block(
    spline: Spline,
    time: np.ndarray,
    residual: np.ndarray,
    by_motion: np.ndarray,
    by_unknowns: dict[str, np.ndarray],
    at: Layout,
    std: np.ndarray,
) -> Block:
    """Of residuals at some times, with derivatives by motion and by the unknowns that a layout has."""
    known = {name: derivative for name, derivative in by_unknowns.items() if name in at}
    columns = np.concatenate([np.zeros(0, int), *(np.arange(at.size)[at[name]] for name in known)])
    own, begin = np.empty((*residual.shape, len(columns))), 0
    for derivative in known.values():
        own[:, :, begin : begin + derivative.shape[-1]] = derivative
        begin += derivative.shape[-1]
    own /= std[:, None]
    by_motion /= std[:, None]
    return Block(spline.interval_of(time), residual, by_coefficients(spline.basis(time), by_motion), columns, own)
