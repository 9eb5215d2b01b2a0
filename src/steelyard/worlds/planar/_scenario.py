"""Settings of a simulated planar scenario, their limits, and the forces of the robots."""

import dataclasses
import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from jaxtyping import Float

from steelyard.worlds._limits import chance, check_numbers, check_team
from steelyard.worlds.planar._shapes import ShapeName, contacts_on, inertia_by_mass
from steelyard.worlds.planar._tuning import WORLD

ForcesName = Literal["sinusoids", "constant", "none-turning"]

Forces = Callable[[float], Float[np.ndarray, "robot 2"]]
"""Of every robot at a time (s), world axes, N."""


@dataclasses.dataclass(frozen=True)
class PlanarScenario:
    """A load that robots push on a plane; the defaults are those of icra15, or our own where the paper states none."""

    robots: int = 4
    """How many push."""
    shape: ShapeName = "plate"
    """What they push: the papers' C-shaped plate of 2 m x 4 m, a rod of 2 m, or a disc of 1 m radius."""
    forces: ForcesName = "sinusoids"
    """How they push: along random sinusoids, constantly, or along sinusoids that never turn the load."""
    force: float = 4.0
    """Largest amplitude of a robot's force along an axis, N; amplitudes are at least a quarter of it."""
    duration: float = 20.0
    """Length of the log, s."""
    rate: float = 100.0
    """Rows a second, Hz."""
    mass: float = 5.0
    """Of the load, kg."""
    inertia: float | None = None
    """About the centre of mass, kg m²; if not given, 8.6891 for a plate of 5 kg, and as for even mass else."""
    velocity_noise: float = 0.2
    """Standard deviation of a measured velocity, m/s an axis."""
    force_noise: float = 0.0
    """Standard deviation of a recorded force about the one that acted, N an axis."""
    viscous_friction: float = 0.0
    """Under the load, N s/m."""
    coulomb_friction: float = 0.0
    """Under the load, N; falls with the load's weight."""
    drop_share: float = 0.0
    """Share of mass and inertia that is lost at the drop time; what is left keeps its centre and its motion."""
    drop_time: float = 10.0
    """When that is, s."""
    spin: float = 0.0
    """Angular velocity at the start, rad/s; may be negative."""
    speed: float = 0.0
    """Velocity of the centre of mass along x at the start, m/s; may be negative."""
    random_contacts: bool = False
    """Let the seed choose the contacts, anywhere on the outline; else they are evenly spaced."""

    @property
    def full_inertia(self) -> float:
        """About the centre of mass before anything is dropped, kg m²."""
        return self.mass * inertia_by_mass(self.shape) if self.inertia is None else self.inertia

    @property
    def friction_radius(self) -> float:
        """At which friction resists turning, m: the load's radius of gyration, as if mass pressed where it lies."""
        return math.sqrt(self.full_inertia / self.mass)


_LEAST = {"duration": 0.1, "rate": 1.0, "mass": 1e-3, "inertia": 1e-6}


def check_planar(scenario: PlanarScenario) -> None:
    """Raises `BadInput` for settings outside their limits."""
    check_team(scenario, most_robots=1000, most_share=0.99, most_readings=10_000_000)
    check_numbers(scenario, _LEAST, signed=("spin", "speed"))


def contacts_of(scenario: PlanarScenario, seed: int) -> Float[np.ndarray, "robot 2"]:
    """From the centre of mass to every contact, body axes, m."""
    return contacts_on(scenario.shape, scenario.robots, chance(seed, 0) if scenario.random_contacts else None)


def forces_of(scenario: PlanarScenario, contacts: Float[np.ndarray, "robot 2"], seed: int) -> Forces:
    """What every robot does, by the seed: amplitudes, frequencies and phases, for each of its axes."""
    rng, shape = chance(seed, 1), contacts.shape
    amplitudes = scenario.force * rng.uniform(0.25, 1.0, shape)
    omegas, phases = 2 * np.pi * rng.uniform(*WORLD.frequencies, shape), rng.uniform(0, 2 * np.pi, shape)
    # The load that was never turned has body axes along the world's, so arms are known in advance.
    turning = np.stack([-contacts[:, 1], contacts[:, 0]], axis=1)
    squares = max(float(np.sum(turning**2)), 1e-12)

    def sinusoids(time: float):
        return amplitudes * np.sin(omegas * time + phases)

    def without_torque(time: float):
        wanted = sinusoids(time)
        return wanted - turning * (np.sum(turning * wanted) / squares)

    held = amplitudes * np.sign(np.sin(phases))
    kinds: dict[str, Forces] = {"sinusoids": sinusoids, "none-turning": without_torque, "constant": lambda time: held}
    return kinds[scenario.forces]


def forces_along(times: Float[np.ndarray, " time"], rows: Float[np.ndarray, "time robot 2"]) -> Forces:
    """Forces that somebody wrote down, a row a time; straight lines between the rows."""

    def at(time: float):
        after = int(np.clip(np.searchsorted(times, time), 1, len(times) - 1))
        share = np.clip((time - times[after - 1]) / (times[after] - times[after - 1]), 0.0, 1.0)
        return rows[after - 1] + share * (rows[after] - rows[after - 1])

    return at


def noises_of(scenario: PlanarScenario, rows: int, seed: int) -> Float[np.ndarray, "2 time robot 2"]:
    """Noise of every velocity (m/s) and of every force (N)."""
    draws = chance(seed, 2).standard_normal((2, rows, scenario.robots, 2))
    return draws * np.array([scenario.velocity_noise, scenario.force_noise])[:, None, None, None]
