"""Settings of an arm that moves a load, and their limits."""

import dataclasses
import math
from typing import Literal

import numpy as np

from steelyard.errors import BadInput

WristMotion = Literal["gentle", "wild", "carry", "still"]
WristNoise = Literal["good", "poor", "exact"]

_NOISES: dict[str, dict[str, float]] = {
    "good": {"twist/angular": 0.002, "twist/linear": 0.005, "specific_force": 0.02, "attitude": 0.002}
    | {"wrench/torque": 0.003, "wrench/force": 0.05},
    "poor": {"twist/angular": 0.01, "twist/linear": 0.02, "specific_force": 0.1, "attitude": 0.01}
    | {"wrench/torque": 0.015, "wrench/force": 0.25},
}


@dataclasses.dataclass(frozen=True)
class WristScenario:
    """An arm of six joints moves a box at its wrist; the seed chooses the motion, the errors' directions, the noise."""

    motion: WristMotion = "gentle"
    """How the arm moves: waving (half a rad/s, a third of a m/s²), fast, from pose to pose with rests, not at all."""
    duration: float = 10.0
    """Length of the log, s."""
    rate: float = 100.0
    """Rows a second, Hz."""
    mass: float = 1.0
    """Of the box, kg."""
    length: float = 0.12
    """Of the box along x, m."""
    width: float = 0.08
    """Of the box along y, m."""
    height: float = 0.2
    """Of the box along z, away from the wrist, m."""
    com_x: float = 0.0
    """Centre of the box from the force sensor's origin, sensor axes, m; may be negative, as y and z."""
    com_y: float = 0.0
    """The same along y, m."""
    com_z: float = 0.1
    """The same along z, m."""
    tilt: float = 0.0
    """How far the box is turned about (1, 1, 0) against the sensor's axes, degrees."""
    pick_mass: float = 0.0
    """Of a cube of 60 mm that the arm picks up, 50 mm beyond the box's centre along z, kg."""
    pick_time: float = 4.0
    """When it is picked up, s."""
    put_time: float = math.inf
    """When it is put down, s; by default never."""
    touch_force: float = 0.0
    """With which something pushes on the load, N; its direction in the world is the seed's."""
    touch_time: float = 5.0
    """When it begins, s."""
    touch_length: float = 0.8
    """How long it lasts, s."""
    sensors: WristNoise = "good"
    """Noise of the sensors: as good or as poor ones have it, or none."""
    velocity: bool = True
    """Whether the velocity of the sensor frame is recorded."""
    orientation: bool = False
    """Whether its orientation is recorded."""
    force_offset: float = 0.0
    """Length of the force sensor's offset vector, N."""
    torque_offset: float = 0.0
    """Length of its torque offset, N m."""
    accelerometer_bias: float = 0.0
    """Length of the accelerometer's bias vector, m/s²."""
    gyro_bias: float = 0.0
    """Length of the gyro's bias vector, rad/s."""
    delay: float = 0.0
    """How late all motion sensors are against the wrench, s."""
    mounting: float = 0.0
    """By how much the inertial sensor is turned against the force sensor, degrees."""
    lever: float = 0.0
    """How far the inertial sensor is from the force sensor's origin, m."""
    accelerometer_scale: float = 0.0
    """By which share the accelerometer reads too much; may be negative."""
    force_scale: float = 0.0
    """By which share force and torque are too large; may be negative."""
    drift: float = 0.0
    """How far the force offset wanders in a minute, N (a random walk)."""
    vibration: float = 0.0
    """Amplitude of a shaking of force (N) and, a tenth of it, accelerometer (m/s²) at 17 Hz that is no rigid motion."""

    @property
    def noise(self) -> dict[str, float]:
        """One standard deviation an axis by signal, SI units; empty where there is none."""
        return dict(_NOISES.get(self.sensors, {}))


_ANY_SIGN = ("com_x", "com_y", "com_z", "tilt", "accelerometer_scale", "force_scale")
_LEAST = {"duration": 0.5, "rate": 5.0, "mass": 1e-3, "length": 1e-3, "width": 1e-3, "height": 1e-3}


def check_wrist(scenario: WristScenario) -> None:
    """Raises `BadInput` for settings outside their limits."""
    for field in dataclasses.fields(scenario):
        value, option = getattr(scenario, field.name), f"--{field.name.replace('_', '-')}"
        if isinstance(value, bool | str) or field.name == "put_time":
            continue
        least = -math.inf if field.name in _ANY_SIGN else _LEAST.get(field.name, 0.0)
        if not (math.isfinite(value) and value >= least):
            what = "a finite number" if least == -math.inf else f"a number from {least:g} up"
            raise BadInput(f"{option} is {value:g}; give {what}.")
    if scenario.duration * scenario.rate > 1_000_000:
        raise BadInput("This scenario has over a million rows; choose a shorter --duration or a lower --rate.")


def chance(seed: int, what: int) -> np.random.Generator:
    """Motion, errors and noise have chances of their own: one does not change when another is asked for."""
    return np.random.default_rng([seed, what])


def direction(rng: np.random.Generator) -> np.ndarray:
    """(3,): a unit vector, every direction alike."""
    vector = rng.standard_normal(3)
    return vector / np.linalg.norm(vector)
