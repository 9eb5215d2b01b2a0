"""How the sensor frame moved: attitude and velocity at the times of all samples, and small smooth corrections to them.

A correction is a spline of six functions: a rotation vector phi in sensor axes, R <- R Exp(phi), and a velocity. To
first order it changes

    omega <- omega + phi' + omega x phi
    alpha <- alpha + phi'' + omega x phi' + alpha x phi
    gamma <- gamma + gamma x phi             (gamma = R^T g, gravity in sensor axes)
    s     =  v' + omega x v - gamma          (what an accelerometer at the origin reads)

so every sample depends on the few coefficients around its own time.
"""

import dataclasses

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard._rotations import skew
from steelyard.problems.rigid_body._splines import Spline


@dataclasses.dataclass(frozen=True, eq=False)
class Trajectory:
    """At increasing times; sensor axes but for the attitude."""

    time: np.ndarray
    """(n,), s."""
    attitude: np.ndarray
    """(n, 3, 3): R_ws, sensor axes to world axes."""
    angular: np.ndarray
    """(n, 3), omega, rad/s."""
    angular_acceleration: np.ndarray
    """(n, 3), alpha, rad/s²."""
    velocity: np.ndarray
    """(n, 3), v, m/s."""
    velocity_rate: np.ndarray
    """(n, 3), the derivative of v's components, m/s²."""
    gravity: np.ndarray
    """(3,), world axes, m/s²."""

    @property
    def gravity_in_sensor(self) -> np.ndarray:
        """(n, 3), gamma, m/s²."""
        return np.einsum("nij,i->nj", self.attitude, self.gravity)

    @property
    def specific_force(self) -> np.ndarray:
        """(n, 3), s, m/s²."""
        return self.velocity_rate + np.cross(self.angular, self.velocity) - self.gravity_in_sensor

    def corrected(self, spline: Spline, coefficients: np.ndarray) -> "Trajectory":
        """After a correction (size, 6), exactly."""
        phi, rate, acceleration = (spline.evaluate(coefficients[:, :3], self.time, k) for k in range(3))
        turn = Rotation.from_rotvec(phi).as_matrix()
        K, K_rate = skew(phi), skew(rate)
        # The right Jacobian of SO(3) to third order in phi: corrections are small, and go to zero as the fit converges.
        J = np.eye(3) - 0.5 * K + K @ K / 6.0 - K @ K @ K / 24.0
        J_rate = -0.5 * K_rate + (K_rate @ K + K @ K_rate) / 6.0
        own = np.einsum("nij,nj->ni", J, rate)
        carried = np.einsum("nji,nj->ni", turn, self.angular)
        return dataclasses.replace(
            self,
            attitude=self.attitude @ turn,
            angular=carried + own,
            angular_acceleration=np.einsum("nji,nj->ni", turn, self.angular_acceleration)
            - np.cross(own, carried)
            + np.einsum("nij,nj->ni", J, acceleration)
            + np.einsum("nij,nj->ni", J_rate, rate),
            velocity=self.velocity + spline.evaluate(coefficients[:, 3:], self.time),
            velocity_rate=self.velocity_rate + spline.evaluate(coefficients[:, 3:], self.time, 1),
        )

    def sensitivities(self, spline: Spline, rows: np.ndarray, shift: float = 0.0) -> "Sensitivities":
        """How omega, alpha and s depend on the coefficients of a correction, `shift` seconds before some rows."""
        time = self.time[rows] - shift
        b0, b1, b2 = (spline.weights(time, k)[:, :, None, None] for k in range(3))
        eye = np.eye(3)[None, None]
        W, A, V, G = (
            skew(part[rows])[:, None]
            for part in (self.angular, self.angular_acceleration, self.velocity, self.gravity_in_sensor)
        )
        zero = np.zeros((len(rows), b0.shape[1], 3, 3))
        omega_phi = b1 * eye + b0 * W
        alpha_phi = b2 * eye + b1 * W + b0 * A
        s_phi = -b0 * G - V @ omega_phi
        s_v = b1 * eye + b0 * W
        return Sensitivities(*(_in_line(p, v) for p, v in ((omega_phi, zero), (alpha_phi, zero), (s_phi, s_v))))


@dataclasses.dataclass(frozen=True, eq=False)
class Sensitivities:
    """Each (n, 3, 6 (DEGREE + 1)): by coefficient from the sample's interval on, six functions each."""

    angular: np.ndarray
    angular_acceleration: np.ndarray
    specific_force: np.ndarray


def _in_line(phi: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    both = np.concatenate([phi, velocity], axis=3)  # (n, function of time, 3, 6)
    return both.transpose(0, 2, 1, 3).reshape(len(both), 3, 6 * both.shape[1])


def integrated(time: np.ndarray, spline: Spline, coefficients: np.ndarray) -> np.ndarray:
    """(n, 3, 3): attitudes relative to the first one, from a spline of the angular velocity; of fourth order."""
    middle = 0.5 * (time[1:] + time[:-1])
    first, last = (spline.evaluate(coefficients, t) for t in (time[:-1], time[1:]))
    dt = np.diff(time)[:, None]
    turns = (first + 4.0 * spline.evaluate(coefficients, middle) + last) / 6.0 * dt + np.cross(first, last) * dt**2 / 12
    steps = Rotation.from_rotvec(turns).as_matrix()
    attitude = np.empty((len(time), 3, 3))
    attitude[0] = np.eye(3)
    for k, step in enumerate(steps):
        attitude[k + 1] = attitude[k] @ step
    return attitude
