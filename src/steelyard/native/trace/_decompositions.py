"""Primitives that are algorithms, as JAX programs without LAPACK: what they trace to becomes C like everything else."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def _cholesky(matrix: Float[Array, "*batch n n"], **_: Any) -> Float[Array, "*batch n n"]:
    """The lower factor, column by column; NaN from a pivot on that is not positive."""
    n = matrix.shape[-1]

    def factor(A):
        def column(A, k):
            s = jnp.where(jnp.arange(n) >= k, A[:, k], 0.0) / jnp.sqrt(A[k, k])
            return A - s[:, None] * s[None, :], s

        return jax.lax.scan(column, A, jnp.arange(n))[1].T

    return _batched(factor, matrix.ndim - 2)(matrix)


def _triangular_solve(
    a: Float[Array, "*batch n n"],
    b: Float[Array, "*batch rows columns"],
    *,
    left_side: bool,
    lower: bool,
    transpose_a: bool,
    unit_diagonal: bool,
    **_: Any,
) -> Float[Array, "*batch rows columns"]:
    """Substitution, row by row."""
    n = a.shape[-1]

    def solve(A, B):
        A = A.T if transpose_a != (not left_side) else A
        rows = jnp.arange(n) if lower != (transpose_a != (not left_side)) else jnp.arange(n)[::-1]

        def row(X, k):
            known = jnp.sum(jnp.where(jnp.arange(n) == k, 0.0, A[k])[:, None] * X, axis=0)
            x = right[k] - known
            x = x if unit_diagonal else x / A[k, k]
            return jnp.where((jnp.arange(n) == k)[:, None], x[None], X), None

        right = B if left_side else B.T
        X, _ = jax.lax.scan(row, jnp.zeros_like(right), rows)
        return X if left_side else X.T

    return _batched(solve, a.ndim - 2)(a, b)


def _batched(function: Any, axes: int) -> Any:
    for _ in range(axes):
        function = jax.vmap(function)
    return function


DECOMPOSITIONS = {"cholesky": _cholesky, "triangular_solve": _triangular_solve}
