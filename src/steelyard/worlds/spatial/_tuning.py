"""Settings of the spatial world that no scenario changes."""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class SpatialWorldTuning:
    """Of its motion and of its wrenches."""

    substep: float = 5e-3
    """Longest step of the integrator, s; Runge-Kutta of fourth order, and wrenches are asked for at each of its
    stages."""
    frequencies: tuple[float, float] = (0.3, 1.2)
    """Least and greatest frequency of a wrench, Hz: what arms can follow."""
    return_rate: float = math.tau / 4
    """How quickly the load is led back to where it began, rad/s: a quarter of a turn a second, below the wrenches."""


WORLD = SpatialWorldTuning()
