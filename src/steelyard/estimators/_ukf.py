"""The unscented Kalman filter on manifolds: a belief carried by points, without a derivative."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from steelyard.estimators._cholesky import square_root
from steelyard.estimators._estimator import Estimator, Guess, Noise
from steelyard.estimators._gaussian_belief import KalmanBelief, keep_finite, start
from steelyard.estimators._linearise import Observation, fill_in
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import Status, after_prediction, forwards
from steelyard.estimators._update import effective_gate, settle
from steelyard.geometry import local, product, retract
from steelyard.models import Control, Measurement, Model, Seconds

GAMMA = 3.0**0.5
"""How many standard deviations out the points lie, on each axis: so they have a Gaussian's fourth moment."""


class UnscentedKalman(Estimator):
    """Unscented Kalman filter, [sesame, Eqs. (15)-(17)], for any model; it needs no derivatives.

    Two points on each axis of the state and of the inputs, so that the noise of an input goes through the model as the
    state does and is not frozen into a `Q`; only the drift is added. Their weights are those of the paper, which give
    the centre `1 - axes / gamma²`: negative beyond three axes, and then its covariance need not be one. So we leave out
    of it the products of the curvatures along different axes: with one axis nothing changes, with many the covariance
    is a sum of squares, and on a linear model it is the Kalman filter's. Road not taken: points at `sqrt(axes)`
    standard deviations, without a centre; with a dozen axes they ask the model about states that are never met.

    A mean on a manifold is one step away from the centre's image, in whose tangent space the points are averaged. As in
    the extended filter, the covariance's axes stay where they were. A rotation must be known to better than 1 rad.
    """

    model: Model
    noise: Noise
    gate: float = 8.0
    """Standard deviations beyond which a scalar reading is an outlier, as in `ExtendedKalman`."""

    def init(self, guess: Guess) -> KalmanBelief:
        """A diagonal covariance around the guess."""
        return start(self.model, guess)

    def predict(self, belief: KalmanBelief, control: Control, dt: Seconds) -> KalmanBelief:
        """[sesame, Eqs. (15)-(16)]."""
        state, h = belief.state, forwards(dt)
        u, missing = fill_in(control, self.model.idle(state))
        centre = self.model.dynamics(state, u, h)
        u_std = jnp.where(missing, self.noise.blind, self.noise.control)
        by_state = _images(lambda x: self.model.dynamics(x, u, h), state, centre, square_root(belief.covariance))
        by_input = _images(lambda v: self.model.dynamics(state, v, h), u, centre, jnp.diag(u_std))
        A = jnp.concatenate([by_state.linear, by_input.linear, by_state.curvature, by_input.curvature], axis=1)
        P = product(A, A.T) + jnp.diag(self.noise.drift**2 * h)
        P = 0.5 * (P + P.T)
        mean = retract(centre, by_state.shift + by_input.shift)
        after = KalmanBelief(mean, P, u, belief.innovation, after_prediction(missing, dt), belief.outlier_rows)
        return keep_finite(belief, after)

    def update(self, belief: KalmanBelief, measurement: Measurement) -> KalmanBelief:
        """[sesame, Eq. (17)], one scalar at a time, in coordinates in which the covariance is the identity.

        There the measurement's derivatives along the axes are its `H`, and no covariance has to be inverted to find it.
        What they do not explain, the curvature, is noise of each channel; that it is common to some is left out.
        """
        S = square_root(belief.covariance)
        blind = (belief.status & int(Status.BLIND)) != 0
        observation = self._observation(belief, S, measurement, blind)
        white = jnp.eye(S.shape[0])
        correction = correct(white, observation, Shadows.none(S.shape[0]), effective_gate(belief, self.gate))
        P = product(product(S, correction.covariance), S.T)
        correction = eqx.tree_at(
            lambda c: (c.delta, c.covariance), correction, (product(S, correction.delta), 0.5 * (P + P.T))
        )
        return settle(belief, observation.present, correction)

    def _observation(
        self, belief: KalmanBelief, S: Float[Array, "state state"], measurement: Measurement, blind: Bool[Array, ""]
    ) -> Observation:
        """What `linearise_observation` finds by derivatives, silent and blind channels included."""
        state, u = belief.state, belief.control
        centre = self.model.observe(state, u)
        by_state = _images(lambda x: self.model.observe(x, u), state, centre, S)
        by_input = _images(lambda v: self.model.observe(state, v), u, centre, jnp.diag(self.noise.control))
        known = jax.tree.map(lambda leaf: jnp.where(blind, jnp.nan, leaf), u)
        expected = retract(self.model.observe(state, known), by_state.shift + by_input.shift)
        residual = local(expected, measurement)
        present = ~jnp.isnan(residual)
        unexplained = jnp.concatenate([by_state.curvature, by_input.linear, by_input.curvature], axis=1)
        R = self.noise.measurement**2 + jnp.sum(unexplained**2, axis=1)
        return Observation(jnp.where(present, residual, 0.0), by_state.linear, R, present)


class _Images(eqx.Module):
    """What a function makes of pairs of points, in the tangent space at the image of their centre."""

    shift: Float[Array, " image"]
    """From the image of the centre to the mean."""
    linear: Float[Array, "image axis"]
    """How the image moves in one standard deviation along each axis."""
    curvature: Float[Array, "image axis"]
    """Standard deviation of what is left when the linear part is taken away."""


def _images(function: Callable, point: Any, centre: Any, axes: Float[Array, "tangent axis"]) -> _Images:
    """Points at `gamma` standard deviations either side of `point`; `centre` is the image of `point` itself.

    They go through the function one after the other, in a loop that is compiled whole. Road not taken: all at once by
    `vmap`, which asks for a list of operations on narrow arrays: a replay is a fifth slower so, and its code longer.
    """

    def image(axis):
        return local(centre, function(retract(point, axis)))

    both = GAMMA * jnp.concatenate([axes, -axes], axis=1)
    ahead, behind = jnp.split(jax.lax.map(image, both.T).T, 2, axis=1)
    bend = (ahead + behind) / (2 * GAMMA**2)
    return _Images(jnp.sum(bend, axis=1), (ahead - behind) / (2 * GAMMA), (GAMMA**2 - 1) ** 0.5 * bend)
