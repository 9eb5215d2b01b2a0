"""Quaternions as arrays (w, x, y, z), with Hamilton's product; unit ones stand for rotations.

A unit quaternion q_ji turns coordinates in frame i into coordinates in frame j, and -q_ji does the same.
"""

import jax.numpy as jnp
from jaxlie import SO3
from jaxtyping import Array, Float

from ._rotations import skew


def quaternion_multiply(left: Float[Array, "4"], right: Float[Array, "4"]) -> Float[Array, "4"]:
    """The product p ∘ q [fan17, Eq. (1)]."""
    p0, p1, p2, p3 = left
    q0, q1, q2, q3 = right
    return jnp.stack(
        [
            p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
            p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
            p0 * q2 + p2 * q0 + p3 * q1 - p1 * q3,
            p0 * q3 + p3 * q0 + p1 * q2 - p2 * q1,
        ]
    )


def quaternion_conjugate(quaternion: Float[Array, "4"]) -> Float[Array, "4"]:
    """The conjugate q*, which is the inverse of a unit quaternion; it turns products round: (p ∘ q)* = q* ∘ p*."""
    return jnp.concatenate([quaternion[:1], -quaternion[1:]])


def quaternion_left_matrix(quaternion: Float[Array, "4"]) -> Float[Array, "4 4"]:
    """The matrix q⁺ of multiplying by q from the left: p ∘ q = p⁺ q [fan17, Eq. (2)]."""
    return _product_matrix(quaternion, skew(quaternion[1:]))


def quaternion_right_matrix(quaternion: Float[Array, "4"]) -> Float[Array, "4 4"]:
    """The matrix q⁻ of multiplying by q from the right: p ∘ q = q⁻ p [fan17, Eq. (2)]."""
    return _product_matrix(quaternion, -skew(quaternion[1:]))


def quaternion_rotate(quaternion: Float[Array, "4"], vector: Float[Array, "3"]) -> Float[Array, "3"]:
    """The vector part of q ∘ (0, b) ∘ q*: b turned by a unit quaternion, as in [fan17, Eq. (3)].

    For q of another length the result is scaled by its square, as the product is.
    """
    w, u = quaternion[0], quaternion[1:]
    U = skew(u)
    return (w * w - u @ u) * vector + 2.0 * ((u @ vector) * u + w * (U @ vector))


def quaternion_from_rotation(rotation: SO3) -> Float[Array, "4"]:
    """The unit quaternion of a rotation; of the two, the one the rotation happens to hold."""
    return rotation.wxyz


def rotation_from_quaternion(quaternion: Float[Array, "4"]) -> SO3:
    """The rotation of a quaternion of any length but zero, which is normalised first."""
    return SO3(quaternion / jnp.sqrt(quaternion @ quaternion))


def _product_matrix(quaternion: Float[Array, "4"], cross: Float[Array, "3 3"]) -> Float[Array, "4 4"]:
    q0, q = quaternion[0], quaternion[1:]
    top = jnp.concatenate([quaternion[:1], -q])
    below = jnp.concatenate([q[:, None], cross + q0 * jnp.eye(3)], axis=1)
    return jnp.concatenate([top[None, :], below])
