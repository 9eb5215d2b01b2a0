"""Evidence for a jump: by how much likelier the data are if a parameter has changed since some moment.

Linearised, the log-likelihood of whitened innovations as a function of a jump's size d is `dᵀ s - ½ dᵀ J d`: s is the
score and J the information of the rows since the onset. With a Gaussian prior of precision L on the size,

    size = (J + L)⁻¹ s,    Bayes factor: ln r = ½ sᵀ (J + L)⁻¹ s - ½ ln (det(J + L) / det L).

Without the determinants it is the generalised likelihood ratio, that of the likeliest size. It needs no true prior (L
only keeps the matrix invertible), and a higher threshold: under no jump, 2 ln r is chi-squared with as many degrees of
freedom as the jump has coordinates. Where other unknowns are fitted to the same rows, `eliminate` takes away what they
can explain before the ratio is asked for.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from steelyard.models import Numbers


class JumpEvidence(NamedTuple):
    """Of candidates along the leading axis, for jumps of one coordinate each."""

    log_ratio: Float[Numbers, " event"]
    """Bayes factor, natural logarithm."""
    size: Float[Numbers, " event"]
    precision: Float[Numbers, " event"]
    """One over the variance of the size."""


class VectorJumpEvidence(NamedTuple):
    """Of candidates along the leading axes, for jumps of several coordinates."""

    log_ratio: Float[np.ndarray, "*event"]
    """Natural logarithm; of the Bayes factor or of the generalised likelihood ratio."""
    size: Float[np.ndarray, "*event coordinate"]


class JumpScore(NamedTuple):
    """The log-likelihood of a jump to second order."""

    score: Float[np.ndarray, "*event coordinate"]
    information: Float[np.ndarray, "*event coordinate coordinate"]


def jump_evidence(
    score: Float[Numbers, " event"], information: Float[Numbers, " event"], prior: Float[Numbers, "*event"]
) -> JumpEvidence:
    """Of jumps of one coordinate each, in JAX: elementwise, so that a step that asks can become C."""
    precision = information + prior
    size = score / precision
    return JumpEvidence(0.5 * score * size - 0.5 * jnp.log(precision / prior), size, precision)


def vector_jump_evidence(jump: JumpScore, prior: Float[np.ndarray, " coordinate"]) -> VectorJumpEvidence:
    """The Bayes factor of jumps of several coordinates; `prior` is the precision of the size in each."""
    posterior = jump.information + np.diag(prior)
    size = np.linalg.solve(posterior, jump.score[..., None])[..., 0]
    growth = np.linalg.slogdet(posterior)[1] - np.sum(np.log(prior))
    return VectorJumpEvidence(0.5 * np.sum(jump.score * size, axis=-1) - 0.5 * growth, size)


def generalised_ratio(jump: JumpScore, prior: Float[np.ndarray, " coordinate"]) -> VectorJumpEvidence:
    """The likelihood ratio of the likeliest size."""
    size = np.linalg.solve(jump.information + np.diag(prior), jump.score[..., None])[..., 0]
    return VectorJumpEvidence(0.5 * np.sum(jump.score * size, axis=-1), size)


def eliminate(
    jump: JumpScore,
    cross: Float[np.ndarray, "*event coordinate param"],
    step: Float[np.ndarray, " param"],
    precision: Float[np.ndarray, "param param"],
) -> JumpScore:
    """What is left of a jump's score and information when the other unknowns are fitted anew for each size.

    `cross` is the information between jump and other unknowns, `precision` that of the others alone, and `step` is
    where they go without a jump: `precision⁻¹` times their score.
    """
    explained = np.linalg.solve(precision, np.moveaxis(cross, -1, 0).reshape(len(step), -1))
    explained = np.moveaxis(explained.reshape(len(step), *cross.shape[:-1]), 0, -1)
    information = jump.information - cross @ np.swapaxes(explained, -1, -2)
    information = 0.5 * (information + np.swapaxes(information, -1, -2))
    return JumpScore(jump.score - cross @ step, information)
