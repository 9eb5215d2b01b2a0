"""Sudden changes of a parameter: found by a likelihood ratio, reported as an event, included at once."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from steelyard.estimators import (
    Estimator,
    ExtendedKalman,
    Guess,
    Headed,
    KalmanBelief,
    Shadows,
    Status,
    flag,
    followed,
    forwards,
    update_belief,
)
from steelyard.geometry import product, retract, wide_product
from steelyard.models import Control, Measurement, Numbers, Seconds
from steelyard.monitor._jump_evidence import jump_evidence


class Change(eqx.Module):
    """The likeliest change at the last step, whether it exceeded the threshold or not."""

    found: Bool[Array, ""]
    watched: Int[Array, ""]
    """Which of the watched coordinates jumped, counted in the order of the watch."""
    size: Float[Array, ""]
    """By how much, in that coordinate."""
    age: Float[Array, ""]
    """How long ago it happened, s."""
    log_ratio: Float[Array, ""]
    """How much likelier the data are with the change than without, natural logarithm."""


class WatchfulBelief(Headed):
    """A Gaussian belief, and the changes that may have happened lately."""

    kalman: KalmanBelief
    shadows: Shadows
    """One column for each watched coordinate and each candidate onset."""
    age: Float[Array, " event"]
    """Time since each candidate's onset, s."""
    since_opened: Float[Array, ""]
    """Time since the last candidate was opened, s."""
    change: Change

    @property
    def head(self) -> KalmanBelief:
        """The Gaussian about the present state."""
        return self.kalman


class ChangeWatch(Estimator):
    """A Kalman filter that expects its parameters to stay, and notices when they jump [willsky76].

    For every watched coordinate it keeps candidates "a jump happened then", one onset every `spacing` seconds. The
    innovations' log-likelihood is quadratic in the size of each jump, so its best size and its evidence cost one
    column of arithmetic a candidate and no second filter. Sizes have a Gaussian prior, so the evidence is a ratio of
    likelihoods: while nothing happens it exceeds `exp(threshold)` with a chance of at most `exp(-threshold)` a
    candidate. When one exceeds it, all candidates are combined, each with its posterior probability: on a linear
    model the result has the mean and the covariance of a bank of filters, each with one onset given beforehand.
    """

    filter: ExtendedKalman
    watch: tuple[int, ...] = eqx.field(static=True)
    """Tangent coordinates of the state that may jump."""
    jump_std: tuple[float | Float[Numbers, ""], ...]
    """Prior standard deviation of a jump of each, in its own coordinate."""
    spacing: float = 0.1
    """Between candidate onsets, s."""
    candidates: int = eqx.field(static=True, default=20)
    """Onsets for each coordinate: changes are noticed for `spacing * candidates` seconds after they happen."""
    threshold: float = 12.0
    """Evidence asked for, as a natural logarithm. For each watched coordinate, at most one false alarm is to be
    expected in `exp(threshold) * spacing` seconds: with the defaults, in four and a half hours."""
    bend: float = 0.0
    """How far a model is from linear in a jump: its size is off by about `bend * size²`. 0 for a linear model, 0.5 for
    a logarithm that acts through its exponential. That much is added to what is not known of a jump."""

    def init(self, guess: Guess) -> WatchfulBelief:
        """Nothing has happened yet."""
        kalman = self.filter.init(guess)
        return WatchfulBelief(kalman, *self._forget(kalman), jnp.zeros(()), no_change())

    def predict(self, belief: WatchfulBelief, control: Control, dt: Seconds) -> WatchfulBelief:
        """The filter's prediction, candidates carried along."""
        kalman, transition = self.filter.predict_with(belief.kalman, control, dt)
        shadows = eqx.tree_at(lambda s: s.columns, belief.shadows, wide_product(transition.F, belief.shadows.columns))
        shadows = followed(kalman, shadows, belief.shadows)
        passed = forwards(dt)
        return WatchfulBelief(kalman, shadows, belief.age + passed, belief.since_opened + passed, no_change())

    def update(self, belief: WatchfulBelief, measurement: Measurement) -> WatchfulBelief:
        """The filter's update; then the candidates are included if the best exceeds the threshold."""
        kalman, shadows = update_belief(
            self.filter.model, self.filter.noise, belief.kalman, measurement, belief.shadows, self.filter.gate
        )
        verdict = self._test_for_jumps(shadows)
        change = verdict.change(belief.age, self.candidates, self.threshold)
        kalman = _take_in(kalman, shadows.columns, verdict, change)
        shadows, age = jax.tree.map(
            lambda fresh, old: jnp.where(change.found, fresh, old), self._forget(kalman), (shadows, belief.age)
        )
        return self._open(WatchfulBelief(kalman, shadows, age, belief.since_opened, change))

    def _prior_precision(self) -> Float[Array, " event"]:
        return jnp.repeat(jnp.asarray(self.jump_std) ** -2, self.candidates)

    def _test_for_jumps(self, shadows: Shadows) -> "_Verdict":
        """Of each candidate `log ∫ p(innovations | size) p(size) d size`, less the same without a jump."""
        prior = self._prior_precision()
        log_ratio, size, precision = jump_evidence(shadows.score, shadows.information, prior)
        # Ten prior deviations: a broken sensor whose readings are no longer gated, and no jump.
        log_ratio = jnp.where(size**2 * prior > 100.0, -jnp.inf, log_ratio)
        return _Verdict(log_ratio, size, 1.0 / precision + (self.bend * size**2) ** 2)

    def _open(self, belief: WatchfulBelief) -> WatchfulBelief:
        """Replaces the oldest onset of every watched coordinate by "now", when it is time to."""
        due = belief.since_opened >= self.spacing - 1e-9
        age = belief.age.reshape(len(self.watch), self.candidates)
        oldest = jnp.arange(self.candidates) == jnp.argmax(age[0])
        replaced = jnp.tile(oldest, len(self.watch)) & due
        n = belief.covariance.shape[0]
        onset = jnp.repeat(jnp.eye(n)[:, jnp.asarray(self.watch)], self.candidates, axis=1)
        shadows = Shadows(
            jnp.where(replaced[None, :], onset, belief.shadows.columns),
            jnp.where(replaced, 0.0, belief.shadows.score),
            jnp.where(replaced, 0.0, belief.shadows.information),
        )
        age = jnp.where(replaced, 0.0, belief.age)
        since_opened = jnp.where(due, 0.0, belief.since_opened)
        return WatchfulBelief(belief.kalman, shadows, age, since_opened, belief.change)

    def _forget(self, kalman: KalmanBelief) -> tuple[Shadows, Float[Array, " event"]]:
        """No candidates; their ages are set apart so that they are replaced one after the other."""
        count = len(self.watch) * self.candidates
        n = kalman.covariance.shape[0]
        ages = jnp.tile(self.spacing * jnp.arange(self.candidates, 0, -1, dtype=float), len(self.watch))
        return Shadows.none(n, count), ages


class _Verdict(eqx.Module):
    """Evidence, size and variance of each candidate."""

    log_ratio: Float[Array, " event"]
    size: Float[Array, " event"]
    variance: Float[Array, " event"]
    """Of the size."""

    def change(self, age: Float[Array, " event"], candidates: int, threshold: float) -> Change:
        """The likeliest."""
        best = jnp.argmax(self.log_ratio)
        found = self.log_ratio[best] > threshold
        return Change(found, best // candidates, self.size[best], age[best], self.log_ratio[best])


def _take_in(
    kalman: KalmanBelief, columns: Float[Array, "state event"], verdict: _Verdict, change: Change
) -> KalmanBelief:
    """State and covariance if one of the candidates happened, each with its posterior probability.

    When it happened is never quite known; a rate that jumped a tenth of a second earlier has moved its parameter
    further. Mean and covariance of the mixture include that. Road not taken: the likeliest candidate as if it were
    certain.
    """
    weight = jnp.where(change.found, jnp.exp(verdict.log_ratio - change.log_ratio), 0.0)
    weight = weight / jnp.maximum(jnp.sum(weight), 1.0)
    delta = product(columns, weight * verdict.size)
    second_moment = weight * (verdict.variance + verdict.size**2)
    # As a sum of numbers instead of outer products a step took four times as long.
    added = wide_product(columns * second_moment[None, :], columns.T) - jnp.outer(delta, delta)
    return eqx.tree_at(
        lambda k: (k.state, k.covariance, k.status),
        kalman,
        (
            retract(kalman.state, delta),
            kalman.covariance + 0.5 * (added + added.T),
            kalman.status | flag(change.found, Status.CHANGED),
        ),
    )


def no_change() -> Change:
    """Nothing was found."""
    return Change(jnp.asarray(False), jnp.asarray(0, int), jnp.zeros(()), jnp.zeros(()), jnp.zeros(()))
