"""Dual quaternions p + ε q with ε² = 0; unit ones stand for poses, pure ones for twists.

They make the relation between two robots' twists linear in the unknown pose between them, which is why `fan17` uses
them: with ξ_j = Ad ξ_i, `(plus_matrix(xi_j) - minus_matrix(xi_i)) @ x_ji.vector = 0` [fan17, Eq. (14)].
"""

import equinox as eqx
import jax.numpy as jnp
from jaxlie import SE3
from jaxtyping import Array, Float

from ._quaternions import (
    quaternion_conjugate,
    quaternion_left_matrix,
    quaternion_multiply,
    quaternion_right_matrix,
    rotation_from_quaternion,
)
from ._twists import Twist


class DualQuaternion(eqx.Module):
    """The dual quaternion real + ε dual, each part a quaternion (w, x, y, z); `*` is the product, `+` the sum."""

    real: Float[Array, "4"]
    dual: Float[Array, "4"]

    @property
    def vector(self) -> Float[Array, "8"]:
        """(real, dual) in one array."""
        return jnp.concatenate([self.real, self.dual])

    @staticmethod
    def from_vector(vector: Float[Array, "8"]) -> "DualQuaternion":
        """The inverse of `vector`."""
        return DualQuaternion(vector[:4], vector[4:])

    def __add__(self, other: "DualQuaternion") -> "DualQuaternion":
        return DualQuaternion(self.real + other.real, self.dual + other.dual)

    def __mul__(self, other: "DualQuaternion") -> "DualQuaternion":
        """The product, whose matrices are those of [fan17, Eq. (5)]; that of two poses applies `other` first."""
        return DualQuaternion(
            quaternion_multiply(self.real, other.real),
            quaternion_multiply(self.real, other.dual) + quaternion_multiply(self.dual, other.real),
        )

    @property
    def quaternion_conjugate(self) -> "DualQuaternion":
        """x²* = p* + ε q*, the inverse of a unit dual quaternion; it turns products round."""
        return DualQuaternion(quaternion_conjugate(self.real), quaternion_conjugate(self.dual))


def plus_matrix(x: DualQuaternion) -> Float[Array, "8 8"]:
    """The matrix x⁺ of multiplying by x from the left: (x * y).vector = x⁺ y.vector [fan17, Eq. (4)]."""
    P, Q = quaternion_left_matrix(x.real), quaternion_left_matrix(x.dual)
    return jnp.block([[P, jnp.zeros((4, 4))], [Q, P]])


def minus_matrix(x: DualQuaternion) -> Float[Array, "8 8"]:
    """The matrix x⁻ of multiplying by x from the right: (y * x).vector = x⁻ y.vector [fan17, Eq. (4)]."""
    P, Q = quaternion_right_matrix(x.real), quaternion_right_matrix(x.dual)
    return jnp.block([[P, jnp.zeros((4, 4))], [Q, P]])


def dual_quaternion_from_pose(pose_ji: SE3) -> DualQuaternion:
    """The unit dual quaternion q_r + ε t ∘ q_r / 2 of a pose, translation in m, as [fan17, Eq. (6)] needs it."""
    q_r = pose_ji.rotation().wxyz
    return DualQuaternion(q_r, 0.5 * quaternion_multiply(_pure(pose_ji.translation()), q_r))


def pose_from_dual_quaternion(x_ji: DualQuaternion) -> SE3:
    """The pose of a dual quaternion whose real part does not vanish; one that is not unit is made so.

    Its length is divided out, and the part of q_d along q_r, which no pose has, is dropped.
    """
    t = 2.0 * quaternion_multiply(x_ji.dual, quaternion_conjugate(x_ji.real)) / (x_ji.real @ x_ji.real)
    return SE3.from_rotation_and_translation(rotation_from_quaternion(x_ji.real), t[1:])


def dual_quaternion_from_twist(twist: Twist) -> DualQuaternion:
    """The pure dual quaternion ω + ε v of a twist, as in [fan17, Eq. (10)]."""
    return DualQuaternion(_pure(twist.angular), _pure(twist.linear))


def _pure(vector: Float[Array, "3"]) -> Float[Array, "4"]:
    return jnp.concatenate([jnp.zeros(1), vector])
