"""Whatever bytes come, the gate lets in what belongs, counts the rest by reason, and never raises."""

import math
import random

import msgspec
import pytest

from steelyard.live.trials._malformed_messages import bad_messages
from steelyard.team import Graph, planar_load_team
from steelyard.team.transport import LARGEST, REASONS, VERSION, Envelope, Gate, Ledger, Timing, close

TIMING = Timing(5.0, 5.0, "r1", 1, 0, None, None, 0.0)
R1, R2, R3 = planar_load_team(Graph.line(["r1", "r2", "r3"]), 100.0, 0.1)
LETTER = msgspec.msgpack.encode(R1.step(R1.init(), None, ()).outbox["r2"])


def gate() -> Gate:
    return Gate("team", R2, ("r1", "r3"))


def envelope(**changes) -> Envelope:
    whole = Envelope(VERSION, "team", "r1", "r2", 7, 1, TIMING, LETTER)
    return msgspec.structs.replace(whole, **changes)


def test_what_belongs_is_let_in():
    passed = gate().admit(close(envelope()), "r1")
    assert passed is not None
    assert passed.message == R2.decode(LETTER)


def replaced(**changes) -> bytes:
    return close(envelope(timing=msgspec.structs.replace(TIMING, **changes)))


WRONG = {
    "huge": (bytes(LARGEST + 1), "r1"),
    "malformed": (b"\xff\x00", "r1"),
    "malformed payload": (close(envelope(payload=b"\x93\x01\x02\x03")), "r1"),
    "version": (close(envelope(version=VERSION + 1)), "r1"),
    "team": (close(envelope(team="another")), "r1"),
    "stranger": (close(envelope(sender="r9")), "r9"),
    "forged": (close(envelope(sender="r3")), "r1"),
    "forged recipient": (close(envelope(recipient="r3")), "r1"),
    "forged payload": (close(envelope(sender="r3")), "r3"),
    "time": (replaced(stamp=math.nan), "r1"),
    "time negative": (replaced(team=-1.0), "r1"),
    "time number": (close(envelope(number=-4)), "r1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_belong_is_dropped_and_counted_by_its_reason(case: str):
    data, key = WRONG[case]
    closed = gate()
    assert closed.admit(data, key) is None
    assert dict(closed.ledger.dropped) == {case.split()[0]: 1}


def test_another_layout_of_another_version_is_told_as_such():
    closed = gate()
    assert closed.admit(msgspec.msgpack.encode([VERSION + 1, "team", {"new": True}])) is None
    assert dict(closed.ledger.dropped) == {"version": 1}


def test_a_replay_has_no_effect_not_even_of_a_former_process():
    closed = gate()
    assert closed.admit(close(envelope(epoch=7, number=5)), "r1")
    assert closed.admit(close(envelope(epoch=7, number=5)), "r1") is None
    assert closed.admit(close(envelope(epoch=7, number=4)), "r1"), "late is not replayed"
    assert closed.admit(close(envelope(epoch=8, number=1)), "r1"), "a new process begins at one"
    assert closed.admit(close(envelope(epoch=7, number=6)), "r1") is None
    assert dict(closed.ledger.dropped) == {"replayed": 2}


def test_ten_thousand_fuzzed_messages_are_all_counted():
    draw, closed, count = random.Random(1), gate(), 10_000
    for data in bad_messages(count, close(envelope()), "team"):
        closed.admit(data, draw.choice(["r1", "r3", "r9", None]))
    ledger = closed.ledger
    assert ledger.arrived == count == ledger.received + sum(ledger.dropped.values())
    assert set(ledger.dropped) <= set(REASONS)
    assert len(ledger.dropped) > 3


def test_sent_is_received_and_lost_and_dropped_whatever_the_order():
    draw, ledger = random.Random(2), Ledger(("r1",))
    numbers = [number for number in range(1, 2001) if draw.random() > 0.2 or number == 2000]
    came = sorted(numbers * 2, key=lambda number: number + draw.uniform(0, 50))
    copies = 0
    for number in came:
        account = ledger.account("r1", 1)
        assert account is not None
        if account.is_copy(number):
            copies += 1
            continue
        account.mark(number)
        account.received += 1
    assert copies == len(numbers)
    assert ledger.received + ledger.lost == 2000


def test_two_robots_that_were_both_replaced_hear_each_other_again():
    """Each knows the other's former process from its checkpoint, and has nothing of the new one to echo."""
    closed = Gate("team", R2, ("r1", "r3"), proves_life=True)
    account = closed.ledger.account("r1", 7)
    assert account is not None
    account.skip_to(100)
    assert closed.admit(close(envelope(epoch=6, number=101)), "r1", 5.0) is None, "an earlier process"
    assert closed.admit(close(envelope(epoch=8, number=1)), "r1", 5.0)
    assert closed.admit(close(envelope(epoch=9, number=1)), "r1", 5.1) is None, "the one that is heard is alive"
