"""Sliding-window least squares: the last moments, and what led from one to the next, solved together."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from steelyard.errors import BadInput
from steelyard.estimators._estimator import Estimator, Guess, Innovation, Noise
from steelyard.estimators._gaussian_belief import Headed, KalmanBelief, start
from steelyard.estimators._linearise import Observation, fill_in, linearise_observation
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import Status, after_prediction, forwards
from steelyard.estimators._tuning import FILTERS
from steelyard.estimators._update import effective_gate, settle
from steelyard.estimators._window_solve import Moments, Prior, Window, slide, solve
from steelyard.geometry import differentiate, product, retract, tangent_size
from steelyard.models import Control, Increment, Measurement, Model, Numbers, Seconds, State


class Underway(eqx.Module):
    """What happened since the newest moment of the window."""

    increment: Increment
    covariance: Float[Numbers, "increment increment"]
    """[sesame, Eq. (20)]."""
    drift: Float[Numbers, " state"]
    """Variance of the random walk so far."""


class WindowBelief(Headed):
    """A Gaussian about now, the window that it follows from, and what happened since."""

    kalman: KalmanBelief
    """Its covariance is linearised at the estimate before the newest reading; the window's own, after it."""
    window: Window
    underway: Underway

    @property
    def head(self) -> KalmanBelief:
        """The newest moment of the window, carried forward over the rows that were silent since."""
        return self.kalman


class SlidingWindow(Estimator):
    """Sliding-window least squares, [sesame, Eqs. (18)-(23)], for any model.

    A row with a measurement is a moment of the window; rows without one only lengthen the increment that leads to the
    next (`Model.gather`), and cost no more than a prediction. The oldest moment, when it leaves, becomes part of the
    prior on what follows, so nothing is forgotten: on a linear model the answer is the Kalman filter's for any window.
    Elsewhere the window is linearised anew with every step, and a far start or a turn that was guessed wrong is mended
    while it is still in the window.

    Drift within a span counts at its end. A channel whose noise depends on the state through its input keeps the noise
    that it had when it was read.
    """

    model: Model
    noise: Noise
    window: int = eqx.field(static=True)
    """How many measured rows."""
    iterations: int = eqx.field(static=True, default=2)
    """Gauss-Newton steps a measured row."""
    loss: float = 4.0
    """Huber's threshold, in standard deviations of a scalar reading from the state that the window has found: beyond
    it, a reading pulls as hard as it would there, and no harder. White noise is there once in 16000; infinity switches
    it off."""

    def __check_init__(self):
        if self.window < 1 or self.iterations < 1:
            raise BadInput(
                f"A window of {self.window} rows and {self.iterations} iterations finds nothing; "
                "give at least one of each."
            )

    def init(self, guess: Guess) -> WindowBelief:
        """A diagonal covariance around the guess, and a window of moments in which nothing happened or was read."""
        head = start(self.model, guess)
        state, control, n = head.state, head.control, head.covariance.shape[0]
        none = self._underway(state)
        read = self.model.observe(state, control)
        m, slip = head.innovation.value.shape[0], jnp.zeros(none.covariance.shape[0])
        moment = Moments(
            none.increment, none.covariance, none.drift, control, read, jnp.zeros(m), state, slip, jnp.zeros(n)
        )
        moments = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (self.window, *jnp.shape(leaf))), moment)
        prior = Prior(state, jnp.zeros(n), head.covariance)
        return WindowBelief(head, Window(prior, jnp.zeros(n), moments, head.covariance), none)

    def predict(self, belief: WindowBelief, control: Control, dt: Seconds) -> WindowBelief:
        """[sesame, Eqs. (19)-(20)], and where that leads from the newest moment."""
        head, window, before = belief.head, belief.window, belief.underway
        h = forwards(dt)
        u, missing = fill_in(control, self.model.idle(head.state))
        increment, jacobian = differentiate(lambda i, u: self.model.gather(i, u, h), before.increment, u)
        size = before.covariance.shape[0]
        A, B = jacobian[:, :size], jacobian[:, size:]
        u_variance = jnp.where(missing, self.noise.blind, self.noise.control) ** 2
        Q = product(product(A, before.covariance), A.T) + product(B * u_variance[None, :], B.T)
        now = Underway(increment, 0.5 * (Q + Q.T), before.drift + self.noise.drift**2 * h)

        state, jacobian = differentiate(self.model.travel, window.newest, increment)
        n = tangent_size(state)
        F, G = jacobian[:, :n], jacobian[:, n:]
        P = product(product(F, window.covariance), F.T) + product(product(G, now.covariance), G.T) + jnp.diag(now.drift)
        P = 0.5 * (P + P.T)
        status = after_prediction(missing, dt)
        after = KalmanBelief(state, P, u, head.innovation, status, head.outlier_rows)
        held = eqx.tree_at(lambda b: b.head.status, belief, status | int(Status.HELD))
        return _choose(_finite((state, P, now)), WindowBelief(after, window, now), held)

    def update(self, belief: WindowBelief, measurement: Measurement) -> WindowBelief:
        """[sesame, Eq. (21)]; where every channel is silent, or the answer is not finite, the window stays."""
        head, observation = belief.head, self._observation(belief, measurement)
        gate = effective_gate(head, FILTERS.window_outlier_factor * self.loss)
        correction = correct(head.covariance, observation, Shadows.none(head.covariance.shape[0]), gate)
        after = settle(head, observation.present, correction)
        heard = jnp.any(observation.present) & ((after.status & int(Status.HELD)) == 0)

        def solved(window: Window) -> Window:
            window = slide(self.model, window, self._moment(belief, observation), self.loss)
            return solve(self.model, window, self.loss, self.iterations)

        window = jax.lax.cond(heard, solved, lambda window: window, belief.window)
        taken = WindowBelief(after, window, self._underway(head.state))
        taken = eqx.tree_at(lambda b: b.head.state, taken, window.newest)
        silent = eqx.tree_at(lambda b: b.head, belief, after)
        nothing = Innovation.none(observation.present.shape[0])
        held = eqx.tree_at(
            lambda b: (b.head.innovation, b.head.status), belief, (nothing, after.status | int(Status.HELD))
        )
        return _choose(heard, _choose(_finite(window), taken, held), silent)

    def unsolved(self, belief: WindowBelief, measurement: Measurement) -> Window:
        """The window with a measurement in it that its answer knows nothing of yet, for other solvers to try."""
        moment = self._moment(belief, self._observation(belief, measurement))
        return slide(self.model, belief.window, moment, self.loss)

    def _observation(self, belief: WindowBelief, measurement: Measurement) -> Observation:
        head = belief.head
        blind = (head.status & int(Status.BLIND)) != 0
        return linearise_observation(self.model, self.noise, head.state, head.control, measurement, blind)

    def _moment(self, belief: WindowBelief, observation: Observation) -> Moments:
        head, way = belief.head, belief.underway
        # What was read, and for a silent channel what was expected: a number, whatever was wrong with it.
        read = retract(self.model.observe(head.state, head.control), observation.residual)
        precision = jnp.where(observation.present, 1.0 / observation.R, 0.0)
        slip, walk = jnp.zeros(way.covariance.shape[0]), jnp.zeros_like(way.drift)
        return Moments(way.increment, way.covariance, way.drift, head.control, read, precision, head.state, slip, walk)

    def _underway(self, state: State) -> Underway:
        increment = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), self.model.begin(state))
        size = tangent_size(increment)
        return Underway(increment, jnp.zeros((size, size)), jnp.zeros(tangent_size(state)))


def _finite(tree) -> Bool[Array, ""]:
    """Whether all of it is; a sum is, exactly when every term is, but for overflow."""
    return jnp.isfinite(sum(jnp.sum(leaf) for leaf in jax.tree.leaves(tree)))


def _choose(condition: Bool[Array, ""], one: WindowBelief, other: WindowBelief) -> WindowBelief:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)
