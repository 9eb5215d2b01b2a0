"""A measurement changes a Gaussian belief: the half that all Kalman-type estimators share."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from steelyard.estimators._estimator import Innovation, Noise
from steelyard.estimators._gaussian_belief import KalmanBelief, keep_finite
from steelyard.estimators._linearise import linearise_observation
from steelyard.estimators._sequential import Correction, Shadows, correct
from steelyard.estimators._status import Status, after_update, flag
from steelyard.estimators._tuning import FILTERS
from steelyard.geometry import retract
from steelyard.models import Measurement, Model


def update_belief(
    model: Model,
    noise: Noise,
    belief: KalmanBelief,
    measurement: Measurement,
    shadows: Shadows | None = None,
    gate: float = jnp.inf,
    support: Int[np.ndarray, "meas few"] | None = None,
) -> tuple[KalmanBelief, Shadows]:
    """Linearise, correct, retract; and what that did to the errors that `shadows` follows.

    A scalar beyond `gate` standard deviations counts as an outlier, for some rows. Where the result is not finite,
    belief and shadows stay as they were, and the innovation is empty. `support` is as `correct` has it.
    """
    shadows = shadows or Shadows.none(belief.covariance.shape[0])
    blind = (belief.status & int(Status.BLIND)) != 0
    observation = linearise_observation(model, noise, belief.state, belief.control, measurement, blind)
    correction = correct(belief.covariance, observation, shadows, effective_gate(belief, gate), support)
    after = settle(belief, observation.present, correction)
    return after, followed(after, correction.shadows, shadows)


def effective_gate(belief: KalmanBelief, gate: float) -> Float[Array, ""]:
    """The gate, or infinity after too many consecutive rows with outliers."""
    return jnp.where(belief.outlier_rows >= FILTERS.most_outlier_rows, jnp.inf, gate)


def settle(belief: KalmanBelief, present: Bool[Array, " meas"], correction: Correction) -> KalmanBelief:
    """The belief with a correction taken in, or as it was, with nothing measured, where that is not finite."""
    after = KalmanBelief(
        retract(belief.state, correction.delta),
        correction.covariance,
        belief.control,
        correction.innovation,
        after_update(belief.status, present) | flag(correction.outlier, Status.OUTLIER),
        jnp.where(correction.outlier, belief.outlier_rows + 1, 0),
    )
    silent = eqx.tree_at(lambda b: b.innovation, belief, Innovation.none(present.shape[0]))
    return keep_finite(silent, after)


def followed(after: KalmanBelief, shadows: Shadows, before: Shadows) -> Shadows:
    """The shadows after a step, or those before it where the belief was held or they are not finite themselves."""
    total = sum(jnp.sum(leaf) for leaf in jax.tree.leaves(shadows))
    fine = jnp.isfinite(total) & ((after.status & int(Status.HELD)) == 0)
    return jax.tree.map(lambda new, old: jnp.where(fine, new, old), shadows, before)
