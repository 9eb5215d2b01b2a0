"""The linearised filter, one row at a time and with fixed shapes: `filter_rows` as a pure step that can become C.

A test holds it equal to `filter_rows`. Messages, smoothed wrenches, the choice of the linearisation point and the share
of the information that noise makes stay with the agent.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators import square_root
from steelyard.geometry import matrix_from_moments, moments_times, skew
from steelyard.models import Numbers
from steelyard.team.spatial_load._equations_of_motion import DOWN, ERROR, OMEGA, SPEED
from steelyard.team.spatial_load._linearisation_point import LOAD, TILT


class RowPoint(NamedTuple):
    """The load's coordinates and everybody's frame, as `LinearisationPoint` has them: where all is linearised."""

    load: Float[Numbers, "10"]
    R: Float[Numbers, "robot 3 3"]
    t: Float[Numbers, "robot 3"]


class RowBelief(NamedTuple):
    """What a robot holds between two rows."""

    point: RowPoint
    path: Float[Numbers, "9"]
    """The motion at the last row, where it was linearised."""
    columns: Float[Numbers, "15 column"]
    """The expected deviation from `path`, then its Jacobian with respect to the point."""
    covariance: Float[Numbers, "15 15"]
    total: Float[Numbers, "6"]
    """Everybody's wrench at the last row as one."""
    noise_inflation: Float[Numbers, ""]
    """How many times as noisy as usual it was."""
    by_omega: Float[Numbers, "6 3"]
    by_point: Float[Numbers, "6 param"]
    """How what was felt at the last row followed angular velocity and the point."""
    score: Float[Numbers, " param"]
    information: Float[Numbers, "param param"]
    """Of all rows so far."""
    nis: Float[Numbers, ""]
    """Normalised innovation squared, summed over all rows so far."""
    predicted: Float[Numbers, "9"]
    """The motion at the last row, as the rows before it predict."""
    residual: Float[Numbers, "robot 9"]
    """Readings of the last row less what was expected, in standard deviations; zero where silent."""


class RowSample(NamedTuple):
    """A row, as `MeasuredRows` has it, and where to linearise it."""

    dt: Float[Numbers, ""]
    path: Float[Numbers, "9"]
    """The motion at the row; where it is NaN, the motion that is expected."""
    reading: Float[Numbers, "robot 9"]
    weight: Float[Numbers, "robot 9"]
    wrench: Float[Numbers, "robot 6"]
    midpoint_wrench: Float[Numbers, "robot 6"]
    smoothed_wrench: Float[Numbers, "robot 6"]
    alpha: Float[Numbers, "robot 3"]
    noise_inflation: Float[Numbers, ""]


class RowStep(eqx.Module):
    """Takes rows in, one at a time."""

    noise: Float[Numbers, "6"]
    """Standard deviations of torque (N m) and force (N), an axis."""
    gravity: Float[Numbers, ""]
    """Its size, m/s²."""

    def step(self, belief: RowBelief, sample: RowSample) -> RowBelief:
        """The belief after a row; see `filter_rows`."""
        equations = RowEquations(belief.point, self.noise)
        total, midpoint_wrench = equations.total(sample.wrench), equations.total(sample.midpoint_wrench)
        believed = self._of_one_size(belief.path + belief.columns[:9, 0])
        expected = equations.after(believed, belief.total, midpoint_wrench, total, sample.dt)
        path = self._of_one_size(jnp.where(jnp.isnan(sample.path), expected, sample.path))
        down = path[DOWN]
        drift = equations.after(belief.path, belief.total, midpoint_wrench, total, sample.dt) - path
        w = sample.weight.reshape(-1)
        y = (sample.reading - equations.expected(path, equations.felt(path[:3], total))).reshape(-1)
        by_omega, by_point, felt, spin = equations.proper_acceleration_jacobians(
            path[:3], sample.smoothed_wrench, sample.alpha
        )
        H, D = equations.reading_jacobians(path, by_omega, by_point, felt, spin, sample.noise_inflation)
        F, added, inputs = equations.transition(belief, path, by_omega, by_point, sample)
        across = jnp.eye(3) - jnp.outer(down, down) / jnp.maximum(jnp.sum(down**2), 1e-300)
        F = F.at[DOWN].set(across @ F[DOWN])
        inputs = jnp.concatenate([drift[:, None], inputs], axis=1)
        inputs = inputs.at[DOWN].set(across @ inputs[DOWN])
        corner = F @ belief.covariance @ F.T + added @ added.T
        P = jnp.block([[corner, added], [added.T, jnp.eye(6)]])
        Y = jnp.concatenate([F @ belief.columns + inputs, jnp.zeros((6, inputs.shape[1]))])
        E = jnp.concatenate([jnp.where(w > 0.0, y, 0.0)[:, None], -D], axis=1) - H @ Y
        spread = jnp.sqrt(1.0 / jnp.maximum(w, 1e-300) + jnp.sum((H @ P) * H, axis=1))
        residual = jnp.where(w > 0.0, E[:, 0] / spread, 0.0)
        P = _taken_in(P, H, w)
        Ew = E * w[:, None]
        new = H.T @ Ew
        gained = E.T @ Ew - new.T @ (P @ new)  # squares, minus the score, and the information, in one matrix
        return RowBelief(
            belief.point,
            path,
            Y + P @ new,
            P,
            total,
            sample.noise_inflation,
            by_omega,
            by_point,
            belief.score - gained[1:, 0],
            belief.information + gained[1:, 1:],
            belief.nis + gained[0, 0],
            path + Y[:9, 0],
            residual.reshape(-1, 9),
        )

    def _of_one_size(self, motion: Float[Array, "9"]) -> Float[Array, "9"]:
        """Gravity has its size."""
        down = motion[DOWN]
        return motion.at[DOWN].set(down * (self.gravity / jnp.maximum(jnp.sqrt(jnp.sum(down**2)), 1e-300)))


def _taken_in(P: Float[Array, "15 15"], H: Float[Array, "meas 15"], w: Float[Array, " meas"]) -> Float[Array, "15 15"]:
    """The covariance after all readings, one at a time: no matrix is inverted."""

    def scalar(P, channel):
        h, weight = channel
        Ph = P @ h
        return P - weight / (1.0 + weight * (h @ Ph)) * jnp.outer(Ph, Ph), None

    return jax.lax.scan(scalar, P, (H, w))[0]


class RowEquations:
    """`EquationsOfMotion` for one row, in JAX; tests hold it to `models.RigidLoad`, and a step to `filter_rows`."""

    def __init__(self, point: RowPoint, noise: Float[Array, "6"]):
        self.point, load = point, point.load
        numbers = _load_numbers(load)
        self.load_jacobian = jax.jacfwd(_load_numbers)(load)
        self.m, self.c, self.I = numbers[0], numbers[1:4], matrix_from_moments(numbers[4:])
        self.I_inv = _inverse(self.I)
        self.C, self.T = skew(self.c), jax.vmap(skew)(point.t)
        self.R_t = jnp.swapaxes(point.R, 1, 2)
        self.lever = jnp.concatenate([-self.R_t @ self.T, self.R_t], axis=2)
        zero = jnp.zeros_like(point.R)
        self.coadjoint = jnp.concatenate(
            [jnp.concatenate([point.R, self.T @ point.R], axis=2), jnp.concatenate([zero, point.R], axis=2)], axis=1
        )
        scaled = self.coadjoint * noise[None, None, :]
        self.L = square_root(jnp.sum(scaled @ jnp.swapaxes(scaled, 1, 2), axis=0))
        alpha_w = jnp.concatenate([self.I_inv, -self.I_inv @ self.C], axis=1)
        s_w = self.C @ alpha_w + jnp.concatenate([jnp.zeros((3, 3)), jnp.eye(3) / self.m], axis=1)
        self.acceleration_by_wrench = jnp.concatenate([alpha_w, s_w])

    def total(self, wrench):
        return jnp.sum(self.coadjoint @ wrench[:, :, None], axis=0)[:, 0]

    def felt(self, omega, wrench):
        alpha = self.I_inv @ jnp.cross(omega, self.I @ omega)
        felt = self.acceleration_by_wrench @ wrench
        return felt - jnp.concatenate([alpha, self.C @ alpha + jnp.cross(omega, jnp.cross(omega, self.c))])

    def rate(self, motion, wrench):
        omega = motion[:3]
        felt = self.felt(omega, wrench)
        turned = [jnp.cross(omega, motion[part]) for part in (SPEED, DOWN)]
        return jnp.concatenate([felt[:3], felt[3:] + motion[DOWN] - turned[0], -turned[1]])

    def after(self, motion, before, midpoint_wrench, end, h):
        k1 = self.rate(motion, before)
        k2 = self.rate(motion + 0.5 * h * k1, midpoint_wrench)
        k3 = self.rate(motion + 0.5 * h * k2, midpoint_wrench)
        k4 = self.rate(motion + h * k3, end)
        return motion + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def proper_acceleration_jacobians(self, omega, smoothed_wrench, alphas):
        point = self.point
        alpha = jnp.sum(point.R @ alphas[:, :, None], axis=0)[:, 0] / point.t.shape[0]
        F, W = self.total(smoothed_wrench)[3:], skew(omega)
        turned = self.I_inv @ (skew(self.I @ omega) - W @ self.I)
        by_omega = jnp.concatenate([turned, self.C @ turned - _swing(omega, self.c)])
        moments = -self.I_inv @ (moments_times(alpha) + W @ moments_times(omega))
        above = jnp.concatenate([jnp.zeros((3, 1)), self.I_inv @ skew(F), moments], axis=1)
        spin = skew(alpha) + W @ W
        push = jnp.concatenate([F[:, None] / self.m**2, spin, jnp.zeros((3, 6))], axis=1)
        by_load = jnp.concatenate([above, self.C @ above - push]) @ self.load_jacobian
        by_poses = self.acceleration_by_wrench @ jax.vmap(_wrench_by_pose)(point.R[1:], self.T[1:], smoothed_wrench[1:])
        by_poses = jnp.swapaxes(by_poses, 0, 1).reshape(6, -1)
        by_point = jnp.concatenate([by_load, jnp.zeros((6, TILT.stop - LOAD.stop)), by_poses], axis=1)
        s = F / self.m + self.C @ alpha - jnp.cross(omega, jnp.cross(omega, self.c))
        return by_omega, by_point, jnp.concatenate([alpha, s]), spin

    def expected(self, motion, felt):
        omega = motion[:3]

        def of(R_t, t):
            arm = jnp.cross(omega, t)
            v, s = motion[SPEED] + arm, felt[3:] + jnp.cross(felt[:3], t) + jnp.cross(omega, arm)
            return jnp.concatenate([R_t @ omega, R_t @ v, R_t @ s])

        return jax.vmap(of)(self.R_t, self.point.t)

    def reading_jacobians(self, motion, by_omega, by_point, felt, spin, noise_inflation):
        omega, others = motion[:3], self.point.t.shape[0] - 1
        W, error = skew(omega), noise_inflation * (self.acceleration_by_wrench @ self.L)
        seen = self.expected(motion, felt).reshape(-1, 3, 3)
        nothing, wide = jnp.zeros((3, 3)), jnp.zeros((3, ERROR.stop - OMEGA.stop))

        def by_state(R_t, lever, t):
            at_last = lever @ by_omega + R_t @ _swing(omega, t)
            return jnp.concatenate(
                [
                    jnp.concatenate([R_t, wide], axis=1),
                    jnp.concatenate([lever[:, :3], R_t, wide[:, :9]], axis=1),
                    jnp.concatenate([at_last, nothing, nothing, lever @ error], axis=1),
                ]
            )

        def by_own(R_t, seen):
            moved = jnp.concatenate([nothing, R_t @ W, R_t @ spin])
            return jnp.concatenate([moved, jax.vmap(skew)(seen).reshape(9, 3)], axis=1)

        H = jax.vmap(by_state)(self.R_t, self.lever, self.point.t).reshape(-1, ERROR.stop)
        D = jnp.pad(self.lever @ by_point, ((0, 0), (6, 0), (0, 0))).reshape(len(H), -1)
        own = jax.vmap(by_own)(self.R_t[1:], seen[1:])
        # Everybody but the first has a pose of its own, which nobody else's sensors see in this way.
        spread = (own[:, :, None, :] * jnp.eye(others)[:, None, :, None]).reshape(9 * others, 6 * others)
        return H, D + jnp.pad(spread, ((9, 0), (TILT.stop, 0)))

    def transition(self, belief: RowBelief, path, by_omega, by_point, sample: RowSample):
        h, L = sample.dt, self.acceleration_by_wrench @ self.L
        middle = 0.5 * (_flow(belief.path, belief.by_omega) + _flow(path, by_omega))
        half = (0.5 * h * (jnp.eye(9) + 0.5 * h * middle))[:, :6]
        F = jnp.eye(9) + h * middle + 0.5 * h * h * (middle @ middle)
        F = jnp.concatenate([F, half @ (L * belief.noise_inflation)], axis=1)
        return F, half @ (L * sample.noise_inflation), half @ (by_point + belief.by_point)


def _flow(motion, by_omega):
    """(9, 9): how the rate of the motion follows it."""
    exp_so3 = -skew(motion[:3])
    nothing = jnp.zeros((3, 3))
    return jnp.block(
        [
            [by_omega[:3], nothing, nothing],
            [by_omega[3:] + skew(motion[SPEED]), exp_so3, jnp.eye(3)],
            [skew(motion[DOWN]), nothing, exp_so3],
        ]
    )


def _wrench_by_pose(R, T, wrench):
    """(6, 6): how a robot's wrench in the first one's frame follows position and rotation of its own."""
    by_turn = -R @ skew(wrench[3:])
    above = jnp.concatenate([-skew(R @ wrench[3:]), T @ by_turn - R @ skew(wrench[:3])], axis=1)
    return jnp.concatenate([above, jnp.concatenate([jnp.zeros((3, 3)), by_turn], axis=1)])


def _swing(omega, arm):
    """How ω × (ω × arm) follows ω."""
    return (omega @ arm) * jnp.eye(3) + jnp.outer(omega, arm) - 2.0 * jnp.outer(arm, omega)


def _load_numbers(load):
    m = jnp.exp(2.0 * load[0])
    xx, yy, zz, xy, xz, yz = load[1:7]
    return jnp.concatenate([m[None], load[7:], m * jnp.stack([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz])])


def _inverse(matrix):
    """Of three rows, by their vector products."""
    a, b, c = matrix
    across = jnp.stack([jnp.cross(b, c), jnp.cross(c, a), jnp.cross(a, b)], axis=1)
    return across / (a @ across[:, 0])
