"""A square root of a covariance, as a loop: no LAPACK, so that a step can become C."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def square_root(covariance: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """The lower triangular `S` with `S @ S.T` the covariance, column by column.

    A pivot that is not positive makes a column of zeros: what is known exactly has no spread, and rounding may leave
    its variance a little below zero. Road not taken: the factors behind a physical inertia in `geometry`, root-free and
    unrolled for four rows; they divide by every pivot, and a dozen rows unrolled are long code.
    """
    n = covariance.shape[0]

    def column(A, k):
        pivot = A[k, k]
        scale = jnp.where(pivot > 0, 1.0 / jnp.sqrt(jnp.where(pivot > 0, pivot, 1.0)), 0.0)
        s = jnp.where(jnp.arange(n) >= k, A[:, k] * scale, 0.0)
        return A - jnp.outer(s, s), s

    _, columns = jax.lax.scan(column, covariance, jnp.arange(n))
    return columns.T
