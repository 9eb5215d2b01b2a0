"""Small models that only tests need: a hovering vehicle, and a learning machine as a model."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators import RandomFeatures
from steelyard.models import Control, Measurement, Model, Numbers, Seconds, State


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


class ElmModel(Model):
    """An extreme learning machine as a model: its weights are the state, inputs drive it, targets are measured.

    With `RecursiveLeastSquares`, a first guess of zero with deviations `1 / sqrt(regularisation)` and unit measurement
    noise it is `OnlineElm` through the estimator contract. The differences: a covariance over all weights of all
    outputs, not one for every output alike; and forgetting that lets the regularisation fade.
    """

    features: RandomFeatures

    def dynamics(self, state: State, control: Control, dt: Seconds) -> State:
        """Weights stay."""
        return state

    def observe(self, state: Float[Array, "hidden output"], control: Control) -> Measurement:
        """The targets of these inputs, [sesame, Eq. (24)]."""
        return self.features(control) @ state

    def idle(self, state: State) -> Control:
        """The middle of the inputs."""
        return self.features.mean
