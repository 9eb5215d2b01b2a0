"""Exact sums over a team, whatever the radio does."""

import numpy as np
import pytest

from steelyard.team import Bus, Disturbance, Graph, Message, TreeMessage, TreeSum

WIDTH = 3


class Envelope(Message, frozen=True, array_like=True):
    tree: TreeMessage


def added_up(graph, disturbance, rows, drain, gone=None):
    """Trees after every robot added a row at each fourth sample; `gone` is a robot and the sample it vanished at."""
    bus, trees = Bus(graph, disturbance), {name: TreeSum(name, graph.neighbours(name), WIDTH) for name in graph.names}
    for k in range(4 * rows + drain):
        for name, tree in trees.items():
            if gone is not None and name == gone[0] and k >= gone[1]:
                continue
            for message in bus.collect(k, name):
                assert isinstance(message, Envelope)
                tree.receive(k, message.sender, message.sequence, message.tree)
            if k % 4 == 0 and k < 4 * rows:
                tree.add((0, k // 4, 0, 0), own(name, k // 4))
            tree.step(k)
            bus.post(k, name, {other: Envelope(name, k, 0.0, tree.message(k, k, other)) for other in tree.links})
    return trees


def own(name, row):
    return np.random.default_rng([row, *name.encode()]).normal(size=WIDTH)


GRAPHS = {
    "line": Graph.line([f"r{i}" for i in range(6)]),
    "ring": Graph.ring([f"r{i}" for i in range(5)]),
    "random": Graph.random([f"r{i:02d}" for i in range(8)], 3),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize(
    "disturbance",
    [Disturbance(), Disturbance(loss=0.3, delay=5, jitter=3, double=0.2, shuffle=True)],
    ids=["perfect", "bad"],
)
def test_every_robot_has_every_sum_exactly(graph, disturbance):
    trees = added_up(graph, disturbance, 40, 400)
    for row in range(40):
        total = sum(own(name, row) for name in graph.names)
        for tree in trees.values():
            np.testing.assert_allclose(tree.totals[0, row, 0, 0], total, atol=1e-12)


@pytest.mark.parametrize("who", ["r0", "r2"], ids=["the root", "one in between"])
def test_sums_go_on_without_a_robot_that_is_gone(who):
    graph = GRAPHS["ring"]
    trees = added_up(graph, Disturbance(loss=0.2), 60, 300, gone=(who, 100))
    left = [name for name in graph.names if name != who]
    for row in range(26, 60):
        total = sum(own(name, row) for name in left)
        for name in left:
            np.testing.assert_allclose(trees[name].totals[0, row, 0, 0], total, atol=1e-12)


def test_malformed_messages_count_as_lost():
    tree = TreeSum("b", ("a",), WIDTH)
    nan = np.zeros(2).tobytes() + np.array([1.0, np.nan, 1.0]).tobytes()
    for sequence, data in enumerate((b"short", nan)):
        tree.receive(1, "a", sequence, TreeMessage("a", 1, "", -1, 0, b"", data))
    tree.receive(1, "unlinked", 0, TreeMessage("a", 1, "", -1, 0, b"", b""))
    tree.step(1)
    assert not tree.totals
    assert tree.message(1, 1, "a").received == -1
