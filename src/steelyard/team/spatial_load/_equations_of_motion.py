"""Motion of a load that robots hold, readings of their sensors, and the Jacobians of both, for all rows at once.

The source of the equations is `models.RigidLoad`. This form is written by hand in NumPy for speed; a test holds values
and Jacobians to autodiff of the model. See docs/SPATIAL_FILTER.md.

Jacobians are taken at smoothed wrenches and at the gyros' angular accelerations, each without its own row and the two
beside it: Jacobians that share the noise of the innovations would bias the estimate (instrumental variables).
"""

import dataclasses
import functools

import numpy as np

from steelyard._rotations import cross, skew
from steelyard.team.spatial_load._linearisation_point import (
    LOAD,
    TILT,
    LinearisationPoint,
    load_jacobian,
    load_parameters,
    matrix_from_moments,
    moments_times,
    pose_of,
)

OMEGA, SPEED, DOWN, ERROR = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 15)
"""Where angular velocity, velocity, gravity and the wrench's error are in the motion's state."""


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


class EquationsOfMotion:
    """The equations of motion of a point, for all rows at once."""

    def __init__(self, point: LinearisationPoint, noise: np.ndarray):
        """`noise`: standard deviations of torque (N m) and force (N), six numbers."""
        self.point = point
        numbers = load_parameters(point.load)
        self.m, self.c, self.I = float(numbers[0]), numbers[1:4], matrix_from_moments(numbers[4:])
        self.I_inv = np.linalg.inv(self.I)
        self.load_jacobian = load_jacobian(point.load)
        self.C, self.T = skew(self.c), skew(point.t)
        self.R_t = np.swapaxes(point.R, 1, 2)
        self.lever = np.concatenate([-self.R_t @ self.T, self.R_t], axis=2)  # of (angular acceleration, specific force)
        self.coadjoint = np.zeros((point.robots, 6, 6))
        self.coadjoint[:, :3, :3] = self.coadjoint[:, 3:, 3:] = point.R
        self.coadjoint[:, :3, 3:] = self.T @ point.R
        self.wide = np.swapaxes(self.coadjoint, 1, 2).reshape(-1, 6)
        scaled = self.coadjoint * noise
        self.L = np.linalg.cholesky(np.einsum("jab,jcb->ac", scaled, scaled))
        # Angular acceleration and specific force per total wrench.
        alpha_w = np.concatenate([self.I_inv, -self.I_inv @ self.C], axis=1)
        s_w = self.C @ alpha_w
        s_w[:, 3:] += np.eye(3) / self.m
        self.acceleration_by_wrench = np.concatenate([alpha_w, s_w])

    def total(self, wrench: np.ndarray) -> np.ndarray:
        """(time, robot, 6) to (time, 6): everybody's wrench as one, in the first robot's frame."""
        return wrench.reshape(len(wrench), -1) @ self.wide

    def felt(self, omega: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """(time, 6): angular acceleration and specific force of the first frame; see `models.RigidLoad.felt`."""
        return self._felt(omega, wrench, cross(omega, omega @ self.I))

    def _felt(self, omega: np.ndarray, wrench: np.ndarray, gyro: np.ndarray) -> np.ndarray:
        felt = wrench @ self.acceleration_by_wrench.T
        alpha = gyro @ self.I_inv
        felt[:, :3] -= alpha
        felt[:, 3:] -= alpha @ self.C.T + self._swung(omega, self.c)
        return felt

    @staticmethod
    def _swung(omega: np.ndarray, arm: np.ndarray) -> np.ndarray:
        """The product ω × (ω × arm)."""
        return omega * (omega @ arm)[:, None] - arm * np.sum(omega * omega, axis=1)[:, None]

    def rate(self, motion: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """(time, 9): the derivative of the motion."""
        omega = motion[:, :3]
        crossed = np.empty((len(motion), 3, 3))
        crossed[:, 0] = omega @ self.I
        crossed[:, 1:] = motion[:, 3:].reshape(-1, 2, 3)
        crossed = cross(omega[:, None], crossed)
        rate = np.empty((len(motion), 9))
        rate[:, :6] = self._felt(omega, wrench, crossed[:, 0])
        rate[:, 3:6] += motion[:, 6:] - crossed[:, 1]
        rate[:, 6:] = -crossed[:, 2]
        return rate

    def after(
        self, motion: np.ndarray, before: np.ndarray, midpoint_wrench: np.ndarray, end: np.ndarray, dt: np.ndarray
    ):
        """The motion an interval later, by the classical Runge-Kutta rule."""
        h = dt[:, None]
        k1 = self.rate(motion, before)
        k2 = self.rate(motion + 0.5 * h * k1, midpoint_wrench)
        k3 = self.rate(motion + 0.5 * h * k2, midpoint_wrench)
        k4 = self.rate(motion + h * k3, end)
        return motion + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def alpha(self, rows: MeasuredRows) -> np.ndarray:
        """(time, 3): the angular acceleration of the first frame, as everybody's gyros tell, rad/s²."""
        return np.einsum("jab,tjb->ta", self.point.R, rows.alpha) / self.point.robots

    def proper_acceleration_jacobians(self, omega: np.ndarray, rows: MeasuredRows) -> "ProperAccelerationJacobians":
        """How `felt` follows angular velocity and the point.

        Angular accelerations are the gyros', which do not depend on a load that is not known yet.
        """
        wrench, n = rows.smoothed_wrench, len(omega)
        alpha = self.alpha(rows)
        F = self.total(wrench)[:, 3:]
        W = skew(omega)
        by_omega = np.empty((n, 6, 3))
        by_omega[:, :3] = self.I_inv @ (skew(omega @ self.I) - W @ self.I)
        by_omega[:, 3:] = self.C @ by_omega[:, :3] - _swing(omega, self.c[None])[:, 0]
        by_load = np.zeros((n, 6, 10))  # mass, centre, moments
        by_load[:, :3, 1:4] = self.I_inv @ skew(F)
        by_load[:, :3, 4:] = -self.I_inv @ (moments_times(alpha) + W @ moments_times(omega))
        by_load[:, 3:] = self.C @ by_load[:, :3]
        by_load[:, 3:, 0] -= F / self.m**2
        spin = skew(alpha) + W @ W
        by_load[:, 3:, 1:4] -= spin
        by_point = np.zeros((n, 6, self.point.size))
        by_point[:, :, LOAD] = by_load @ self.load_jacobian
        by_point[:, :, TILT.stop :] = self._felt_by_poses(wrench[:, 1:])
        s = F / self.m + alpha @ self.C.T - self._swung(omega, self.c)
        return ProperAccelerationJacobians(by_omega, by_point, np.concatenate([alpha, s], axis=1), spin)

    def _felt_by_poses(self, wrench: np.ndarray) -> np.ndarray:
        """(time, 6, …): how everybody's wrench but the first's, and with it what is felt, follows their poses."""
        R, T = self.point.R[1:], self.T[1:]
        by = np.zeros((*wrench.shape[:2], 6, 6))
        by_turn = -R @ skew(wrench[..., 3:])
        by[..., :3, :3] = -skew(np.einsum("jab,tjb->tja", R, wrench[..., 3:]))
        by[..., :3, 3:] = T @ by_turn - R @ skew(wrench[..., :3])
        by[..., 3:, 3:] = by_turn
        return np.swapaxes(self.acceleration_by_wrench @ by, 1, 2).reshape(len(wrench), 6, -1)

    def expected(self, motion: np.ndarray, felt: np.ndarray) -> np.ndarray:
        """(time, robot, 9): what noise-free sensors of everybody would read, when the first frame feels that."""
        omega, v = motion[:, None, :3], motion[:, None, 3:6]
        t = self.point.t[None]
        arm = cross(omega, t)
        at = np.empty((len(motion), self.point.robots, 3, 3))
        at[:, :, 0], at[:, :, 1] = omega, v + arm
        at[:, :, 2] = felt[:, None, 3:] + cross(felt[:, None, :3], t) + cross(omega, arm)
        return (at @ self.point.R).reshape(len(motion), self.point.robots, 9)

    def reading_jacobians(self, motion: np.ndarray, felt: "ProperAccelerationJacobians", noise_inflation: np.ndarray):
        """(time, robot, 9, 15) and (time, robot, 9, param): how `expected` follows motion, wrench error and point."""
        n, robots, omega = len(motion), self.point.robots, motion[:, :3]
        H = self.reading_jacobian_by_state(motion, felt.by_omega, noise_inflation)
        D = np.zeros((n, robots, 9, self.point.size))
        D[:, :, 6:] = self.lever @ felt.by_point[:, None]
        if robots > 1:
            seen = self.expected(motion, felt.felt)[:, 1:].reshape(n, robots - 1, 3, 3)
            own = np.zeros((n, robots - 1, 9, 6))
            own[..., 3:6, :3] = self.R_t[1:] @ skew(omega)[:, None]
            own[..., 6:, :3] = self.R_t[1:] @ felt.spin[:, None]
            own[..., 3:] = skew(seen).reshape(n, robots - 1, 9, 3)
            for j in range(1, robots):
                D[:, j, :, pose_of(j)] += own[:, j - 1]
        return H, D

    def reading_jacobian_by_state(
        self, motion: np.ndarray, by_omega: np.ndarray, noise_inflation: np.ndarray
    ) -> np.ndarray:
        """(time, robot, 9, 15): how `expected` follows motion and wrench error."""
        omega = motion[:, :3]
        H = np.zeros((len(motion), self.point.robots, 9, 15))
        H[:, :, :3, OMEGA] = H[:, :, 3:6, SPEED] = self.R_t
        H[:, :, 3:6, OMEGA] = self.lever[:, :, :3]
        H[:, :, 6:, OMEGA] = self.lever @ by_omega[:, None] + self.R_t @ _swing(omega, self.point.t)
        H[:, :, 6:, ERROR] = noise_inflation[:, None, None, None] * (
            self.lever @ (self.acceleration_by_wrench @ self.L)
        )
        return H

    @functools.cached_property
    def reading_jacobian_by_alpha(self) -> np.ndarray:
        """(3, robot, 9, param): how the Jacobian of `expected` follow an error of the angular acceleration, by axis."""
        axes, n = np.eye(3), self.point.robots
        by_load = np.zeros((3, 6, 10))
        by_load[:, :3, 4:] = -self.I_inv @ moments_times(axes)
        by_load[:, 3:] = self.C @ by_load[:, :3]
        by_load[:, 3:, 1:4] -= skew(axes)
        D = np.zeros((3, n, 9, self.point.size))
        D[:, :, 6:, LOAD] = self.lever @ (by_load @ self.load_jacobian)[:, None]
        for j in range(1, n):
            at = pose_of(j)
            D[:, j, 6:, at.start : at.start + 3] += self.R_t[j] @ skew(axes)
        return D

    @staticmethod
    def rate_jacobian(motion: np.ndarray, felt: "ProperAccelerationJacobians") -> np.ndarray:
        """(time, 9, 9): how `rate` follows the motion."""
        omega, v, down = motion[:, :3], motion[:, 3:6], motion[:, 6:]
        A = np.zeros((len(motion), 9, 9))
        A[:, OMEGA, OMEGA] = felt.by_omega[:, :3]
        A[:, SPEED, OMEGA] = felt.by_omega[:, 3:] + skew(v)
        A[:, SPEED, SPEED] = A[:, DOWN, DOWN] = -skew(omega)
        A[:, SPEED, DOWN] = np.eye(3)
        A[:, DOWN, OMEGA] = skew(down)
        return A

    def transitions(
        self, motion: np.ndarray, felt: "ProperAccelerationJacobians", rows: MeasuredRows
    ) -> tuple[np.ndarray, ...]:
        """From every row to the next: (9, 15) of the state, (9, 6) of the new error, (9, param) of the point."""
        n, A = len(motion), self.rate_jacobian(motion, felt)
        h = rows.dt[1:, None, None]
        middle = 0.5 * (A[1:] + A[:-1])
        half = 0.5 * h * (np.eye(9) + 0.5 * h * middle)
        B = (self.acceleration_by_wrench @ self.L)[None] * rows.noise_inflation[:, None, None]
        F = np.empty((n - 1, 9, 15))
        F[:, :, :9] = np.eye(9) + h * middle + 0.5 * h * h * (middle @ middle)
        F[:, :, 9:] = half[:, :, :6] @ B[:-1]
        added = half[:, :, :6] @ B[1:]
        by_point = half[:, :, :6] @ (felt.by_point[1:] + felt.by_point[:-1])
        return F, added, by_point


@dataclasses.dataclass(frozen=True, eq=False)
class ProperAccelerationJacobians:
    """How angular acceleration and specific force of the first frame follow angular velocity and the point."""

    by_omega: np.ndarray
    """(time, 6, 3)."""
    by_point: np.ndarray
    """(time, 6, param)."""
    felt: np.ndarray
    """(time, 6), themselves."""
    spin: np.ndarray
    """(time, 3, 3): by an arm, what it adds to a specific force."""

    def between(self, begin: int) -> "ProperAccelerationJacobians":
        """From a row on."""
        return ProperAccelerationJacobians(
            self.by_omega[begin:],
            self.by_point[begin:],
            self.felt[begin:],
            self.spin[begin:],
        )


def _swing(omega: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """(time, arm, 3, 3): how ω × (ω × arm) follows ω."""
    along = (omega @ arms.T)[:, :, None, None] * np.eye(3)
    return along + omega[:, None, :, None] * arms[:, None, :] - 2.0 * arms[:, :, None] * omega[:, None, None, :]
