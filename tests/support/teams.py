"""Team files for tests, and a whole team in one process and in virtual time."""

import heapq
import itertools
import os
import socket
from pathlib import Path

import msgspec

from steelyard.config import Config, Faults, WrongClock, parse
from steelyard.live import DisturbedNode, Reading, RobotNode, plan_team

PLANAR = """
[team]
robots = ["r1", "r2", "r3"]
links = [["r1", "r2"], ["r2", "r3"], ["r3", "r1"]]
[noise]
velocity = 0.05
[live]
problem = "planar-load"
rate = 50.0
[world]
duration = 4.0
"""
SPATIAL = """
[team]
robots = ["r1", "r2", "r3", "r4", "r5"]
links = [["r1", "r2"], ["r2", "r3"], ["r3", "r4"], ["r4", "r5"], ["r5", "r1"]]
[noise]
twist_angular = 0.2
twist_linear = 0.2
specific_force = 0.2
wrench_torque = 0.2
wrench_force = 0.2
[live]
problem = "spatial-load"
rate = 100.0
[world]
duration = 20.0
"""

LINGERS = 0.6
"""s for which the grip of a robot that has died holds on."""


def configured(text: str, duration: float | None = None, **faults) -> Config:
    config = parse(text, Config, "team.toml")
    world = config.world if duration is None else msgspec.structs.replace(config.world, duration=duration)
    return msgspec.structs.replace(config, world=world, faults=Faults(**faults))


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody listens on, nor has been given, here or by a test beside."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for start in itertools.count(max(_GIVEN, default=21000 + 1000 * worker), count):
        taken = []
        try:
            for port in range(start, start + count):
                one = socket.socket()
                taken.append(one)
                one.bind(("127.0.0.1", port))
        except OSError:
            continue
        finally:
            for one in taken:
                one.close()
        _GIVEN.append(start + count)
        return start
    raise AssertionError


_GIVEN: list[int] = []
"""The ports after those that were given."""


class VirtualTeam:
    """Nodes whose messages take a millisecond, and whose clocks are as wrong as `[faults]` says."""

    def __init__(self, config: Config):
        self.plan = plan_team(config, Path("team.toml"))
        self.names = self.plan.graph.names
        self.time = 1000.0
        self.dead: set[str] = set()
        self.missed: dict[str, float] = {}
        """Since when the dead are; for some time their grips hold on."""
        self.doubts: set[str] = set()
        """Living robots that had known the mass, and then no longer said so."""
        self.blind: dict[str, int] = {}
        """How many samples robots still miss."""
        self.events = []
        self._wrong = {name: config.faults.clocks.get(name, WrongClock()) for name in self.names}
        self._flying, self._order = [], itertools.count()
        self.inlets: dict[str, DisturbedNode] = {}
        self.nodes = {name: self.start(name) for name in self.names}
        self.player = self.plan.task.play(self.plan.graph, self.plan.rate)

    def clock(self, name: str) -> float:
        return self.time + self._wrong[name].offset + self._wrong[name].drift * (self.time - 1000.0)

    def start(self, name: str) -> RobotNode:
        def send(recipient: str, data: bytes) -> None:
            heapq.heappush(self._flying, (self.time + 0.001, next(self._order), name, recipient, data))

        node = RobotNode(self.plan, name, lambda: self.clock(name), int(self.time * 1e9), send)
        self.inlets[name] = DisturbedNode(node)
        return node

    def replace(self, name: str) -> None:
        """Another process takes the place of one that is dead; it knows nothing."""
        self.dead.discard(name)
        self.nodes[name] = self.start(name)

    def _deliver(self) -> None:
        while self._flying and self._flying[0][0] <= self.time:
            _, _, sender, recipient, data = heapq.heappop(self._flying)
            if recipient not in self.dead and sender not in self.dead:
                self.inlets[recipient].receive(sender, data, self.clock(recipient))

    def advance(self, seconds: float, samples: bool = True) -> None:
        end = self.time + seconds
        while self.time < end - 1e-9:
            there = [name for name in self.names if name not in self.dead]
            self.missed = {name: self.missed.get(name, self.time) for name in self.dead}
            if samples:
                called = dict(zip(self.names, self.player.robots, strict=True))
                holding = [name for name in there if self.nodes[name].holding(self.clock(name))]
                holding += [name for name, since in self.missed.items() if self.time - since < LINGERS]
                row = self.player.next(frozenset(called[name] for name in holding))
                assert row is not None
                self._deliver()
                for name in there:
                    if self.blind.get(name, 0) > 0:
                        self.blind[name] -= 1
                        continue
                    reading = Reading(self.clock(name), dict(row.readings[called[name]]))
                    self.inlets[name].take_sample(reading, self.clock(name))
            for _ in range(2):
                self.time += 0.5 / self.plan.rate
                self._deliver()
                for name in there:
                    self.inlets[name].update(self.clock(name))
                    self.events += [(self.time, event) for event in self.nodes[name].events]
                    self.nodes[name].events.clear()
                    self.doubts |= {name} if self._doubts(self.nodes[name]) else set()

    @staticmethod
    def _doubts(node: RobotNode) -> bool:
        return "mass" in node.known and node.estimates["mass"].status != "known"
