"""The extended Kalman filter on manifolds, in error-state form."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators._estimator import Estimator, Guess, Noise
from steelyard.estimators._gaussian_belief import KalmanBelief, keep_finite, start
from steelyard.estimators._linearise import Transition, linearise_dynamics
from steelyard.estimators._status import after_prediction
from steelyard.estimators._update import update_belief
from steelyard.geometry import mirrored, product, wide_product
from steelyard.models import Control, Measurement, Model, Seconds


class ExtendedKalman(Estimator):
    """Error-state extended Kalman filter, [sesame, Eqs. (3)-(8)], for any model.

    The error lives in the tangent space at the estimate; attitude, mass and everything else are corrected by
    `retract`. Its reset leaves the covariance's axes where they were: at the corrections of a running filter (a
    hundredth of a radian) the transport would change it by less than a hundredth.
    """

    model: Model
    noise: Noise
    gate: float = 8.0
    """Standard deviations beyond which a scalar reading is an outlier: it moves the state the less, the further it is
    off. Gaussian noise is that far off once in 10^15; a glitch does not ruin the belief."""
    constants: int = eqx.field(static=True, default=0)
    """How many of the state's last coordinates no dynamics ever moves; a prediction need not multiply those out."""

    def init(self, guess: Guess) -> KalmanBelief:
        """A diagonal covariance around the guess."""
        return start(self.model, guess)

    def predict(self, belief: KalmanBelief, control: Control, dt: Seconds) -> KalmanBelief:
        """[sesame, Eqs. (3)-(6)]."""
        return self.predict_with(belief, control, dt)[0]

    def predict_with(self, belief: KalmanBelief, control: Control, dt: Seconds) -> tuple[KalmanBelief, Transition]:
        """The prediction and the linearisation behind it, for those who follow errors through it."""
        transition = linearise_dynamics(self.model, self.noise, belief.state, control, dt)
        P = mirrored(_carried(transition.F, belief.covariance, self.constants) + transition.Q)
        status = after_prediction(transition.missing, dt)
        after = KalmanBelief(transition.state, P, transition.control, belief.innovation, status, belief.outlier_rows)
        return keep_finite(belief, after), transition

    def update(self, belief: KalmanBelief, measurement: Measurement) -> KalmanBelief:
        """[sesame, Eq. (7)], one scalar at a time."""
        return update_belief(self.model, self.noise, belief, measurement, gate=self.gate)[0]


def _carried(
    F: Float[Array, "state state"], P: Float[Array, "state state"], constants: int
) -> Float[Array, "state state"]:
    """`F P Fᵀ`, the last rows of F being those of the identity."""
    if not constants:
        return product(product(F, P), F.T)
    moving = F.shape[0] - constants
    above = wide_product(F[:moving], P)
    corner, side = wide_product(above, F[:moving].T), above[:, moving:]
    return jnp.block([[corner, side], [side.T, P[moving:, moving:]]])
