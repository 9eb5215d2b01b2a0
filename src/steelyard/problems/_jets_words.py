"""What the thrusts of a robot are worth, and what befell its engines, in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.problems._honesty import believable
from steelyard.problems._identification import Event
from steelyard.problems._jets_reading import JetsRecord
from steelyard.problems._jets_robot import ConfiguredRobot

_REMEDY = (
    "state the true noise in [noise], give engine_error and mass_error their true sizes in [jets], or look for what "
    "the model lacks (wind, a cable, a hand on the robot)"
)
_ALIKE = 0.02
"""Of the largest singular value of A(q): engines that differ by less act alike on this robot."""
_CAVEAT = (
    "Thrusts are relative to the weight: only while its feet carry the robot can a wrong mass be told from thrust, and "
    "in the air 1 % of mass is 1 % of every thrust."
)


def engine_events(times: np.ndarray, failed: np.ndarray, robot: str, names: Sequence[str]) -> list[Event]:
    """A `fault` where an engine (n, engine) is no longer believed, and a `recovered` where it is again."""
    events = []
    for e, name in enumerate(names):
        edges = np.diff(failed[:, e], prepend=0.0)
        for row in np.flatnonzero(edges):
            when = float(times[row])
            if edges[row] > 0:
                what = f"Engine {name} left its model: its thrust is told by the robot's momentum alone from here on."
                events.append(Event(when, "fault", robot, f"thrust/{name}", what))
            else:
                what = f"Engine {name} gives again what its throttle asks for."
                events.append(Event(when, "recovered", robot, f"thrust/{name}", what))
    return sorted(events, key=lambda event: event.time)


def thrust_verdict(robot: ConfiguredRobot, record: JetsRecord, track: Any) -> str:
    """What the numbers of one robot are worth."""
    covariance = np.asarray(track.thrust_covariance)[-1]
    std = np.sqrt(np.diag(covariance))
    worst = int(np.argmax(std / robot.maximum))
    said = [
        f"{record.robot}: every thrust is known to {1.96 * std[worst]:.2g} N or better (95 %, "
        f"{196 * std[worst] / robot.maximum[worst]:.2g} % of the maximum of {robot.names[worst]})"
    ]
    said += alike(robot.names, record.thrust_matrix)
    said += confused(robot.names, covariance)
    value, variance = np.asarray(track.innovation.value), np.asarray(track.innovation.variance)
    return f"{'. '.join(said)}. {believable(value, variance, _REMEDY)} {_CAVEAT}"


def alike(names: Sequence[str], thrust_matrix: np.ndarray) -> list[str]:
    """Engines (n, 6, engine) whose thrusts this robot's momentum does not tell apart in any pose of the log."""
    gram = np.einsum("nij,nik->jk", thrust_matrix, thrust_matrix) / len(thrust_matrix)
    sizes, directions = np.linalg.eigh(gram)
    said = []
    for size, direction in zip(np.sqrt(np.maximum(sizes, 0.0)), directions.T, strict=True):
        if size < _ALIKE * np.sqrt(sizes[-1]):
            together = [name for name, part in zip(names, direction, strict=True) if abs(part) > 0.2]
            said.append(
                f"{' and '.join(together)} cannot be told apart by the robot's motion: they act alike in every pose, "
                "so how they share their thrust is told by their engine models alone"
            )
    return said


def confused(names: Sequence[str], covariance: np.ndarray) -> list[str]:
    """The pair whose errors go together the most, where that is most of their uncertainty."""
    std = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(std, std) - np.eye(len(std))
    one, other = divmod(int(np.argmax(np.abs(correlation))), len(std))
    rho = float(correlation[one, other])
    if len(std) < 2 or abs(rho) < 0.5:
        return []
    how = "one is too large when the other is too small" if rho < 0 else "both are too large or too small together"
    return [
        f"{names[min(one, other)]} and {names[max(one, other)]} are the hardest to tell apart: their errors go "
        f"together (correlation {rho:+.2f}; {how})"
    ]
