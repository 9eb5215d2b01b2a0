"""From the columns of a planar team's log to a record, and to the samples that each robot's agent may see."""

import dataclasses
import math

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._channel_noise import vector_noise
from steelyard.problems.planar_load._even_rows import even_rows
from steelyard.problems.planar_load._tuning import TUNING
from steelyard.team import Graph, PlanarSample


@dataclasses.dataclass(frozen=True)
class PlanarRecord:
    """What a team recorded while it pushed a load on a plane, world axes; NaN where a sample is missing."""

    graph: Graph
    time: np.ndarray
    """(n,), s."""
    velocity: np.ndarray
    """(n, robot, 2), m/s, of every contact."""
    force: np.ndarray
    """(n, robot, 2), N: the mean force from the row before to this one."""
    velocity_noise: float
    """m/s an axis."""
    force_noise: float
    """N an axis."""
    notes: tuple[str, ...]
    friction: bool = False
    """Whether the plane's friction is estimated too."""

    @property
    def rate(self) -> float:
        """Rows a second, as most rows have it."""
        return 1.0 / float(np.median(np.diff(self.time)))

    def rows(self, which: slice) -> "PlanarRecord":
        """Some of the rows."""
        time, velocity, force = self.time[which], self.velocity[which], self.force[which]
        return dataclasses.replace(self, time=time, velocity=velocity, force=force)

    def samples(self) -> dict[str, list[PlanarSample | None]]:
        """By robot, a row each, the first at time zero; None where it does not know its own force."""
        return {name: [self._sample(k, i) for k in range(len(self.time))] for i, name in enumerate(self.graph.names)}

    def _sample(self, row: int, robot: int) -> PlanarSample | None:
        (fx, fy), (vx, vy) = self.force[row, robot].tolist(), self.velocity[row, robot].tolist()
        if math.isnan(fx + fy):
            return None
        return PlanarSample(float(self.time[row] - self.time[0]), (vx, vy), (fx, fy))


def read_planar_record(log: Log, config: Config) -> PlanarRecord:
    """Reads the robots' columns, and estimates noise that is not stated; a log that cannot be read is a `BadInput`."""
    if len(log) < TUNING.fewest_rows:
        raise BadInput(f"{log.origin} has {len(log)} rows; a planar load needs {TUNING.fewest_rows} rows at least.")
    graph = _graph(log, config)
    velocity = np.stack([log.require(name, "velocity", ("x", "y")) for name in graph.names], axis=1)
    logged = np.stack([log.require(name, "force", ("x", "y")) for name in graph.names], axis=1)
    time, notes, noise = np.asarray(log.time), [], config.noise.velocity
    if noise is None:
        least = TUNING.least_velocity_noise
        noise = vector_noise(time, velocity.reshape(len(time), -1))
        noise = least if math.isnan(noise) else max(noise, least)
        notes.append(f"Noise estimated from the log, because [noise] does not state it: velocity {noise:.2g} m/s.")
    if config.noise.force is not None:
        notes.append("The robots take their own forces as exact; the noise of force counts in the verdict only.")
    rows = even_rows(time, velocity, logged, config.inputs.hold == "step")
    return PlanarRecord(graph, *rows, noise, config.noise.force or 0.0, tuple(notes), config.load.friction)


def _graph(log: Log, config: Config) -> Graph:
    """The graph of `[team]`; by default a line of all robots that have a planar velocity or a force."""
    names: tuple[str, ...] = config.team.robots or tuple(
        name for name in log.robots if {"velocity", "force"} & set(log.signals(name))
    )
    if not names:
        raise BadInput(f"{log.origin} has no robot with a velocity and a force; log r1/velocity/x, r1/force/x, ….")
    if len(names) == 1:
        raise BadInput(
            f"{log.origin}: the team is {names[0]} alone, and one robot cannot see how the load turns; add another "
            "that holds the load."
        )
    return Graph.from_config(config.team, names)
