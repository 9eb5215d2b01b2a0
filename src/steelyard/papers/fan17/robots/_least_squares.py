"""The load by recursive least squares with forgetting, each row weighted by its own covariance."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators import Guess, Noise, RecursiveLeastSquares
from steelyard.models import Model, Seconds
from steelyard.papers.fan17.robots._observations import Felt, load_observation, residual, rows_orthogonal_to
from steelyard.papers.fan17.robots._uncertainty import pseudo_covariance


class _WhiteRows(Model):
    """Ten constants, seen through rows that have been divided by their noise; the control is the rows."""

    def dynamics(self, state: Float[Array, "10"], control: Float[Array, "8 10"], dt: Seconds) -> Float[Array, "10"]:
        """They stay."""
        return state

    def observe(self, state: Float[Array, "10"], control: Float[Array, "8 10"]) -> Float[Array, "8"]:
        """H x."""
        return control @ state

    def idle(self, state: Float[Array, "10"]) -> Float[Array, "8 10"]:
        """No rows at all."""
        return jnp.zeros((8, 10))


def load_covariance(felt: Felt, load: Float[Array, "10"], P: Float[Array, "10 10"], Sigma: Float[Array, "15 15"]):
    """R_k (8, 8) of the rows of `load_observation`, block by block, for noise Σ of `felt` [fan17, Prop. 2].

    To first order in the noise of ω, which enters squared. The rows of the centre are those of the force, projected, so
    that a joint covariance of all eight would be singular: like the paper's model, this one counts those rows twice.
    """

    def G(x):
        return jax.jacfwd(lambda measured: residual(Felt.from_vector(measured), x))(felt.vector)

    covariance = pseudo_covariance(G, load, Sigma, P)
    turning, moving = covariance[:3, :3], covariance[3:, 3:]
    F_perp = rows_orthogonal_to(felt.force_total)
    return jax.scipy.linalg.block_diag(F_perp @ moving @ F_perp.T, turning, moving)


@jax.jit
def identify(
    load: Float[Array, "10"],
    P: Float[Array, "10 10"],
    felt: Float[Array, "15"],
    Sigma: Float[Array, "15 15"],
    forgetting: Float[Array, ""] | float,
) -> tuple[Float[Array, "10"], Float[Array, "10 10"]]:
    """Load (p_c, I_c, 1/m) and covariance after one more row of `Felt.vector` [fan17, Eq. (33)].

    `forgetting` is the paper's λ ≥ 1 a row, which multiplies P.
    """
    measured = Felt.from_vector(felt)
    observation = load_observation(measured)
    L = jnp.linalg.cholesky(load_covariance(measured, load, P, Sigma))
    white = jax.scipy.linalg.solve_triangular(L, jnp.column_stack([observation.H, observation.y]), lower=True)
    squares = RecursiveLeastSquares(_WhiteRows(), _UNIT, memory=1.0 / jnp.log(forgetting))
    belief = squares.init(Guess(load, jnp.zeros(10)))
    belief = type(belief)(load, P, belief.control, belief.innovation, belief.status, belief.outlier_rows)
    belief = squares.update(squares.predict(belief, white[:, :10], 1.0), white[:, 10])
    return belief.state, belief.covariance


_UNIT = Noise(jnp.ones(8), jnp.zeros(80), jnp.zeros(10), jnp.zeros(80))
