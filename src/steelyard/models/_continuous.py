"""A model by its derivative: integration is ours, by a stated method."""

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp

from steelyard.geometry import retract
from steelyard.models._model import Control, Model, Seconds, State


class ContinuousModel(Model):
    """A model whose author writes its derivative; a step is one of Runge and Kutta's fourth order.

    The control is constant over a step. On groups (rotations, poses) stages are joined by `retract`, which keeps the
    order for states without them and is of second order for fast turning.
    """

    @abstractmethod
    def derivative(self, state: State, control: Control) -> Any:
        """Rates of change of all tangent coordinates: a pytree whose leaves, one after the other, are as many.

        For a state of arrays that is a state of their rates; of a rotation it is the body's angular velocity.
        """

    def dynamics(self, state: State, control: Control, dt: Seconds) -> State:
        """The state `dt` seconds later."""

        def rate(at: State):
            leaves = jax.tree.leaves(self.derivative(at, control))
            return jnp.concatenate([jnp.ravel(jnp.asarray(leaf)) for leaf in leaves])

        k1 = rate(state)
        k2 = rate(retract(state, 0.5 * dt * k1))
        k3 = rate(retract(state, 0.5 * dt * k2))
        k4 = rate(retract(state, dt * k3))
        return retract(state, dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
