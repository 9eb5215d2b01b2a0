"""The peer: the same ten-state mass filter in `filterpy`, with Jacobians derived by hand in NumPy.

It is written as a careful engineer would write it, and a test holds it to our filter's numbers, so the two race over
the same scenario.
"""

import numpy as np


def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    a, b, c, d = p
    w, x, y, z = q
    return np.array(
        [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x,
         a * z + b * y - c * x + d * w]
    )  # fmt: skip


def _exp(phi: np.ndarray) -> np.ndarray:
    angle = np.sqrt(phi @ phi)
    half = 0.5 * angle
    scale = np.sin(half) / angle if angle > 1e-8 else 0.5
    return np.array([np.cos(half), scale * phi[0], scale * phi[1], scale * phi[2]])


def _log(q: np.ndarray) -> np.ndarray:
    q = -q if q[0] < 0 else q
    length = np.sqrt(q[1:] @ q[1:])
    return (2.0 * np.arctan2(length, q[0]) / length if length > 1e-8 else 2.0) * q[1:]


def _matrix(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    )  # fmt: skip


def _right_jacobian(phi: np.ndarray) -> np.ndarray:
    square = phi @ phi
    W = _skew(phi)
    if square < 1e-12:
        return np.eye(3) - 0.5 * W
    angle = np.sqrt(square)
    return np.eye(3) - (1 - np.cos(angle)) / square * W + (angle - np.sin(angle)) / (square * angle) * W @ W


class FilterpyMass:
    """Attitude, position, velocity and log mass; error state in `filterpy.kalman.ExtendedKalmanFilter`."""

    def __init__(self, measurement_std, control_std, drift_std, start_std, attitude, position, velocity, log_mass):
        from filterpy.kalman import ExtendedKalmanFilter

        self.filter = ExtendedKalmanFilter(dim_x=10, dim_z=9)
        self.filter.P = np.diag(np.asarray(start_std) ** 2)
        self.filter.R = np.diag(np.asarray(measurement_std) ** 2)
        self.control_var, self.drift_var = np.asarray(control_std) ** 2, np.asarray(drift_std) ** 2
        self.q, self.p, self.v, self.log_mass = attitude, position, velocity, log_mass
        self.H = np.eye(9, 10)
        self.gravity = np.array([0.0, 0.0, -9.81])

    def step(self, dt: float, thrust: float, rates: np.ndarray, q: np.ndarray, p: np.ndarray, v: np.ndarray) -> float:
        """Predict and update; the logarithm of the mass."""
        self._predict(dt, thrust, rates)
        conjugate = self.q * np.array([1.0, -1.0, -1.0, -1.0])
        residual = np.concatenate([_log(_product(conjugate, q)), p - self.p, v - self.v])
        self.filter.x = np.zeros(10)
        self.filter.update(residual, lambda x: self.H, lambda x: np.zeros(9))
        delta = self.filter.x
        self.q = _product(self.q, _exp(delta[:3]))
        self.p, self.v, self.log_mass = self.p + delta[3:6], self.v + delta[6:9], self.log_mass + delta[9]
        return self.log_mass

    def _predict(self, dt: float, thrust: float, rates: np.ndarray) -> None:
        half = 0.5 * dt * rates
        turn = _exp(half)
        q_mid = _product(self.q, turn)
        R, turned = _matrix(q_mid), _matrix(turn).T
        by_mass = np.exp(-self.log_mass)
        push = R[:, 2] * (thrust * by_mass)
        a = push + self.gravity
        tilt = -R @ _skew(np.array([0.0, 0.0, thrust * by_mass]))
        a_theta, a_rates = tilt @ turned, tilt @ _right_jacobian(half) * (0.5 * dt)
        F = np.eye(10)
        F[:3, :3] = turned @ turned
        F[3:6, :3], F[6:9, :3] = 0.5 * dt**2 * a_theta, dt * a_theta
        F[3:6, 6:9] = dt * np.eye(3)
        F[3:6, 9], F[6:9, 9] = -0.5 * dt**2 * push, -dt * push
        G = np.zeros((10, 4))
        G[:3, 1:] = dt * _right_jacobian(2.0 * half)
        G[3:6, 0], G[6:9, 0] = 0.5 * dt**2 * by_mass * R[:, 2], dt * by_mass * R[:, 2]
        G[3:6, 1:], G[6:9, 1:] = 0.5 * dt**2 * a_rates, dt * a_rates
        self.p, self.v = self.p + self.v * dt + 0.5 * a * dt**2, self.v + a * dt
        self.q = _product(q_mid, turn)
        self.filter.F = F
        self.filter.Q = (G * self.control_var) @ G.T + np.diag(self.drift_var * dt)
        self.filter.predict()
