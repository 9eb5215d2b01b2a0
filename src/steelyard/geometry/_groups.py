"""Exponential, logarithm, product and inverse of the four groups: exact at every angle, and plain arithmetic."""

from typing import Any, TypeVar, cast

import jax.numpy as jnp
from jaxlie import SE2, SE3, SO3, MatrixLieGroup
from jaxtyping import Array, Float

from ._quaternions import quaternion_conjugate, quaternion_multiply, quaternion_rotate
from ._rotations import cosine_ratio, cotangent_ratio, inverse_left_jacobian_so3, left_jacobian_so3, sine_ratio

Group = TypeVar("Group", bound=MatrixLieGroup)

# Why not jaxlie's own, as elsewhere? Below 1e-5 rad, jaxlie 1.5 takes R where V = 1 + W/2 + ... belongs: `SE3.exp` is
# then off by half the angle times the translation, its derivative at zero rotation is wrong, and `SE3.log` does not
# undo it. Its SE2 loses eight digits around 1e-4 rad. Filters and Jacobians live exactly there. Its product of
# quaternions is right, but gathers through index arrays, which is slow to trace and clumsy in generated C.


def group_exp(kind: type[Group], tangent: Float[Array, " tangent"]) -> Group:
    """The group element reached by following a tangent vector for unit time; use it instead of `kind.exp`.

    Coordinates are in jaxlie's order: rotation vector (rad) for SO3, (translation, rotation vector) for SE3, the angle
    for SO2, (translation, angle) for SE2. Note that a `Twist` is the other way round: (angular, linear).
    """
    if issubclass(kind, SE3):
        v, phi = tangent[:3], tangent[3:]
        return kind(jnp.concatenate([SO3.exp(phi).wxyz, left_jacobian_so3(phi) @ v]))
    if issubclass(kind, SE2):
        x, y, theta = tangent
        a, b = sine_ratio(theta * theta), theta * cosine_ratio(theta * theta)
        return kind(jnp.stack([jnp.cos(theta), jnp.sin(theta), a * x - b * y, b * x + a * y]))
    return kind.exp(tangent)


def group_log(element: MatrixLieGroup) -> Float[Array, " tangent"]:
    """The inverse of `group_exp` for rotations of less than pi rad, in the same coordinates."""
    if isinstance(element, SE3):
        phi = element.rotation().log()
        return jnp.concatenate([inverse_left_jacobian_so3(phi) @ element.translation(), phi])
    if isinstance(element, SE2):
        (theta,) = element.rotation().log()
        x, y = element.translation()
        a, b = 1.0 - theta * theta * cotangent_ratio(theta * theta), 0.5 * theta
        return jnp.stack([a * x + b * y, a * y - b * x, theta])
    return element.log()


def group_multiply(left: Group, right: Group) -> Group:
    """The product `left @ right`, which applies `right` first."""
    if isinstance(left, SO3) and isinstance(right, SO3):
        return type(left)(quaternion_multiply(left.wxyz, right.wxyz))
    if isinstance(left, SE3) and isinstance(right, SE3):
        q, t = left.rotation().wxyz, left.translation()
        q_right, t_right = right.rotation().wxyz, right.translation()
        return type(left)(jnp.concatenate([quaternion_multiply(q, q_right), t + quaternion_rotate(q, t_right)]))
    return cast(Group, left.multiply(cast(Any, right)))


def group_inverse(element: Group) -> Group:
    """The element that undoes this one."""
    if isinstance(element, SE3):
        q_inv = quaternion_conjugate(element.rotation().wxyz)
        return type(element)(jnp.concatenate([q_inv, -quaternion_rotate(q_inv, element.translation())]))
    return element.inverse()


def group_nudge(element: Group, tangent: Float[Array, " tangent"]) -> Group:
    """`group_multiply(element, group_exp(tangent))` to first order in the tangent; leaves the group at second order."""
    if isinstance(element, SO3):
        return type(element)(_nudged_quaternion(element.wxyz, tangent))
    if isinstance(element, SE3):
        q, v = element.rotation().wxyz, tangent[:3]
        moved = element.translation() + quaternion_rotate(q, v)
        return type(element)(jnp.concatenate([_nudged_quaternion(q, tangent[3:]), moved]))
    if isinstance(element, SE2):
        (c, s), (x, y, theta) = element.rotation().unit_complex, tangent
        moved = element.translation() + jnp.stack([c * x - s * y, s * x + c * y])
        return type(element)(jnp.concatenate([jnp.stack([c - s * theta, s + c * theta]), moved]))
    c, s = cast(Any, element).unit_complex
    (theta,) = tangent
    return type(element)(jnp.stack([c - s * theta, s + c * theta]))


def group_offset(origin: Group, element: Group) -> Float[Array, " tangent"]:
    """`group_log(group_multiply(group_inverse(origin), element))` to first order around `origin`."""
    between = group_multiply(group_inverse(origin), element)
    if isinstance(between, SO3):
        return 2.0 * between.wxyz[1:]
    if isinstance(between, SE3):
        return jnp.concatenate([between.translation(), 2.0 * between.rotation().wxyz[1:]])
    if isinstance(between, SE2):
        return jnp.concatenate([between.translation(), between.rotation().unit_complex[1:]])
    return cast(Any, between).unit_complex[1:]


def _nudged_quaternion(q: Float[Array, "4"], phi: Float[Array, "3"]) -> Float[Array, "4"]:
    return q + quaternion_multiply(q, jnp.concatenate([jnp.zeros(1), 0.5 * phi]))
