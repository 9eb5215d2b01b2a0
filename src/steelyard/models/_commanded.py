"""A multirotor of which only the command is known: its motors follow with a lag."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.models._model import Model, Numbers, Seconds
from steelyard.models._multirotor import Multirotor, MultirotorControl, MultirotorReading, MultirotorState


class CommandedState(eqx.Module):
    """The vehicle, and what its motors are doing."""

    body: MultirotorState
    thrust: Float[Numbers, "*batch"]
    """Collective thrust that the motors' speed stands for, N."""
    log_lag: Float[Numbers, "*batch lag"]
    """Logarithm of the motors' time constant in s where it is unknown; empty where it is given."""


class CommandedControl(eqx.Module):
    """What was asked of the vehicle over an interval."""

    thrust: Float[Numbers, "*batch"]
    """Steady thrust of the command that was held, N, by the bench's map."""
    gust: Float[Numbers, "*batch"]
    """Thrust that acted beside the motors' own, N: zero, with the noise of the motors about it."""
    rates: Float[Numbers, "*batch 3"]
    """Angular velocity in body axes, rad/s."""


class CommandedMultirotor(Model):
    """A multirotor behind motors of first order: the thrust that acts is not the one that was asked for."""

    body: Multirotor
    lag: Float[Array, ""]
    """Time constant, s, used where the state does not carry its own."""

    def __init__(self, body: Multirotor, lag=0.05):
        self.body = body
        self.lag = jnp.asarray(lag, float)

    def dynamics(self, state: CommandedState, control: CommandedControl, dt: Seconds) -> CommandedState:
        """Exact in the motors; their mean thrust over the interval drives the body."""
        lag = jnp.exp(state.log_lag[0]) if state.log_lag.size else self.lag
        keep = jnp.exp(-dt / lag)
        behind = state.thrust - control.thrust
        # (1 - keep) lag / dt is 0/0 for an interval of no length; expm1 of a tiny one is its limit to rounding.
        short = jnp.maximum(dt, 1e-9)
        mean = control.thrust + behind * -jnp.expm1(-short / lag) * lag / short
        body = self.body.dynamics(state.body, MultirotorControl(mean + control.gust, control.rates), dt)
        return CommandedState(body, control.thrust + behind * keep, state.log_lag)

    def observe(self, state: CommandedState, control: CommandedControl) -> MultirotorReading:
        """The body's."""
        return self.body.observe(state.body, MultirotorControl(control.thrust, control.rates))

    def idle(self, state: CommandedState) -> CommandedControl:
        """Hover."""
        hover = self.body.idle(state.body)
        return CommandedControl(hover.thrust, jnp.zeros(()), hover.rates)
