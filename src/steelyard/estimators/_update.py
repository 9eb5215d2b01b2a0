"""A measurement changes a Gaussian belief: the half that all Kalman-type estimators share."""

import equinox as eqx
import jax
import jax.numpy as jnp

from steelyard.estimators._belief import KalmanBelief, keep_finite
from steelyard.estimators._estimator import Innovation, Noise
from steelyard.estimators._linearise import linearise_observation
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import Status, after_update, flag
from steelyard.geometry import retract
from steelyard.models import Measurement, Model

PATIENCE = 5
"""Rows in a row for which readings may be doubted; after that it is the belief that must be wrong, and it gives in."""


def update_belief(
    model: Model,
    noise: Noise,
    belief: KalmanBelief,
    measurement: Measurement,
    shadows: Shadows | None = None,
    gate: float = jnp.inf,
) -> tuple[KalmanBelief, Shadows]:
    """Linearise, correct, retract; and what that did to the errors that `shadows` follows.

    A scalar beyond `gate` standard deviations is doubted, for some rows. Where the result is not finite, belief and
    shadows stay as they were, and the innovation says that nothing came in.
    """
    shadows = shadows or Shadows.none(belief.covariance.shape[0])
    blind = (belief.status & int(Status.BLIND)) != 0
    observation = linearise_observation(model, noise, belief.state, belief.control, measurement, blind)
    trusting = belief.doubts >= PATIENCE
    correction = correct(belief.covariance, observation, shadows, jnp.where(trusting, jnp.inf, gate))
    after = KalmanBelief(
        retract(belief.state, correction.delta),
        correction.covariance,
        belief.control,
        correction.innovation,
        after_update(belief.status, observation.present) | flag(correction.absurd, Status.DOUBTED),
        jnp.where(correction.absurd, belief.doubts + 1, 0),
    )
    silent = eqx.tree_at(lambda b: b.innovation, belief, Innovation.none(observation.residual.shape[0]))
    after = keep_finite(silent, after)
    return after, followed(after, correction.shadows, shadows)


def followed(after: KalmanBelief, shadows: Shadows, before: Shadows) -> Shadows:
    """The shadows after a step, or those before it where the belief was held or they are not finite themselves."""
    total = sum(jnp.sum(leaf) for leaf in jax.tree.leaves(shadows))
    fine = jnp.isfinite(total) & ((after.status & int(Status.HELD)) == 0)
    return jax.tree.map(lambda new, old: jnp.where(fine, new, old), shadows, before)
