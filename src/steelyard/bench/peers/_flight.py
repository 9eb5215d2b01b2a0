"""What every peer gets: velocities, thrust along a measured direction, and the noise of both."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.bench.peers._tuning import PEERS
from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.logs.mapping import open_log, prepare
from steelyard.models import STANDARD_GRAVITY
from steelyard.problems import read_flight_record
from steelyard.worlds import MultirotorScenario, simulate

GRAVITY = np.array(STANDARD_GRAVITY)
SCENARIOS: dict[str, dict[str, Any]] = {
    "no drag": {"drag": 0.0, "quadratic_drag": 0.0},
    "drag": {},
    "load dropped": {"profile": "step-down"},
}
"""In the first the model of every peer is the truth; then air resists, as it does; then 30 % fall off half way."""


@dataclasses.dataclass(frozen=True)
class Flight:
    """One flight; `velocity' = gravity + force / mass` but for noise, drag and changes."""

    log: Log
    time: np.ndarray
    velocity: np.ndarray
    """World, measured."""
    force: np.ndarray
    """World: thrust along the measured body axis."""
    mass: float
    """The truth at the end."""
    config: Config = dataclasses.field(default_factory=Config)
    """What `identify` is told."""
    guess: float = PEERS.guess
    guess_std: float = PEERS.guess_std
    """Of the mass, kg."""

    @property
    def rows(self) -> int:
        """Of the log."""
        return len(self.time)

    @property
    def truth(self) -> dict[str, np.ndarray]:
        """The mass, kg."""
        return {"mass": np.array([self.mass])}

    @property
    def unit(self) -> dict[str, tuple[str, np.ndarray]]:
        """A percent of the mass."""
        return {"mass": ("%", np.array([0.01 * self.mass]))}

    @property
    def dt(self) -> float:
        """s, the same between all rows."""
        return float(self.time[1] - self.time[0])


@dataclasses.dataclass(frozen=True)
class MassEstimate:
    """A peer's answer."""

    mass: float
    std: float | None
    """None where a method states none."""


def fly(scenario: str, seed: int, duration: float = 10.0) -> Flight:
    """A flight by seed; masses and trajectories differ."""
    mass = 0.9 + 0.6 * float(np.random.default_rng([seed, 22]).random())
    trajectory = ("loop", "lemniscate")[seed % 2]
    given = {"profile": "constant", "duration": duration, "mass": mass, "trajectory": trajectory}
    settings = MultirotorScenario(**(given | SCENARIOS[scenario]))
    columns = simulate(settings, seed)
    log = Log(columns.pop("time"), columns, f"peers {scenario} {seed}")
    attitude, velocity = log.signal("r1", "attitude"), log.signal("r1", "linear_velocity")
    force = _force(attitude, log.signal("r1", "thrust")[:, 0])
    return Flight(log, log.time, velocity, force, float(log.columns["truth/mass"][-1]))


def recorded(files: Sequence[str], mass: float, config: Config) -> Flight:
    """Somebody's flight of a drone of known mass: its longest time in the air, on even rows.

    Peers start from the mean thrust over gravity, a quarter uncertain, as in the simulated flights.
    """
    found = prepare(open_log(files), "multirotor", config)
    record = read_flight_record(found.log, found.log.robots[0], config)
    whole = np.isfinite(np.column_stack([record.velocity, record.attitude, record.thrust])).all(axis=1)
    if whole.sum() < 2:
        raise BadInput(f"{found.log.origin} has no rows with velocity, attitude and thrust; the peers need all three.")
    usual = float(np.nanmedian(record.thrust))
    begin, end = _longest(record.thrust[whole] > PEERS.airborne * usual)
    time = record.time[whole][begin:end]
    even = np.linspace(time[0], time[-1], 1 + round((time[-1] - time[0]) / float(np.median(np.diff(time)))))
    columns = np.column_stack([record.velocity, record.attitude, record.thrust])[whole][begin:end]
    rows = np.stack([np.interp(even, time, column) for column in columns.T], axis=1)
    guess = float(np.mean(rows[:, 7])) / 9.81
    force = _force(rows[:, 3:7], rows[:, 7])
    return Flight(found.log, even, rows[:, :3], force, mass, config, guess, 0.25 * guess)


def _force(attitude: np.ndarray, thrust: np.ndarray) -> np.ndarray:
    """World, over the interval that ends at each row: between rows inputs vary smoothly."""
    w, x, y, z = (attitude / np.linalg.norm(attitude, axis=1, keepdims=True)).T
    up = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    force = up * thrust[:, None]
    return np.concatenate([force[:1], 0.5 * (force[1:] + force[:-1])])


def _longest(flying: np.ndarray) -> tuple[int, int]:
    """Begin and end of the longest run of rows that are all true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flying.astype(int), [0]])))
    begins, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - begins))
    return int(begins[longest]), int(ends[longest])
