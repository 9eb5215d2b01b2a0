"""The estimator contract: what infers, for any model."""

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.models import Control, Measurement, Numbers, Seconds, State

Belief = Any
"""What an estimator believes: a pytree with at least `state`, `covariance`, `std`, `innovation` and `status`."""


class Noise(eqx.Module):
    """Standard deviations of everything random, each vector along the tangent coordinates of what it disturbs."""

    measurement: Float[Numbers, " meas"]
    """Of each measured coordinate."""
    control: Float[Numbers, " control"]
    """Of each recorded input about what acted, independent from one interval to the next."""
    drift: Float[Numbers, " state"]
    """Of the random walk of each state coordinate, per square root of a second."""
    blind: Float[Numbers, " control"]
    """Of each input about the model's idle control, while it is not recorded."""


class Guess(eqx.Module):
    """Where to start."""

    state: State
    std: Float[Numbers, " state"]
    """Standard deviation of each tangent coordinate."""


class Innovation(eqx.Module):
    """What the last measurement brought that was not expected."""

    value: Float[Numbers, "*batch meas"]
    """Measured less expected, in tangent coordinates, each given those before it; NaN where silent."""
    variance: Float[Numbers, "*batch meas"]
    """What the estimator thought its variance would be."""

    @staticmethod
    def none(size: int) -> "Innovation":
        """Before anything was measured."""
        return Innovation(jnp.full(size, jnp.nan, float), jnp.full(size, jnp.nan, float))

    @property
    def nis(self) -> Float[Array, ""]:
        """Normalised innovation squared, over the channels read: chi-squared when the filter is consistent."""
        return jnp.nansum(self.value**2 / self.variance)

    @property
    def log_likelihood(self) -> Float[Array, ""]:
        """Of the last measurement, given all before it."""
        return -0.5 * jnp.nansum(self.value**2 / self.variance + jnp.log(2 * jnp.pi * self.variance))


class Sample(eqx.Module):
    """One row of a log as a step sees it."""

    dt: Float[Numbers, "*batch"]
    """Seconds since the row before; zero for the first."""
    control: Control
    """What drove the model over that interval; NaN where not recorded."""
    measurement: Measurement
    """What was read at its end; NaN where silent."""


class Estimator(eqx.Module):
    """Frozen configuration; beliefs are values that go in and come out.

    The methods are pure and of fixed shape, so the same step runs one sample at a time, over a log, over a campaign,
    inside an agent and as native code.
    """

    @abstractmethod
    def init(self, guess: Guess) -> Belief:
        """The belief before any data."""

    @abstractmethod
    def predict(self, belief: Belief, control: Control, dt: Seconds) -> Belief:
        """Carries the belief `dt` seconds forward under a control."""

    @abstractmethod
    def update(self, belief: Belief, measurement: Measurement) -> Belief:
        """Takes in a measurement; silent channels are NaN."""

    def step(self, belief: Belief, sample: Sample) -> Belief:
        """Predict, then update: one row of a log."""
        return self.update(self.predict(belief, sample.control, sample.dt), sample.measurement)
