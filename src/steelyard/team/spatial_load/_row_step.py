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
from steelyard.geometry import moments_times, skew
from steelyard.models import Numbers
from steelyard.team.spatial_load._array_library import Library
from steelyard.team.spatial_load._equations_of_motion import DOWN, EquationsOfMotion, Linearised


def _inverse(matrix: Float[Array, "3 3"]) -> Float[Array, "3 3"]:
    """Of three rows, by their vector products."""
    a, b, c = matrix
    across = jnp.stack([jnp.cross(b, c), jnp.cross(c, a), jnp.cross(a, b)], axis=1)
    return across / (a @ across[:, 0])


JAX = Library(
    jnp,
    jnp.vectorize(skew, signature="(n)->(n,n)"),
    jnp.cross,
    jnp.vectorize(moments_times, signature="(n)->(n,m)"),
    _inverse,
    square_root,
)
"""For `EquationsOfMotion` of a `RowPoint`."""


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
        equations = EquationsOfMotion(belief.point, self.noise, JAX)
        total, midpoint_wrench = equations.total(sample.wrench), equations.total(sample.midpoint_wrench)
        believed = self._of_one_size(belief.path + belief.columns[:9, 0])
        expected = equations.after(believed, belief.total, midpoint_wrench, total, sample.dt)
        path = self._of_one_size(jnp.where(jnp.isnan(sample.path), expected, sample.path))
        down = path[DOWN]
        drift = equations.after(belief.path, belief.total, midpoint_wrench, total, sample.dt) - path
        w = sample.weight.reshape(-1)
        y = (sample.reading - equations.expected(path, equations.felt(path[:3], total))).reshape(-1)
        felt = equations.proper_acceleration_jacobians(path[:3], sample.smoothed_wrench, sample.alpha)
        H, D = equations.reading_jacobians(path, felt, sample.noise_inflation)
        H, D = H.reshape(-1, H.shape[-1]), D.reshape(-1, D.shape[-1])
        before = Linearised(belief.path, belief.by_omega, belief.by_point, belief.noise_inflation)
        after = Linearised(path, felt.by_omega, felt.by_point, sample.noise_inflation)
        F, added, inputs = equations.transition(before, after, sample.dt)
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
            felt.by_omega,
            felt.by_point,
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
