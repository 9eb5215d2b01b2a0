"""A measurement taken in one scalar at a time: no matrix is ever inverted."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from steelyard.estimators._estimator import Innovation
from steelyard.estimators._linearise import Observation
from steelyard.geometry import product


class Shadows(eqx.Module):
    """Errors that would be there if something had happened, followed through the filter as columns.

    Column k of `columns` is what a unit event k would have done to the estimation error by now; `score` and
    `information` are the gradient and the curvature of the innovations' log-likelihood in the size of event k.
    """

    columns: Float[Array, "state event"]
    score: Float[Array, " event"]
    information: Float[Array, " event"]

    @staticmethod
    def none(state_size: int, events: int = 0) -> "Shadows":
        """Nothing happened."""
        return Shadows(jnp.zeros((state_size, events)), jnp.zeros(events), jnp.zeros(events))


class Correction(eqx.Module):
    """What a measurement did."""

    delta: Float[Array, " state"]
    """The correction of the state, in tangent coordinates."""
    covariance: Float[Array, "state state"]
    innovation: Innovation
    shadows: Shadows
    seen: Float[Array, "meas event"]
    """How each channel saw the shadows' columns at its turn, in its own standard deviations; zero where silent."""
    outlier: Bool[Array, ""]
    """Whether some channel was further off than the gate."""


def correct(
    covariance: Float[Array, "state state"],
    observation: Observation,
    shadows: Shadows,
    gate: Float[Array, ""] | float = jnp.inf,
    support: Int[np.ndarray, "meas few"] | None = None,
) -> Correction:
    """The update of [sesame, Eq. (7)] for independent channels, as a sequence of scalar updates.

    Equal to the joint update with a diagonal `R`, cheaper, and symmetric by construction: each scalar subtracts
    `P h hᵀ P / s`. Roads not taken: the Joseph form of the paper costs three products of matrices, and a Cholesky
    solve calls LAPACK, which cannot become C (see docs/DECISIONS.md).

    A scalar that is further off than `gate` standard deviations counts as that much noisier: the further off it is, the
    less it moves the state. Below the gate nothing changes.

    Where each channel sees a few coordinates only, `support` names them, all different: what is zero in `H` anyway need
    not be multiplied out.
    """
    if support is not None:
        observation = eqx.tree_at(lambda o: o.H, observation, jnp.take_along_axis(observation.H, support, axis=1))

    precision = 1.0 / jnp.square(gate)

    def take_in(so_far, channel_and_place):
        P, delta, D, score, information = so_far
        channel, place = channel_and_place
        h = channel.H

        def seen_of(values: Array) -> Array:
            """`hᵀ values`, a row a coordinate."""
            if place is None:
                return product(values.T, h) if values.ndim > 1 else jnp.sum(h * values)
            terms = [h[k] * values[place[k]] for k in range(h.shape[0])]
            return sum(terms[1:], terms[0])

        Ph = seen_of(P)  # by rows, which lie together
        s = seen_of(Ph) + channel.R
        innovation = channel.residual - seen_of(delta)
        least = innovation**2 * precision  # with this variance it is just as far off as the gate
        outlying = least > s
        s = jnp.maximum(s, least)
        weight = jnp.where(channel.present, 1.0 / s, 0.0)
        gain = weight * Ph
        hD = seen_of(D)
        so_far = (
            P - weight * jnp.outer(Ph, Ph),  # not outer(gain, Ph): that is symmetric but for its rounding, which grows
            delta + gain * innovation,
            D - jnp.outer(gain, hD),
            score + weight * innovation * hD,
            information + weight * hD**2,
        )
        value = jnp.where(channel.present, innovation, jnp.nan)
        return so_far, (value, s, jnp.sqrt(weight) * hD, channel.present & outlying)

    begin = (covariance, jnp.zeros(covariance.shape[0]), shadows.columns, shadows.score, shadows.information)
    (P, delta, *followed), (value, variance, seen, outlier) = jax.lax.scan(take_in, begin, (observation, support))
    return Correction(delta, P, Innovation(value, variance), Shadows(*followed), seen, jnp.any(outlier))
