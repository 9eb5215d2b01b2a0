"""The least model that weighs a multirotor: vertical acceleration against normalised thrust."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.models._model import Model, Numbers, Seconds


class HoverState(eqx.Module):
    """The only unknown: the share of full thrust that carries the weight."""

    log_hover_thrust: Float[Numbers, "*batch"]


class Hover(Model):
    """Vertical acceleration `g (thrust / hover_thrust - 1)`, thrust and hover thrust as shares of full thrust.

    What an autopilot needs when it knows neither its mass nor its motors: the ratio of the two.
    """

    gravity: float = 9.81

    def dynamics(self, state: HoverState, control: Float[Array, ""], dt: Seconds) -> HoverState:
        """A constant."""
        del control, dt
        return state

    def observe(self, state: HoverState, control: Float[Array, ""]) -> Float[Array, ""]:
        """Upward acceleration, gravity removed, m/s²."""
        return self.gravity * (control * jnp.exp(-state.log_hover_thrust) - 1.0)

    def idle(self, state: HoverState) -> Float[Array, ""]:
        """Hover."""
        return jnp.exp(state.log_hover_thrust)
