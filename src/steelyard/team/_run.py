"""A team in one process: each agent gets its own samples and its own inbox, and nothing else."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.team._agent import Agent, Turn
from steelyard.team.transport._bus import Bus

World = Callable[[dict[str, np.ndarray], float], Mapping[str, np.ndarray]]
Watch = Callable[[int, str, Turn], None]
"""Called with the step, the robot and what it did: for figures of what no estimate says."""


class PlanarSample(msgspec.Struct, frozen=True):
    """What a robot that holds a planar load knows by itself, world axes."""

    time: float
    """s."""
    velocity: tuple[float, float]
    """m/s, of its own contact; NaN where there is none."""
    force: tuple[float, float]
    """N, what it applied from the sample before to this one."""


class Stay(msgspec.Struct, frozen=True):
    """When a robot is in the team, in samples: from `join` on, and no more from `leave` on."""

    join: int = 0
    leave: int | None = None

    def covers(self, step: int) -> bool:
        """Whether it is there at a step."""
        return self.join <= step and (self.leave is None or step < self.leave)


class TeamRun(msgspec.Struct, frozen=True):
    """What came of a run."""

    estimates: dict[str, list[Mapping[str, Estimate]]]
    """By robot, each new set of estimates in its order."""
    states: dict[str, Any]
    forces: dict[str, list[tuple[float, float]]]
    """By robot, the force (N, world axes) from each sample to the next, for agents that choose one."""
    bytes_sent: dict[str, int]
    seconds_a_step: dict[str, float]
    """By robot, the mean cost of its own step: results that it took from other robots' work are charged in full."""

    def last(self, robot: str) -> Mapping[str, Estimate]:
        """A robot's last word."""
        return self.estimates[robot][-1]


class _Team:
    """Who is there, what each believes, and what is on its way."""

    def __init__(self, agents: Sequence[Agent], bus: Bus, stays: Mapping[str, Stay] | None, watch: Watch | None):
        self.agents = {agent.name: agent for agent in agents}
        if set(self.agents) != set(bus.graph.names):
            odd = sorted(set(self.agents) ^ set(bus.graph.names))[0]
            raise BadInput(f'Robot "{odd}" is either without an agent or not in the graph; give each robot one agent.')
        self.bus = bus
        self.watch = watch
        self.stays = {name: (stays or {}).get(name, Stay()) for name in self.agents}
        self.states = {name: agent.init() for name, agent in self.agents.items()}
        self.estimates: dict[str, list[Mapping[str, Estimate]]] = {name: [] for name in self.agents}
        self.forces: dict[str, list[tuple[float, float]]] = {name: [] for name in self.agents}
        self.seconds = dict.fromkeys(self.agents, 0.0)
        self.steps = dict.fromkeys(self.agents, 0)

    def step(self, k: int, samples: Mapping[str, Any]) -> dict[str, Turn]:
        """Every robot that is there takes its step; what they send is delivered later."""
        turns = {}
        for name, agent in self.agents.items():
            if not self.stays[name].covers(k):
                continue
            inbox, begin = self.bus.collect(k, name), time.perf_counter()
            turn = agent.step(self.states[name], samples[name], inbox)
            self.seconds[name] += time.perf_counter() - begin
            self.steps[name] += 1
            self.states[name] = turn.state
            self.bus.post(k, name, turn.outbox)
            if turn.estimates and (not self.estimates[name] or self.estimates[name][-1] is not turn.estimates):
                self.estimates[name].append(turn.estimates)
            if turn.force is not None:
                self.forces[name].append(turn.force)
            if self.watch is not None:
                self.watch(k, name, turn)
            turns[name] = turn
        return turns

    def result(self) -> TeamRun:
        mean = {
            name: (self.seconds[name] + (0.0 if agent.cache is None else agent.cache.borrowed))
            / max(self.steps[name], 1)
            for name, agent in self.agents.items()
        }
        return TeamRun(self.estimates, self.states, self.forces, dict(self.bus.bytes_sent), mean)


def run_team(
    agents: Sequence[Agent],
    samples_by_robot: Mapping[str, Sequence[Any]],
    bus: Bus,
    stays: Mapping[str, Stay] | None = None,
    watch: Watch | None = None,
) -> TeamRun:
    """Recorded samples through a team, the k-th of every robot at the same step; None is a missing sample."""
    team = _Team(agents, bus, stays, watch)
    missing = [name for name in team.agents if name not in samples_by_robot]
    if missing:
        raise BadInput(f'Robot "{missing[0]}" has no samples; give a sequence for every robot, of None where it slept.')
    lengths = {name: len(samples_by_robot[name]) for name in team.agents}
    if len(set(lengths.values())) > 1:
        short = min(lengths, key=lambda name: lengths[name])
        raise BadInput(f'Robot "{short}" has fewer samples than others; fill up with None where it has none.')
    for k in range(next(iter(lengths.values()))):
        team.step(k, {name: samples_by_robot[name][k] for name in team.agents})
    return team.result()


def drive(
    agents: Sequence[Agent],
    world: World,
    bus: Bus,
    duration: float,
    rate: float,
    stays: Mapping[str, Stay] | None = None,
    watch: Watch | None = None,
) -> TeamRun:
    """Agents that choose their forces, in a world that answers with velocities.

    `world(forces, dt)` holds the forces (N, world axes, by robot) for dt seconds and returns every contact's velocity
    as its robot measures it (m/s, world axes); called with dt = 0 it only measures. `rate` is in samples a second.
    """
    if not (rate > 0.0 and duration > 0.0):
        raise BadInput(f"A run of {duration} s at {rate} samples a second is none; give positive numbers.")
    team = _Team(agents, bus, stays, watch)
    still = dict.fromkeys(team.agents, (0.0, 0.0))
    forces, velocities = still, world({name: np.zeros(2) for name in team.agents}, 0.0)
    for k in range(round(duration * rate) + 1):
        samples = {name: PlanarSample(k / rate, _pair(velocities[name]), forces[name]) for name in team.agents}
        turns = team.step(k, samples)
        forces = still | {name: turn.force for name, turn in turns.items() if turn.force is not None}
        velocities = world({name: np.array(force) for name, force in forces.items()}, 1.0 / rate)
    return team.result()


def _pair(vector: np.ndarray) -> tuple[float, float]:
    return float(vector[0]), float(vector[1])
