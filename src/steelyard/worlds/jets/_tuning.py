"""Settings of the world with jets that no scenario changes."""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class JetsWorldTuning:
    """Of the body, its engines and its pilot; figures of [ironcub] stay where they are used."""

    substep: float = 2e-3
    """Step of the integrator, s: five steps a row."""
    joint_stiffness: float = 600.0
    """Of every joint's servo, N m/rad: arms with engines droop by less than a degree."""
    joint_damping: float = 12.0
    """Of every joint's servo, N m s/rad."""
    joint_armature: float = 0.02
    """Inertia of every joint's rotor, kg m²."""
    starved: float = 0.2
    """Share of the throttle that arrives while fuel runs short."""
    starvation: float = 3.0
    """How long fuel runs short, s."""
    ignition: float = 1.5
    """From the start to the first throttle, s."""
    almost: float = 0.96
    """Share of the hover thrust before take-off."""
    standing: float = 0.55
    """Share of the hover thrust at the most while it stands on scales."""
    speed_error: float = 0.01
    """Standard deviation of the logarithm of a true rotor speed over its map's."""
    fallen: float = math.cos(math.radians(50.0))
    """Cosine of the tilt from which on the robot has fallen: 50 degrees."""


WORLD = JetsWorldTuning()
