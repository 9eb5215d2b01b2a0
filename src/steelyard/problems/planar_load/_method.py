"""A push through the team: every robot's agent on its own columns, and what each says of the last sample."""

import cmath
import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems.planar_load._reading import PlanarRecord
from steelyard.team import Bus, PlanarLoadEvent, Presence, Turn, planar_load_team, run_team

Said = Mapping[str, Estimate]
"""A robot's estimates by quantity."""

_FARTHEST = 0.5
"""s, over which what a robot says is carried on to the last sample; what is older stays as it is."""


_DRAIN, _WAYS = 2.0, 12
"""s, and times that word may go the longest way, for which robots go on talking in the end."""


@dataclasses.dataclass(frozen=True)
class PlanarTeamResult:
    """What came of a record."""

    history: dict[str, list[Said]]
    """By robot, all that it said, in the log's time."""
    last: dict[str, dict[str, Estimate]]
    """By robot, what it says of the last sample."""
    events: list[tuple[str, float, PlanarLoadEvent]]
    """The robot that noticed, when (s), and what; in the log's time."""
    bytes_a_second: dict[str, float]
    """By robot, what it sends to its neighbours, all of them together."""


def run_planar_load_team(
    record: PlanarRecord,
    progress: Callable[[int], None] = lambda rows: None,
    bus: Bus | None = None,
    presences: Mapping[str, Presence] | None = None,
) -> PlanarTeamResult:
    """Joins the agents by a bus in this process, a perfect one by default; `progress` is told each row.

    Messages take time from robot to robot. After the last row the robots go on talking, with nothing new to tell, so
    that all of it reaches everybody: there and back along the longest way, some times over.
    """
    names, start, rows = record.graph.names, float(record.time[0]), len(record.time)
    bus = bus or Bus(record.graph)
    silence = [None] * round(_DRAIN * record.rate + _WAYS * record.graph.diameter * bus.disturbance.hop)
    events: list[tuple[str, float, PlanarLoadEvent]] = []

    def watch(step: int, robot: str, turn: Turn) -> None:
        noticed = float(record.time[min(step, rows - 1)])
        for event in turn.events:
            events.append((robot, noticed, PlanarLoadEvent(event.time + start, event.kind, event.quantity)))
        if robot == names[-1] and step < rows:
            progress(1)

    samples = {name: [*own, *silence] for name, own in record.samples().items()}
    agents = planar_load_team(record.graph, record.rate, record.velocity_noise, friction=record.friction)
    run = run_team(agents, samples, bus, presences, watch)
    history = {name: [_later(said, start) for said in run.estimates[name]] for name in names}
    end = float(record.time[-1])
    sent = {name: run.bytes_sent[name] * record.rate / len(samples[name]) for name in names}
    return PlanarTeamResult(history, {name: _at(history[name], end) for name in names}, events, sent)


def _later(said: Said, start: float) -> Said:
    """The same in the log's time, the first row of which was the agents' zero."""
    return {name: dataclasses.replace(one, time=one.time + start) for name, one in said.items()}


def _at(history: Sequence[Said], end: float) -> dict[str, Estimate]:
    """A robot's last word, its vectors turned as the load has turned since, by the robot's own account."""
    said = dict(history[-1])
    turn = cmath.exp(1j * _turn_until(history, end))
    for name, one in said.items():
        if one.value is not None and one.covariance is not None and one.value.shape == (2,):
            R = np.array([[turn.real, -turn.imag], [turn.imag, turn.real]])
            one = dataclasses.replace(one, value=R @ one.value, covariance=R @ one.covariance @ R.T)
        said[name] = dataclasses.replace(one, time=end) if end - one.time <= _FARTHEST else one
    return said


def _turn_until(history: Sequence[Said], end: float) -> float:
    """The angle (rad) from a robot's last word to the end: a parabola through its last three, none where it cannot."""
    known = [(said["com"].time, said["com"].value) for said in history if said["com"].value is not None]
    latest = dict(known[-12:])  # one word a time, the last
    if (
        len(latest) < 3
        or not known
        or known[-1][0] != history[-1]["com"].time
        or not 0 < end - known[-1][0] <= _FARTHEST
    ):
        return 0.0
    times = np.array(list(latest)[-3:])
    angles = np.unwrap([cmath.phase(complex(*latest[time])) for time in times])
    return float(np.polyval(np.polyfit(times - end, angles, 2), 0.0) - angles[-1])
