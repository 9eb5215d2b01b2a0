"""Settings of a simulated flight on thrusters, and their limits."""

import dataclasses
import math
from typing import Annotated, Literal

import tyro

from steelyard.errors import BadInput
from steelyard.worlds.jets._robot import JetsRobot, aerial_arm, humanoid

RobotName = Literal["humanoid", "aerial-arm"]
JetsTrajectory = Literal["flight", "standing"]
FailureName = Literal["none", "starvation", "flame-out", "stuck"]

TAKE_OFF = 10.0
"""When a humanoid leaves the ground, s."""


@dataclasses.dataclass(frozen=True)
class JetsScenario:
    """A robot on thrusters stands, takes off, flies forward, turns and flies forward; or stands on scales."""

    robot: RobotName = "humanoid"
    """A humanoid on four jets, or a drone with an arm on six propellers, which starts in the air."""
    trajectory: Annotated[JetsTrajectory, tyro.conf.arg(name="course")] = "flight"
    """What it does: fly, or stand on two scales while its jets rise and fall (humanoid only)."""
    duration: float = 24.0
    """Length, s; a robot that falls ends its log earlier."""
    engine_error: float = 0.05
    """Share by which each coefficient of a true engine may differ from its kind's, either way."""
    mass_error: float = 0.0
    """Share by which the true robot is heavier than its URDF."""
    foot_bias: float = 0.0
    """Of each force axis of the feet's sensors, N, either sign; of each torque a twentieth of it in N m."""
    failure: FailureName = "none"
    """How an engine fails: fuel that runs short for three seconds, a flame-out, or a throttle that sticks."""
    failed_engine: int = 1
    """Which one, counted from 1."""
    failure_time: float = 16.0
    """When, s."""
    rotor_speed: bool = True
    """Whether rotor speeds are logged."""
    noise: float = 1.0
    """Of all sensors, as a multiple of what good ones have; 0 for none."""


_RANGES = {
    "duration": (1.0, 600.0, "s"),
    "engine_error": (0.0, 0.2, ""),
    "mass_error": (-0.2, 0.2, ""),
    "foot_bias": (0.0, 50.0, "N"),
    "failure_time": (0.0, 600.0, "s"),
    "noise": (0.0, 100.0, ""),
}


def check_jets(scenario: JetsScenario) -> None:
    """Raises `BadInput` for settings outside their limits."""
    for name, (least, most, unit) in _RANGES.items():
        value = getattr(scenario, name)
        if not (math.isfinite(value) and least <= value <= most):
            option = name.replace("_", "-")
            raise BadInput(f"--{option} is {value:g}; give a number from {least:g} to {most:g} {unit}".rstrip() + ".")
    engines = len(robot_of(scenario).engines)
    if not 1 <= scenario.failed_engine <= engines:
        raise BadInput(f"--failed-engine is {scenario.failed_engine}; this robot has engines 1 to {engines}.")
    if scenario.trajectory == "standing" and scenario.robot != "humanoid":
        raise BadInput("--trajectory standing is for the humanoid, and the drone has no feet; leave one of them out.")


def robot_of(scenario: JetsScenario) -> JetsRobot:
    """The robot as its own description has it; on the scales it wears the paper's engines."""
    if scenario.robot == "aerial-arm":
        return aerial_arm()
    if scenario.trajectory == "standing" and scenario.failure == "none":
        return humanoid("P100", "P220-first")
    return humanoid()
