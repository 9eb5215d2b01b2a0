"""The multi-state Kalman filter: a belief about now, and about the last few moments."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from steelyard.estimators._estimator import Estimator, Guess, Noise
from steelyard.estimators._gaussian_belief import Headed, KalmanBelief, keep_finite, start
from steelyard.estimators._linearise import Observation, linearise_dynamics, linearise_observation
from steelyard.estimators._sequential import Shadows, correct
from steelyard.estimators._status import Status, after_prediction
from steelyard.estimators._update import effective_gate, settle
from steelyard.geometry import product, retract, tangent_size, wide_product
from steelyard.models import Control, Measurement, Model, Seconds, State


class ClonedBelief(Headed):
    """A Gaussian about the state now and its clones, [sesame, Eqs. (9)-(10)]."""

    whole: KalmanBelief
    """The mean is the head's; the covariance is that of the head, then the clones."""
    clones: State
    """The states of the last rows, newest first; only their cloned coordinates are corrected by what came after."""

    @property
    def head(self) -> KalmanBelief:
        """The Gaussian about the present state."""
        n = tangent_size(self.whole.state)
        return eqx.tree_at(lambda b: b.covariance, self.whole, self.whole.covariance[:n, :n])


class MultiStateKalman(Estimator):
    """Kalman filter with clones of its last moments, [sesame, Eqs. (9)-(14)], for any model.

    The head is the extended Kalman filter's. Every row leaves a clone behind, heard or silent: the paper clones only
    where something was measured. Each later measurement corrects the clones, too, so they are smoothed. The paper lets
    late measurements in through them; a stream (`steelyard.stream`) runs the later rows again instead, which is exact.
    """

    model: Model
    noise: Noise
    window: int = eqx.field(static=True)
    """How many rows have clones."""
    cloned: tuple[int, ...] = eqx.field(static=True)
    """Which tangent coordinates. What is not cloned is taken to have been as it is now: leave out parameters only. For
    a multirotor the paper clones attitude, position and velocity and leaves out the mass, [sesame, Eq. (49)]."""
    gate: float = 8.0
    """Standard deviations beyond which a scalar reading is an outlier, as in `ExtendedKalman`."""

    def __check_init__(self):
        if self.window < 1 or not self.cloned:
            raise ValueError(
                f"A window of {self.window} rows with {len(self.cloned)} cloned coordinates remembers nothing: "
                "give at least one of each, or take `ExtendedKalman`, whose estimates are the same."
            )

    def init(self, guess: Guess) -> ClonedBelief:
        """A diagonal covariance around the guess, which also stands for the rows before the first."""
        head = start(self.model, guess)
        n = head.covariance.shape[0]
        index = jnp.concatenate([jnp.arange(n), jnp.tile(jnp.asarray(self.cloned), self.window)])
        whole = eqx.tree_at(lambda b: b.covariance, head, head.covariance[index][:, index])
        clones = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (self.window, *leaf.shape)), head.state)
        return ClonedBelief(whole, clones)

    def predict(self, belief: ClonedBelief, control: Control, dt: Seconds) -> ClonedBelief:
        """[sesame, Eqs. (11)-(12)]: the head moves, the clones stay."""
        before = belief.head
        transition = linearise_dynamics(self.model, self.noise, before.state, control, dt)
        F = transition.F
        n = F.shape[0]
        P_I = wide_product(F, belief.whole.covariance[:n])
        P_II = product(P_I[:, :n], F.T) + transition.Q
        status = after_prediction(transition.missing, dt)
        P_II = 0.5 * (P_II + P_II.T)
        after = KalmanBelief(transition.state, P_II, transition.control, before.innovation, status, before.outlier_rows)
        head = keep_finite(before, after)  # where F is not finite the head's own part is not: the rest needs no look
        P_IC = jnp.where(_held(head), belief.whole.covariance[:n, n:], P_I[:, n:])
        P = jnp.block([[head.covariance, P_IC], [P_IC.T, belief.whole.covariance[n:, n:]]])
        whole = eqx.tree_at(lambda b: b.covariance, head, P)
        return ClonedBelief(whole, belief.clones)

    def update(self, belief: ClonedBelief, measurement: Measurement) -> ClonedBelief:
        """[sesame, Eqs. (13)-(14)]: a clone of the head, then the measurement of the head."""
        belief = self._with_clone(belief)
        now = belief.whole
        blind = (now.status & int(Status.BLIND)) != 0
        observation = linearise_observation(self.model, self.noise, now.state, now.control, measurement, blind)
        return self._corrected(belief, observation)

    def _with_clone(self, belief: ClonedBelief) -> ClonedBelief:
        """[sesame, Eq. (13)], whose product only copies rows and columns; the oldest clone makes room."""
        now = belief.whole
        n, size = tangent_size(now.state), len(self.cloned)
        left, new = now.covariance.shape[0] - size, n + size
        rows = now.covariance[:n, :left]
        rows = jnp.concatenate([rows[:, :n], *[rows[:, c : c + 1] for c in self.cloned], rows[:, n:]], axis=1)
        rows = jnp.concatenate([rows, *[rows[c : c + 1] for c in self.cloned]])
        # The clones first, then what is new over them: with one concatenation a step takes 35 µs instead of 21.
        P = jnp.pad(now.covariance[n:left, n:left], ((new, 0), (new, 0)))
        P = jax.lax.dynamic_update_slice(P, rows[:, new:].T, (new, 0))
        P = jax.lax.dynamic_update_slice(P, rows, (0, 0))
        whole = eqx.tree_at(lambda b: b.covariance, now, P)
        clones = jax.tree.map(lambda new, old: jnp.concatenate([new[None], old[:-1]]), now.state, belief.clones)
        return ClonedBelief(whole, clones)

    def _corrected(self, belief: ClonedBelief, observation: Observation) -> ClonedBelief:
        """[sesame, Eq. (14)], for an observation of the head.

        The scalars are taken in one by one by what they see, and what that does to all the rest is one product at the
        end. It follows from the shadows of the identity: `delta = P score`, and the covariance is `P - (seen P)ᵀ (seen
        P)`.
        """
        flags, P = belief.status, belief.whole.covariance
        before = eqx.tree_at(lambda b: b.status, belief.head, flags & ~int(Status.HELD))  # a flag of this update
        n = tangent_size(before.state)
        W = P[:n]
        none = jnp.zeros(W.shape[0])
        identity = Shadows(jnp.eye(W.shape[0]), none, none)
        correction = correct(W[:, :n], observation, identity, effective_gate(before, self.gate))
        delta, B = product(W.T, correction.shadows.score), wide_product(correction.seen, W)
        of_head = (delta[:n], P[:n, :n] - wide_product(B[:, :n].T, B[:, :n]))
        correction = eqx.tree_at(lambda c: (c.delta, c.covariance), correction, of_head)
        head = settle(before, observation.present, correction)  # what is finite for the head is for all
        delta, B = jnp.where(_held(head), 0.0, delta), jnp.where(_held(head), 0.0, B)
        after = (P - wide_product(B.T, B), head.status | flags)
        whole = eqx.tree_at(lambda b: (b.covariance, b.status), head, after)
        deltas = product(delta[n:].reshape(self.window, -1), self._chosen(n))
        return ClonedBelief(whole, jax.vmap(retract)(belief.clones, deltas))

    def _chosen(self, size: int) -> Float[Array, "cloned state"]:
        """Takes the cloned coordinates out of all."""
        return jnp.asarray(np.eye(size)[list(self.cloned)])


def _held(belief: KalmanBelief) -> Bool[Array, ""]:
    """Whether the last step was not taken."""
    return (belief.status & int(Status.HELD)) != 0
