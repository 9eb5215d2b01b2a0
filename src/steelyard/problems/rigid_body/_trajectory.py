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
import functools

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard._rotations import cross, skew
from steelyard.problems.rigid_body._splines import Spline
from steelyard.problems.rigid_body._tuning import NUMERICS

QUANTITIES = 15
"""What a reading depends on: phi, its rate and second derivative, the correction of the velocity and its rate."""


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
    velocity_second: np.ndarray
    """(n, 3), their second derivative, m/s³."""
    gravity: np.ndarray
    """(3,), world axes, m/s²."""

    @functools.cached_property
    def gravity_in_sensor(self) -> np.ndarray:
        """(n, 3), gamma, m/s²."""
        return self.gravity @ self.attitude

    @functools.cached_property
    def specific_force(self) -> np.ndarray:
        """(n, 3), s, m/s²."""
        return self.velocity_rate + cross(self.angular, self.velocity) - self.gravity_in_sensor

    @functools.cached_property
    def specific_force_rate(self) -> np.ndarray:
        """(n, 3), the derivative of the components of s, m/s³."""
        turned = cross(self.angular_acceleration, self.velocity) + cross(self.angular, self.velocity_rate)
        return self.velocity_second + turned + cross(self.angular, self.gravity_in_sensor)  # gamma' = -omega x gamma

    def corrected(self, spline: Spline, coefficients: np.ndarray) -> "Trajectory":
        """After a correction (size, 6), exactly."""
        moved = np.matmul(spline.basis(self.time), spline.around(coefficients, self.time))  # (n, derivative, function)
        phi, rate, acceleration = (moved[:, k, :3] for k in range(3))
        turn = Rotation.from_rotvec(phi).as_matrix()
        back = turn.transpose(0, 2, 1)
        # The right Jacobian of SO(3) times phi', and its rate: sums of (-1)^k / (k + 1)! phi x ... phi x phi'.
        terms = np.stack([rate, acceleration])  # phi x ... phi x phi', and its rate
        own, own_rate = sums = terms.copy()
        for k in range(1, NUMERICS.jacobian_terms):
            turned = cross(phi, terms)
            turned[1] += cross(rate, terms[0])
            terms = turned / -(k + 1.0)
            sums += terms
            if np.abs(terms).max(initial=0.0) < NUMERICS.least_term:
                break
        carried = _applied(back, self.angular)
        return dataclasses.replace(
            self,
            attitude=self.attitude @ turn,
            angular=carried + own,
            angular_acceleration=_applied(back, self.angular_acceleration) - cross(own, carried) + own_rate,
            velocity=self.velocity + moved[:, 0, 3:],
            velocity_rate=self.velocity_rate + moved[:, 1, 3:],
            velocity_second=self.velocity_second + moved[:, 2, 3:],
        )

    def sensitivities(self, rows: np.ndarray) -> "Sensitivities":
        """How omega, alpha and s at some rows depend on phi, phi', phi'', the correction of v, and its rate."""
        W, A, V, G = (
            skew(part[rows])
            for part in (self.angular, self.angular_acceleration, self.velocity, self.gravity_in_sensor)
        )
        by = np.zeros((3, len(rows), 3, QUANTITIES))
        eye = np.eye(3)
        by[0, :, :, 0:3], by[0, :, :, 3:6] = W, eye
        by[1, :, :, 0:3], by[1, :, :, 3:6], by[1, :, :, 6:9] = A, W, eye
        by[2, :, :, 0:3], by[2, :, :, 3:6], by[2, :, :, 9:12], by[2, :, :, 12:15] = -G - V @ W, -V, W, eye
        return Sensitivities(*by)


@dataclasses.dataclass(frozen=True, eq=False)
class Sensitivities:
    """Each (n, 3, QUANTITIES)."""

    angular: np.ndarray
    angular_acceleration: np.ndarray
    specific_force: np.ndarray


def by_coefficients(basis: np.ndarray, by_quantities: np.ndarray) -> np.ndarray:
    """(n, k, 6 (DEGREE + 1)): derivatives by coefficient from those by quantity (n, k, QUANTITIES)."""
    n, k = by_quantities.shape[:2]
    weights, found = basis.transpose(0, 2, 1), np.empty((n, k, basis.shape[2], 6))
    for first, orders in ((0, 3), (3, 2)):  # phi, the velocity: one product a row, not one a row and reading
        own = by_quantities[:, :, 3 * first : 3 * (first + orders)].reshape(n, k, orders, 3)
        stacked = own.transpose(0, 2, 1, 3).reshape(n, orders, 3 * k)
        moved = (weights[:, :, :orders] @ stacked).reshape(n, basis.shape[2], k, 3)
        found[..., first : first + 3] = moved.transpose(0, 2, 1, 3)
    return found.reshape(n, k, 6 * basis.shape[2])


def _applied(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.matmul(matrices, vectors[:, :, None])[:, :, 0]


def integrated(time: np.ndarray, spline: Spline, coefficients: np.ndarray) -> np.ndarray:
    """(n, 3, 3): attitudes relative to the first one, from a spline of the angular velocity; of fourth order."""
    rate, middle = spline.evaluate(coefficients, time), spline.evaluate(coefficients, 0.5 * (time[1:] + time[:-1]))
    first, last, dt = rate[:-1], rate[1:], np.diff(time)[:, None]
    turns = (first + 4.0 * middle + last) / 6.0 * dt + cross(first, last) * dt**2 / 12
    return _products(np.concatenate([np.eye(3)[None], Rotation.from_rotvec(turns).as_matrix()]))


def _products(turns: np.ndarray) -> np.ndarray:
    """(n, 3, 3): products of the matrices up to each; in pieces side by side, which are then put one after another."""
    n = len(turns)
    length = max(1, round(n**0.5))
    pieces = -(-n // length)
    padded = np.concatenate([turns, np.broadcast_to(np.eye(3), (pieces * length - n, 3, 3))])
    padded = padded.reshape(pieces, length, 3, 3)
    for k in range(1, length):
        padded[:, k] = padded[:, k - 1] @ padded[:, k]
    before = np.eye(3)
    for piece in padded:
        piece[:] = before @ piece
        before = piece[-1]
    return padded.reshape(-1, 3, 3)[:n]
