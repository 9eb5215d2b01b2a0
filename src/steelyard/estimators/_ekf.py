"""The extended Kalman filter on manifolds, in error-state form."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from steelyard.estimators._estimator import Estimator, Guess, Innovation, Noise, measurement_size
from steelyard.estimators._linearise import Transition, linearise_dynamics, linearise_observation
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import Status
from steelyard.geometry import retract
from steelyard.models import Control, Measurement, Model, Seconds, State


class KalmanBelief(eqx.Module):
    """A Gaussian on a manifold, and how it came about."""

    state: State
    """Its mean."""
    covariance: Float[Array, "state state"]
    """In the tangent coordinates at the mean."""
    control: Control
    """The control of the last prediction."""
    innovation: Innovation
    """Of the last update."""
    status: Int[Array, ""]
    """`Status` flags of the last step."""

    @property
    def std(self) -> Float[Array, "state"]:
        """Standard deviation of each tangent coordinate."""
        return jnp.sqrt(jnp.diag(self.covariance))


class ExtendedKalman(Estimator):
    """Error-state extended Kalman filter, [sesame, Eqs. (3)-(8)], for any model.

    The error lives in the tangent space at the estimate; attitude, mass and everything else are corrected by
    `retract`. Its reset leaves the covariance's axes where they were: at the corrections of a running filter (a
    hundredth of a radian) the transport would change it by less than a hundredth.
    """

    model: Model
    noise: Noise

    def init(self, guess: Guess) -> KalmanBelief:
        """A diagonal covariance around the guess."""
        control = self.model.idle(guess.state)
        size = measurement_size(self.model, guess.state, control)
        return KalmanBelief(
            guess.state, jnp.diag(guess.std**2), control, Innovation.none(size), jnp.asarray(int(Status.OK))
        )

    def predict(self, belief: KalmanBelief, control: Control, dt: Seconds) -> KalmanBelief:
        """[sesame, Eqs. (3)-(6)]."""
        return self.predict_with(belief, control, dt)[0]

    def predict_with(self, belief: KalmanBelief, control: Control, dt: Seconds) -> tuple[KalmanBelief, Transition]:
        """The prediction and the linearisation behind it, for those who follow errors through it."""
        forwards = dt >= 0  # false for NaN, too
        dt = jnp.where(forwards, dt, 0.0)
        transition = linearise_dynamics(self.model, self.noise, belief.state, control, dt)
        P = transition.F @ belief.covariance @ transition.F.T + transition.Q
        status = jnp.where(jnp.any(transition.missing > 0), int(Status.BLIND), int(Status.OK))
        status = status | jnp.where(forwards, int(Status.OK), int(Status.BACKWARDS))
        after = KalmanBelief(transition.state, P, transition.control, belief.innovation, status)
        return keep_finite(belief, after), transition

    def update(self, belief: KalmanBelief, measurement: Measurement) -> KalmanBelief:
        """[sesame, Eq. (7)], one scalar at a time."""
        return self.update_with(belief, measurement, None)[0]

    def update_with(
        self, belief: KalmanBelief, measurement: Measurement, shadows: Shadows | None
    ) -> tuple[KalmanBelief, Shadows]:
        """The update, and what it did to the errors that `shadows` follows."""
        observation = linearise_observation(self.model, self.noise, belief.state, belief.control, measurement)
        correction = correct(belief.covariance, observation, shadows)
        heard = jnp.sum(observation.present)
        status = jnp.where(heard == 0, int(Status.COASTED), int(Status.PARTIAL))
        status = belief.status | jnp.where(heard == observation.present.size, int(Status.OK), status)
        after = KalmanBelief(
            retract(belief.state, correction.delta), correction.covariance, belief.control, correction.innovation, status
        )
        return keep_finite(belief, after), correction.shadows


def keep_finite(before: KalmanBelief, after: KalmanBelief) -> KalmanBelief:
    """`after` if all of it is finite, else `before` with the status that says so."""
    checksum = sum(jnp.sum(leaf) for leaf in jax_leaves((after.state, after.covariance)))
    good = jnp.isfinite(checksum)
    kept = eqx.tree_at(lambda b: b.status, before, after.status | int(Status.HELD))
    return tree_where(good, after, kept)


def jax_leaves(tree):
    import jax

    return jax.tree.leaves(tree)


def tree_where(condition, yes, no):
    import jax

    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)
