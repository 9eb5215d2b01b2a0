"""What a multirotor's inputs did over a span, whatever the state was at its start."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.geometry import SO3, group_exp, group_multiply, rotation_matrix
from steelyard.models._model import Numbers, Seconds


class MultirotorIncrement(eqx.Module):
    """The pre-integrated terms of [sesame, Eq. (51)], in body axes at the start of the span."""

    pre_attitude: SO3
    """From body axes at the end to those at the start. In print it is an integral from zero; it starts at one."""
    pre_position: Float[Numbers, "*batch 3"]
    """Thrust, integrated twice, kg m."""
    pre_velocity: Float[Numbers, "*batch 3"]
    """Thrust, integrated once: its impulse, kg m/s."""
    span: Float[Numbers, "*batch"]
    """s."""

    @staticmethod
    def none() -> "MultirotorIncrement":
        """Before anything happened."""
        return MultirotorIncrement(SO3.identity(), jnp.zeros(3), jnp.zeros(3), jnp.zeros(()))

    def then(self, thrust: Float[Array, ""], rates: Float[Array, "3"], dt: Seconds) -> "MultirotorIncrement":
        """`dt` seconds later, thrust and rates constant: one step of [sesame, Eq. (52)].

        The thrust points where the body does at mid-interval, and turns are exponentials: first order in print, and off
        the unit sphere.
        """
        half_turn = group_exp(SO3, 0.5 * dt * rates)
        mid = group_multiply(self.pre_attitude, half_turn)
        force = thrust * rotation_matrix(mid)[:, 2]
        return MultirotorIncrement(
            group_multiply(mid, half_turn),
            self.pre_position + dt * self.pre_velocity + 0.5 * dt**2 * force,
            self.pre_velocity + dt * force,
            self.span + dt,
        )

    @property
    def half_turn(self) -> SO3:
        """Half of `pre_attitude`, about the same axis: unlike its logarithm, smooth up to a whole turn."""
        w = self.pre_attitude.wxyz[0]
        twice_cosine = jnp.sqrt(2.0 * jnp.maximum(1.0 + w, 1e-12))
        return SO3((self.pre_attitude.wxyz + jnp.array([1.0, 0.0, 0.0, 0.0])) / twice_cosine)
