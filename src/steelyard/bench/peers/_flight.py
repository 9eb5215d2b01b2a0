"""What every peer gets: velocities, thrust along a measured direction, and the noise of both."""

import dataclasses
from typing import Any

import numpy as np

from steelyard.logs import Log
from steelyard.worlds import MultirotorScenario, simulate

GRAVITY = np.array([0.0, 0.0, -9.81])
GUESS, GUESS_STD = 1.2, 0.3
"""Of the mass, kg; the true ones are from 0.9 to 1.5."""
ACCELERATION_STD = 0.25
"""Of the acceleration that thrust and attitude explain, m/s² a row: 2 % of the thrust and 0.01 rad of its direction."""
VELOCITY_STD = 0.03
"""m/s, as simulated."""
SCENARIOS: dict[str, dict[str, Any]] = {
    "no drag": {"drag": 0.0, "quadratic_drag": 0.0},
    "drag": {},
    "load dropped": {"profile": "step-down"},
}
"""In the first the model of every peer is the truth; then air resists, as it does; then 30 % fall off half way."""


@dataclasses.dataclass(frozen=True)
class Flight:
    """One simulated flight; `velocity' = gravity + force / mass` but for noise, drag and changes."""

    log: Log
    time: np.ndarray
    velocity: np.ndarray
    """World, measured."""
    force: np.ndarray
    """World: thrust along the measured body axis."""
    mass: float
    """The truth at the end."""

    @property
    def dt(self) -> float:
        """s, the same between all rows."""
        return float(self.time[1] - self.time[0])


@dataclasses.dataclass(frozen=True)
class MassEstimate:
    """A peer's answer."""

    mass: float
    std: float


def fly(scenario: str, seed: int, duration: float = 10.0) -> Flight:
    """A flight by seed; masses and trajectories differ."""
    mass = 0.9 + 0.6 * float(np.random.default_rng([seed, 22]).random())
    trajectory = ("loop", "lemniscate")[seed % 2]
    given = {"profile": "constant", "duration": duration, "mass": mass, "trajectory": trajectory}
    settings = MultirotorScenario(**(given | SCENARIOS[scenario]))
    columns = simulate(settings, seed)
    log = Log(columns.pop("time"), columns, f"peers {scenario} {seed}")
    w, x, y, z = (log.columns[f"r1/attitude/{axis}"] for axis in "wxyz")
    up = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    velocity = np.stack([log.columns[f"r1/linear_velocity/{axis}"] for axis in "xyz"], axis=1)
    force = up * log.columns["r1/thrust"][:, None]
    middle = np.concatenate([force[:1], 0.5 * (force[1:] + force[:-1])])  # samples: between rows they vary smoothly
    return Flight(log, log.time, velocity, middle, float(log.columns["truth/mass"][-1]))
