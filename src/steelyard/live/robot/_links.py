"""A robot's links to its neighbours: what is let in, whose time it follows, and the envelopes that it sends."""

import math
from collections.abc import Callable
from typing import NamedTuple

from steelyard.live.robot._neighbours import NeighbourWatch
from steelyard.live.robot._team_file import TeamPlan
from steelyard.team import Agent, Message
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.transport import VERSION, Envelope, Gate, TeamClock, close

Send = Callable[[str, bytes], None]


class Admitted(NamedTuple):
    """What the gate let in."""

    message: Message | None
    """The agent's; None where the envelope has none, or is of a team that counts from another start."""
    payload: bytes
    replaced: bool
    """Whether it is from a new process of the neighbour."""


class Links:
    """Of one robot; `clock` gives its own time, s."""

    def __init__(self, plan: TeamPlan, agent: Agent, epoch: int, clock: Callable[[], float], send: Send):
        now, neighbours = clock(), plan.graph.neighbours(agent.name)
        self.epoch = epoch
        self._plan, self.now, self._send = plan, clock, send
        self.clock = TeamClock(agent.name, neighbours, now, 1.0 / plan.rate, None if plan.paced else 0.0)
        if not plan.paced:
            self.clock.start = 0.0
        self.gate = Gate(plan.name, agent, neighbours, proves_life=plan.paced)
        self.neighbours = NeighbourWatch(plan, agent.name, self.gate.detector, now)
        self._acknowledged = -math.inf  # when something was sent that a neighbour has received, own clock

    def heard(self, now: float) -> bool:
        """Whether a neighbour hears the robot."""
        return now - self._acknowledged < MEMBERSHIP.lets_go

    def admit(self, sender: str, data: bytes, now: float) -> Admitted | None:
        """A neighbour's message; None for one that is dropped."""
        passed = self.gate.admit(data, sender, now)
        if passed is None:
            return None
        envelope, timing = passed.envelope, passed.envelope.timing
        replaced = self.neighbours.set_epoch(sender, envelope.epoch)
        if replaced:
            self.clock.reset_peer(sender)
        if not self._plan.paced:
            self._acknowledged = now
        else:
            if timing.echo is not None:
                self._acknowledged = max(self._acknowledged, min(timing.echo, now))
            self.clock.receive(sender, timing, now)
        # Samples that are numbered from another start it will send again from this one.
        message = passed.message if self.clock.agrees(timing) else None
        return Admitted(message, envelope.payload, replaced)

    def send(self, neighbour: str, payload: bytes = b"") -> None:
        """An envelope, around an agent's message or none."""
        sent = self.gate.ledger.sent
        sent[neighbour] += 1
        envelope = Envelope(
            version=VERSION,
            team=self._plan.name,
            sender=self.clock.name,
            recipient=neighbour,
            epoch=self.epoch,
            number=sent[neighbour],
            timing=self.clock.timing_for(neighbour, self.now()),
            payload=payload,
        )
        self._send(neighbour, close(envelope))

    def skip_to(self, heard: dict[str, tuple[int, int]]) -> None:
        """What an earlier process of this robot has received, by its checkpoint."""
        for sender, (epoch, newest) in heard.items():
            self.neighbours.set_epoch(sender, epoch)
            if sender in self.neighbours.names and (account := self.gate.ledger.account(sender, epoch)) is not None:
                account.skip_to(newest)

    @property
    def newest(self) -> dict[str, tuple[int, int]]:
        """By neighbour, its process and the newest number of its envelopes."""
        accounts = {name: accounts[-1] for name, accounts in self.gate.ledger.accounts.items() if accounts}
        return {name: (account.epoch, account.newest) for name, account in accounts.items()}
