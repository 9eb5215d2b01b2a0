"""A planar record through the team: every robot's agent on its own columns, and its estimates at the last sample."""

import cmath
import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems._team_results import Estimates
from steelyard.problems.planar_load._reading import PlanarRecord
from steelyard.problems.planar_load._tuning import TUNING
from steelyard.team import Bus, PlanarLoadEvent, Presence, Turn, planar_load_team, run_team


@dataclasses.dataclass(frozen=True)
class PlanarTeamResult:
    """What a team estimated from a record; times are the log's, s."""

    history: dict[str, list[Estimates]]
    """By robot, all of its estimates in the order of time."""
    last: dict[str, dict[str, Estimate]]
    """By robot, its estimates at the last sample."""
    events: list[tuple[str, float, PlanarLoadEvent]]
    """The robot that noticed, when (s), and what."""
    bytes_a_second: dict[str, float]
    """By robot, what it sends to all of its neighbours together."""
    misfit: float
    """Mean squared residual of the worst robot's last fit, in variances; 1 where there is none, or all fit."""
    seconds_a_step: float
    """Mean time of one robot's own step, of the slowest robot."""


def run_planar_load_team(
    record: PlanarRecord,
    progress: Callable[[int], None] = lambda rows: None,
    bus: Bus | None = None,
    presences: Mapping[str, Presence] | None = None,
) -> PlanarTeamResult:
    """Runs all agents in this process over a bus, by default a perfect one; `progress` is called after each row.

    Messages take time from robot to robot. After the last row the robots go on exchanging messages without samples, so
    that all contributions reach everybody.
    """
    names, start, rows = record.graph.names, float(record.time[0]), len(record.time)
    bus = bus or Bus(record.graph)
    hops = TUNING.drain_hops * record.graph.diameter * bus.disturbance.hop
    silence = [None] * round(TUNING.drain_seconds * record.rate + hops)
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
    history = {name: [_in_log_time(one, start) for one in run.estimates[name]] for name in names}
    end = float(record.time[-1])
    sent = {name: run.bytes_sent[name] * record.rate / len(samples[name]) for name in names}
    fits = [state.window.fit for state in run.states.values()]
    misfits = [fit.chi_square for fit in fits if fit is not None and not fit.consistent]
    misfit = max([1.0, *misfits, *(state.consistency.given_up for state in run.states.values())])
    last = {name: _at(history[name], end) for name in names}
    return PlanarTeamResult(history, last, events, sent, misfit, max(run.seconds_a_step.values()))


def _in_log_time(estimates: Estimates, start: float) -> Estimates:
    """The same estimates; the agents' time zero is the log's first row, at `start`."""
    return {name: dataclasses.replace(one, time=one.time + start) for name, one in estimates.items()}


def _at(history: Sequence[Estimates], end: float) -> dict[str, Estimate]:
    """A robot's final estimates at the time `end`: vectors rotated as the load has turned since, by its estimates."""
    estimates = dict(history[-1])
    turn = cmath.exp(1j * _angle_until(history, end))
    for name, one in estimates.items():
        if one.value is not None and one.covariance is not None and one.value.shape == (2,):
            R = np.array([[turn.real, -turn.imag], [turn.imag, turn.real]])
            one = dataclasses.replace(one, value=R @ one.value, covariance=R @ one.covariance @ R.T)
        recent = end - one.time <= TUNING.extrapolate_within
        estimates[name] = dataclasses.replace(one, time=end) if recent else one
    return estimates


def _angle_until(history: Sequence[Estimates], end: float) -> float:
    """The load's rotation (rad) from a robot's final estimate to `end`: a parabola through the last three directions.

    Zero where there are fewer than three, or the final estimate is too old.
    """
    known = [(one["com"].time, one["com"].value) for one in history if one["com"].value is not None]
    latest = dict(known)  # the last estimate of each time: robots go on talking, and many have the last one's
    if (
        len(latest) < 3
        or not known
        or known[-1][0] != history[-1]["com"].time
        or not 0 < end - known[-1][0] <= TUNING.extrapolate_within
    ):
        return 0.0
    times = np.array(list(latest)[-3:])
    angles = np.unwrap([cmath.phase(complex(*latest[time])) for time in times])
    return float(np.polyval(np.polyfit(times - end, angles, 2), 0.0) - angles[-1])
