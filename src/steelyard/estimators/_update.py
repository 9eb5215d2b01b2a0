"""A measurement changes a Gaussian belief: the half that all Kalman-type estimators share."""

import equinox as eqx
from jaxtyping import Array, Bool

from steelyard.estimators._belief import KalmanBelief, keep_finite
from steelyard.estimators._estimator import Noise
from steelyard.estimators._linearise import linearise_observation
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import after_update
from steelyard.geometry import retract
from steelyard.models import Measurement, Model


def update_belief(
    model: Model,
    noise: Noise,
    belief: KalmanBelief,
    measurement: Measurement,
    shadows: Shadows | None = None,
    usable: Bool[Array, ""] | bool = True,
) -> tuple[KalmanBelief, Shadows]:
    """Linearise, correct, retract; and what that did to the errors that `shadows` follows.

    A measurement that is not `usable` counts as silent.
    """
    observation = linearise_observation(model, noise, belief.state, belief.control, measurement)
    observation = eqx.tree_at(lambda o: o.present, observation, observation.present & usable)
    correction = correct(belief.covariance, observation, shadows or Shadows.none(belief.covariance.shape[0]))
    after = KalmanBelief(
        retract(belief.state, correction.delta),
        correction.covariance,
        belief.control,
        correction.innovation,
        after_update(belief.status, observation.present),
    )
    return keep_finite(belief, after), correction.shadows
