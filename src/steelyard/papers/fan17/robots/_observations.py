"""Observations of the load that are linear in what is not known: centre, inertia and reciprocal mass.

All in one sensor frame, SI units; `specific_force` is an accelerometer's reading, which is the ω × v + ā of the paper's
equations, so that no velocity is needed.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import Twist, matrix_from_moments, skew, wrench_regressor


class LinearObservation(eqx.Module):
    """y = H x, but for noise."""

    H: Float[Array, "meas param"]
    y: Float[Array, " meas"]


class Felt(eqx.Module):
    """What the load does and feels at one time, as one robot knows it."""

    omega: Float[Array, "3"]
    specific_force: Float[Array, "3"]
    alpha: Float[Array, "3"]
    torque_total: Float[Array, "3"]
    force_total: Float[Array, "3"]

    @property
    def vector(self) -> Float[Array, "15"]:
        """All in one array."""
        return jnp.concatenate([self.omega, self.specific_force, self.alpha, self.torque_total, self.force_total])

    @staticmethod
    def from_vector(vector: Float[Array, "15"]) -> "Felt":
        """The inverse of `vector`."""
        return Felt(*jnp.split(vector, 5))


def rows_orthogonal_to(force: Float[Array, "3"]) -> Float[Array, "2 3"]:
    """F^⊥: two orthonormal rows with F^⊥ F = 0, as [fan17, Eq. (24)] needs them."""
    axis = jnp.eye(3)[jnp.argmin(jnp.abs(force))]
    first = jnp.cross(force, axis)
    second = jnp.cross(force, first)
    rows = jnp.stack([first, second])
    return rows / jnp.linalg.norm(rows, axis=1, keepdims=True)


def com_observation(felt: Felt) -> LinearObservation:
    """Of the centre of mass, without the mass [fan17, Eq. (25)]."""
    F_perp = rows_orthogonal_to(felt.force_total)
    return LinearObservation(F_perp @ _centripetal(felt), -F_perp @ felt.specific_force)


def turning_observation(felt: Felt) -> LinearObservation:
    """Of centre and inertia from the torque [fan17, Eq. (28)]."""
    return LinearObservation(jnp.hstack([-skew(felt.force_total), _H_inertia(felt)]), felt.torque_total)


def moving_observation(felt: Felt) -> LinearObservation:
    """Of centre and 1/m from the force [fan17, Eq. (29)]."""
    H = jnp.hstack([-_centripetal(felt), felt.force_total[:, None]])
    return LinearObservation(H, felt.specific_force)


def load_observation(felt: Felt) -> LinearObservation:
    """Of all ten, (p_c, I_c, 1/m), at once: rows of the centre, the torque, the force [fan17, Eq. (30)]."""
    com, turning, moving = com_observation(felt), turning_observation(felt), moving_observation(felt)
    H_load = jnp.block(
        [
            [com.H, jnp.zeros((2, 7))],
            [turning.H, jnp.zeros((3, 1))],
            [moving.H[:, :3], jnp.zeros((3, 6)), moving.H[:, 3:]],
        ]
    )
    return LinearObservation(H_load, jnp.concatenate([com.y, turning.y, moving.y]))


def residual(felt: Felt, load: Float[Array, "10"]) -> Float[Array, "6"]:
    """What is left of the torque's and the force's rows, y − H x, for a load (p_c, I_c, 1/m)."""
    com, I_c, inverse_mass = load[:3], matrix_from_moments(load[3:9]), load[9]
    turning = felt.torque_total + jnp.cross(felt.force_total, com) - I_c @ felt.alpha
    turning -= jnp.cross(felt.omega, I_c @ felt.omega)
    return jnp.concatenate([turning, felt.specific_force + _centripetal(felt) @ com - felt.force_total * inverse_mass])


def _centripetal(felt: Felt) -> Float[Array, "3 3"]:
    """[α]× + [ω]×²: times an arm, the acceleration at its end."""
    W = skew(felt.omega)
    return skew(felt.alpha) + W @ W


def _H_inertia(felt: Felt) -> Float[Array, "3 6"]:
    still = jnp.zeros(3)
    return wrench_regressor(Twist(felt.omega, still), Twist(felt.alpha, still))[:3, 4:]
