"""Graphs: what is linked, what is told about what is not, and weights that keep and reach the average."""

import numpy as np
import pytest

from steelyard.config import Team
from steelyard.errors import BadInput
from steelyard.team import Graph, metropolis_weight

NAMES = tuple(f"r{k}" for k in range(1, 8))
GRAPHS = {
    "line": Graph.line(NAMES),
    "ring": Graph.ring(NAMES),
    "star": Graph.star(NAMES),
    "random": Graph.random(NAMES, seed=3),
    "pair": Graph.line(NAMES[:2]),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_neighbours_are_mutual_and_weights_doubly_stochastic(graph):
    for name in graph.names:
        assert all(name in graph.neighbours(other) for other in graph.neighbours(name))
        assert graph.degree(name) == len(graph.neighbours(name))
    W = graph.metropolis
    np.testing.assert_allclose(W, W.T, atol=0)
    np.testing.assert_allclose(W.sum(axis=1), 1.0, rtol=1e-15)
    assert (W >= 0.0).all()
    assert np.sort(np.abs(np.linalg.eigvalsh(W)))[-2] < 1.0  # connected: everything but the mean dies out


def test_diameters():
    found = {kind: graph.diameter for kind, graph in GRAPHS.items() if kind != "random"}
    assert found == {"line": 6, "ring": 3, "star": 2, "pair": 1}
    assert Graph(["r1"], []).diameter == 0


def test_random_graphs_are_connected_and_the_same_for_the_same_seed():
    for seed in range(50):
        graph = Graph.random(NAMES, seed, chance=0.05)  # the constructor would refuse a disconnected one
        assert graph.links == Graph.random(NAMES, seed, chance=0.05).links
    assert len({Graph.random(NAMES, seed).links for seed in range(20)}) > 15


def test_weight_needs_the_two_degrees_only():
    assert metropolis_weight(1, 3) == metropolis_weight(3, 1) == 0.25


def test_a_config_without_links_is_a_line():
    assert Graph.from_config(Team(), ["a", "b", "c"]).links == (("a", "b"), ("b", "c"))
    assert Graph.from_config(Team(robots=("a", "b", "c"), links=(("c", "a"), ("b", "a")))).diameter == 2


@pytest.mark.parametrize(
    ("names", "links", "says"),
    [
        (["r1", "r2", "r3"], [("r1", "r2")], '"r3" cannot be reached from robot "r1"'),
        (["r1", "r2"], [("r1", "r9")], '"r9", which is not in the team'),
        (["r1", "r2"], [("r1", "r1")], "to itself"),
        (["r1", "r1"], [], '"r1" is named twice'),
        ([], [], "no robots"),
    ],
)
def test_a_bad_graph_is_told_in_a_sentence(names, links, says):
    with pytest.raises(BadInput, match=says) as told:
        Graph(names, links)
    assert str(told.value).endswith((".", "?"))
    assert "\n" not in str(told.value)
