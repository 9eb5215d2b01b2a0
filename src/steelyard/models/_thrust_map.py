"""From a throttle to newtons: bench measurements of a motor and its propeller."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float


class ThrustMap(eqx.Module):
    """Steady thrust at evenly spaced throttles from 0 to 1, as a bench measures it; linear in between."""

    thrusts: Float[Array, " point"]
    """N, rising."""

    def __init__(self, thrusts):
        self.thrusts = jnp.asarray(thrusts, float)

    def thrust(self, throttle: Float[Array, "*any"]) -> Float[Array, "*any"]:
        """Thrust in N at each throttle; throttles are clipped to [0, 1]."""
        return jnp.interp(throttle, self._throttles, self.thrusts)

    def throttle(self, thrust: Float[Array, "*any"]) -> Float[Array, "*any"]:
        """The throttle in [0, 1] that gives each thrust, or comes nearest to it."""
        return jnp.interp(thrust, self.thrusts, self._throttles)

    @property
    def full_scale(self) -> Float[Array, ""]:
        """Thrust at full throttle, N."""
        return self.thrusts[-1]

    @property
    def _throttles(self) -> Float[Array, " point"]:
        return jnp.linspace(0.0, 1.0, self.thrusts.shape[0])


def common_rotor_bench() -> ThrustMap:
    """The bench table of a small rotor of 20 N that loses 0.1 (u / 1.3)² of them at throttle u."""
    u = jnp.linspace(0.0, 1.0, 21)
    return ThrustMap(20.0 * (u - 0.1 * (u / 1.3) ** 2))
