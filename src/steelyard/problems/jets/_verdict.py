"""How well the thrusts of a robot are known, and which engines failed, as text."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.problems._consistency import believable
from steelyard.problems._identification import Event
from steelyard.problems.jets._reading import JetsRecord
from steelyard.problems.jets._robot import ConfiguredRobot
from steelyard.problems.jets._tuning import TUNING

_REMEDY = (
    "state the true noise in [noise], give engine_error and mass_error their true sizes in [jets], or look for what "
    "the model lacks (wind, a cable, a hand on the robot)"
)
_IN_THE_AIR = (
    "Thrusts are relative to the weight: only while its feet carry the robot can a wrong mass be told from thrust, and "
    "in the air 1 % of mass is 1 % of every thrust."
)


def engine_events(times: np.ndarray, failed: np.ndarray, robot: str, names: Sequence[str]) -> list[Event]:
    """A `fault` where an engine (n, engine) fails, and a `recovered` where it follows its model again."""
    events = []
    for e, name in enumerate(names):
        edges = np.diff(failed[:, e], prepend=0.0)
        for row in np.flatnonzero(edges):
            when = float(times[row])
            if edges[row] > 0:
                what = f"Engine {name} left its model: its thrust is estimated from measurements alone from here on."
                events.append(Event(when, "fault", robot, f"thrust/{name}", what))
            else:
                what = f"Engine {name} gives again what its throttle asks for."
                events.append(Event(when, "recovered", robot, f"thrust/{name}", what))
    return sorted(events, key=lambda event: event.time)


def thrust_verdict(robot: ConfiguredRobot, record: JetsRecord, track: Any) -> str:
    """The verdict on one robot."""
    covariance = np.asarray(track.thrust_covariance)[-1]
    std = np.sqrt(np.diag(covariance))
    worst = int(np.argmax(std))
    sentences = [
        f"{record.robot}: every thrust is known to {1.96 * std[worst]:.2g} N or better (95 %, "
        f"{196 * std[worst] / robot.maximum[worst]:.2g} % of the maximum of {robot.names[worst]})"
    ]
    sentences += alike(robot.names, record.thrust_matrix) or hardest(robot.names, record.thrust_matrix, covariance)
    value, variance = np.asarray(track.innovation.value), np.asarray(track.innovation.variance)
    return f"{'. '.join(sentences)}. {believable(value, variance, _REMEDY)} {_relative_to(robot, record, track)}"


def _relative_to(robot: ConfiguredRobot, record: JetsRecord, track: Any) -> str:
    """What thrusts and mass are measured against, and what an error of it would do."""
    if not record.contact.any():
        return _IN_THE_AIR
    thrust = float(np.max(np.asarray(track.state.thrust)[-1]))
    return (
        "These numbers are relative to the feet's sensors, which carried it: if all are 1 % off in scale, so are "
        f"mass ({0.01 * robot.multibody.mass:.2g} kg) and thrusts (up to {0.01 * thrust:.2g} N); engines and rotor "
        "speeds tell from 2-3 % on. In the air 1 % of mass is 1 % of every thrust."
    )


def alike(names: Sequence[str], thrust_matrix: np.ndarray) -> list[str]:
    """Engines (n, 6, engine) whose thrusts this robot's momentum does not tell apart in any pose of the log."""
    gram = np.einsum("nij,nik->jk", thrust_matrix, thrust_matrix) / len(thrust_matrix)
    sizes, directions = np.linalg.eigh(gram)
    sentences = []
    for size, direction in zip(np.sqrt(np.maximum(sizes, 0.0)), directions.T, strict=True):
        if size < TUNING.alike_below * np.sqrt(sizes[-1]):
            together = [name for name, part in zip(names, direction, strict=True) if abs(part) > TUNING.named_above]
            sentences.append(
                f"{' and '.join(together)} cannot be told apart by the robot's motion: they act alike in every pose, "
                "so how they share their thrust follows from their engine models alone"
            )
    return sentences


def separations(thrust_matrix: np.ndarray) -> list[tuple[float, int, int]]:
    """Pairs of engines (n, 6, engine), those that are the hardest to tell apart first.

    The number is how much a newton that moves from one to the other changes the wrench, N and N m, RMS over poses.
    """
    apart = thrust_matrix[:, :, :, None] - thrust_matrix[:, :, None, :]
    sizes = np.sqrt(np.mean(np.sum(apart**2, axis=1), axis=0))
    return sorted((float(sizes[pair]), *pair) for pair in itertools.combinations(range(len(sizes)), 2))


def known_apart(covariance: np.ndarray, one: int, other: int) -> float:
    """Half the 95 % interval of the difference of two thrusts, N."""
    return 1.96 * float(np.sqrt(covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]))


def hardest(names: Sequence[str], thrust_matrix: np.ndarray, covariance: np.ndarray) -> list[str]:
    """The pair that poses separate the least, next to the one they separate the best, if that is twice as well."""
    pairs = separations(thrust_matrix)
    if not pairs or pairs[-1][0] < 2 * pairs[0][0]:
        return []
    (_, *hard), (_, *easy) = pairs[0], pairs[-1]
    return [
        f"{names[hard[0]]} and {names[hard[1]]} are the hardest to tell apart by motion: the difference of their "
        f"thrusts is known to {known_apart(covariance, *hard):.2g} N (95 %), that of {names[easy[0]]} and "
        f"{names[easy[1]]} to {known_apart(covariance, *easy):.2g} N"
    ]
