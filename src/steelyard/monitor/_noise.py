"""How noisy are the sensors, really? Learnt while running, from what the filter did not expect."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators import Belief, Estimator, Guess, Headed, forwards
from steelyard.models import Control, Measurement, Seconds


class NoiseBelief(Headed):
    """A belief, and what is believed of the sensors."""

    inner: Belief
    variance: Float[Array, " meas"]
    """Of the measurement noise, learnt so far."""
    elapsed: Float[Array, ""]
    """Time since the last update, s."""

    @property
    def head(self) -> Belief:
        """What is believed of now."""
        return self.inner


class NoiseWatch(Estimator):
    """Wraps an estimator whose measurement noise is not known, and learns it with a memory of some seconds.

    After each update the residual that is left, squared, plus the variance that the state still explains, is a sample
    of the noise variance: its mean is right exactly when the innovations are as large as the filter expects, and it
    can never be negative, which the innovation's own square less what the state explains can.
    """

    estimator: Estimator
    where: Callable[[Estimator], Float[Array, " meas"]] = eqx.field(static=True)
    """Finds the measurement noise in the estimator: `lambda e: e.noise.measurement`."""
    memory: float = 5.0
    """s."""
    floor: float = 1e-3
    """Least noise to believe in, as a share of the first guess's standard deviation: a sensor that is stuck looks
    perfect, and a variance that has reached zero never comes back."""

    def init(self, guess: Guess) -> NoiseBelief:
        """The estimator's own noise is the first guess."""
        return NoiseBelief(self.estimator.init(guess), self.where(self.estimator) ** 2, jnp.zeros(()))

    def predict(self, belief: NoiseBelief, control: Control, dt: Seconds) -> NoiseBelief:
        """As the estimator does."""
        inner = self.estimator.predict(belief.inner, control, dt)
        return NoiseBelief(inner, belief.variance, belief.elapsed + forwards(dt))

    def update(self, belief: NoiseBelief, measurement: Measurement) -> NoiseBelief:
        """As the estimator does with the noise learnt so far; then the noise is learnt a little better."""
        R = belief.variance
        inner = eqx.tree_at(self.where, self.estimator, jnp.sqrt(R)).update(belief.inner, measurement)
        S = inner.innovation.variance
        residual = inner.innovation.value * R / S
        sample = residual**2 + (S - R) * R / S
        # At least ten samples count: after a long silence, one alone would replace all that was learnt.
        rate = jnp.minimum(-jnp.expm1(-belief.elapsed / self.memory), 0.1)
        heard = jnp.isfinite(sample)
        least = (self.floor * self.where(self.estimator)) ** 2
        R = jnp.where(heard, jnp.maximum(R + rate * (sample - R), least), R)
        return NoiseBelief(inner, R, jnp.where(jnp.any(heard), 0.0, belief.elapsed))
