"""The belief of a Kalman-type estimator: a Gaussian on a manifold."""

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from steelyard.estimators._estimator import Guess, Innovation
from steelyard.estimators._status import Status
from steelyard.geometry import tangent_size
from steelyard.models import Control, Model, Numbers, State


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
    outlier_rows: Int[Array, ""]
    """Consecutive updates with an outlier among their readings."""

    @property
    def std(self) -> Float[Array, " state"]:
        """Standard deviation of each tangent coordinate."""
        return jnp.sqrt(jnp.diag(self.covariance))


class Headed(eqx.Module):
    """A belief that holds more than a Gaussian; its estimate is that of the Gaussian within it."""

    @property
    @abstractmethod
    def head(self) -> Any:
        """The Gaussian about the present state: a `KalmanBelief`, or a belief that has one."""

    @property
    def state(self) -> State:
        """The estimate."""
        return self.head.state

    @property
    def covariance(self) -> Float[Numbers, "*batch state state"]:
        """In the tangent coordinates at the estimate."""
        return self.head.covariance

    @property
    def std(self) -> Float[Numbers, "*batch state"]:
        """Standard deviation of each tangent coordinate."""
        return self.head.std

    @property
    def innovation(self) -> Innovation:
        """Of the last update."""
        return self.head.innovation

    @property
    def status(self) -> Int[Numbers, "*batch"]:
        """`Status` flags of the last step."""
        return self.head.status


def start(model: Model, guess: Guess) -> KalmanBelief:
    """A diagonal covariance around the guess, nothing measured yet."""
    state = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), guess.state)  # strongly typed, as it will come back
    control = model.idle(state)
    measured = tangent_size(jax.eval_shape(model.observe, state, control))
    status = jnp.asarray(int(Status.OK), int)
    return KalmanBelief(
        state,
        jnp.diag(jnp.asarray(guess.std, float) ** 2),
        control,
        Innovation.none(measured),
        status,
        jnp.zeros((), int),
    )


def keep_finite(before: KalmanBelief, after: KalmanBelief) -> KalmanBelief:
    """`after` if all of it is finite, else `before` with a status flag."""
    # A sum is finite exactly when every term is, but for overflow, which is no belief to keep either.
    total = sum(jnp.sum(leaf) for leaf in jax.tree.leaves((after.state, after.covariance)))
    held = eqx.tree_at(lambda belief: belief.status, before, after.status | int(Status.HELD))
    return jax.tree.map(lambda new, old: jnp.where(jnp.isfinite(total), new, old), after, held)
