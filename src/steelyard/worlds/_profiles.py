"""How the true mass of a vehicle goes over a flight."""

from typing import Literal, get_args

import jax.numpy as jnp
from jaxtyping import Array, Float

ProfileName = Literal["constant", "ramp", "step-down", "step-up", "steps"]
PROFILES: tuple[str, ...] = get_args(ProfileName)

# Times as shares of the flight, masses as shares of the full mass. The papers' curves are lost; these are ours.
_STEPS: dict[str, tuple[tuple[float, float], ...]] = {
    "constant": (),
    "step-down": ((0.5, 0.7),),
    "step-up": ((0.5, 1.3),),
    "steps": ((0.2, 1.3), (0.4, 0.9), (0.6, 1.2), (0.8, 0.75)),
}
_RAMP = (0.2, 0.8, 0.6)  # from, to, what is left at the end


def mass_at(profile: str, full_mass: float, duration: float, time: Float[Array, "*time"]) -> Float[Array, "*time"]:
    """True mass in kg at each time: constant, a ramp (spraying), or steps (parts picked up and dropped)."""
    share = time / duration
    if profile == "ramp":
        start, end, left = _RAMP
        return full_mass * (1.0 - (1.0 - left) * jnp.clip((share - start) / (end - start), 0.0, 1.0))
    factor = jnp.ones_like(share)
    for when, level in _STEPS[profile]:
        factor = jnp.where(share >= when, level, factor)
    return full_mass * factor


def change_times(profile: str, duration: float) -> tuple[float, ...]:
    """When the mass of this profile jumps, s."""
    return tuple(when * duration for when, _ in _STEPS.get(profile, ()))
