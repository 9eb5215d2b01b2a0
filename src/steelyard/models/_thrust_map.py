"""From a throttle to newtons: what a bench tells about a motor and its propeller."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float


class ThrustMap(eqx.Module):
    """Steady thrust of one rotor as a polynomial of its throttle, measured on a bench.

    `thrust = full_scale * (c[0] u + c[1] u² + …)` for a throttle u in [0, 1].
    """

    full_scale: float = 20.0
    """N."""
    coefficients: tuple[float, ...] = (1.0, -0.1 / 1.3**2)
    """Of u, u², …; the default is a common small rotor with a loss of 0.1 (u / 1.3)²."""

    def thrust(self, throttle: Float[Array, "*any"]) -> Float[Array, "*any"]:
        """Thrust in N of each rotor at each throttle in [0, 1]."""
        u = jnp.clip(throttle, 0.0, 1.0)
        return self.full_scale * sum(c * u ** (power + 1) for power, c in enumerate(self.coefficients))

    def throttle(self, thrust: Float[Array, "*any"]) -> Float[Array, "*any"]:
        """The throttle in [0, 1] that gives this thrust, by Newton's method on the polynomial."""
        wanted = thrust / self.full_scale
        u = jnp.clip(wanted, 0.0, 1.0)
        for _ in range(4):
            slope = sum((power + 1) * c * u**power for power, c in enumerate(self.coefficients))
            excess = self.thrust(u) / self.full_scale - wanted
            u = jnp.clip(u - excess / slope, 0.0, 1.0)
        return u
