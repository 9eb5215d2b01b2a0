"""The gate that every message from outside must pass: it never raises, and counts what it drops by reason.

The names of the reasons are part of the JSON of a team's outcome.
"""

import math
from typing import NamedTuple

import msgspec

from steelyard.team._agent import Agent, Message
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import FailureDetector
from steelyard.team.transport._envelope import LARGEST, VERSION, Envelope, open_envelope, open_heading
from steelyard.team.transport._ledger import Account, Ledger
from steelyard.team.transport._tuning import TUNING

_T = TUNING.gate

REASONS = {
    "huge": "larger than any message is",
    "malformed": "no envelope of this version, or no message of this kind of agent",
    "version": "from another version of the package",
    "team": "from another team",
    "stranger": "not from a neighbour",
    "forged": "written under another name than the key it came by, or for another robot",
    "replayed": "has come before, or is from a process that a later one has replaced",
    "time": "its times, rows or numbers cannot be, by the team's own time",
    "overflow": "too many were waiting already",
}
"""Why a message is dropped."""


class Passed(NamedTuple):
    """What is let in."""

    envelope: Envelope
    message: Message | None
    """None where the envelope carries none."""


class Gate:
    """One robot's gate: knows its team, its neighbours and what has come already."""

    def __init__(self, team: str, agent: Agent, neighbours: tuple[str, ...], proves_life: bool = False):
        """`proves_life`: whether envelopes echo this robot's own stamps, by which a live process is known."""
        self.team, self.neighbours, self._proves_life = team, neighbours, proves_life
        self.detector = FailureDetector(neighbours, MEMBERSHIP.silence)
        """By the robot's own clock."""
        self.ledger = Ledger(neighbours)
        self._name, self._decode = agent.name, agent.decode

    def admit(self, data: bytes, claimed: str | None = None, now: float = 0.0) -> Passed | None:
        """The message in the bytes, or None; `claimed` is the sender by the key on which they came.

        `now` is the robot's own clock, s.
        """
        self.ledger.arrived += 1
        passed, reason, account = None, "", None
        try:
            envelope, reason = self._read(data, claimed)
            if envelope is not None:
                account = self._account(envelope, now)
                if account is None or account.is_copy(envelope.number):
                    reason = "replayed"
                elif account.newest and envelope.number - account.newest > self._largest_jump(envelope.sender, now):
                    reason, account = "time", None  # its true number may yet come
                else:
                    self.detector.hear(envelope.sender, now)
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

    def _account(self, envelope: Envelope, now: float) -> Account | None:
        """Of the sender's process; None for one that is not, or no longer, the neighbour's.

        A process takes another's place if it is alive: it echoes what this robot sent within the last seconds, and
        it is the later one or the other has fallen silent. Epochs are times of clocks that may be wrong, and a forged
        one may be of any size. Of a neighbour that is known from a checkpoint only, a later process needs no echo: it
        may have been replaced as this robot was, and then neither has anything to echo.
        """
        sender, echo = envelope.sender, envelope.timing.echo
        accounts = self.ledger.accounts[sender]
        if not self._proves_life or not accounts or accounts[-1].epoch == envelope.epoch:
            return self.ledger.account(sender, envelope.epoch)
        alive = echo is not None and -1e-3 <= now - echo < MEMBERSHIP.forgotten
        later, unheard = envelope.epoch > accounts[-1].epoch, math.isinf(self.detector.silence(sender, now))
        if (alive and (later or self.detector.absent(sender, now))) or (later and unheard):
            return self.ledger.switch(sender, envelope.epoch)
        return None

    def _largest_jump(self, sender: str, now: float) -> float:
        """By which a number may be ahead of the newest: of messages that were lost since then."""
        return 0.5 * _T.numbers_remembered + _T.most_messages * max(self.detector.silence(sender, now), 0.0)

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
        if not _plausible(envelope) or (self._proves_life and not _has_run(envelope)):
            return None, "time"
        return envelope, ""

    def _open(self, envelope: Envelope) -> tuple[Passed | None, str]:
        if not envelope.payload:
            return Passed(envelope, None), ""
        message = self._decode(envelope.payload)
        if message.sender != envelope.sender:
            return None, "forged"
        if not (math.isfinite(message.time) and message.sequence >= 0):
            return None, "time"
        return Passed(envelope, message), ""


def _has_run(envelope: Envelope) -> bool:
    """Whether its team can have run for so long; without a pace, starts are no times of a clock."""
    timing = envelope.timing
    ran = 0.0 if timing.team is None or timing.start is None else timing.team - timing.start
    return -_T.earliest_start <= ran <= _T.longest_run


def _plausible(envelope: Envelope) -> bool:
    """Whether its numbers and times can be such at all."""
    timing = envelope.timing
    times = [timing.stamp, timing.held, *(one for one in (timing.team, timing.start, timing.echo) if one is not None)]
    counts = (envelope.number - 1, envelope.epoch, timing.beat, timing.hops)
    return all(0.0 <= one < _T.latest_time for one in times) and min(counts) >= 0 and max(counts) < 2**63
