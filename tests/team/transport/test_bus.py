"""The bus: deterministic by seed, and exactly as bad as it was asked to be."""

import msgspec
import pytest

from steelyard.errors import BadInput
from steelyard.team import Bus, Disturbance, Graph, Message, Partition

GRAPH = Graph.line(["r1", "r2", "r3"])


def arrivals(disturbance=None, seed=0, steps=400, order=("r1", "r2", "r3")):
    """Step, recipient, sender and sequence of all that arrives when everybody writes to all neighbours."""
    bus = Bus(GRAPH, disturbance, seed)
    found = []
    for step in range(steps):
        for name in order:
            for message in bus.collect(step, name):
                found.append((step, name, message.sender, message.sequence))
            told = {other: Message(name, step, 0.01 * step) for other in GRAPH.neighbours(name)}
            bus.post(step, name, told)
    return found


def test_a_perfect_bus_delivers_everything_one_sample_later():
    found = arrivals(steps=50)
    assert len(found) == 4 * 49
    assert all(step == sequence + 1 for step, _, _, sequence in found)
    assert all(sender in GRAPH.neighbours(name) for _, name, sender, _ in found)


BAD = Disturbance(
    loss=0.3, delay=2, jitter=4, double=0.2, shuffle=True, partitions=(Partition(10, 20, frozenset(["r1"])),)
)


def test_the_same_seed_is_the_same_bus_in_whatever_order_agents_run():
    assert arrivals(BAD, seed=1) == arrivals(BAD, seed=1)
    assert sorted(arrivals(BAD, seed=1)) == sorted(arrivals(BAD, seed=1, order=("r3", "r1", "r2")))
    assert arrivals(BAD, seed=1) != arrivals(BAD, seed=2)


@pytest.mark.usefixtures("unchecked")
def test_loss_is_as_often_as_asked():
    sent = 4 * 3000
    got = len(arrivals(Disturbance(loss=0.3), steps=3000))
    assert abs(got / sent - 0.7) < 5.0 * (0.3 * 0.7 / sent) ** 0.5  # five deviations of a binomial


@pytest.mark.usefixtures("unchecked")
def test_doubles_are_as_often_as_asked_and_the_same_message():
    steps = 3000
    found = arrivals(Disturbance(double=0.2, jitter=3), steps=steps)
    kinds = [entry[1:] for entry in found]
    extra = len(kinds) - len(set(kinds))
    assert abs(extra / (4 * steps) - 0.2) < 5.0 * (0.2 * 0.8 / (4 * steps)) ** 0.5  # by chance 6e-7


def test_jitter_reorders_and_delay_delays():
    found = [(step, sequence) for step, name, _, sequence in arrivals(Disturbance(delay=2, jitter=4)) if name == "r1"]
    lags = {step - sequence for step, sequence in found}
    assert lags == {3, 4, 5, 6, 7}
    order = [sequence for _, sequence in found]
    assert order != sorted(order)


def test_a_partition_cuts_its_links_while_it_lasts():
    found = arrivals(Disturbance(partitions=(Partition(10, 20, frozenset(["r1"])),)), steps=60)
    across = [sequence for _, name, sender, sequence in found if "r1" in (name, sender)]
    assert set(across) == set(range(59)) - set(range(10, 20))
    assert {sequence for _, name, sender, sequence in found if {name, sender} == {"r2", "r3"}} == set(range(59))


def test_bytes_are_those_of_the_encoded_messages():
    bus = Bus(GRAPH)
    message = Message("r2", 7, 0.25)
    bus.post(0, "r2", {"r1": message, "r3": message})
    assert bus.bytes_sent == {"r1": 0, "r2": 2 * len(msgspec.msgpack.encode(message)), "r3": 0}


def test_a_letter_to_a_stranger_and_a_share_beyond_one_are_refused():
    with pytest.raises(BadInput, match='writes to "r3", which it cannot hear'):
        Bus(GRAPH).post(0, "r1", {"r3": Message("r1", 0, 0.0)})
    with pytest.raises(BadInput, match="from 0 to 1"):
        Disturbance(loss=1.5)
    with pytest.raises(BadInput, match="no delay"):
        Disturbance(delay=-1)
