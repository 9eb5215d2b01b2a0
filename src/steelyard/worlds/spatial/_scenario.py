"""Settings of a simulated spatial scenario, their limits, and what the seed decides."""

import dataclasses
import functools
import math
from typing import Literal

import numpy as np
from jaxtyping import Float

from steelyard.models import WRIST_SIGNALS
from steelyard.worlds._limits import chance, check_numbers, check_team
from steelyard.worlds.spatial._tuning import WORLD

MotionName = Literal["rich", "no-turning", "one-axis", "in-plane", "still", "free"]
SensorsName = Literal["paper", "realistic", "exact"]

_PRESETS: dict[str, tuple[float, ...]] = {
    "paper": (0.4, 0.4, 0.4, 0.4, 0.4),
    "realistic": (0.005, 0.02, 0.1, 0.01, 0.2),
    "exact": (0.0, 0.0, 0.0, 0.0, 0.0),
}


@dataclasses.dataclass(frozen=True)
class SpatialScenario:
    """A rigid load that robots hold and shake; noise as in fan17, the rest our own, as the paper states none."""

    robots: int = 1
    """How many hold it."""
    motion: MotionName = "rich"
    """How they move it: every way, without turning, turning about one axis only, level in a plane, not at all, or
    letting go of it."""
    duration: float = 12.0
    """Length of the log, s."""
    rate: float = 100.0
    """Rows a second, Hz."""
    mass: float = 2.0
    """Of the load, kg."""
    length: float = 1.2
    """Of the even box whose inertia the load has, m; with width and height it makes every inertia that is possible."""
    width: float = 0.9
    """Of that box, m."""
    height: float = 0.6
    """Of that box, m."""
    force: float = 12.0
    """By which all together shake the load, N rms along an axis."""
    torque: float = 1.0
    """By which all together turn the load, N m rms about an axis."""
    sensors: SensorsName = "paper"
    """Noise of the sensors: 0.4 on every channel in SI units, as good ones have it, or none."""
    angular_noise: float | None = None
    """Of an angular velocity, rad/s an axis; if not given, that of `sensors`."""
    linear_noise: float | None = None
    """Of a velocity, m/s an axis; if not given, that of `sensors`."""
    specific_force_noise: float | None = None
    """Of an accelerometer, m/s² an axis; if not given, that of `sensors`."""
    torque_noise: float | None = None
    """Of a torque, N m an axis; if not given, that of `sensors`."""
    force_noise: float | None = None
    """Of a force, N an axis; if not given, that of `sensors`."""
    bias: float = 0.0
    """Constant error of every channel as a multiple of its noise; the seed chooses the signs."""
    drop_share: float = 0.0
    """Share of the box that breaks off its end at the drop time; what is left keeps its motion."""
    drop_time: float = 6.0
    """When that is, s."""
    spin: float = 0.0
    """Angular velocity at the start about the box's (1, 1, 1), rad/s; may be negative."""
    weightless: bool = False
    """No gravity, as in space."""

    @property
    def noises(self) -> tuple[float, ...]:
        """One standard deviation an axis for each of the signals, SI units."""
        own = (
            self.angular_noise,
            self.linear_noise,
            self.specific_force_noise,
            self.torque_noise,
            self.force_noise,
        )
        return tuple(
            preset if given is None else given for given, preset in zip(own, _PRESETS[self.sensors], strict=True)
        )


_LEAST = {"duration": 0.1, "rate": 1.0, "mass": 1e-3, "length": 1e-3, "width": 1e-3, "height": 1e-3}


def check_spatial(scenario: SpatialScenario) -> None:
    """Raises `BadInput` for settings outside their limits."""
    check_team(scenario, most_robots=100, most_share=0.9, most_readings=3_000_000)
    check_numbers(scenario, _LEAST, signed=("spin",))


@dataclasses.dataclass(frozen=True, eq=False)
class Box:
    """An even box, its axes the body's."""

    mass: float
    """kg."""
    com: Float[np.ndarray, "3"]
    """From the body's origin, m."""
    sides: Float[np.ndarray, "3"]
    """m."""

    @functools.cached_property
    def inertia(self) -> Float[np.ndarray, "3"]:
        """Principal moments about the centre of mass, kg m²."""
        squares = self.sides**2
        return self.mass / 12.0 * (np.sum(squares) - squares)

    def without(self, share: float) -> "Box":
        """What is left when a share of its length breaks off."""
        lost = share * self.sides[0]
        sides = self.sides - np.array([lost, 0.0, 0.0])
        return Box((1.0 - share) * self.mass, self.com - np.array([0.5 * lost, 0.0, 0.0]), sides)


def box_of(scenario: SpatialScenario) -> Box:
    """The load before anything breaks off; the body's origin is its centre."""
    return Box(scenario.mass, np.zeros(3), np.array([scenario.length, scenario.width, scenario.height]))


def grips_of(scenario: SpatialScenario, seed: int) -> tuple[Float[np.ndarray, "robot 3"], Float[np.ndarray, "robot 4"]]:
    """Where sensors sit on the box's ellipsoid (body axes, m), and how they are turned there (sensor to body)."""
    rng = chance(seed, 0)
    directions = rng.standard_normal((scenario.robots, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    turns = rng.standard_normal((scenario.robots, 4))
    return 0.5 * box_of(scenario).sides * directions, turns / np.linalg.norm(turns, axis=1, keepdims=True)


@dataclasses.dataclass(frozen=True, eq=False)
class Shaking:
    """Sinusoids in world axes: three along every axis of every row."""

    amplitudes: Float[np.ndarray, "row 3 sine"]
    omegas: Float[np.ndarray, "row 3 sine"]
    phases: Float[np.ndarray, "row 3 sine"]

    def at(self, time: float) -> Float[np.ndarray, "row 3"]:
        """At a time in s."""
        return np.sum(self.amplitudes * np.sin(self.omegas * time + self.phases), axis=-1)


def shaking_of(scenario: SpatialScenario, seed: int) -> Shaking:
    """Rows: the force of all (N), the torque of all (N m), and every robot's own force against the others' (N)."""
    rng, shape = chance(seed, 1), (2 + scenario.robots, 3, 3)
    rms = np.array([scenario.force, scenario.torque, *[0.5 * scenario.force] * scenario.robots])
    amplitudes = math.sqrt(2.0 / 3.0) * rms[:, None, None] * rng.uniform(0.7, 1.3, shape)
    if scenario.motion in ("still", "free"):
        amplitudes = 0.0 * amplitudes
    if scenario.motion == "no-turning":
        amplitudes[1] = 0.0
    if scenario.motion in ("one-axis", "in-plane"):
        amplitudes[1, :2] = 0.0
    if scenario.motion == "in-plane":
        amplitudes[[0, *range(2, 2 + scenario.robots)], 2] = 0.0
    return Shaking(amplitudes, 2 * np.pi * rng.uniform(*WORLD.frequencies, shape), rng.uniform(0, 2 * np.pi, shape))


def errors_of(scenario: SpatialScenario, rows: int, seed: int) -> Float[np.ndarray, "signal time robot 3"]:
    """Noise and bias of every reading, in the order of `models.WRIST_SIGNALS`."""
    sizes = np.array(scenario.noises)[:, None, None, None]
    shape = (len(WRIST_SIGNALS), rows, scenario.robots, 3)
    signs = chance(seed, 3).choice([-1.0, 1.0], (len(WRIST_SIGNALS), 1, scenario.robots, 3))
    return sizes * (chance(seed, 2).standard_normal(shape) + scenario.bias * signs)
