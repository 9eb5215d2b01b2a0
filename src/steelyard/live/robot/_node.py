"""One robot between its sensors, its neighbours and its agent; knows no network and no files."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from steelyard.estimators import Estimate
from steelyard.live.robot._alignment import Aligned
from steelyard.live.robot._checkpoint import Checkpoint, make_checkpoint, read_state
from steelyard.live.robot._estimation import Estimation
from steelyard.live.robot._inlet import Inlet
from steelyard.live.robot._links import Links, Send
from steelyard.live.robot._neighbours import NeighbourWatch
from steelyard.live.robot._recording import Recorder
from steelyard.live.robot._sensing import Sensing
from steelyard.live.robot._sensor_gate import Reading, SensorGate
from steelyard.live.robot._status import Phase, RobotEvent
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.live.robot._usage import Lateness
from steelyard.team import Agent
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.transport import Gate, TeamClock

INCONSISTENT = "{} measures a motion that is inconsistent with what all others measure; it is not used."
_ENCODER = msgspec.msgpack.Encoder()


@dataclasses.dataclass
class _Due:
    """When what is done now and then is done next, own clock."""

    hello: float = 0.0
    snapshot: float = 0.0
    update: float = 0.0
    step: float = math.inf


class RobotNode(Inlet):
    """Feeds an agent: aligns its samples, lets its neighbours' messages in, sends its own.

    `clock` gives the robot's own time, s; a `now` is of that clock.
    """

    def __init__(
        self,
        plan: TeamPlan,
        name: str,
        clock: Callable[[], float],
        epoch: int,
        send: Send,
        recorder: Recorder | None = None,
        token: bytes | None = None,
        agent: Agent | None = None,
    ):
        self.plan = plan
        agent = agent or next(one for one in plan.task.agents(plan.graph, plan.rate) if one.name == name)
        self.links, self.sensing = Links(plan, agent, epoch, clock, send), Sensing(plan, token)
        self.estimation = Estimation(plan, agent)
        self.lateness = Lateness()
        self.phase: Phase = "waiting"
        self.events: list[RobotEvent] = []
        """New ones; whoever publishes them takes them out."""
        self._recorder = recorder or Recorder.off()
        self._due = _Due()

    @property
    def clock(self) -> TeamClock:
        """The team's time."""
        return self.links.clock

    @property
    def gate(self) -> Gate:
        """What messages pass."""
        return self.links.gate

    @property
    def neighbours(self) -> NeighbourWatch:
        """Who is heard."""
        return self.links.neighbours

    @property
    def sensors(self) -> SensorGate:
        """What samples pass."""
        return self.sensing.gate

    @property
    def epoch(self) -> int:
        """Of the process."""
        return self.links.epoch

    @property
    def state(self) -> Any:
        """The agent's."""
        return self.estimation.state

    @property
    def tick(self) -> int:
        """Of the last sample."""
        return self.estimation.tick

    @property
    def estimates(self) -> Mapping[str, Estimate]:
        """The newest."""
        return self.estimation.estimates

    @property
    def known(self) -> dict[str, Estimate]:
        """The last known estimate of each quantity."""
        return self.estimation.known

    @property
    def faulty(self) -> frozenset[str]:
        """Members whose measurements of the motion are not used."""
        return self.estimation.faulty

    def resume(self, checkpoint: Checkpoint) -> None:
        """Goes on from a checkpoint; `NoCheckpoint`, and nothing has changed, where its state cannot be used."""
        self.estimation.resume(read_state(checkpoint, self.estimation.agent), checkpoint.tick, checkpoint.faulty)
        self.clock.start = checkpoint.start
        self.links.skip_to(checkpoint.heard)

    def checkpoint(self, now: float) -> Checkpoint:
        """All that a later process of this robot needs."""
        agent = self.estimation.agent
        return make_checkpoint(
            self.plan.name,
            agent.name,
            agent,
            agent.to_checkpoint(self.state),
            written=now,
            offset=self.clock.offset or 0.0,
            start=self.clock.start or 0.0,
            tick=self.tick,
            heard=self.links.newest,
            faulty=tuple(sorted(self.faulty)),
        )

    def run_time(self, now: float) -> float:
        """Since the team's first sample, s; negative before it."""
        if not self.plan.paced:
            return self.tick / self.plan.rate
        return -1.0 if self.clock.start is None else self.clock.team_time(now) - self.clock.start

    def holding(self, now: float) -> bool:
        """Whether the robot acts on the load: it lets go when nobody hears it any more, or its sensors are silent.

        Nobody would know what it did before its first sample: it holds only then, or from the team's beginning.
        """
        begun = self.clock.begun and self.plan.paced
        waits = self.phase == "waiting" and not begun
        there = (self.phase == "running" and self.sensing.alive(now)) or waits
        sound = self.clock.name not in self.faulty or not self.plan.task.faulty_lets_go
        return there and sound and self.links.heard(now)

    def receive(self, sender: str, data: bytes, now: float) -> None:
        """See `Inlet`."""
        admitted = self.links.admit(sender, data, now)
        if admitted is None:
            return
        if admitted.replaced:
            self.estimation.reset_link(sender)
        if admitted.message is None:
            return
        slack = TUNING.row_slack if self.plan.paced else TUNING.unpaced_row_slack
        if not self.estimation.agent.plausible(admitted.message, self.run_time(now) + slack):
            self.gate.ledger.reject(sender, "time")
            return
        self.estimation.receive(admitted.message)
        self._recorder.received(self.run_time(now), sender, admitted.payload)

    def take_sample(self, reading: Reading, now: float) -> None:
        """See `Inlet`; a sample that cannot be is counted and not used."""
        checked = self.sensing.checked(reading, now)
        if checked is None:
            return
        reading = checked
        if self.phase == "waiting" and self.clock.ready(now):
            self.clock.begin(reading.time)
            self.phase = "running"
        if self.phase != "running" or self.clock.start is None:
            return
        time = self.clock.team_time(reading.time) - self.clock.start
        for aligned in self.sensing.aligned(reading, time, blind=self.clock.name in self.faulty):
            if self.plan.paced:
                self.lateness.add(now - reading.time)
                if now - reading.time > MEMBERSHIP.silence:  # it stood still, and its neighbours did without it
                    self.estimation.catch_up()
            self._step(aligned, now)

    def update(self, now: float, sampled: bool = False) -> None:
        """See `Inlet`: clocks, events, checks, hellos to neighbours; a step where no sample has come."""
        if now >= self._due.update:
            self._due.update = now + TUNING.update_interval
            if self.clock.update(now) and self.plan.paced:
                self.estimation.restart()
                self.sensing.restart()
                self._report(now, "joined", "{} joined a team that is older.")
            for event in self.neighbours.events(now, self.run_time(now)):
                self._take_event(event)
            for what in self.sensors.failures(now):
                self._report(now, "sensor", what)
            if (why := self._recorder.failure()) is not None:
                self._report(now, "recording", f"{{}} records no more: {why}.")
            for member in self.estimation.find_faulty():
                self._report(now, "liar", INCONSISTENT.format(member), member)
        if now >= self._due.snapshot and self.phase == "running":
            self._due.snapshot = now + TUNING.snapshot_interval
            self.estimation.keep_snapshot()
        if now >= self._due.step and self.phase == "running" and not sampled:
            self._step(None, now)
        if now >= self._due.hello and self.phase != "stopping":
            self._send_hellos(now)

    def next_due(self) -> float:
        """See `Inlet`."""
        return min(self._due.update, self._due.hello, self._due.step)

    def send_farewell(self, now: float) -> None:
        """See `Inlet`."""
        self.phase = "stopping"
        self._send_hellos(now)

    def report_refused(self, path: Path, why: str) -> None:
        """A checkpoint was there and is not used."""
        self._report(self.links.now(), "checkpoint", f"{{}} starts afresh: its checkpoint {path} {why}.")

    def _send_hellos(self, now: float) -> None:
        self._due.hello = now + TUNING.hello_interval
        for neighbour in self.neighbours.names:
            self.links.send(neighbour)

    def _step(self, aligned: Aligned | None, now: float) -> None:
        rate, recorder, before = self.plan.rate, self._recorder, self.estimates
        if aligned is not None:
            recorder.measured(aligned.tick / rate, self.plan.task.columns, aligned.values)
        try:
            turn = self.estimation.step(aligned)
        except (ArithmeticError, ValueError) as error:  # a robot goes on
            self._report(now, "fault", f"{{}} begins again after {type(error).__name__}: {error}")
            return
        self._due.step = now + (1.0 / rate if aligned is None else max(2.5 / rate, 0.0 if self.plan.paced else 0.3))
        time = max(self.tick, 0) / rate
        for neighbour, message in turn.outbox.items():
            self._due.hello = now + TUNING.hello_interval
            payload = _ENCODER.encode(message)
            self.links.send(neighbour, payload)
            recorder.sent(time, neighbour, payload)
        if self.estimates is not before:
            recorder.estimated(time, self.estimates)
        for event in turn.events:
            what = f"The load's {getattr(event, 'quantity', '')} changed."
            self._take_event(RobotEvent(float(event.time), event.kind, self.clock.name, what))

    def _report(self, now: float, kind: str, what: str, about: str | None = None) -> None:
        name = self.clock.name
        self._take_event(RobotEvent(self.run_time(now), kind, name, what.replace("{}", name), about))

    def _take_event(self, event: RobotEvent) -> None:
        self.events.append(event)
        self._recorder.event(max(self.tick, 0) / self.plan.rate, event.what)
