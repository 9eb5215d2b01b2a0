"""Products of small matrices."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


def product(left: Float[Array, "rows inner"], right: Float[Array, "inner *columns"]) -> Float[Array, "rows *columns"]:
    """`left @ right` for small matrices and vectors, as a sum of products.

    A compiler calls a library for `@`, and what is around the call can no longer be fused into one loop; below some
    twenty rows the call costs more than the product. A filter's step is two to three times faster this way.
    """
    return jnp.sum(left.reshape(*left.shape, *[1] * (right.ndim - 1)) * right[None], axis=1)


def mirrored(matrix: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """A symmetric matrix from its lower half: exactly so, where products of matrices are but for rounding.

    No update of a filter ever takes out what is not symmetric; and the upper half need not be computed at all.
    """
    return jnp.where(np.tri(matrix.shape[0], dtype=bool), matrix, matrix.T)


def wide_product(
    left: Float[Array, "rows inner"], right: Float[Array, "inner columns"]
) -> Float[Array, "rows columns"]:
    """`left @ right` for a short inner axis and long rows, as a sum of outer products, one after the other.

    Here each term runs along whole rows, many numbers at a time, where the sums of `product` go number by number: 8
    against 90 µs for 100 x 9 x 100. The code grows with the inner axis: keep that below some forty.
    """
    terms = [left[:, k][:, None] * right[k][None, :] for k in range(left.shape[1])]
    return sum(terms[1:], terms[0])
