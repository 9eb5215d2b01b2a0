"""Messages that nobody should send: random bytes, cut off, huge, of wrong types, with impossible numbers."""

import math
import random
import time
from collections.abc import Iterator

import msgspec

from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.trials._tuning import TUNING
from steelyard.team.transport import (
    LARGEST,
    VERSION,
    Envelope,
    Timing,
    close,
    declare_local_publisher,
    key_of,
    local_settings,
    open_session,
)

_ODD = (math.nan, -1.0, 1e308, "x", None, [], {}, 2**63, -(2**62), True, b"", ["r1"] * 50)


def bad_messages(count: int, whole: bytes, team: str, seed: int = 0) -> Iterator[bytes]:
    """So many, by the seed; `whole` is a good one to spoil."""
    draw = random.Random(seed)
    for k in range(count):
        kind = k % 5
        if kind == 0:
            yield draw.randbytes(draw.randrange(200))
        elif kind == 1:
            yield whole[: draw.randrange(len(whole))]
        elif kind == 2:
            spoiled = bytearray(whole)
            for _ in range(draw.randrange(1, 6)):
                spoiled[draw.randrange(len(spoiled))] = draw.randrange(256)
            yield bytes(spoiled)
        elif kind == 3:
            yield msgspec.msgpack.encode([VERSION, team, *(draw.choice(_ODD) for _ in range(draw.randrange(12)))])
        else:
            yield b"\x91" * draw.choice([10, 5000, LARGEST + 1 if k % 100 == 4 else 100])


def send_malformed(plan: TeamPlan, robot: str, count: int) -> int:
    """Sends so many of them to a robot over a real link, half of them by a neighbour's key; how many were sent."""
    settings = local_settings(None, [plan.endpoints.links[robot]])
    settings |= {
        "transport/link/tx/lease": 1000 * round(TUNING.link_timeout)
    }  # a link that breaks would take messages with it
    session = open_session(settings, "Somebody")
    neighbour = plan.graph.neighbours(robot)[0]
    timing = Timing(1.0, 1.0, robot, 0, 0, None, None, 0.0)
    whole = close(Envelope(VERSION, plan.name, "nobody", robot, 1, 1, timing, b""))
    publishers = [
        declare_local_publisher(session, key_of(plan.name, sender, robot)) for sender in (neighbour, "nobody")
    ]
    end = time.monotonic() + TUNING.link_timeout
    while not all(one.matching_status.matching for one in publishers) and time.monotonic() < end:
        time.sleep(0.05)  # until the robot's subscription has come
    sent = 0
    for k, data in enumerate(bad_messages(count, whole, plan.name, 0)):
        publishers[k % 2].put(data)
        sent += 1
        if k % 50 == 0:
            time.sleep(0.005)
    time.sleep(2.0)  # until the last has gone out
    session.close()
    return sent
