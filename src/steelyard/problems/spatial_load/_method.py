"""A spatial record through the team: every robot's agent on its own columns, and its estimates at the last sample."""

import dataclasses
import time
from collections.abc import Callable

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems._team_results import Estimates
from steelyard.problems.spatial_load._reading import SpatialRecord
from steelyard.team import Bus, Cache, Disturbance, SpatialLoadAgent, SpatialLoadEvent, SpatialState, Turn, run_team


@dataclasses.dataclass(frozen=True)
class SpatialTeamResult:
    """What a team estimated from a record."""

    history: dict[str, list[Estimates]]
    """By robot, all of its estimates in the order of time."""
    last: dict[str, dict[str, Estimate]]
    """By robot, its estimates at the last sample."""
    events: list[tuple[str, float, SpatialLoadEvent]]
    """The robot that noticed, when (s), and what."""
    bytes_a_second: dict[str, float]
    """By robot, what it sends to its neighbours, all of them together; empty where no messages were sent."""
    seconds_a_step: float
    """What one step of one robot took, on average."""
    agent: SpatialLoadAgent
    state: SpatialState
    """The first robot and its state at the end, for reports."""


def run_spatial_load_team(
    record: SpatialRecord,
    progress: Callable[[int], None] = lambda rows: None,
    disturbance: Disturbance | None = None,
    seed: int = 0,
) -> SpatialTeamResult:
    """Joins the agents by a bus in this process; `progress` is called after each row.

    Messages take time from robot to robot. After the last row the robots go on exchanging messages without
    samples, so that every sample reaches everybody.
    """
    names, rows = record.graph.names, len(record.time)
    silence = [None] * round(1.2 * record.rate)
    events: list[tuple[str, float, SpatialLoadEvent]] = []

    def watch(step: int, robot: str, turn: Turn) -> None:
        noticed = float(record.time[min(step, rows - 1)])
        events.extend((robot, noticed, event) for event in turn.events)
        if robot == names[-1] and step < rows:
            progress(1)

    agents = record.agents()
    samples = {name: [*own, *silence] for name, own in record.samples().items()}
    run = run_team(agents, samples, Bus(record.graph, disturbance, seed), watch=watch)
    seconds = float(np.mean(list(run.seconds_a_step.values())))
    sent = {name: run.bytes_sent[name] * record.rate / len(samples[name]) for name in names}
    last = {name: dict(run.last(name)) for name in names}
    return SpatialTeamResult(run.estimates, last, events, sent, seconds, agents[0], run.states[names[0]])


def estimate_spatial_load_at_once(record: SpatialRecord) -> SpatialTeamResult:
    """The same answers without messages: one robot that has all rows at once, its answers in everybody's frame.

    For statistics over many records. Robots that exchange messages estimate the same, later by the messages' delay.
    """
    names = record.graph.names
    agents = record.agents()
    state, cache = agents[0].init(), Cache()
    history: dict[str, list[Estimates]] = {name: [] for name in names}
    events: list[tuple[str, float, SpatialLoadEvent]] = []
    taken = -1
    begin = time.perf_counter()
    for k in range(len(record.time) + 1):
        if k < len(record.time):
            found = state.estimator.add(float(record.time[k]), np.ascontiguousarray(record.readings[k]), cache)
        else:
            found = state.estimator.finish(cache)
        noticed = float(record.time[min(k, len(record.time) - 1)])
        events.extend((name, noticed, event) for event in found for name in names)
        if state.estimator.processed != taken:
            taken = state.estimator.processed
            for agent in agents:
                history[agent.name].append(agent.report(state))
    seconds = (time.perf_counter() - begin) / len(record.time)
    last = {name: dict(history[name][-1]) for name in names}
    return SpatialTeamResult(history, last, events, {}, seconds, agents[0], state)
