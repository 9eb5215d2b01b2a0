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
from steelyard.live.robot._consistency_exchange import Witness
from steelyard.live.robot._recording import Recorder
from steelyard.live.robot._status import Lateness, Noticed, Phase
from steelyard.live.robot._tasks import ALONE
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._faulty_member import lie
from steelyard.team.transport import VERSION, BadRadio, Envelope, Gate, TeamClock, close

_ALIVE = 0.5  # s since a neighbour was last heard
_PATIENCE = 20.0  # s after which a neighbour that never appeared is worth a word
_HELLO = 0.05  # s between envelopes while there is nothing else to say
_SNAPSHOT = 1.0  # s between two states of the agent that are kept
_LONGEST_LIE = 6.0  # s for which a liar may have gone unnoticed
_UPDATE = 0.1  # s between looks at clocks and neighbours

Send = Callable[[str, bytes], None]


class Reading(msgspec.Struct, frozen=True):
    """What a robot's own sensors tell it."""

    time: float
    """s, by the robot's own clock."""
    values: dict[str, float]
    """By `<signal>/<axis>`; what is missing was not measured."""


@dataclasses.dataclass
class _Due:
    """When what is done now and then is done next, own clock."""

    hello: float = 0.0
    snapshot: float = 0.0
    update: float = 0.0
    step: float = math.inf


class Pilot:
    """Feeds an agent: aligns its samples, lets its neighbours' messages in, sends its own.

    `clock` tells the robot's own time, s; a `now` is of that clock.
    """

    def __init__(
        self,
        plan: TeamPlan,
        name: str,
        clock: Callable[[], float],
        epoch: int,
        send: Send,
        recorder: Recorder | None = None,
    ):
        faults, live, now = plan.config.faults, plan.config.live, clock()
        self._now = clock
        self.plan, self.name, self.epoch = plan, name, epoch
        self.neighbours = plan.graph.neighbours(name)
        self.agent = next(one for one in plan.task.agents(plan.graph, plan.rate) if one.name == name)
        self.state = self.agent.init()
        self.paced = plan.config.world.pace == "real"
        self.clock = TeamClock(name, self.neighbours, now, 1.0 / plan.rate, None if self.paced else 0.0)
        if not self.paced:
            self.clock.start = 0.0
        self.gate = Gate(live.name, self.agent, self.neighbours)
        self.radio = BadRadio(name, faults.seed, faults.loss, faults.jitter, faults.double, faults.cut)
        self.aligner = Aligner(plan.rate, plan.task.motion)
        self.witness = Witness(name, plan)
        self.lateness = Lateness()
        self.phase: Phase = "waiting"
        self.tick = -1
        self.estimates: Mapping[str, Estimate] = {}
        self.known: dict[str, Estimate] = {}
        """The last that was known of each quantity."""
        self.events: list[Noticed] = []
        """New ones; whoever tells them takes them out."""
        self._send, self._recorder = send, recorder
        self._inbox: list[Any] = []
        self._heard: dict[str, float] = dict.fromkeys(self.neighbours, -math.inf)
        self._snapshots: deque[tuple[int, Any]] = deque(maxlen=round(_LONGEST_LIE / _SNAPSHOT) + 2)
        self._told: dict[str, str] = {}
        self._epochs: dict[str, int] = {}
        self.born = now
        """From when on neighbours are waited for, own clock."""
        self._answered = -math.inf  # when something was sent that a neighbour has heard, own clock
        self._due = _Due()
        self._encoder = msgspec.msgpack.Encoder()
        self.liars: frozenset[str] = frozenset()
        """Robots whose account of the motion is not believed."""
        self._lies = next((one for one in faults.lie if one.robot == name), None)

    def resume(self, checkpoint: Checkpoint) -> None:
        """Goes on from a checkpoint; `NoCheckpoint`, and nothing has changed, where its state cannot be used."""
        found = read_state(checkpoint, self.agent)
        try:
            state = self.agent.from_checkpoint(found)
        except Exception as error:  # whatever a state that does not fit does: the neighbours know enough to go on
            raise NoCheckpoint(f"does not fit this robot ({type(error).__name__})") from None
        self.state, self.tick = state, checkpoint.tick
        self.clock.start, self.liars = checkpoint.start, frozenset(checkpoint.faulty)
        if self.plan.task.shuns:
            self.gate.shunned = set(self.liars) & set(self.neighbours)
        for sender, (epoch, newest) in checkpoint.heard.items():
            self._epochs[sender] = epoch
            if sender in self.neighbours and (account := self.gate.ledger.account(sender, epoch)) is not None:
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
            faulty=tuple(sorted(self.liars)),
        )

    def run_time(self, now: float) -> float:
        """Since the team's first sample, s; negative before it."""
        if not self.paced:
            return self.tick / self.plan.rate
        return -1.0 if self.clock.start is None else self.clock.team_time(now) - self.clock.start

    def alive(self, now: float) -> tuple[str, ...]:
        """Neighbours that are heard."""
        return tuple(name for name in self.neighbours if now - self._heard[name] < _ALIVE)

    def holding(self, now: float) -> bool:
        """Whether the robot acts on the load: it lets go when nobody hears it any more.

        Of what it does before its first sample nobody would know: it holds only then, or from the team's beginning.
        """
        begun = self.clock.begun and self.paced
        there = self.phase == "running" or (self.phase == "waiting" and not begun)
        return there and now - self._answered < ALONE

    def hear(self, sender: str, data: bytes, now: float) -> None:
        """Bytes that came on a neighbour's key."""
        if self.radio.perfect:
            self._admit(sender, data, now)
        else:
            self.radio.take(now, self.run_time(now), sender, data)

    def sense(self, reading: Reading, now: float) -> None:
        """A sample of the robot's own sensors."""
        if self.phase == "waiting" and self.clock.ready(now):
            self.clock.begin(reading.time)
            self.phase = "running"
        if self.phase != "running" or self.clock.start is None or not math.isfinite(reading.time):
            return
        time = self.clock.team_time(reading.time) - self.clock.start
        values = tuple(float(reading.values.get(column, math.nan)) for column in self.plan.task.columns)
        if self._lies is not None and time >= self._lies.start:
            values = lie(values, self.plan.task.motion, self._lies)
        if self.name in self.liars:
            values = (*[math.nan] * self.plan.task.motion, *values[self.plan.task.motion :])
        for aligned in self.aligner.take(time, values):
            if self.paced:
                self.lateness.note(now - reading.time)
            self._step(aligned, now)

    def look_after(self, now: float, sampled: bool = False) -> None:
        """What is due by the clock: late messages, clocks, a word to neighbours; a step where no sample has come."""
        for sender, data in self.radio.heard(now):
            self._admit(sender, data, now)
        if now >= self._due.update:
            self._due.update = now + _UPDATE
            if self.clock.update(now) and self.paced:
                self._start_over(now)
            self._watch_neighbours(now)
            for liar, why in self.witness.judge(self.tick):
                self._shun(liar, why, now)
        if now >= self._due.snapshot and self.phase == "running":
            self._due.snapshot = now + _SNAPSHOT
            self._snapshots.append((self.tick, self.state))
        if now >= self._due.step and self.phase == "running" and not sampled:
            self._step(None, now)
        if now >= self._due.hello and self.phase != "stopping":
            for neighbour in self.neighbours:
                self._tell(neighbour, b"", now)

    def next_due(self) -> float:
        """When `look_after` has something to do again, own clock."""
        return min(self._due.update, self._due.hello, self._due.step, self.radio.next_due)

    def farewell(self, now: float) -> None:
        """A last word to each neighbour, by whose number it knows what it has missed."""
        self.phase = "stopping"
        self.radio.be_good()
        for neighbour in self.neighbours:
            self._tell(neighbour, b"", now)

    def _admit(self, sender: str, data: bytes, now: float) -> None:
        passed = self.gate.admit(data, sender)
        if passed is None:
            return
        envelope = passed.envelope
        self._heard[sender] = now
        if not self.paced:
            self._answered = now
        elif envelope.timing.echo is not None:
            self._answered = max(self._answered, min(envelope.timing.echo, now))
        if self._epochs.get(sender, envelope.epoch) != envelope.epoch:
            self.state = self.agent.reset_link(self.state, sender)
        self._epochs[sender] = envelope.epoch
        if self.paced:
            self.clock.receive(sender, envelope.timing, now)
        if not self.clock.agrees(envelope.timing):
            return  # its samples are numbered from another start: it will tell them again from this one
        self.witness.hear(envelope.claims, sender)
        if passed.message is not None:
            self._inbox.append(self.plan.task.without(passed.message, self.liars))
            if self._recorder is not None:
                self._recorder.received(self.run_time(now), sender, envelope.payload)

    def _step(self, aligned: Aligned | None, now: float) -> None:
        rate, task = self.plan.rate, self.plan.task
        sample = None
        if aligned is not None:
            self.tick = aligned.tick
            sample = task.sample(aligned.tick / rate, aligned.values)
            self.witness.measure(aligned)
            if self._recorder is not None:
                self._recorder.measured(aligned.tick / rate, task.columns, aligned.values)
        inbox, self._inbox = tuple(self._inbox), []
        try:
            turn = self.agent.step(self.state, sample, inbox)
        except (ArithmeticError, ValueError) as error:  # numbers that no algebra survives: a robot goes on
            self.state = self.agent.init()
            self._notice(self.run_time(now), "fault", f"{self.name} begins again after {type(error).__name__}: {error}")
            return
        self.state = turn.state
        self._due.step = now + (1.0 / rate if aligned is None else max(2.5 / rate, 0.0 if self.paced else 0.3))
        for neighbour, message in turn.outbox.items():
            payload = self._encoder.encode(message)
            self._tell(neighbour, payload, now)
            if self._recorder is not None:
                self._recorder.sent(max(self.tick, 0) / rate, neighbour, payload)
        if turn.estimates and turn.estimates is not self.estimates:
            self.estimates = turn.estimates
            self.known |= {name: one for name, one in turn.estimates.items() if one.status == "known"}
            if self._recorder is not None:
                self._recorder.estimated(max(self.tick, 0) / rate, self.estimates)
        for event in turn.events:
            quantity = getattr(event, "quantity", "")
            self._notice(float(event.time), event.kind, f"The load's {quantity} changed.")

    def _tell(self, neighbour: str, payload: bytes, now: float) -> None:
        self._due.hello = now + _HELLO
        if neighbour in self.gate.shunned:
            return
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
            claims=self.witness.claims_for(neighbour),
        )
        self._send(neighbour, close(envelope))

    def _start_over(self, now: float) -> None:
        """Two teams met, and the other is older: samples are numbered from its start."""
        self.state, self.tick = self.agent.init(), -1
        self.aligner = Aligner(self.plan.rate, self.plan.task.motion)
        self.witness = Witness(self.name, self.plan)
        self._notice(self.run_time(now), "joined", f"{self.name} joined a team that is older.")

    def _shun(self, liar: str, why: str, now: float) -> None:
        """From now on its account of the motion counts for nothing, and what it has told already is forgotten."""
        self.liars = self.liars | {liar}
        if self.plan.task.shuns and liar in self.neighbours:
            self.gate.shunned.add(liar)
        self.state, self._inbox = self.agent.exclude(self.state, self._earlier(), self.liars), []
        self._snapshots.clear()
        self._notice(self.run_time(now), "liar", why, liar)

    def _earlier(self) -> Any:
        """The agent's state from before anybody can have lied unnoticed."""
        before = self.tick - _LONGEST_LIE * self.plan.rate
        found = [state for tick, state in self._snapshots if tick <= before]
        return found[-1] if found else self.agent.init()

    def _watch_neighbours(self, now: float) -> None:
        for name in self.neighbours:
            silent = now - self._heard[name]
            word = self._told.get(name)
            if silent < _ALIVE and word not in (None, "there"):
                self._notice(self.run_time(now), "back", f"{name} is heard again.", name)
            if silent < _ALIVE:
                self._told[name] = "there"
            elif word == "there" and silent > 2 * _ALIVE and name not in self.gate.shunned:
                self._told[name] = "gone"
                self._notice(self.run_time(now), "gone", f"{name} is not heard any more.", name)
            elif word is None and now - self.born > _PATIENCE:
                self._told[name] = "never"
                where = self.plan.endpoints.links[name]
                what = (
                    f"{name} has not been heard for {_PATIENCE:.0f} s at {where}; start it with steelyard agent "
                    f"{self.plan.path.name} --robot {name}, or take its links out of the team file."
                )
                self._notice(self.run_time(now), "missing", what, name)

    def note_checkpoint(self, path: Path, why: str) -> None:
        """A checkpoint was there and is not used."""
        what = f"{self.name} starts afresh: its checkpoint {path} {why}."
        self._notice(self.run_time(self._now()), "checkpoint", what)

    def _notice(self, time: float, kind: str, what: str, about: str | None = None) -> None:
        self.events.append(Noticed(time, kind, self.name, what, about))
        if self._recorder is not None:
            self._recorder.noticed(max(self.tick, 0) / self.plan.rate, what)
