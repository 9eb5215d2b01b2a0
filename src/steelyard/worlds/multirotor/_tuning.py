"""Settings of the worlds with a multirotor that no scenario changes."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MultirotorWorldTuning:
    """Of the vehicle, of its commands, and of the steps of time; those of the controller that plans are beside it."""

    substeps_per_second: float = 1000.0
    """Hz, of the integrator: a thirtieth of the body-rate loop's time constant a step."""
    disturbed_substeps: int = 5
    """The same of a disturbed flight, a row: 2 ms, a fifteenth of that time constant."""
    curve_points: int = 1000
    """Points a second on which curves are differentiated: as many as the integrator's steps."""
    rate_lag: float = 0.03
    """Time constant of the inner body-rate loop, s."""
    most_rates: tuple[float, float, float] = (3.0, 3.0, 2.0)
    """Largest body rates that may be asked for, rad/s."""
    thrust_by_mass: tuple[float, float] = (2.0, 20.0)
    """Least and largest thrust that may be asked for, by the mass that the controller believes in, m/s²."""
    asked_thrust: float = 20.0
    """N that a rotor is thought to give at full throttle; 18.8 on the bench."""
    drag: float = 0.25
    """Of a disturbed flight, across the thrust axis, per kg: 1/s."""
    quadratic_drag: float = 0.06
    """Of a disturbed flight, per kg: 1/m."""
    turbulence_height: float = 3.0
    """m, for which the gusts' lengths are taken."""


WORLD = MultirotorWorldTuning()
