"""Quaternions as arrays (w, x, y, z), with Hamilton's product; unit ones stand for rotations.

A unit quaternion q_ji turns coordinates in frame i into coordinates in frame j, and -q_ji does the same.
"""

import jax.numpy as jnp
import numpy as np
from jaxlie import SO3
from jaxtyping import Array, Float

from ._rotations import skew
from ._small_products import product

# Products as one contraction with a table of signs: for a compiler two operations instead of thirty, and the table's
# zeros vanish from generated C. _PRODUCT[k, a, b] is the part of p_a q_b in (p ∘ q)_k.
_PRODUCT = np.zeros((4, 4, 4))
for _k, _terms in enumerate(
    [
        [(0, 0, 1), (1, 1, -1), (2, 2, -1), (3, 3, -1)],
        [(0, 1, 1), (1, 0, 1), (2, 3, 1), (3, 2, -1)],
        [(0, 2, 1), (2, 0, 1), (3, 1, 1), (1, 3, -1)],
        [(0, 3, 1), (3, 0, 1), (1, 2, 1), (2, 1, -1)],
    ]
):
    for _a, _b, _sign in _terms:
        _PRODUCT[_k, _a, _b] = _sign
_CONJUGATE = np.diag([1.0, -1.0, -1.0, -1.0])
# _ROTATION[i, j, a, b] is the part of q_a q_b in entry (i, j) of the matrix of b -> q ∘ (0, b) ∘ q*.
_ROTATION = np.einsum("kal,lmc,cb->kmab", _PRODUCT, _PRODUCT, _CONJUGATE)[1:, 1:]


def quaternion_multiply(left: Float[Array, "4"], right: Float[Array, "4"]) -> Float[Array, "4"]:
    """The product p ∘ q [fan17, Eq. (1)]."""
    return _contract(_PRODUCT, left, right)


def quaternion_conjugate(quaternion: Float[Array, "4"]) -> Float[Array, "4"]:
    """The conjugate q*, which is the inverse of a unit quaternion; it turns products round: (p ∘ q)* = q* ∘ p*."""
    return quaternion * jnp.array([1.0, -1.0, -1.0, -1.0])


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
    return product(_contract(_ROTATION, quaternion, quaternion), vector)


def rotation_matrix(rotation: SO3) -> Float[Array, "3 3"]:
    """The matrix of a rotation; like `rotation.as_matrix()`, with less work for a compiler."""
    return _contract(_ROTATION, rotation.wxyz, rotation.wxyz)


def rotation_from_quaternion(quaternion: Float[Array, "4"]) -> SO3:
    """The rotation of a quaternion of any length but zero, which is normalised first."""
    return SO3(quaternion / jnp.sqrt(quaternion @ quaternion))


def _product_matrix(quaternion: Float[Array, "4"], cross: Float[Array, "3 3"]) -> Float[Array, "4 4"]:
    q0, q = quaternion[0], quaternion[1:]
    top = jnp.concatenate([quaternion[:1], -q])
    below = jnp.concatenate([q[:, None], cross + q0 * jnp.eye(3)], axis=1)
    return jnp.concatenate([top[None, :], below])


def _contract(table: np.ndarray, left: Float[Array, "4"], right: Float[Array, "4"]) -> Float[Array, "*shape"]:
    """`table[..., a, b] left[a] right[b]`."""
    pairs = jnp.ravel(left[:, None] * right[None, :])
    return product(jnp.asarray(table.reshape(-1, 16)), pairs).reshape(table.shape[:-2])
