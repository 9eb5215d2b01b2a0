"""Products of small matrices."""

import jax.numpy as jnp
from jaxtyping import Array, Float


def product(left: Float[Array, "rows inner"], right: Float[Array, "inner *columns"]) -> Float[Array, "rows *columns"]:
    """`left @ right` for small matrices and vectors, as a sum of products.

    A compiler calls a library for `@`, and what is around the call can no longer be fused into one loop; below some
    twenty rows the call costs more than the product. A filter's step is two to three times faster this way.
    """
    return jnp.sum(left.reshape(*left.shape, *[1] * (right.ndim - 1)) * right[None], axis=1)
