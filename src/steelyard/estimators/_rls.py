"""Recursive least squares with forgetting."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators._estimator import Estimator, Guess, Noise
from steelyard.estimators._gaussian_belief import KalmanBelief, keep_finite, start
from steelyard.estimators._linearise import fill_in
from steelyard.estimators._status import after_prediction, forwards
from steelyard.estimators._update import update_belief
from steelyard.models import Control, Measurement, Model, Seconds


class RecursiveLeastSquares(Estimator):
    """Weighted least squares over the past, old data fading by a factor e every `memory` seconds.

    For models whose state is parameters only and whose observation is linear in them: then the belief is exactly the
    batch solution with weights `exp(-age / memory)`. This is [fan17, Eq. (33)] with a factor on the covariance that
    goes with time and not with the count of samples, so that uneven sampling does not change what is remembered. Where
    an input is missing the row is not used: a regressor that is not known cannot be regressed on.
    """

    model: Model
    noise: Noise
    """Only `measurement` is used: the weights."""
    memory: Float[Array, ""] | float = jnp.inf
    """s."""
    gate: float = jnp.inf
    """Standard deviations beyond which a reading is an outlier; without one, every reading counts in full."""

    def init(self, guess: Guess) -> KalmanBelief:
        """A diagonal covariance around the guess."""
        return start(self.model, guess)

    def predict(self, belief: KalmanBelief, control: Control, dt: Seconds) -> KalmanBelief:
        """Parameters stay; what is known of them fades."""
        u, missing = fill_in(control, self.model.idle(belief.state))
        fading = jnp.exp(forwards(dt) / self.memory)
        status = after_prediction(missing, dt)
        after = KalmanBelief(
            belief.state, fading * belief.covariance, u, belief.innovation, status, belief.outlier_rows
        )
        return keep_finite(belief, after)

    def update(self, belief: KalmanBelief, measurement: Measurement) -> KalmanBelief:
        """[fan17, Eq. (33)], with x and not x_k in its residual, one scalar at a time."""
        weights = eqx.tree_at(lambda noise: noise.control, self.noise, jnp.zeros_like(self.noise.control))
        return update_belief(self.model, weights, belief, measurement, gate=self.gate)[0]
