"""A multirotor's impulse over a block of time: linear in what is unknown, no acceleration needed."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.models._model import Model, Numbers, Seconds


class ImpulseState(eqx.Module):
    """The unknowns in which Newton's law is linear."""

    inverse_mass: Float[Numbers, "*batch"]
    """1/kg."""
    drag_by_mass: Float[Numbers, "*batch 2"]
    """Linear (1/s) and quadratic (1/m) drag coefficient, divided by the mass."""


class ImpulseControl(eqx.Module):
    """Integrals over the block, world axes."""

    thrust: Float[Numbers, "*batch 3"]
    """Of the thrust vector, N s."""
    linear: Float[Numbers, "*batch 3"]
    """Of the drag force a unit linear coefficient would give, m."""
    quadratic: Float[Numbers, "*batch 3"]
    """Of the drag force a unit quadratic coefficient would give, m²/s."""


class MultirotorImpulse(Model):
    """Change of velocity over a block, gravity's part removed: `Δv - g Δt = thrust / m - drag`, m/s."""

    def dynamics(self, state: ImpulseState, control: ImpulseControl, dt: Seconds) -> ImpulseState:
        """Constants."""
        del control, dt
        return state

    def observe(self, state: ImpulseState, control: ImpulseControl) -> Float[Array, "3"]:
        """Expected `Δv - g Δt`."""
        d1, d2 = state.drag_by_mass
        return control.thrust * state.inverse_mass + control.linear * d1 + control.quadratic * d2

    def idle(self, state: ImpulseState) -> ImpulseControl:
        """Nothing acts."""
        del state
        return ImpulseControl(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
