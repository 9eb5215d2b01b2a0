"""The envelope around an agent's message: which team and version, from whom to whom, the how-manieth, and when."""

import msgspec

VERSION = 1
LARGEST = 256 * 1024
"""Bytes of the largest envelope that is opened."""


class Heading(msgspec.Struct, frozen=True, array_like=True):
    """What every version of an envelope begins with."""

    version: int
    team: str


class Timing(msgspec.Struct, frozen=True, array_like=True):
    """What one end of a link tells the other about clocks; seconds."""

    stamp: float
    """The sender's own clock as it sent this."""
    team: float | None
    """The team's time by the sender's account; None while it does not know it."""
    root: str
    """The robot whose clock the sender follows."""
    beat: int
    """The newest beat of that robot that it has heard of."""
    hops: int
    start: float | None
    """When the team's first sample was, team's time."""
    echo: float | None
    """The newest stamp that the sender has from the recipient."""
    held: float
    """How long ago that one had arrived."""


class Claim(msgspec.Struct, frozen=True, array_like=True):
    """What a robot says it measured over a few samples, passed on through the team so that all can check it."""

    origin: str
    row: int
    """The rows of all robots are of the same times."""
    values: tuple[float, ...]
    """Means over the row; what they are of is the problem's affair."""


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
    """The agent's message; empty where the envelope itself is the news."""
    claims: tuple[Claim, ...] = ()


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
