"""The small factorisation behind every physical inertia, unrolled: no LAPACK, so that it also becomes plain C."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float


class UpperFactors(NamedTuple):
    """A symmetric matrix as `upper @ diag(pivots) @ upper.T`, `upper` triangular with ones on its diagonal."""

    upper: Float[Array, "n n"]
    pivots: Float[Array, " n"]


def upper_factors(matrix: Float[Array, "n n"]) -> UpperFactors:
    """Factors a symmetric matrix from its last row up; it is positive definite exactly if every pivot is positive.

    Root-free, so that an indefinite matrix gives pivots to look at rather than NaN. With the mass last in a
    pseudo-inertia, the first step splits off mass and centre, and what remains is about the centre of mass.
    """
    n = matrix.shape[0]
    columns, pivots = [], []
    A = matrix
    for k in reversed(range(1, n)):
        d = A[k, k]
        u = A[:k, k] / d
        A = A[:k, :k] - d * (u[:, None] * u[None, :])
        columns.append(jnp.concatenate([u, jnp.eye(n)[k:, k]]))
        pivots.append(d)
    columns.append(jnp.eye(n)[:, 0])
    pivots.append(A[0, 0])
    return UpperFactors(jnp.stack(columns[::-1], axis=1), jnp.stack(pivots[::-1]))
