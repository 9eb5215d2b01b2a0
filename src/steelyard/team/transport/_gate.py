"""The gate that every message from outside must pass: it never raises, and counts what it drops by reason.

The names of the reasons are part of the JSON of a team's outcome.
"""

import math
from typing import NamedTuple

import msgspec

from steelyard.team._agent import Agent, Message
from steelyard.team.transport._envelope import LARGEST, VERSION, Envelope, open_envelope, open_heading
from steelyard.team.transport._ledger import Ledger

REASONS = {
    "huge": "larger than any message is",
    "malformed": "no envelope of this version, or no message of this kind of agent",
    "version": "from another version of the package",
    "team": "from another team",
    "stranger": "not from a neighbour",
    "forged": "written under another name than the key it came by, or for another robot",
    "replayed": "has come before, or is from a process that a later one has replaced",
    "time": "its times are no finite, positive numbers",
    "overflow": "too many were waiting already",
    "liar": "from a robot that was found faulty",
}
"""Why a message is dropped."""


class Passed(NamedTuple):
    """What is let in."""

    envelope: Envelope
    message: Message | None
    """None where the envelope carries none."""


class Gate:
    """One robot's gate: knows its team, its neighbours and what has come already."""

    def __init__(self, team: str, agent: Agent, neighbours: tuple[str, ...]):
        self.team, self.neighbours = team, neighbours
        self.ledger = Ledger(neighbours)
        self.excluded: set[str] = set()
        """Neighbours that were found faulty."""
        self._name, self._decode = agent.name, agent.decode

    def admit(self, data: bytes, claimed: str | None = None) -> Passed | None:
        """The message in the bytes, or None; `claimed` is the sender by the key on which they came."""
        self.ledger.arrived += 1
        passed, reason, account = None, "", None
        try:
            envelope, reason = self._read(data, claimed)
            if envelope is not None:
                account = self.ledger.account(envelope.sender, envelope.epoch)
                if account is None or account.is_copy(envelope.number):
                    reason = "replayed"
                else:
                    account.mark(envelope.number)
                    passed, reason = self._open(envelope)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
            reason = "malformed"
        if passed is None:
            self.ledger.dropped[reason] += 1
            if account is not None:
                account.drop(reason)
            return None
        if account is not None:
            account.received += 1
        return passed

    def _read(self, data: bytes, claimed: str | None) -> tuple[Envelope | None, str]:
        """The envelope, if it is one for this robot from a neighbour; its number is not looked at yet."""
        if len(data) > LARGEST:
            return None, "huge"
        heading = open_heading(data)
        if heading.version != VERSION:
            return None, "version"
        if heading.team != self.team:
            return None, "team"
        envelope = open_envelope(data)
        if envelope.sender not in self.neighbours:
            return None, "stranger"
        if envelope.recipient != self._name or claimed not in (None, envelope.sender):
            return None, "forged"
        if not _plausible(envelope):
            return None, "time"
        return envelope, ""

    def _open(self, envelope: Envelope) -> tuple[Passed | None, str]:
        if envelope.sender in self.excluded:
            return None, "liar"
        if not envelope.payload:
            return Passed(envelope, None), ""
        message = self._decode(envelope.payload)
        if message.sender != envelope.sender:
            return None, "forged"
        if not (math.isfinite(message.time) and message.sequence >= 0):
            return None, "time"
        return Passed(envelope, message), ""


def _plausible(envelope: Envelope) -> bool:
    """Whether its numbers and times can be such at all."""
    timing = envelope.timing
    times = [timing.stamp, timing.held, *(one for one in (timing.team, timing.start, timing.echo) if one is not None)]
    counts = (envelope.number - 1, envelope.epoch, timing.beat, timing.hops)
    return all(math.isfinite(one) and one >= 0.0 for one in times) and min(counts) >= 0
