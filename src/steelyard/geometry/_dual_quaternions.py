"""Dual quaternions p + ε q with ε² = 0; unit ones stand for poses, pure ones for twists.

They make the relation between two robots' twists linear in the unknown pose between them, which is why `fan17` uses
them: with ξ_j = Ad ξ_i, `(plus_matrix(xi_j) - minus_matrix(xi_i)) @ x_ji.vector = 0` [fan17, Eq. (14)].
"""

import equinox as eqx
import jax.numpy as jnp
from jaxlie import SE3
from jaxtyping import Array, Bool, Float

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
    def dual_conjugate(self) -> "DualQuaternion":
        """x¹* = p − ε q, after which products keep their order."""
        return DualQuaternion(self.real, -self.dual)

    @property
    def quaternion_conjugate(self) -> "DualQuaternion":
        """x²* = p* + ε q*, the inverse of a unit dual quaternion; it turns products round."""
        return DualQuaternion(quaternion_conjugate(self.real), quaternion_conjugate(self.dual))

    @property
    def combined_conjugate(self) -> "DualQuaternion":
        """x³* = p* − ε q*, both of the others in turn; it turns products round."""
        return self.quaternion_conjugate.dual_conjugate


def plus_matrix(x: DualQuaternion) -> Float[Array, "8 8"]:
    """The matrix x⁺ of multiplying by x from the left: (x * y).vector = x⁺ y.vector [fan17, Eq. (4)]."""
    P, Q = quaternion_left_matrix(x.real), quaternion_left_matrix(x.dual)
    return jnp.block([[P, jnp.zeros((4, 4))], [Q, P]])


def minus_matrix(x: DualQuaternion) -> Float[Array, "8 8"]:
    """The matrix x⁻ of multiplying by x from the right: (y * x).vector = x⁻ y.vector [fan17, Eq. (4)]."""
    P, Q = quaternion_right_matrix(x.real), quaternion_right_matrix(x.dual)
    return jnp.block([[P, jnp.zeros((4, 4))], [Q, P]])


def dual_quaternion_norm(x: DualQuaternion) -> Float[Array, "2"]:
    """The dual number (a, b) = a + ε b whose square is x ⊗ x²*; (1, 0) for a pose. The real part must not vanish."""
    a = jnp.sqrt(x.real @ x.real)
    return jnp.stack([a, x.real @ x.dual / a])


def dual_quaternion_is_unit(x: DualQuaternion, tolerance: float = 1e-9) -> Bool[Array, ""]:
    """Whether x stands for a pose: x ⊗ x²* = 1 within the tolerance."""
    return (jnp.abs(x.real @ x.real - 1.0) <= tolerance) & (2.0 * jnp.abs(x.real @ x.dual) <= tolerance)


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


def move_point_by_dual_quaternion(x_ji: DualQuaternion, point_i: Float[Array, "3"]) -> Float[Array, "3"]:
    """A point's coordinates (m) in frame j from those in frame i, x unit [fan17, Eq. (6)]."""
    b_i = DualQuaternion(jnp.array([1.0, 0.0, 0.0, 0.0]), _pure(point_i))
    return (x_ji * b_i * x_ji.combined_conjugate).dual[1:]


def dual_quaternion_from_twist(twist: Twist) -> DualQuaternion:
    """The pure dual quaternion ω + ε v of a twist, as in [fan17, Eq. (10)]."""
    return DualQuaternion(_pure(twist.angular), _pure(twist.linear))


def twist_from_dual_quaternion(xi: DualQuaternion) -> Twist:
    """The inverse of `dual_quaternion_from_twist`; scalar parts are dropped."""
    return Twist(xi.real[1:], xi.dual[1:])


def move_twist_by_dual_quaternion(x_ji: DualQuaternion, twist_i: Twist) -> Twist:
    """The twist in frame j from that in frame i, x unit; equal to `move_twist` [fan17, Eq. (13)]."""
    xi_i = dual_quaternion_from_twist(twist_i)
    return twist_from_dual_quaternion(x_ji * xi_i * x_ji.quaternion_conjugate)


def _pure(vector: Float[Array, "3"]) -> Float[Array, "4"]:
    return jnp.concatenate([jnp.zeros(1), vector])
