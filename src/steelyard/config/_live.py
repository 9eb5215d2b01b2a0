"""The tables of a team file that say how a team runs: its processes, the world it is tried in, and what goes wrong."""

import math
import re
from typing import Literal

import msgspec

from steelyard.config._faults import BadValueError

_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def _hash(table: msgspec.Struct) -> int:
    """Of a table with tables of free names in it, which are not changed either."""
    return hash(msgspec.json.encode(table, order="sorted"))


class Live(msgspec.Struct, frozen=True):
    """How the robots of a team run, one process each.

    name: of the team; only robots of the same team hear each other, default "team".
    problem: "planar-load" or "spatial-load", default "planar-load".
    rate: samples a second, Hz, default 100.
    port: robots listen for neighbours on this port and the following ones, default 7601.
    local_port: robots listen for their own sensors on this port and the following ones, on this machine, default 7701.
    endpoints: host:port by robot, where not every robot is on this machine (with keys only), default none.
    keys: folder with the keys that steelyard team keys makes, beside this file, default none: no keys.
    folder: for checkpoints and recordings, beside this file, default "steelyard-team".
    record: whether robots record what they measure, receive, send and estimate, default true.
    """

    name: str = "team"
    problem: Literal["planar-load", "spatial-load"] = "planar-load"
    rate: float = 100.0
    port: int = 7601
    local_port: int = 7701
    endpoints: dict[str, str] = {}
    keys: str | None = None
    folder: str = "steelyard-team"
    record: bool = True

    def __hash__(self) -> int:
        return _hash(self)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise BadValueError(f'name is "{self.name}"; use letters, digits, and - _ . only.')
        if not (1.0 <= self.rate <= 1000.0):
            raise BadValueError(f"rate is {self.rate}; give a number from 1 to 1000.")
        for key in ("port", "local_port"):
            if not 1 <= getattr(self, key) <= 65000:
                raise BadValueError(f"{key} is {getattr(self, key)}; give a number from 1 to 65000.")
        for robot, endpoint in self.endpoints.items():
            host, _, port = endpoint.rpartition(":")
            if not host or not port.isdigit() or not 1 <= int(port) <= 65535:
                raise BadValueError(f'endpoints has "{endpoint}" for {robot}; write host:port, such as 10.0.0.3:7601.')


class World(msgspec.Struct, frozen=True):
    """What steelyard team lets happen to the load.

    duration: s, default 60.
    seed: chooses forces and noise, default 1.
    pace: "real" for real time, "fast" for as fast as it goes, default "real".
    options: of the scenario, as steelyard simulate has them (mass = 5.0, velocity_noise = 0.2, …), default none.
    """

    duration: float = 60.0
    seed: int = 1
    pace: Literal["real", "fast"] = "real"
    options: dict[str, float | str | bool] = {}

    def __hash__(self) -> int:
        return _hash(self)

    def __post_init__(self) -> None:
        if not (self.duration > 0.0 and math.isfinite(self.duration)):
            raise BadValueError(f"duration is {self.duration}; give a number of seconds above 0.")


class Away(msgspec.Struct, frozen=True):
    """A robot that is away for a while.

    robot: its name.
    start: s of the run.
    end: s of the run when it is back, default never.
    """

    robot: str
    start: float
    end: float | None = None


class CutLinks(msgspec.Struct, frozen=True):
    """Links along which nothing passes for a while.

    start: s of the run.
    end: s of the run.
    links: pairs of names.
    """

    start: float
    end: float
    links: tuple[tuple[str, str], ...]


class WrongMotion(msgspec.Struct, frozen=True):
    """A robot whose numbers are plausible and wrong.

    robot: its name.
    start: s of the run, default 0.
    scale: by which its measurements of motion are multiplied, default 1.3.
    offset: in their units, added to them, default 0.3.
    """

    robot: str
    start: float = 0.0
    scale: float = 1.3
    offset: float = 0.3


class WrongClock(msgspec.Struct, frozen=True):
    """A clock that differs from this machine's.

    offset: s, default 0.
    drift: s gained a second, default 0.
    """

    offset: float = 0.0
    drift: float = 0.0


class Faults(msgspec.Struct, frozen=True):
    """What goes wrong on purpose, the same way for the same seed.

    seed: chooses which messages are lost and late, default 0.
    loss: share of messages that are lost, default 0.
    jitter: s by which a message may be late, drawn anew for each, default 0.
    double: share of messages that arrive twice, default 0.
    kill: table list, robots whose process is killed (-9), and restarted at its end; default none.
    freeze: table list, robots whose process stands still; default none.
    cut: table list, links that are cut; default none.
    lie: table list, robots whose measured motion is wrong; default none.
    clocks: table by robot, clocks that are wrong; default none.
    rates: samples a second by robot, where its sensors have a rate of their own; default the team's.
    """

    seed: int = 0
    loss: float = 0.0
    jitter: float = 0.0
    double: float = 0.0
    kill: tuple[Away, ...] = ()
    freeze: tuple[Away, ...] = ()
    cut: tuple[CutLinks, ...] = ()
    lie: tuple[WrongMotion, ...] = ()
    clocks: dict[str, WrongClock] = {}
    rates: dict[str, float] = {}

    def __hash__(self) -> int:
        return _hash(self)

    def __post_init__(self) -> None:
        for key in ("loss", "double"):
            if not 0.0 <= getattr(self, key) < 1.0:
                raise BadValueError(f"{key} is {getattr(self, key)}; give a share from 0 up to 1.")
        if not (0.0 <= self.jitter < 10.0):
            raise BadValueError(f"jitter is {self.jitter}; give seconds from 0 up to 10.")
