"""A team in virtual time under the attacks that once stopped one; run by `in_earnest`."""

import math
from typing import Any, NamedTuple

import msgspec
from virtual_runs import plan, wrong_masses

from steelyard.live import Reading
from steelyard.live.trials._disasters import Disaster
from steelyard.live.trials._virtual_team import VirtualTeam
from steelyard.team import PlanarLoadMessage, SpatialLoadMessage
from steelyard.team.transport import Envelope, close

WRONG_TIMES = (1e6, 100.0, 5.0, -1e6, 1e18, 1e300, math.nan)
FORGED = 6
AHEAD = 3


class Attacked(NamedTuple):
    """What a run came to."""

    wrong: list[str]
    unaccounted: dict[tuple[str, str], int]
    kinds: list[str]
    """Of events."""
    sensors: dict[str, dict[str, int]]
    alive: tuple[str, ...]
    """Whom r2 hears at the end."""
    dropped_by_time: int
    forged: int
    ahead: int


def attacked(problem: str) -> Attacked:
    """Wrong times at r1's and values at r2's sensors, and what r2 gets in r1's name."""
    team = VirtualTeam(plan(problem))
    forged: list[bytes] = []
    ahead: list[dict[str, Any]] = []

    def readings(name: str, reading: Reading) -> list[Reading]:
        if name == "r1" and 50 <= team.row < 50 + len(WRONG_TIMES):
            return [Reading(reading.time + WRONG_TIMES[team.row - 50], reading.values), reading]
        if name == "r2" and team.row in (60, 70):
            return [Reading(reading.time, {key: math.copysign(1e300, value) for key, value in reading.values.items()})]
        return [reading]

    def tamper(sender: str, recipient: str, data: bytes) -> bytes:
        if (sender, recipient) != ("r1", "r2") or team.row < 50:
            return data
        envelope = msgspec.msgpack.decode(data, type=Envelope)
        if len(forged) < FORGED and team.row >= 50 + 5 * len(forged):
            forged.append(close(_forged(envelope)[len(forged)]))
            team.nodes["r2"].receive("r1", forged[-1], team.clock("r2"))
        if team.row < 80 or len(ahead) == AHEAD or not envelope.payload:
            return data
        kind = PlanarLoadMessage if problem == "planar-load" else SpatialLoadMessage
        message = msgspec.msgpack.decode(envelope.payload, type=kind)
        if isinstance(message, SpatialLoadMessage) and not message.samples:
            return data
        ahead.append(_ahead(message)[len(ahead)])
        payload = msgspec.msgpack.encode(msgspec.structs.replace(message, **ahead[-1]))
        return close(msgspec.structs.replace(envelope, payload=payload))

    team.readings, team.tamper = readings, tamper
    team.run(30.0)
    r2 = team.nodes["r2"]
    alive, wrong = r2.neighbours.alive(team.clock("r2")), wrong_masses(team)
    team.finish()
    return Attacked(
        wrong,
        team.unaccounted(),
        sorted({event.kind for event in team.events}),
        {name: dict(node.sensors.dropped) for name, node in team.nodes.items()},
        tuple(sorted(alive)),
        r2.gate.ledger.dropped["time"],
        len(forged),
        len(ahead),
    )


def _forged(envelope: Envelope) -> list[Envelope]:
    replace, timing = msgspec.structs.replace, envelope.timing
    return [
        replace(envelope, epoch=2**62),
        replace(envelope, number=envelope.number + 2**40),
        replace(envelope, epoch=2**62 + 1, timing=replace(timing, echo=None)),
        replace(envelope, epoch=2**62 + 2, timing=replace(timing, beat=2**62)),
        replace(envelope, timing=replace(timing, start=1.0)),
        replace(envelope, timing=replace(timing, stamp=1.7e18)),
    ]


def _ahead(message: PlanarLoadMessage | SpatialLoadMessage) -> list[dict[str, Any]]:
    replace = msgspec.structs.replace
    if isinstance(message, PlanarLoadMessage):
        return [{"first": 2**40}, {"last": 2**40, "start": 2**40}, {"sequence": 2**40}]
    first, known = message.samples[0], message.inventories[0]
    return [
        {"samples": (replace(first, row=2**40),)},
        {"inventories": (replace(known, born=2**40),)},
        {"inventories": (replace(known, front=2**40),)},
    ]


def clock_set_back(problem: str) -> Attacked:
    """r1 is killed at 3 s and back at 4 s, with a clock an hour behind."""
    team = VirtualTeam(plan(problem, duration=11.0), disasters=(Disaster("kill", 3.0, 4.0, "r1", -3600.0),))
    team.run(30.0)
    alive = team.nodes["r2"].neighbours.alive(team.clock("r2"))
    return Attacked(wrong_masses(team, recent=3.0), {}, [], {}, alive, 0, 0, 0)
