"""A whole team in one process and in virtual time: the robots' own nodes, a world, and a network that a seed disturbs.

Everything but processes, sockets and files is what runs on a robot: gate, clocks, alignment, agents, checkpoints. The
same plan, seed and disasters give the same run, to the last message.
"""

import dataclasses
import heapq
import itertools
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from steelyard.live.robot._checkpoint import Checkpoint, NoCheckpoint
from steelyard.live.robot._node import RobotNode
from steelyard.live.robot._sensor_gate import Reading
from steelyard.live.robot._status import RobotEvent
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING as ROBOT
from steelyard.live.trials._disasters import Disaster, disturbed_values
from steelyard.live.trials._tuning import TUNING

EPOCH = 1.7e9
"""s since 1970 that right clocks show when virtual time begins."""


@dataclasses.dataclass
class _Process:
    """One robot's process and clock."""

    offset: float = 0.0
    drift: float = 0.0
    node: RobotNode | None = None
    checkpoint: Checkpoint | None = None
    next_checkpoint: float = 0.0
    holding: tuple[bool, float] = (False, -1e9)
    """By its last status, and when that came."""
    waiting: list[tuple[str, Any]] = dataclasses.field(default_factory=list)
    """What has come while it stood still: messages by sender, and its own samples."""


class VirtualTeam:
    """Runs a plan row by row; `time` is s of virtual time, in which rows begin at `LEAD`."""

    LEAD = 3.0
    """s before the first row, in which links and clocks settle."""

    def __init__(self, plan: TeamPlan, seed: int = 0, disasters: tuple[Disaster, ...] = ()):
        self.plan, self.disasters = plan, disasters
        self.time = 0.0
        self.row = -1
        self.truth: list[Mapping[str, float]] = []
        """By row."""
        self.events: list[RobotEvent] = []
        self.tamper: Callable[[str, str, bytes], bytes] = lambda sender, recipient, data: data
        """Changes what passes from one robot to another."""
        self.readings: Callable[[str, Reading], list[Reading]] = lambda name, reading: [reading]
        """Changes what a robot's sensors deliver."""
        self.ever_killed: set[str] = set()
        self._draw = random.Random(seed)
        self._messages: list[tuple[float, int, str, str, bytes]] = []
        self._order = itertools.count()
        self._player = plan.task.play(plan.graph, plan.rate)
        self._called = dict(zip(plan.graph.names, self._player.robots, strict=True))
        self._agents = {one.name: one for one in plan.task.agents(plan.graph, plan.rate)}
        self._processes = {name: _Process() for name in plan.graph.names}
        for one in disasters:
            if one.kind == "clock":
                self._processes[one.robot].offset, self._processes[one.robot].drift = one.size, 1e-4 * one.size
        for name in plan.graph.names:
            self._begin(name)

    @property
    def nodes(self) -> dict[str, RobotNode]:
        """Of the processes that are there."""
        return {name: one.node for name, one in self._processes.items() if one.node is not None}

    def clock(self, name: str) -> float:
        """What a robot's own clock shows now, s."""
        process = self._processes[name]
        return EPOCH + self.time + process.offset + process.drift * self.time

    def true_time(self, name: str, run_time: float) -> float:
        """Since the first row, s, of a time of the run as a robot counts it: the team's clock may drift."""
        process = self._processes[name]
        clock = None if process.node is None else process.node.clock
        if clock is None or clock.start is None or clock.offset is None:
            return run_time
        own = clock.start + run_time - clock.offset
        return (own - EPOCH - process.offset) / (1.0 + process.drift) - self.LEAD

    def step(self) -> bool:
        """One row of virtual time; False once the world has ended."""
        self.time += 1.0 / self.plan.rate
        self._apply_disasters()
        row = None
        if self.time >= self.LEAD:
            row = self._player.next(self._holding())
            if row is None:
                return False
            self.row += 1
            self.truth.append(self._renamed(self._player.truth()))
        self._deliver()
        for name, process in self._processes.items():
            if row is not None and self.active("silent", name) is None:
                values = disturbed_values(self, name, dict(row.readings[self._called[name]]))
                process.waiting += [("", one) for one in self.readings(name, Reading(self.clock(name), values))]
            if process.node is None:
                process.waiting.clear()
            elif self.active("freeze", name) is None:
                self._work(name, process, process.node)
        return True

    def run(self, seconds: float, check: Callable[[], None] = lambda: None) -> None:
        """So long, or to the world's end; `check` is called after each row."""
        end = self.time + seconds
        while self.time < end - 1e-9 and self.step():
            check()

    def finish(self) -> None:
        """Farewells, and what is still under way; then every message is accounted for."""
        for _ in range(3):
            for name, node in self.nodes.items():
                node.send_farewell(self.clock(name))
            for _ in range(round(self.plan.rate)):
                self.time += 1.0 / self.plan.rate
                self._deliver()
                for name, process in self._processes.items():
                    if process.node is not None:
                        self._work(name, process, process.node)

    def unaccounted(self) -> dict[tuple[str, str], int]:
        """By direction of a link between robots that were never killed, messages that nobody can explain."""
        found, nodes = {}, self.nodes
        for one, other in self.plan.graph.links:
            for sender, recipient in ((one, other), (other, one)):
                if {sender, recipient} & self.ever_killed or not {sender, recipient} <= nodes.keys():
                    continue
                sent = nodes[sender].gate.ledger.sent[recipient]
                accounts = nodes[recipient].gate.ledger.accounts[sender]
                own = [one for one in accounts if one.epoch == nodes[sender].epoch]
                came = sum(a.received + a.lost + sum(a.dropped.values()) - a.dropped.get("replayed", 0) for a in own)
                if came != sent:
                    found[sender, recipient] = sent - came
        return found

    def _work(self, name: str, process: _Process, node: RobotNode) -> None:
        """What has come, what is due, a status ten times a second and a checkpoint each second."""
        now = self.clock(name)
        waiting, process.waiting = process.waiting, []
        for sender, what in waiting:
            if sender:
                node.receive(sender, what, now)
        node.update(now, sampled=any(not sender for sender, _ in waiting))
        for sender, what in waiting:
            if not sender:
                node.take_sample(what, now)
        if self.time - process.holding[1] > ROBOT.status_interval - 1e-9:
            process.holding = node.holding(now), self.time
        if self.time >= process.next_checkpoint and node.phase == "running":
            process.next_checkpoint = self.time + ROBOT.checkpoint_interval
            process.checkpoint = node.checkpoint(now)
        self.events += node.events
        node.events.clear()

    def _begin(self, name: str, resumes: bool = False) -> None:
        process = self._processes[name]

        def send(recipient: str, data: bytes) -> None:
            self._send(name, recipient, data)

        def clock() -> float:
            return self.clock(name)

        epoch = int(1e9 * clock())
        process.node = RobotNode(self.plan, name, clock, epoch, send, agent=self._agents[name])
        if resumes and process.checkpoint is not None:
            age = clock() - process.checkpoint.written
            if 0.0 <= age < ROBOT.checkpoint_lifetime:
                try:
                    process.node.resume(process.checkpoint)
                except NoCheckpoint as error:
                    raise AssertionError(f"{name} cannot use its own checkpoint: {error}") from None

    def _send(self, sender: str, recipient: str, data: bytes) -> None:
        draw = self._draw
        if draw.random() < self._size("loss") or self._cut(sender, recipient):
            return
        data = self.tamper(sender, recipient, data)
        for _ in range(2 if draw.random() < self._size("double") else 1):
            due = self.time + TUNING.virtual_delay + self._size("jitter") * draw.random()
            heapq.heappush(self._messages, (due, next(self._order), sender, recipient, data))

    def _deliver(self) -> None:
        while self._messages and self._messages[0][0] <= self.time:
            _, _, sender, recipient, data = heapq.heappop(self._messages)
            process = self._processes[recipient]
            if process.node is not None:
                process.waiting.append((sender, data))

    def _apply_disasters(self) -> None:
        for one in self.disasters:
            if one.kind != "kill":
                continue
            begin, end = self.LEAD + one.start, self.LEAD + one.end
            process = self._processes[one.robot]
            if begin <= self.time < end and process.node is not None:
                process.node = None
                process.waiting.clear()
                self.ever_killed.add(one.robot)
            elif end <= self.time and process.node is None and self.active("kill", one.robot) is None:
                process.offset += one.size  # a clock that was set while it was away
                self._begin(one.robot, resumes=True)

    def active(self, kind: str, robot: str) -> Disaster | None:
        """The disaster of a kind that a robot suffers now."""
        here = self.time - self.LEAD
        return next(
            (one for one in self.disasters if (one.kind, one.robot) == (kind, robot) and one.covers(here)), None
        )

    def _size(self, kind: str) -> float:
        here = self.time - self.LEAD
        return max((one.size for one in self.disasters if one.kind == kind and one.covers(here)), default=0.0)

    def _cut(self, sender: str, recipient: str) -> bool:
        here = self.time - self.LEAD
        return any(
            one.kind == "cut" and one.covers(here) and (sender in one.side) != (recipient in one.side)
            for one in self.disasters
        )

    def _holding(self) -> frozenset[str]:
        return frozenset(
            self._called[name]
            for name, one in self._processes.items()
            if one.holding[0] and self.time - one.holding[1] < TUNING.grip_timeout
        )

    def _renamed(self, truth: Mapping[str, float]) -> dict[str, float]:
        names = {called: name for name, called in self._called.items()}
        return {
            "/".join(names.get(part, part) for part in column.split("/")): float(np.asarray(value))
            for column, value in truth.items()
        }
