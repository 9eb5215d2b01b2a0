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


def group_lift(element: Group, tangent: Float[Array, " tangent"]) -> Group:
    """The velocity of the element's own numbers as it starts along a tangent: the derivative of `group_exp` at zero."""
    if isinstance(element, SO3):
        return type(element)(_quaternion_velocity(element.wxyz, tangent))
    if isinstance(element, SE3):
        q = element.rotation().wxyz
        velocity = quaternion_rotate(q, tangent[:3])
        return type(element)(jnp.concatenate([_quaternion_velocity(q, tangent[3:]), velocity]))
    if isinstance(element, SE2):
        (c, s), (x, y, theta) = element.rotation().unit_complex, tangent
        return type(element)(jnp.stack([-s * theta, c * theta, c * x - s * y, s * x + c * y]))
    c, s = cast(Any, element).unit_complex
    return type(element)(jnp.stack([-s * tangent[0], c * tangent[0]]))


def group_lower(element: Group, velocity: Group) -> Float[Array, " tangent"]:
    """The tangent along which the element's own numbers start with this velocity: undoes `group_lift`."""
    if isinstance(element, SO3):
        return _rotation_velocity(element.wxyz, cast(SO3, velocity).wxyz)
    if isinstance(element, SE3):
        q, numbers = element.rotation().wxyz, cast(SE3, velocity).wxyz_xyz
        linear = quaternion_rotate(quaternion_conjugate(q), numbers[4:])
        return jnp.concatenate([linear, _rotation_velocity(q, numbers[:4])])
    if isinstance(element, SE2):
        (c, s), (dc, ds, dx, dy) = element.rotation().unit_complex, cast(SE2, velocity).unit_complex_xy
        return jnp.stack([c * dx + s * dy, c * dy - s * dx, c * ds - s * dc])
    (c, s), (dc, ds) = cast(Any, element).unit_complex, cast(Any, velocity).unit_complex
    return (c * ds - s * dc)[None]


def _quaternion_velocity(q: Float[Array, "4"], phi: Float[Array, "3"]) -> Float[Array, "4"]:
    return quaternion_multiply(q, jnp.concatenate([jnp.zeros(1), 0.5 * phi]))


def _rotation_velocity(q: Float[Array, "4"], dq: Float[Array, "4"]) -> Float[Array, "3"]:
    return 2.0 * quaternion_multiply(quaternion_conjugate(q), dq)[1:]
