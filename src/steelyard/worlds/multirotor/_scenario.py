"""Settings of a simulated multirotor flight, and their limits."""

import dataclasses
from typing import Literal

from steelyard.errors import BadInput
from steelyard.worlds._limits import check_numbers
from steelyard.worlds.multirotor._profiles import ProfileName

TrajectoryName = Literal["hover", "loop", "lemniscate"]


@dataclasses.dataclass(frozen=True)
class MultirotorScenario:
    """A flight to simulate; every default is that of a common 1 kg research quadrotor."""

    profile: ProfileName = "steps"
    """How the mass goes: constant, a ramp down (spraying), one step down, one step up, or several steps."""
    trajectory: TrajectoryName = "loop"
    """Where it flies: it hovers, or follows a loop or a lemniscate of 5 m half-width."""
    duration: float = 25.0
    """Length of the flight, s."""
    rate: float = 100.0
    """Rows a second, and commands a second, Hz."""
    mass: float = 1.0
    """Full mass, kg; the controller takes it for granted."""
    speed: float = 2.5
    """Cruising speed along the trajectory, m/s."""
    drag: float = 0.3
    """Linear drag across the rotors' axis, N s/m."""
    quadratic_drag: float = 0.08
    """Quadratic drag along each body axis, N s²/m²."""
    motor_lag: float = 0.05
    """Time constant of the motors, s."""
    motor_noise: float = 0.02
    """Thrust noise of a rotor as a share of its full scale, at full throttle; goes with the root of the throttle."""
    position_noise: float = 0.01
    """Standard deviation of a measured position, m an axis."""
    attitude_noise: float = 0.01
    """Standard deviation of a measured attitude, rad an axis."""
    velocity_noise: float = 0.03
    """Standard deviation of a measured velocity, m/s an axis."""
    rates_noise: float = 0.01
    """Standard deviation of a measured body rate, rad/s an axis."""


def check_multirotor(scenario: MultirotorScenario) -> None:
    """Raises `BadInput` for settings outside their limits."""
    check_numbers(scenario, {"duration": 0.1, "rate": 1.0, "mass": 1e-3})
    if scenario.duration * scenario.rate > 10_000_000:
        raise BadInput("This flight has over ten million rows; choose a shorter --duration or a lower --rate.")
