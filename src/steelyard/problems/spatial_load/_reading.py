"""From the columns of robots that hold a load in space to a record, and to the samples of each robot's agent."""

import dataclasses

import numpy as np

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems._wrist_sensors import read_wrist, wrist_noise
from steelyard.problems.spatial_load._tuning import TUNING
from steelyard.team import Graph, SpatialLoadAgent, SpatialSample, spatial_load_team


@dataclasses.dataclass(frozen=True, eq=False)
class SpatialRecord:
    """What a team recorded while it held a load, each robot in its own sensor axes; NaN where a sample is missing."""

    graph: Graph
    time: np.ndarray
    """(n,), s."""
    readings: np.ndarray
    """(n, robot, 15), in the order of `models.WRIST_SIGNALS`."""
    noise: dict[str, float]
    """One standard deviation an axis, by signal."""
    gravity: tuple[float, float, float]
    zero_order_hold: bool
    """Whether a wrench acts unchanged until the next row."""
    notes: tuple[str, ...]

    @property
    def rate(self) -> float:
        """Rows a second, as most rows have it."""
        return 1.0 / float(np.median(np.diff(self.time)))

    def agents(self) -> list[SpatialLoadAgent]:
        """The agents of this team, in the order of the graph's names."""
        hold = "step" if self.zero_order_hold else "sample"
        return spatial_load_team(self.graph, self.rate, self.noise, self.gravity, hold)

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


def read_spatial_record(log: Log, config: Config) -> SpatialRecord:
    """Reads the robots' columns, and estimates noise that is not stated; a log that cannot be read is a `BadInput`."""
    graph, time = _graph(log, config), np.asarray(log.time)
    readings = np.stack([read_wrist(log, name) for name in graph.names], axis=1)
    noise, notes = wrist_noise(time, readings, config)
    time, readings = _with_blank_rows(time, readings)
    return SpatialRecord(graph, time, readings, noise, config.gravity, config.inputs.hold == "step", notes)


def _with_blank_rows(time: np.ndarray, readings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Blank rows where rows are missing: the agents notice a gap by rows in which nobody was heard."""
    steps = np.diff(time)
    usual = float(np.median(steps))
    least = max(TUNING.error_gap * usual, TUNING.pause)
    added = [
        a + usual * np.arange(1, int(min(step, TUNING.blank_seconds) / usual - 0.5) + 1)
        for a, step in zip(time, steps, strict=False)
        if step > least
    ]
    if not added:
        return time, readings
    blank = np.concatenate(added)
    order = np.argsort(np.concatenate([time, blank]), kind="stable")
    rows = np.concatenate([readings, np.full((len(blank), *readings.shape[1:]), np.nan)])
    return np.concatenate([time, blank])[order], rows[order]


def _graph(log: Log, config: Config) -> Graph:
    """The graph of `[team]`; by default a line of all robots that have a wrench."""
    names: tuple[str, ...] = config.team.robots or tuple(
        name for name in log.robots if any(signal.startswith("wrench/") for signal in log.signals(name))
    )
    if not names:
        raise BadInput(f"{log.origin} has no robot with a wrench; log r1/wrench/force/x, r1/twist/angular/x, ….")
    return Graph.from_config(config.team, names)
