"""The envelope around an agent's message: version, team, sender, recipient, number and times."""

import msgspec

from steelyard.team.transport._tuning import TUNING

VERSION = 2
LARGEST = TUNING.gate.largest_envelope
"""Bytes of the largest envelope that is opened."""


class Heading(msgspec.Struct, frozen=True, array_like=True):
    """What every version of an envelope begins with."""

    version: int
    team: str


class Timing(msgspec.Struct, frozen=True, array_like=True):
    """What one end of a link sends the other about clocks; seconds."""

    stamp: float
    """The sender's own clock as it sent this."""
    team: float | None
    """The team's time as the sender estimates it; None while it does not know it."""
    root: str
    """The leader, whose clock the sender follows."""
    beat: int
    """The newest beat of the leader that has reached it."""
    hops: int
    start: float | None
    """When the team's first sample was, team's time."""
    echo: float | None
    """The newest stamp that the sender has from the recipient."""
    held: float
    """How long ago that one had arrived."""


class Envelope(Heading, frozen=True, array_like=True):
    """A message on its way between two processes."""

    sender: str
    recipient: str
    epoch: int
    """Of the sender's process: ns since 1970 when it started. A later one makes all earlier ones void."""
    number: int
    """From 1, for each recipient and epoch, without a gap."""
    timing: Timing
    payload: bytes
    """The agent's message; empty where the envelope alone is sent."""


_ENCODER = msgspec.msgpack.Encoder()
_HEADING = msgspec.msgpack.Decoder(Heading)
_ENVELOPE = msgspec.msgpack.Decoder(Envelope)


def close(envelope: Envelope) -> bytes:
    """As bytes."""
    return _ENCODER.encode(envelope)


def open_heading(data: bytes) -> Heading:
    """Version and team, whatever else there is; msgspec.DecodeError where there is no such thing."""
    return _HEADING.decode(data)


def open_envelope(data: bytes) -> Envelope:
    """All of it; msgspec.DecodeError where it is none of this version."""
    return _ENVELOPE.decode(data)
