"""The estimator contract: what infers, for any model."""

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from steelyard.geometry import tangent_size
from steelyard.models import Control, Measurement, Seconds, State

Belief = Any
"""What an estimator believes: a pytree with at least `state`, `covariance`, `control`, `status` and `innovation`."""


class Noise(eqx.Module):
    """Standard deviations of everything random, each vector along the tangent coordinates of what it disturbs."""

    measurement: Float[Array, "meas"]
    """Of each measured coordinate."""
    control: Float[Array, "control"]
    """Of each recorded input about what acted, independent from one interval to the next."""
    drift: Float[Array, "state"]
    """Of the random walk of each state coordinate, per square root of a second."""
    blind: Float[Array, "control"]
    """Of each input about the model's idle control, while it is not recorded."""


class Guess(eqx.Module):
    """Where to start."""

    state: State
    std: Float[Array, "state"]
    """Standard deviation of each tangent coordinate."""


class Innovation(eqx.Module):
    """What the last measurement brought that was not expected."""

    value: Float[Array, "meas"]
    """Measured less expected, in tangent coordinates, each given those before it; NaN where silent."""
    variance: Float[Array, "meas"]
    """What the estimator thought its variance would be."""

    @staticmethod
    def none(size: int) -> "Innovation":
        """Before anything was measured."""
        return Innovation(jnp.full(size, jnp.nan), jnp.full(size, jnp.nan))

    @property
    def nis(self) -> Float[Array, ""]:
        """Normalised innovation squared, over the channels that spoke: chi-squared when the filter is honest."""
        return jnp.sum(jnp.nan_to_num(self.value**2 / self.variance))

    @property
    def log_likelihood(self) -> Float[Array, ""]:
        """Of the last measurement, given all before it."""
        terms = -0.5 * (self.value**2 / self.variance + jnp.log(2 * jnp.pi * self.variance))
        return jnp.sum(jnp.where(jnp.isnan(terms), 0.0, terms))


class Sample(eqx.Module):
    """One row of a log as a step sees it."""

    dt: Float[Array, ""]
    """Seconds since the row before; zero for the first."""
    control: Control
    """What drove the model over that interval; NaN where not recorded."""
    measurement: Measurement
    """What was read at its end; NaN where silent."""


class Estimator(eqx.Module):
    """Frozen configuration; beliefs are values that go in and come out.

    The three methods are pure and of fixed shape, so the same step runs one sample at a time, over a log, over a
    campaign, inside an agent and as native code.
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


def fill_missing(control: Control, idle: Control) -> tuple[Control, Float[Array, "control"]]:
    """The control with its NaNs replaced by the idle one, and which coordinates were missing (as 0 or 1)."""
    filled = jax.tree.map(lambda u, spare: jnp.where(jnp.isnan(u), spare, u), control, idle)
    missing = jnp.concatenate([jnp.ravel(jnp.isnan(u)).astype(float) for u in jax.tree.leaves(control)])
    return filled, missing


def step_status(missing_inputs: Float[Array, "control"]) -> Int[Array, ""]:
    """The status after a prediction."""
    from steelyard.estimators._status import Status

    return jnp.where(jnp.any(missing_inputs > 0), int(Status.BLIND), int(Status.OK))


def measurement_size(model, state: State, control: Control) -> int:
    """How many tangent coordinates a measurement of this model has."""
    return tangent_size(jax.eval_shape(model.observe, state, control))
