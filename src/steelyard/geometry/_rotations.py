"""Turning: the cross product as a matrix, and how a rotation changes with its rotation vector."""

import jax.numpy as jnp
from jaxtyping import Array, Float

# Below this squared angle (rad^2) power series stand in for closed forms that subtract nearly equal numbers. At 0.5 all
# of them are exact to rounding, so that values and derivatives of any order are too, at zero rotation included. (The
# common choice, one or two terms below 1e-10, leaves derivatives with few correct digits just above the switch.)
_SERIES_BELOW = 0.5

_SIN_SERIES = (1.0, -6.0, 120.0, -5040.0, 362880.0, -39916800.0, 6227020800.0, -1307674368000.0)
_COS_SERIES = (2.0, -24.0, 720.0, -40320.0, 3628800.0, -479001600.0, 87178291200.0, -20922789888000.0)
_SIN_TAIL_SERIES = (6.0, -120.0, 5040.0, -362880.0, 39916800.0, -6227020800.0, 1307674368000.0, -355687428096000.0)
_COT_SERIES = (
    12.0,
    720.0,
    30240.0,
    1209600.0,
    47900160.0,
    1307674368000.0 / 691.0,
    74724249600.0,
    10670622842880000.0 / 3617.0,
)


def skew(vector: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """The matrix of the cross product from the left: `skew(a) @ b = a x b`."""
    x, y, z = vector
    o = jnp.zeros_like(x)
    return jnp.stack([o, -z, y, z, o, -x, -y, x, o]).reshape(3, 3)


def unskew(matrix: Float[Array, "3 3"]) -> Float[Array, "3"]:
    """The vector of a matrix's antisymmetric part: `unskew(skew(a)) = a`, and symmetric matrices give zero."""
    A = 0.5 * (matrix - matrix.T)
    return jnp.stack([A[2, 1], A[0, 2], A[1, 0]])


def left_jacobian_so3(rotation_vector: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """J with exp(phi + d) = exp(J d) exp(phi) to first order; rotation vector phi in rad.

    It is also the mean of exp(s phi) over 0 <= s <= 1, which makes it the V of SE(3)'s exponential map.
    """
    W = skew(rotation_vector)
    x = rotation_vector @ rotation_vector
    return jnp.eye(3) + cosine_ratio(x) * W + sine_tail_ratio(x) * (W @ W)


def inverse_left_jacobian_so3(rotation_vector: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """The inverse of `left_jacobian_so3`, in closed form; for angles below 2 pi rad, where it ceases to exist."""
    W = skew(rotation_vector)
    x = rotation_vector @ rotation_vector
    return jnp.eye(3) - 0.5 * W + cotangent_ratio(x) * (W @ W)


def sine_ratio(squared_angle: Float[Array, ""]) -> Float[Array, ""]:
    """sin(a) / a as a smooth function of a^2."""
    a = _angle(squared_angle)
    return _switch(squared_angle, _SIN_SERIES, jnp.sin(a) / a)


def cosine_ratio(squared_angle: Float[Array, ""]) -> Float[Array, ""]:
    """(1 - cos(a)) / a^2 as a smooth function of a^2."""
    a = _angle(squared_angle)
    return _switch(squared_angle, _COS_SERIES, (1.0 - jnp.cos(a)) / (a * a))


def sine_tail_ratio(squared_angle: Float[Array, ""]) -> Float[Array, ""]:
    """(a - sin(a)) / a^3 as a smooth function of a^2."""
    a = _angle(squared_angle)
    return _switch(squared_angle, _SIN_TAIL_SERIES, (a - jnp.sin(a)) / (a * a * a))


def cotangent_ratio(squared_angle: Float[Array, ""]) -> Float[Array, ""]:
    """(1 - (a/2) cot(a/2)) / a^2 as a smooth function of a^2 below (2 pi)^2."""
    a = _angle(squared_angle)
    return _switch(squared_angle, _COT_SERIES, (1.0 - 0.5 * a * jnp.sin(a) / (1.0 - jnp.cos(a))) / (a * a))


def _angle(squared_angle: Float[Array, ""]) -> Float[Array, ""]:
    """The angle where closed forms are used, 1 elsewhere: no root of zero, and so no NaN in a gradient."""
    return jnp.sqrt(jnp.where(squared_angle < _SERIES_BELOW, 1.0, squared_angle))


def _switch(
    squared_angle: Float[Array, ""], divisors: tuple[float, ...], closed_form: Float[Array, ""]
) -> Float[Array, ""]:
    """The series sum of x^k / divisors[k] at small x = a^2, the closed form elsewhere."""
    x = jnp.where(squared_angle < _SERIES_BELOW, squared_angle, 0.0)
    series = jnp.zeros_like(x)
    for divisor in reversed(divisors):
        series = series * x + 1.0 / divisor
    return jnp.where(squared_angle < _SERIES_BELOW, series, closed_form)
