"""A measurement changes a Gaussian belief: the half that all Kalman-type estimators share."""

import equinox as eqx
import jax
import jax.numpy as jnp

from steelyard.estimators._belief import KalmanBelief, keep_finite
from steelyard.estimators._estimator import Innovation, Noise
from steelyard.estimators._linearise import linearise_observation
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import Status, after_update
from steelyard.geometry import retract
from steelyard.models import Measurement, Model


def update_belief(
    model: Model,
    noise: Noise,
    belief: KalmanBelief,
    measurement: Measurement,
    shadows: Shadows | None = None,
) -> tuple[KalmanBelief, Shadows]:
    """Linearise, correct, retract; and what that did to the errors that `shadows` follows.

    Where the result is not finite, belief and shadows stay as they were, and the innovation says that nothing came in.
    """
    shadows = shadows or Shadows.none(belief.covariance.shape[0])
    blind = (belief.status & int(Status.BLIND)) != 0
    observation = linearise_observation(model, noise, belief.state, belief.control, measurement, blind)
    correction = correct(belief.covariance, observation, shadows)
    after = KalmanBelief(
        retract(belief.state, correction.delta),
        correction.covariance,
        belief.control,
        correction.innovation,
        after_update(belief.status, observation.present),
    )
    silent = eqx.tree_at(lambda b: b.innovation, belief, Innovation.none(observation.residual.shape[0]))
    after = keep_finite(silent, after)
    return after, followed(after, correction.shadows, shadows)


def followed(after: KalmanBelief, shadows: Shadows, before: Shadows) -> Shadows:
    """The shadows after a step, or those before it where the belief was held or they are not finite themselves."""
    total = sum(jnp.sum(leaf) for leaf in jax.tree.leaves(shadows))
    fine = jnp.isfinite(total) & ((after.status & int(Status.HELD)) == 0)
    return jax.tree.map(lambda new, old: jnp.where(fine, new, old), shadows, before)
