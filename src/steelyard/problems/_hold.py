"""From the columns of robots that hold a load in space to the samples that each robot's agent may see."""

import dataclasses
import math

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._noise import vector_noise
from steelyard.team import Graph, SpatialSample

SIGNALS = {
    "twist/angular": "rad/s",
    "twist/linear": "m/s",
    "specific_force": "m/s²",
    "wrench/torque": "N m",
    "wrench/force": "N",
}
"""Of every robot, in the order of its fifteen numbers, with their units."""
_FEWEST_ROWS = 20
# No sensor is better than this, SI units.
_LEAST = {
    "twist/angular": 3e-4,
    "twist/linear": 3e-4,
    "specific_force": 1e-3,
    "wrench/torque": 1e-3,
    "wrench/force": 3e-3,
}


@dataclasses.dataclass(frozen=True, eq=False)
class Hold:
    """What a team recorded while it held a load, each robot in its own sensor axes; NaN where nothing was."""

    graph: Graph
    time: np.ndarray
    """(n,), s."""
    readings: np.ndarray
    """(n, robot, 15), in the order of `SIGNALS`."""
    noise: dict[str, float]
    """One standard deviation an axis, by signal."""
    gravity: tuple[float, float, float]
    held: bool
    """Whether a wrench acts unchanged until the next row."""
    notes: tuple[str, ...]

    @property
    def rate(self) -> float:
        """Rows a second, as most rows have it."""
        return 1.0 / float(np.median(np.diff(self.time)))

    def samples(self) -> dict[str, list[SpatialSample]]:
        """By robot, a row each."""
        return {
            name: [
                _sample(k, float(t), row) for k, (t, row) in enumerate(zip(self.time, self.readings[:, i], strict=True))
            ]
            for i, name in enumerate(self.graph.names)
        }


def _sample(row: int, time: float, values: np.ndarray) -> SpatialSample:
    x = values.tolist()
    return SpatialSample(
        time,
        (x[0], x[1], x[2]),
        (x[3], x[4], x[5]),
        (x[6], x[7], x[8]),
        (x[9], x[10], x[11]),
        (x[12], x[13], x[14]),
        row,
    )


def read_hold(log: Log, config: Config) -> Hold:
    """Reads the robots' columns, and estimates the noise that nobody stated; what cannot be read is a `BadInput`."""
    if len(log) < _FEWEST_ROWS:
        raise BadInput(f"{log.origin} has {len(log)} rows; to weigh a load takes {_FEWEST_ROWS} rows at least.")
    graph, xyz = _graph(log, config), ("x", "y", "z")
    readings = np.stack([_columns(log, name, xyz) for name in graph.names], axis=1)
    time, noise, estimated = np.asarray(log.time), {}, []
    for k, (signal, unit) in enumerate(SIGNALS.items()):
        stated = getattr(config.noise, signal.replace("/", "_"))
        if stated is None:
            own = [vector_noise(time, readings[:, i, 3 * k : 3 * k + 3]) for i in range(len(graph.names))]
            told = [size for size in own if not math.isnan(size)]
            stated = max(float(np.median(told)), _LEAST[signal]) if told else 1.0
            if told:
                estimated.append(f"{signal} {stated:.2g} {unit}")
        noise[signal] = stated
    notes = []
    if estimated:
        notes.append(f"Noise estimated from the log, because [noise] does not state it: {', '.join(estimated)}.")
    return Hold(graph, time, readings, noise, config.gravity, config.inputs.hold == "step", tuple(notes))


def _columns(log: Log, name: str, xyz: tuple[str, str, str]) -> np.ndarray:
    parts = []
    for signal in SIGNALS:
        if signal in ("twist/linear", "specific_force") and not log.has(name, signal, xyz):
            parts.append(np.full((len(log), 3), np.nan))
        else:
            parts.append(log.require(name, signal, xyz))
    if np.isnan(parts[1]).all() and np.isnan(parts[2]).all():
        raise BadInput(
            f"{log.origin}: {name} has neither {name}/specific_force nor {name}/twist/linear, and without one of the "
            "two nothing shows where it holds the load; record an accelerometer, or the velocity of the sensor frame."
        )
    return np.concatenate(parts, axis=1)


def _graph(log: Log, config: Config) -> Graph:
    """As `[team]` says; by default a line of all robots that have a wrench."""
    names: tuple[str, ...] = config.team.robots or tuple(
        name for name in log.robots if any(signal.startswith("wrench/") for signal in log.signals(name))
    )
    if not names:
        raise BadInput(f"{log.origin} has no robot with a wrench; log r1/wrench/force/x, r1/twist/angular/x, ….")
    return Graph.from_config(config.team, names)
