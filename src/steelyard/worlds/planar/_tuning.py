"""Settings of the planar world that no scenario changes."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PlanarWorldTuning:
    """Of its motion and of its forces."""

    substep: float = 1e-3
    """Longest step of the integrator, s; Runge-Kutta of fourth order."""
    least_speed: float = 0.01
    """Sliding speed below which Coulomb friction fades, m/s; a sharp edge there would need a solver of its own."""
    frequencies: tuple[float, float] = (0.05, 0.3)
    """Least and greatest frequency of a force, Hz: a load of 5 kg moves by metres."""


WORLD = PlanarWorldTuning()
