"""One robot between its sensors, its neighbours and its agent; knows no network and no files."""

import dataclasses
import math
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from steelyard.estimators import Estimate
from steelyard.live.robot._alignment import Aligned, Aligner
from steelyard.live.robot._checkpoint import Checkpoint, NoCheckpoint, make_checkpoint, read_state
from steelyard.live.robot._consistency_exchange import ConsistencyExchange
from steelyard.live.robot._injection import Injection
from steelyard.live.robot._neighbours import NeighbourWatch
from steelyard.live.robot._recording import Recorder
from steelyard.live.robot._sensor_gate import Reading, SensorGate
from steelyard.live.robot._status import Phase, RobotEvent
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.live.robot._usage import Lateness
from steelyard.team import Agent
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.transport import VERSION, Envelope, Gate, TeamClock, close

Send = Callable[[str, bytes], None]


@dataclasses.dataclass
class _Due:
    """When what is done now and then is done next, own clock."""

    hello: float = 0.0
    snapshot: float = 0.0
    update: float = 0.0
    step: float = math.inf


class RobotNode:
    """Feeds an agent: aligns its samples, lets its neighbours' messages in, sends its own.

    `clock` gives the robot's own time, s; a `now` is of that clock. Faults come from `injection`, in trials only.
    """

    def __init__(
        self,
        plan: TeamPlan,
        name: str,
        clock: Callable[[], float],
        epoch: int,
        send: Send,
        recorder: Recorder | None = None,
        injection: Injection | None = None,
        token: bytes | None = None,
        agent: Agent | None = None,
    ):
        injection, now = injection or Injection(), clock()
        self._now = clock
        self.plan, self.name, self.epoch = plan, name, epoch
        self.agent = agent or next(one for one in plan.task.agents(plan.graph, plan.rate) if one.name == name)
        self.state = self.agent.init()
        self.paced = plan.config.world.pace == "real"
        neighbours = plan.graph.neighbours(name)
        self.clock = TeamClock(name, neighbours, now, 1.0 / plan.rate, None if self.paced else 0.0)
        if not self.paced:
            self.clock.start = 0.0
        self.gate = Gate(plan.name, self.agent, neighbours, proves_life=self.paced)
        self.neighbours = NeighbourWatch(plan, name, self.gate.detector, now)
        self.sensors = SensorGate(plan.rate, self.paced, token)
        self.link, self._sensor_fault = injection.link, injection.sensor_fault
        self._aligner = Aligner(plan.rate, plan.task.motion)
        self._check = ConsistencyExchange(name, plan)
        self.lateness = Lateness()
        self.phase: Phase = "waiting"
        self.tick = -1
        self.estimates: Mapping[str, Estimate] = {}
        self.known: dict[str, Estimate] = {}
        """The last known estimate of each quantity."""
        self.events: list[RobotEvent] = []
        """New ones; whoever publishes them takes them out."""
        self.faulty: frozenset[str] = frozenset()
        """Members whose measurements of the motion are not used."""
        self._send, self._recorder = send, recorder
        self._inbox: list[Any] = []
        snapshots = round(TUNING.longest_undetected_fault / TUNING.snapshot_interval) + 2
        self._snapshots: deque[tuple[int, Any]] = deque(maxlen=snapshots)
        self._acknowledged = -math.inf  # when something was sent that a neighbour has received, own clock
        self._sampled = -math.inf  # when its own sensors last delivered a sample, own clock
        self._due = _Due()
        self._encoder = msgspec.msgpack.Encoder()

    def resume(self, checkpoint: Checkpoint) -> None:
        """Goes on from a checkpoint; `NoCheckpoint`, and nothing has changed, where its state cannot be used."""
        found = read_state(checkpoint, self.agent)
        try:
            state = self.agent.from_checkpoint(found)
        except Exception as error:  # whatever a state that does not fit does: the neighbours know enough to go on
            raise NoCheckpoint(f"does not fit this robot ({type(error).__name__})") from None
        self.state, self.tick = state, checkpoint.tick
        self.clock.start, self.faulty = checkpoint.start, frozenset(checkpoint.faulty)
        for sender, (epoch, newest) in checkpoint.heard.items():
            self.neighbours.set_epoch(sender, epoch)
            if sender in self.neighbours.names and (account := self.gate.ledger.account(sender, epoch)) is not None:
                account.skip_to(newest)

    def checkpoint(self, now: float) -> Checkpoint:
        """All that a later process of this robot needs."""
        accounts = {name: accounts[-1] for name, accounts in self.gate.ledger.accounts.items() if accounts}
        return make_checkpoint(
            self.plan.name,
            self.name,
            self.agent,
            self.agent.to_checkpoint(self.state),
            written=now,
            offset=self.clock.offset or 0.0,
            start=self.clock.start or 0.0,
            tick=self.tick,
            heard={name: (account.epoch, account.newest) for name, account in accounts.items()},
            faulty=tuple(sorted(self.faulty)),
        )

    def report_refused(self, path: Path, why: str) -> None:
        """A checkpoint was there and is not used."""
        what = f"{self.name} starts afresh: its checkpoint {path} {why}."
        self._report(RobotEvent(self.run_time(self._now()), "checkpoint", self.name, what))

    def run_time(self, now: float) -> float:
        """Since the team's first sample, s; negative before it."""
        if not self.paced:
            return self.tick / self.plan.rate
        return -1.0 if self.clock.start is None else self.clock.team_time(now) - self.clock.start

    def holding(self, now: float) -> bool:
        """Whether the robot acts on the load: it lets go when nobody hears it any more, or its sensors are silent.

        Nobody would know what it did before its first sample: it holds only then, or from the team's beginning.
        """
        begun = self.clock.begun and self.paced
        sensing = not self.paced or now - self._sampled < MEMBERSHIP.lets_go
        there = (self.phase == "running" and sensing) or (self.phase == "waiting" and not begun)
        sound = self.name not in self.faulty or not self.plan.task.faulty_lets_go
        return there and sound and now - self._acknowledged < MEMBERSHIP.lets_go

    def receive(self, sender: str, data: bytes, now: float) -> None:
        """Bytes that came on a neighbour's key."""
        for who, what in self.link.receive(now, self.run_time(now), sender, data):
            self._admit(who, what, now)

    def take_sample(self, reading: Reading, now: float) -> None:
        """A sample of the robot's own sensors; one that cannot be is counted and not used."""
        checked = self.sensors.checked(reading, now)
        if checked is None:
            return
        reading, self._sampled = checked, now
        if self.phase == "waiting" and self.clock.ready(now):
            self.clock.begin(reading.time)
            self.phase = "running"
        if self.phase != "running" or self.clock.start is None:
            return
        task = self.plan.task
        time = self.clock.team_time(reading.time) - self.clock.start
        values = tuple(float(reading.values.get(column, math.nan)) for column in task.columns)
        if self._sensor_fault is not None:
            values = self._sensor_fault(time, values)
        if self.name in self.faulty:
            values = (*[math.nan] * task.motion, *values[task.motion :])
        for aligned in self._aligner.take(time, values):
            if self.paced:
                self.lateness.add(now - reading.time)
                if now - reading.time > MEMBERSHIP.silence:  # it stood still, and its neighbours did without it
                    self.state = self.agent.catch_up(self.state)
            self._step(aligned, now)

    def update(self, now: float, sampled: bool = False) -> None:
        """What is due by the clock: late messages, clocks, hellos to neighbours; a step where no sample has come."""
        for sender, data in self.link.due(now):
            self._admit(sender, data, now)
        if now >= self._due.update:
            self._due.update = now + TUNING.update_interval
            if self.clock.update(now) and self.paced:
                self._restart(now)
            for event in self.neighbours.events(now, self.run_time(now)):
                self._report(event)
            for what in self.sensors.failures(now):
                self._report(RobotEvent(self.run_time(now), "sensor", self.name, what))
            if self._recorder is not None and (why := self._recorder.failure()) is not None:
                what = f"{self.name} records no more: {why}."
                self._report(RobotEvent(self.run_time(now), "recording", self.name, what))
            for member, why in self._check.find_faulty(self.tick):
                self._exclude(member, why, now)
        if now >= self._due.snapshot and self.phase == "running":
            self._due.snapshot = now + TUNING.snapshot_interval
            self._snapshots.append((self.tick, self.state))
        if now >= self._due.step and self.phase == "running" and not sampled:
            self._step(None, now)
        if now >= self._due.hello and self.phase != "stopping":
            for neighbour in self.neighbours.names:
                self._send_envelope(neighbour, b"", now)

    def next_due(self) -> float:
        """When `update` has something to do again, own clock."""
        return min(self._due.update, self._due.hello, self._due.step, self.link.next_due)

    def send_farewell(self, now: float) -> None:
        """A last envelope to each neighbour, by whose number it knows what it has missed."""
        self.phase = "stopping"
        self.link.end_faults()
        for neighbour in self.neighbours.names:
            self._send_envelope(neighbour, b"", now)

    def _admit(self, sender: str, data: bytes, now: float) -> None:
        passed = self.gate.admit(data, sender, now)
        if passed is None:
            return
        envelope = passed.envelope
        replaced = self.neighbours.set_epoch(sender, envelope.epoch)
        if not self.paced:
            self._acknowledged = now
        elif envelope.timing.echo is not None:
            self._acknowledged = max(self._acknowledged, min(envelope.timing.echo, now))
        if replaced:
            self.state = self.agent.reset_link(self.state, sender)
            self.clock.reset_peer(sender)
        if self.paced:
            self.clock.receive(sender, envelope.timing, now)
        if not self.clock.agrees(envelope.timing):
            return  # its samples are numbered from another start: it will send them again from this one
        slack = TUNING.row_slack if self.paced else TUNING.unpaced_row_slack
        if passed.message is not None and not self.agent.plausible(passed.message, self.run_time(now) + slack):
            self.gate.ledger.reject(sender, "time")
            return
        self._check.receive(envelope.claims, sender)
        if passed.message is not None:
            self._inbox.append(self.plan.task.without_motion(passed.message, self.faulty))
            if self._recorder is not None:
                self._recorder.received(self.run_time(now), sender, envelope.payload)

    def _step(self, aligned: Aligned | None, now: float) -> None:
        rate, task = self.plan.rate, self.plan.task
        sample = None
        if aligned is not None:
            self.tick = aligned.tick
            sample = task.sample(aligned.tick / rate, aligned.values)
            self._check.measure(aligned)
            if self._recorder is not None:
                self._recorder.measured(aligned.tick / rate, task.columns, aligned.values)
        inbox, self._inbox = tuple(self._inbox), []
        try:
            turn = self.agent.step(self.state, sample, inbox)
        except (ArithmeticError, ValueError) as error:  # numbers that no algebra survives: a robot goes on
            self.state = self.agent.init()
            what = f"{self.name} begins again after {type(error).__name__}: {error}"
            self._report(RobotEvent(self.run_time(now), "fault", self.name, what))
            return
        self.state = turn.state
        self._due.step = now + (1.0 / rate if aligned is None else max(2.5 / rate, 0.0 if self.paced else 0.3))
        for neighbour, message in turn.outbox.items():
            payload = self._encoder.encode(message)
            self._send_envelope(neighbour, payload, now)
            if self._recorder is not None:
                self._recorder.sent(max(self.tick, 0) / rate, neighbour, payload)
        if turn.estimates and turn.estimates is not self.estimates:
            self.estimates = turn.estimates
            self.known |= {name: one for name, one in turn.estimates.items() if one.status == "known"}
            if self._recorder is not None:
                self._recorder.estimated(max(self.tick, 0) / rate, self.estimates)
        for event in turn.events:
            what = f"The load's {getattr(event, 'quantity', '')} changed."
            self._report(RobotEvent(float(event.time), event.kind, self.name, what))

    def _send_envelope(self, neighbour: str, payload: bytes, now: float) -> None:
        self._due.hello = now + TUNING.hello_interval
        sent = self.gate.ledger.sent
        sent[neighbour] += 1
        envelope = Envelope(
            version=VERSION,
            team=self.plan.name,
            sender=self.name,
            recipient=neighbour,
            epoch=self.epoch,
            number=sent[neighbour],
            timing=self.clock.timing_for(neighbour, self._now()),
            payload=payload,
            claims=self._check.claims_for(neighbour),
        )
        self._send(neighbour, close(envelope))

    def _restart(self, now: float) -> None:
        """Two teams met, and the other is older: samples are numbered from its start."""
        self.state, self.tick = self.agent.init(), -1
        self._aligner = Aligner(self.plan.rate, self.plan.task.motion)
        self._check = ConsistencyExchange(self.name, self.plan)
        what = f"{self.name} joined a team that is older."
        self._report(RobotEvent(self.run_time(now), "joined", self.name, what))

    def _exclude(self, member: str, why: str, now: float) -> None:
        """From now on a member's motion is not used, and what it has sent already is forgotten."""
        self.faulty = self.faulty | {member}
        self.state, self._inbox = self.agent.exclude(self.state, self._before_faults(), self.faulty), []
        self._snapshots.clear()
        self._report(RobotEvent(self.run_time(now), "liar", self.name, why, member))

    def _before_faults(self) -> Any:
        """The agent's state from before anybody can have been faulty unnoticed."""
        before = self.tick - TUNING.longest_undetected_fault * self.plan.rate
        found = [state for tick, state in self._snapshots if tick <= before]
        return found[-1] if found else self.agent.init()

    def _report(self, event: RobotEvent) -> None:
        self.events.append(event)
        if self._recorder is not None:
            self._recorder.event(max(self.tick, 0) / self.plan.rate, event.what)
