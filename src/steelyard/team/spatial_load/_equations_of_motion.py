"""Motion of a load that robots hold, readings of their sensors, and the Jacobians of both; see docs/SPATIAL_FILTER.md.

Written once, over any leading axes: in NumPy for all rows of a block at once, and in JAX for the one row that becomes C
(`RowStep`). A test holds values and Jacobians of either to autodiff of `models.RigidLoad`.

Jacobians are taken at smoothed wrenches and at the gyros' angular accelerations, each without its own row and the two
beside it: Jacobians that share the noise of the innovations would bias the estimate (instrumental variables).
"""

from types import ModuleType
from typing import Any, NamedTuple, Protocol

from steelyard.team.spatial_load._array_library import NUMPY, Library
from steelyard.team.spatial_load._linearisation_point import (
    LOAD,
    TILT,
    load_jacobian,
    load_parameters,
    matrix_from_moments,
)

OMEGA, SPEED, DOWN, ERROR = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 15)
"""Where angular velocity, velocity, gravity and the wrench's error are in the motion's state."""


class PointOfLoad(Protocol):
    """What the equations depend on: a `LinearisationPoint`, or a `RowPoint`."""

    @property
    def load(self) -> Any:
        """(10,)."""
        ...

    @property
    def R(self) -> Any:
        """(robot, 3, 3)."""
        ...

    @property
    def t(self) -> Any:
        """(robot, 3)."""
        ...


class ProperAccelerationJacobians(NamedTuple):
    """How angular acceleration and specific force of the first frame follow angular velocity and the point."""

    by_omega: Any
    """(…, 6, 3)."""
    by_point: Any
    """(…, 6, param)."""
    felt: Any
    """(…, 6), themselves."""
    spin: Any
    """(…, 3, 3): by an arm, what it adds to a specific force."""

    def between(self, begin: int | None, end: int | None = None) -> "ProperAccelerationJacobians":
        """Those of some rows."""
        return ProperAccelerationJacobians(*(part[begin:end] for part in self))


class EquationsOfMotion:
    """The equations of motion at a point."""

    def __init__(self, point: PointOfLoad, noise: Any, library: Library = NUMPY):
        """`noise`: standard deviations of torque (N m) and force (N), six numbers."""
        self.point, self.robots, self._library = point, point.R.shape[0], library
        xp, R, T = library.xp, point.R, library.skew(point.t)
        numbers = load_parameters(point.load, xp)
        self.m, self.c, self.I = numbers[0], numbers[1:4], matrix_from_moments(numbers[4:], xp)
        self.I_inv, self.C, self.T = library.inverse(self.I), library.skew(self.c), T
        self.load_jacobian = load_jacobian(point.load, xp)
        self.R_t = xp.swapaxes(R, 1, 2)
        self.lever = xp.concatenate([-self.R_t @ T, self.R_t], axis=2)  # of (angular acceleration, specific force)
        self.coadjoint = _blocks([[R, T @ R], [xp.zeros_like(R), R]], xp)
        scaled = self.coadjoint * noise[None, None, :]
        self.L = library.cholesky(xp.sum(scaled @ xp.swapaxes(scaled, 1, 2), axis=0))
        # Angular acceleration and specific force per total wrench.
        alpha_w = xp.concatenate([self.I_inv, -self.I_inv @ self.C], axis=1)
        s_w = self.C @ alpha_w + xp.concatenate([xp.zeros((3, 3)), xp.eye(3) / self.m], axis=1)
        self.acceleration_by_wrench = xp.concatenate([alpha_w, s_w])

    def total(self, wrench: Any) -> Any:
        """(…, robot, 6) to (…, 6): everybody's wrench as one, in the first robot's frame."""
        return self._summed(self.coadjoint, wrench)

    def alpha(self, alphas: Any) -> Any:
        """(…, 3): the angular acceleration of the first frame, as everybody's gyros (…, robot, 3) tell, rad/s²."""
        return self._summed(self.point.R, alphas) / self.robots

    def _summed(self, matrices: Any, vectors: Any) -> Any:
        """The sum over the robots of a matrix times a vector."""
        wide = self._library.xp.swapaxes(matrices, 1, 2).reshape(-1, matrices.shape[1])
        return vectors.reshape(*vectors.shape[:-2], -1) @ wide

    def felt(self, omega: Any, wrench: Any) -> Any:
        """(…, 6): angular acceleration and specific force of the first frame; see `models.RigidLoad.felt`."""
        alpha = self._library.cross(omega, omega @ self.I) @ self.I_inv
        swung = alpha @ self.C.T + self._swung(omega)
        return wrench @ self.acceleration_by_wrench.T - self._library.xp.concatenate([alpha, swung], axis=-1)

    def _swing(self, omega: Any, arm: Any) -> Any:
        """(…, 3, 3): how ω × (ω × arm) follows ω."""
        xp, outer = self._library.xp, omega[..., :, None] * arm[..., None, :]
        along = xp.sum(omega * arm, axis=-1)[..., None, None] * xp.broadcast_to(xp.eye(3), outer.shape)
        return along + outer - 2.0 * xp.swapaxes(outer, -1, -2)

    def _swung(self, omega: Any) -> Any:
        """The product ω × (ω × c)."""
        return omega * (omega @ self.c)[..., None] - self.c * self._library.xp.sum(omega * omega, axis=-1)[..., None]

    def rate(self, motion: Any, wrench: Any) -> Any:
        """(…, 9): the derivative of the motion."""
        omega, felt = motion[..., OMEGA], self.felt(motion[..., OMEGA], wrench)
        turned = [self._library.cross(omega, motion[..., part]) for part in (SPEED, DOWN)]
        parts = [felt[..., :3], felt[..., 3:] + motion[..., DOWN] - turned[0], -turned[1]]
        return self._library.xp.concatenate(parts, axis=-1)

    def after(self, motion: Any, before: Any, midpoint_wrench: Any, end: Any, dt: Any) -> Any:
        """The motion an interval later, by the classical Runge-Kutta rule."""
        h = dt[..., None]
        k1 = self.rate(motion, before)
        k2 = self.rate(motion + 0.5 * h * k1, midpoint_wrench)
        k3 = self.rate(motion + 0.5 * h * k2, midpoint_wrench)
        k4 = self.rate(motion + h * k3, end)
        return motion + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def proper_acceleration_jacobians(
        self, omega: Any, smoothed_wrench: Any, alphas: Any
    ) -> ProperAccelerationJacobians:
        """How `felt` follows angular velocity and the point.

        Angular accelerations are the gyros', which do not depend on a load that is not known yet.
        """
        xp, skew, moments_times = self._library.xp, self._library.skew, self._library.moments_times
        alpha, lead = self.alpha(alphas), omega.shape[:-1]
        F, W = self.total(smoothed_wrench)[..., 3:], skew(omega)
        turned = self.I_inv @ (skew(omega @ self.I) - W @ self.I)
        by_omega = xp.concatenate([turned, self.C @ turned - self._swing(omega, self.c)], axis=-2)
        moments = -self.I_inv @ (moments_times(alpha) + W @ moments_times(omega))
        above = xp.concatenate([xp.zeros((*lead, 3, 1)), self.I_inv @ skew(F), moments], axis=-1)
        spin = skew(alpha) + W @ W
        push = xp.concatenate([F[..., None] / self.m**2, spin, xp.zeros((*lead, 3, 6))], axis=-1)
        by_load = xp.concatenate([above, self.C @ above - push], axis=-2) @ self.load_jacobian
        by_poses = self._felt_by_poses(smoothed_wrench[..., 1:, :])
        by_point = xp.concatenate([by_load, xp.zeros((*lead, 6, 3)), by_poses], axis=-1)
        s = F / self.m + alpha @ self.C.T - self._swung(omega)
        return ProperAccelerationJacobians(by_omega, by_point, xp.concatenate([alpha, s], axis=-1), spin)

    def _felt_by_poses(self, wrench: Any) -> Any:
        """(…, 6, 6 (robots - 1)): how others' wrenches, and with them what is felt, follow position and rotation."""
        R, T, xp, skew = self.point.R[1:], self.T[1:], self._library.xp, self._library.skew
        by_turn = -R @ skew(wrench[..., 3:])
        by_position = -skew((R @ wrench[..., 3:, None])[..., 0])
        torque = T @ by_turn - R @ skew(wrench[..., :3])
        by = _blocks([[by_position, torque], [xp.zeros_like(by_turn), by_turn]], xp)
        by = xp.swapaxes(self.acceleration_by_wrench @ by, -3, -2)
        return by.reshape(*by.shape[:-2], -1)

    def expected(self, motion: Any, felt: Any) -> Any:
        """(…, robot, 9): what noise-free sensors of everybody would read, when the first frame feels that."""
        xp, cross, t = self._library.xp, self._library.cross, self.point.t
        omega, v = motion[..., None, OMEGA], motion[..., None, SPEED]
        arm = cross(omega, t)
        s = felt[..., None, 3:] + cross(felt[..., None, :3], t) + cross(omega, arm)
        at = xp.stack([omega + xp.zeros_like(arm), v + arm, s], axis=-2) @ self.point.R
        return at.reshape(*at.shape[:-2], 9)

    def reading_jacobians(
        self, motion: Any, felt: ProperAccelerationJacobians, noise_inflation: Any
    ) -> tuple[Any, Any]:
        """(…, robot, 9, 15) and (…, robot, 9, param): how `expected` follows motion, wrench error and point."""
        xp, skew, lead, others = self._library.xp, self._library.skew, motion.shape[:-1], self.robots - 1
        H = self.reading_jacobian_by_state(motion, felt.by_omega, noise_inflation)
        seen = self.lever @ felt.by_point[..., None, :, :]
        D = xp.concatenate([xp.zeros((*seen.shape[:-2], 6, seen.shape[-1])), seen], axis=-2)
        # Everybody but the first has a pose of its own, which nobody else's sensors see in this way.
        R_t, W = self.R_t[1:], skew(motion[..., OMEGA])[..., None, :, :]
        moved = [xp.zeros((*lead, others, 3, 3)), R_t @ W, R_t @ felt.spin[..., None, :, :]]
        turned = skew(self.expected(motion, felt.felt)[..., 1:, :].reshape(*lead, others, 3, 3))
        own = xp.concatenate([xp.concatenate(moved, axis=-2), turned.reshape(*lead, others, 9, 3)], axis=-1)
        spread = (own[..., None, :] * xp.eye(others)[:, None, :, None]).reshape(*lead, others, 9, 6 * others)
        spread = xp.concatenate([xp.zeros((*lead, others, 9, TILT.stop)), spread], axis=-1)
        return H, D + xp.concatenate([xp.zeros((*lead, 1, 9, D.shape[-1])), spread], axis=-3)

    def reading_jacobian_by_state(self, motion: Any, by_omega: Any, noise_inflation: Any) -> Any:
        """(…, robot, 9, 15): how `expected` follows motion and wrench error."""
        xp, omega, lead = self._library.xp, motion[..., OMEGA], motion.shape[:-1]
        nothing = xp.zeros((*lead, self.robots, 3, 3))
        R_t, below = self.R_t + nothing, self.lever[:, :, :3] + nothing
        felt = self.lever @ by_omega[..., None, :, :] + self.R_t @ self._swing(omega[..., None, :], self.point.t)
        error = noise_inflation[..., None, None, None] * (self.lever @ (self.acceleration_by_wrench @ self.L))
        wide = xp.concatenate([nothing, nothing], axis=-1)
        rows = [[R_t, nothing, nothing, wide], [below, R_t, nothing, wide], [felt, nothing, nothing, error]]
        return _blocks(rows, xp)

    def reading_jacobian_by_alpha(self) -> Any:
        """(3, robot, 9, param): how that Jacobian follows an error of the angular acceleration, by axis."""
        xp, skew, axes = self._library.xp, self._library.skew, self._library.xp.eye(3)
        above = -self.I_inv @ self._library.moments_times(axes)
        above = xp.concatenate([xp.zeros((3, 3, 4)), above], axis=-1)
        arm = xp.concatenate([xp.zeros((3, 3, 1)), skew(axes), xp.zeros((3, 3, 6))], axis=-1)
        by_load = xp.concatenate([above, self.C @ above - arm], axis=-2) @ self.load_jacobian
        by_point = xp.concatenate([by_load, xp.zeros((3, 6, TILT.stop - LOAD.stop + 6 * (self.robots - 1)))], axis=-1)
        still = ProperAccelerationJacobians(xp.zeros((3, 6, 3)), by_point, xp.zeros((3, 6)), skew(axes))
        return self.reading_jacobians(xp.zeros((3, 9)), still, xp.zeros(3))[1]

    def rate_jacobian(self, motion: Any, by_omega: Any) -> Any:
        """(…, 9, 9): how `rate` follows the motion."""
        xp, skew = self._library.xp, self._library.skew
        turn = -skew(motion[..., OMEGA])
        nothing = xp.zeros_like(turn)
        speed = by_omega[..., 3:, :] + skew(motion[..., SPEED])
        rows = [
            [by_omega[..., :3, :], nothing, nothing],
            [speed, turn, xp.eye(3) + nothing],
            [skew(motion[..., DOWN]), nothing, turn],
        ]
        return _blocks(rows, xp)

    def transition(self, before: "Linearised", after: "Linearised", dt: Any) -> tuple[Any, Any, Any]:
        """From a row to the next: (…, 9, 15) of the state, (…, 9, 6) of the new error, (…, 9, param) of the point."""
        xp, h, L = self._library.xp, dt[..., None, None], self.acceleration_by_wrench @ self.L
        middle = 0.5 * (self.rate_jacobian(*before[:2]) + self.rate_jacobian(*after[:2]))
        half = (0.5 * h * (xp.eye(9) + 0.5 * h * middle))[..., :6]
        F = xp.eye(9) + h * middle + 0.5 * h * h * (middle @ middle)
        old, new = (half @ (L * one.noise_inflation[..., None, None]) for one in (before, after))
        return xp.concatenate([F, old], axis=-1), new, half @ (after.by_point + before.by_point)


class Linearised(NamedTuple):
    """What a transition depends on, of the row at either end."""

    motion: Any
    by_omega: Any
    by_point: Any
    noise_inflation: Any


def _blocks(rows: list[list[Any]], xp: ModuleType) -> Any:
    """A matrix of blocks, all with the same leading axes."""
    return xp.concatenate([xp.concatenate(row, axis=-1) for row in rows], axis=-2)
