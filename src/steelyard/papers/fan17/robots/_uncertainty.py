"""Covariance of a pseudo-observation: noise times an unknown that is itself uncertain."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def pseudo_covariance(
    G: Callable[[Float[Array, " l"]], Float[Array, "n m"]],
    x: Float[Array, " l"],
    Sigma_b: Float[Array, "m m"],
    Sigma_x: Float[Array, "l l"],
) -> Float[Array, "n n"]:
    """Of G(x) b, with G affine, b of mean zero and x independent: G Σ_b Gᵀ + N (Σ_b ⊗ Σ_x) Nᵀ [fan17, Prop. 2].

    The paper's c is a part of b whose columns of G do not depend on x.
    """
    parts = jax.jacfwd(G)(x)  # parts[:, i, :] is the paper's G_i, side by side its N
    through = jnp.einsum("nil,lk->nik", parts, Sigma_x)
    return G(x) @ Sigma_b @ G(x).T + jnp.einsum("nik,ij,mjk->nm", through, Sigma_b, parts)
