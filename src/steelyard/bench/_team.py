"""A step of one robot in teams of 4 to 500: it has two neighbours in each, and should cost the same."""

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from steelyard.bench._rows import BenchRow
from steelyard.bench._tuning import RACE
from steelyard.papers.planar.robots import cdc14_team
from steelyard.team import Agent, Bus, Graph, PlanarSample, planar_load_team

TEAM_RACES = 2 * len(RACE.team_sizes)


def measure_team(
    advance: Callable[[int], None] = lambda steps: None, sizes: Sequence[int] = RACE.team_sizes
) -> list[BenchRow]:
    """Microseconds a step of the cdc14 agent and of ours on a ring, messages to the neighbours included."""
    rows = []
    for n in sizes:
        ring = Graph.ring([f"r{i:03d}" for i in range(n)])
        for key, agents in (
            ("team_step_cdc14", cdc14_team(ring, RACE.team_rate)),
            ("team_step", planar_load_team(ring, RACE.team_rate, 0.2)),
        ):
            rows.append(BenchRow(f"{key}_n{n}", 1e6 * _step(agents, Bus(ring)), "us"))
            advance(1)
    return rows


def _step(agents: Sequence[Agent], bus: Bus) -> float:
    """Seconds: the median over samples of the mean over robots; what the bus takes is left out."""
    draw = np.random.default_rng(0)
    states, taken = {agent.name: agent.init() for agent in agents}, []
    for k in range(RACE.team_warm + RACE.team_timed):
        seconds = 0.0
        for agent in agents:
            vx, vy, fx, fy = draw.normal(size=4).tolist()
            sample, inbox = PlanarSample(k / RACE.team_rate, (vx, vy), (fx, fy)), bus.collect(k, agent.name)
            begin = time.perf_counter()
            turn = agent.step(states[agent.name], sample, inbox)
            seconds += time.perf_counter() - begin
            states[agent.name] = turn.state
            bus.post(k, agent.name, turn.outbox)
        taken.append(seconds / len(agents))
    return statistics.median(taken[RACE.team_warm :])
