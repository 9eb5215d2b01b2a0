"""The wrench of a rigid body as a matrix times its ten inertial parameters.

In body axes and about the frame's origin, momentum μ = (angular, linear) and the applied wrench w = Y φ satisfy

    dμ/dt + small_coadjoint(twist) μ = w + weight,

with the weight (m c × Rᵀg, m Rᵀg). An accelerometer does not feel gravity, so writing the motion with its reading
s = v̇ + ω × v − Rᵀg takes the weight to the left-hand side: Y then needs neither attitude nor velocity.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from ._rotations import skew
from ._twists import Twist


def wrench_regressor(twist: Twist, acceleration: Twist) -> Float[Array, "6 10"]:
    """Y with (torque about the origin, force) = Y φ, φ an `Inertia.vector`; what is applied, weight not included.

    All in one body-fixed frame: `twist` (of which only ω enters), and `acceleration` as angular acceleration (rad/s²)
    with an accelerometer's reading s = v̇ + ω × v − Rᵀg (m/s²) at the origin. Its force rows are [fan17, Eq. (27)],
    whose ω × v + ā is s, and its torque rows hold [fan17, Eq. (26)], about the origin instead of the centre.
    """
    omega, alpha, s = twist.angular, acceleration.angular, acceleration.linear
    W = skew(omega)
    zero = jnp.zeros((3, 1))
    return jnp.block(
        [
            [zero, -skew(s), moments_times(alpha) + W @ moments_times(omega)],
            [s[:, None], skew(alpha) + W @ W, jnp.zeros((3, 6))],
        ]
    )


def moments_times(vector: Float[Array, "3"]) -> Float[Array, "3 6"]:
    """The matrix that takes moments xx, yy, zz, xy, xz, yz to I @ vector."""
    x, y, z = vector
    o = jnp.zeros_like(x)
    return jnp.stack([x, o, o, y, z, o, o, y, o, x, o, z, o, o, z, o, x, y]).reshape(3, 6)
