"""What a robot writes down each second, so that a process that is killed goes on where it was.

MessagePack, data only: see `_serialise`. A checkpoint that others could have written is not read.
"""

import functools
import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from steelyard._serialise import Classes, NotOurs, classes_in, decode, encode, fingerprint

_VERSION = 2
_STATES = ("steelyard.team", "steelyard.estimators")
"""Packages whose classes a state may hold."""


class NoCheckpoint(Exception):
    """There is a checkpoint, and it is not used; the message is the sentence that says why."""


class Checkpoint(msgspec.Struct, frozen=True, array_like=True):
    """A robot's memory."""

    version: int
    code: str
    """Fingerprint of the classes of the state."""
    team: str
    robot: str
    agent: str
    """Kind of the agent whose state it is."""
    written: float
    """s, the robot's own clock."""
    offset: float
    """Team's time less the own clock, s."""
    start: float
    """Team's time of the first sample, s."""
    tick: int
    """Of the last sample."""
    heard: dict[str, tuple[int, int]]
    """By neighbour, the newest process and number: what is older is not accepted again."""
    faulty: tuple[str, ...]
    """Members whose motion is not used any more."""
    state: bytes


class _Heading(msgspec.Struct, frozen=True, array_like=True):
    """What a checkpoint of every version begins with."""

    version: int


def make_checkpoint(team: str, robot: str, agent: Any, state: Any, **rest: Any) -> Checkpoint:
    """Of an agent in a state; TypeError where the state holds what is no data."""
    kind, written = type(agent).__qualname__, encode(state, _classes())
    return Checkpoint(version=_VERSION, code=_code(), team=team, robot=robot, agent=kind, state=written, **rest)


def read_state(checkpoint: Checkpoint, agent: Any) -> Any:
    """The agent's state; `NoCheckpoint` where it was written by other code or is damaged."""
    if checkpoint.code != _code():
        raise NoCheckpoint("was written by another version of this package")
    try:
        state = decode(checkpoint.state, _classes())
    except NotOurs as error:
        raise NoCheckpoint(f"cannot be read: {error}") from None
    if type(state) is not type(agent.init()):
        raise NoCheckpoint(f"holds a {type(state).__name__}, which is no state of this robot")
    return state


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Whole or not at all, for its owner only."""
    draft = path.with_suffix(".draft")
    draft.unlink(missing_ok=True)  # of a process that was killed as it wrote
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(msgspec.msgpack.encode(checkpoint))
    draft.replace(path)


def read_checkpoint(path: Path, team: str, robot: str, agent: str) -> Checkpoint | None:
    """The last one, None where there is none; `NoCheckpoint` where it is not this robot's own."""
    data = _own_bytes(path)
    if data is None:
        return None
    try:
        if (version := msgspec.msgpack.decode(data, type=_Heading).version) != _VERSION:
            raise NoCheckpoint(f"is in format {version}, and this is format {_VERSION}")
        found = msgspec.msgpack.decode(data, type=Checkpoint)
    except (msgspec.DecodeError, RecursionError):
        raise NoCheckpoint("is damaged, or was written by another version of this package") from None
    if (found.team, found.robot, found.agent) != (team, robot, agent):
        raise NoCheckpoint(f"is of robot {found.robot} of team {found.team} ({found.agent})")
    return found


def _own_bytes(path: Path) -> bytes | None:
    """Of a file that nobody but this user can have written."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NoCheckpoint(f"cannot be opened ({error.strerror})") from None
    with os.fdopen(handle, "rb") as file:
        own, folder = os.fstat(handle), path.parent.stat()
        if not stat.S_ISREG(own.st_mode):
            raise NoCheckpoint("is no regular file")
        for found, what in ((own, "it"), (folder, f"its folder {path.parent}")):
            if found.st_uid != os.getuid():
                raise NoCheckpoint(f"is not trusted, because {what} belongs to another user")
            if found.st_mode & 0o022:
                raise NoCheckpoint(f"is not trusted, because others can write {what}; take that away with chmod go-w")
        return file.read()


def _classes() -> Classes:
    return classes_in(*_STATES)


@functools.cache
def _code() -> str:
    return fingerprint(_classes())
