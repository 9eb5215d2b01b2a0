"""What an unbiased estimator can reach at best on the log of one wrist: the Cramér-Rao bound of the exact model.

Nothing is assumed of the motion: angular and linear acceleration are free at every row, attitude, angular velocity and
velocity are their integrals (trapezoids), and all are unknowns beside the load and the sensor errors. Derivatives of
the exact readings come from automatic differentiation at the truth, and a square-root information filter sums them up.
The estimator under test has none of this: it fits splines by inverse dynamics and derivatives of its own.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard._rotations import matrices, skew
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.worlds.wrist import WristScenario, WristTruth

ERRORS = {
    "torque_offset": (3, 5.0),
    "force_offset": (3, 50.0),
    "gyro_bias": (3, 0.02),
    "velocity_bias": (3, 0.03),
    "accelerometer_bias": (3, 0.3),
    "accelerometer_scale": (1, 0.01),
    "rotation": (3, 0.05),
    "delay": (4, 0.02),
    "lever": (3, 0.03),
}
"""By name: how many numbers, and how large such errors are (SI, one standard deviation)."""
_STATE, _FREE = 9, 6  # attitude, angular velocity, velocity; angular acceleration, rate of the velocity


@dataclasses.dataclass(frozen=True, eq=False)
class WristBound:
    """Covariance of mass (kg), centre of mass (m) and inertia xx, yy, zz, xy, xz, yz about it (kg m²)."""

    covariance: np.ndarray
    """(10, 10)."""

    @property
    def std(self) -> np.ndarray:
        """(10,)."""
        return np.sqrt(np.diag(self.covariance))


def bound_of(scenario: WristScenario, truth: WristTruth, unknown: tuple[str, ...] = tuple(ERRORS)) -> WristBound:
    """Of one log from its exact readings, those of an inertial sensor in the force sensor's own place and axes."""
    load, R = truth.loads[-1], matrices(truth.motion.quaternion)
    omega, v = truth.motion.gyro, truth.motion.velocity
    gamma = np.einsum("nij,i->nj", R, np.array([0.0, 0.0, -9.81]))
    rate = truth.motion.accelerometer + gamma - np.cross(omega, v)
    point = jnp.asarray(np.concatenate([omega, truth.acceleration, v, rate, gamma], axis=1))
    numbers = jnp.asarray(np.concatenate([[load.mass], load.com, [load.inertia[pair] for pair in MOMENT_ENTRIES]]))
    std = _standard_deviations(scenario)
    delays = np.gradient(np.asarray(_exact(point, numbers)), truth.time, axis=0)
    by_motion, by_load, by_errors = (np.asarray(part) for part in _derivatives(point, numbers, jnp.asarray(delays)))
    chosen, prior = _unknown_columns(scenario, unknown)
    rows = np.concatenate([by_motion, by_load, by_errors[:, :, chosen]], axis=2)
    rows = (rows / std[:, None])[:, np.isfinite(std)]
    information = _summed(rows, omega, float(truth.time[1] - truth.time[0]))
    information[10:, 10:] += np.diag(prior**-2.0)
    scale = np.sqrt(np.diag(information))
    covariance = np.linalg.inv(information / np.outer(scale, scale)) / np.outer(scale, scale)
    return WristBound(covariance[:10, :10])


def _unknown_columns(scenario: WristScenario, unknown: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of the errors that are unknown and have a sensor, and their standard deviations beforehand."""
    columns, prior, begin = [], [], 0
    for name, (size, std) in ERRORS.items():
        own = np.arange(begin, begin + size)
        if name == "delay":
            own = own[[True, True, scenario.velocity, scenario.orientation]]
        if name in unknown and not (name == "velocity_bias" and not scenario.velocity):
            columns.append(own)
            prior.append(np.full(len(own), std))
        begin += size
    return np.concatenate([np.zeros(0, int), *columns]), np.concatenate([np.zeros(0), *prior])


def _standard_deviations(scenario: WristScenario) -> np.ndarray:
    """(18,) in the order of `_readings`; infinite where there is no such sensor."""
    noise = scenario.noise
    parts = [("wrench/torque", True), ("wrench/force", True), ("twist/angular", True), ("specific_force", True)]
    parts += [("twist/linear", scenario.velocity), ("attitude", scenario.orientation)]
    return np.concatenate([np.full(3, noise[signal] if there else np.inf) for signal, there in parts])


def _readings(motion, point, numbers, errors, delays):
    """(18,): all sensors, for small changes (15,) of the true motion and sensor errors about zero."""
    phi, d_omega, d_v, d_alpha, d_rate = jnp.split(motion, 5)
    omega, alpha, v, rate, gamma = jnp.split(point, 5)
    omega, alpha, v, rate = omega + d_omega, alpha + d_alpha, v + d_v, rate + d_rate
    gamma = gamma - jnp.cross(phi, gamma)  # gravity in axes that are turned by phi
    torque_offset, force_offset, gyro_bias, velocity_bias, bias, scale, turn, late, lever = jnp.split(
        errors, [3, 6, 9, 12, 15, 16, 19, 23]
    )
    m, c, (xx, yy, zz, xy, xz, yz) = numbers[0], numbers[1:4], numbers[4:]
    inertia = jnp.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    s = rate + jnp.cross(omega, v) - gamma

    def at(place):
        return s + jnp.cross(alpha, place) + jnp.cross(omega, jnp.cross(omega, place))

    force = m * at(c)
    torque = inertia @ alpha + jnp.cross(omega, inertia @ omega) + jnp.cross(c, force)
    angular, specific = omega - jnp.cross(turn, omega), at(lever) - jnp.cross(turn, at(lever))
    lateness = jnp.concatenate([jnp.zeros(6), jnp.repeat(late, 3)]) * delays
    exact = [torque + torque_offset, force + force_offset, angular + gyro_bias, (1.0 + scale) * specific + bias]
    return jnp.concatenate([*exact, v + velocity_bias, phi]) - lateness


@jax.jit
def _exact(points, numbers):
    zeros, nothing = jnp.zeros(15), jnp.zeros(26)
    return jax.vmap(lambda point: _readings(zeros, point, numbers, nothing, jnp.zeros(18)))(points)


@jax.jit
def _derivatives(points, numbers, delays):
    delays = delays.at[:, 15:].set(points[:, :3])  # an attitude turns by the angular velocity

    def one(point, delay):
        return jax.jacfwd(_readings, (0, 2, 3))(jnp.zeros(15), point, numbers, jnp.zeros(26), delay)

    return jax.vmap(one)(points, delays)


def _summed(rows: np.ndarray, omega: np.ndarray, dt: float) -> np.ndarray:
    """(p, p): the information of the parameters, the motion being unknown, by a square-root information filter.

    Attitude errors follow phi' = d_omega - omega x phi. The state before a row is expressed by the state after it, so
    that the oldest accelerations are the only unknowns to be eliminated, by a QR factorisation.
    """
    size = rows.shape[2] - _STATE - _FREE
    R = np.concatenate([1e-3 * np.eye(_STATE + _FREE, _STATE + _FREE + size), rows[0]])
    eye, half = np.eye(3), 0.5 * dt
    for k in range(1, len(rows)):
        # x_k-1 = P x_k + Q (a_k-1 + a_k); x = (phi, d_omega, d_v), a = (d_alpha, d_rate)
        back = np.linalg.inv(eye - half * skew(omega[k - 1]))
        P = np.eye(_STATE)
        P[:3, :3], P[:3, 3:6] = back @ (eye + half * skew(omega[k])), -dt * back
        Q = np.zeros((_STATE, _FREE))
        Q[:3, :3], Q[3:, :] = half * half * back, -half * np.eye(6)
        state, free, rest = R[:, :_STATE], R[:, _STATE : _STATE + _FREE], R[:, _STATE + _FREE :]
        moved = np.concatenate([free + state @ Q, state @ P, state @ Q, rest], axis=1)
        measured = np.concatenate([np.zeros((rows.shape[1], _FREE)), rows[k]], axis=1)
        R = np.asarray(np.linalg.qr(np.concatenate([moved, measured]), mode="r"))[_FREE:, _FREE:]
    R = np.asarray(np.linalg.qr(R, mode="r"))[_STATE + _FREE :, _STATE + _FREE :]
    return R.T @ R
