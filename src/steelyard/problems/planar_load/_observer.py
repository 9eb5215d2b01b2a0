"""The papers' observer of the centre of mass as a pure step of arrays, so that it can be exported as C."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.models import Numbers


class ObservedCenter(eqx.Module):
    """The observer's state."""

    z_c: Float[Numbers, "2"]
    """From the centre of mass to the middle of the contacts, world axes, m."""
    omega: Float[Numbers, ""]
    """Angular velocity as observed, rad/s."""
    omega_read: Float[Numbers, ""]
    """Angular velocity as measured last, rad/s."""


class CenterSample(eqx.Module):
    """The inputs over one step."""

    dt: Float[Numbers, "*batch"]
    """s."""
    omega: Float[Numbers, "*batch"]
    """Angular velocity, measured at its end, rad/s."""
    f_bar: Float[Numbers, "*batch 2"]
    """n f_mean / J, world axes, held over it."""
    eta: Float[Numbers, "*batch"]
    """Angular acceleration that does not depend on z_c, rad/s²."""


class CenterObservation(eqx.Module):
    """The observer of [icra15, Eq. (25)]; a test holds it to the papers' own robot."""

    k_e: float = 10.0
    """Gain of the angular velocity's error, 1/s."""

    def step(self, belief: ObservedCenter, sample: CenterSample) -> ObservedCenter:
        """The observer `dt` seconds later."""
        dt, f_bar = sample.dt, sample.f_bar
        turn = 0.5 * (belief.omega_read + sample.omega) * dt
        halfway = _turned(belief.z_c, 0.5 * turn)
        torque = halfway[0] * f_bar[1] - halfway[1] * f_bar[0]
        expected = belief.omega + dt * (torque + sample.eta)
        error = (sample.omega - expected) / (1.0 + self.k_e * dt)
        z_c = _turned(belief.z_c, turn) - error * dt * jnp.stack([-f_bar[1], f_bar[0]])
        return ObservedCenter(z_c, expected + self.k_e * dt * error, sample.omega)


def _turned(vector: Float[Array, "2"], angle: Float[Array, ""]) -> Float[Array, "2"]:
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.stack([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
