"""A team in one process: each agent gets its own samples and its own inbox, and nothing else."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from steelyard.errors import BadInput
from steelyard.estimators import Estimate
from steelyard.team._agent import Agent, Turn
from steelyard.team._cache import Cache
from steelyard.team.transport._bus import Bus

World = Callable[[int, Mapping[str, Any]], Mapping[str, Any]]
"""Called with the step and every robot's last action, where it has one: the samples of that step, by robot."""
Watch = Callable[[int, str, Turn], None]
"""Called with the step, the robot and what came out of its step: for what no estimate has."""


class Presence(msgspec.Struct, frozen=True):
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
    bytes_sent: dict[str, int]
    seconds_a_step: dict[str, float]
    """By robot, the mean cost of its own step: results that it took from other robots' work are charged in full."""

    def last(self, robot: str) -> Mapping[str, Estimate]:
        """A robot's final estimates."""
        return self.estimates[robot][-1]


class _Team:
    """Who is there, every agent's state, and the messages on their way."""

    def __init__(
        self, agents: Sequence[Agent], bus: Bus, presences: Mapping[str, Presence] | None, watch: Watch | None
    ):
        self.agents = {agent.name: agent for agent in agents}
        if set(self.agents) != set(bus.graph.names):
            odd = sorted(set(self.agents) ^ set(bus.graph.names))[0]
            raise BadInput(f'Robot "{odd}" is either without an agent or not in the graph; give each robot one agent.')
        self.bus = bus
        self.watch = watch
        self.presences = {name: (presences or {}).get(name, Presence()) for name in self.agents}
        self.states = {name: agent.init() for name, agent in self.agents.items()}
        self.estimates: dict[str, list[Mapping[str, Estimate]]] = {name: [] for name in self.agents}
        self.borrowed = {name: _borrowed(agent) for name, agent in self.agents.items()}
        self.seconds = dict.fromkeys(self.agents, 0.0)
        self.steps = dict.fromkeys(self.agents, 0)

    def step(self, k: int, samples: Mapping[str, Any]) -> dict[str, Turn]:
        """Every robot that is there takes its step; what they send is delivered later."""
        turns = {}
        for name, agent in self.agents.items():
            if not self.presences[name].covers(k):
                continue
            inbox, begin = self.bus.collect(k, name), time.perf_counter()
            turn = agent.step(self.states[name], samples[name], inbox)
            self.seconds[name] += time.perf_counter() - begin
            self.steps[name] += 1
            self.states[name] = turn.state
            self.bus.post(k, name, turn.outbox)
            if turn.estimates and (not self.estimates[name] or self.estimates[name][-1] is not turn.estimates):
                self.estimates[name].append(turn.estimates)
            if self.watch is not None:
                self.watch(k, name, turn)
            turns[name] = turn
        return turns

    def result(self) -> TeamRun:
        mean = {
            name: (self.seconds[name] + _borrowed(agent) - self.borrowed[name]) / max(self.steps[name], 1)
            for name, agent in self.agents.items()
        }
        return TeamRun(self.estimates, self.states, dict(self.bus.bytes_sent), mean)


def run_team(
    agents: Sequence[Agent],
    samples_by_robot: Mapping[str, Sequence[Any]],
    bus: Bus,
    presences: Mapping[str, Presence] | None = None,
    watch: Watch | None = None,
) -> TeamRun:
    """Recorded samples through a team, the k-th of every robot at the same step; None is a missing sample."""
    team = _Team(agents, bus, presences, watch)
    missing = [name for name in team.agents if name not in samples_by_robot]
    if missing:
        raise BadInput(f'Robot "{missing[0]}" has no samples; give every robot a sequence, None where one is missing.')
    lengths = {name: len(samples_by_robot[name]) for name in team.agents}
    if len(set(lengths.values())) > 1:
        short = min(lengths, key=lambda name: lengths[name])
        raise BadInput(f'Robot "{short}" has fewer samples than others; fill up with None where it has none.')
    for k in range(next(iter(lengths.values()))):
        team.step(k, {name: samples_by_robot[name][k] for name in team.agents})
    return team.result()


def run_closed_loop(
    agents: Sequence[Agent],
    world: World,
    bus: Bus,
    steps: int,
    presences: Mapping[str, Presence] | None = None,
    watch: Watch | None = None,
) -> TeamRun:
    """Agents that act, in a world that answers with samples: see `Turn.action` and `World`."""
    team, actions = _Team(agents, bus, presences, watch), {}
    for k in range(steps):
        turns = team.step(k, world(k, actions))
        actions = {name: turn.action for name, turn in turns.items() if turn.action is not None}
    return team.result()


def _borrowed(agent: Agent) -> float:
    cache: Cache | None = getattr(agent, "cache", None)
    return 0.0 if cache is None else cache.borrowed
