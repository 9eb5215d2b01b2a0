"""The true mass of a vehicle over a flight."""

from typing import Literal, get_args

import jax.numpy as jnp
from jaxtyping import Array, Float

ProfileName = Literal["constant", "ramp", "step-down", "step-up", "steps"]
PROFILES: tuple[ProfileName, ...] = get_args(ProfileName)

# Times as shares of the flight, masses as shares of the full mass. The papers' curves are lost; these are ours.
_SEVERAL = ((0.2, 1.3), (0.4, 0.9), (0.6, 1.2), (0.8, 0.75))
_HALFWAY = 0.5
_RAMP = (0.2, 0.8, 0.6)  # from, to, what is left at the end


def mass_at(
    profile: str, full_mass: float, duration: float, time: Float[Array, "*time"], step: float = 0.3
) -> Float[Array, "*time"]:
    """True mass in kg at each time: constant, a ramp (spraying), or steps (parts picked up and dropped).

    A single step is by the share `step` of the full mass.
    """
    share = time / duration
    if profile == "ramp":
        start, end, left = _RAMP
        return full_mass * (1.0 - (1.0 - left) * jnp.clip((share - start) / (end - start), 0.0, 1.0))
    factor = jnp.ones_like(share)
    for when, level in _steps(profile, step):
        factor = jnp.where(share >= when, level, factor)
    return full_mass * factor


def change_times(profile: str, duration: float) -> tuple[float, ...]:
    """When the mass of this profile jumps, s."""
    return tuple(when * duration for when, _ in _steps(profile, 0.3))


def turning_times(profile: str, duration: float) -> tuple[float, ...]:
    """When the mass of this profile jumps, or begins or ends to flow, s."""
    if profile == "ramp":
        return (_RAMP[0] * duration, _RAMP[1] * duration)
    return change_times(profile, duration)


def _steps(profile: str, step: float) -> tuple[tuple[float, float], ...]:
    """When, and to what level."""
    return {
        "step-down": ((_HALFWAY, 1.0 - step),),
        "step-up": ((_HALFWAY, 1.0 + step),),
        "steps": _SEVERAL,
    }.get(profile, ())
