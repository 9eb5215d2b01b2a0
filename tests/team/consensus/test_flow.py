"""Averaging by flows: theorems on every graph, and on a bus that loses messages."""

import numpy as np
import pytest

from steelyard.team import FlowMessage, Graph, next_flow

NAMES = tuple(f"r{k}" for k in range(1, 7))
GRAPHS = {
    "line": Graph.line(NAMES),
    "ring": Graph.ring(NAMES),
    "star": Graph.star(NAMES),
    "random": Graph.random(NAMES, seed=5),
    "alone": Graph(["r1"], []),
}
OWN = dict(zip(NAMES, [3.0, -1.0, 4.0, 1.5, -9.0, 2.6], strict=True))


def averaged(graph, rounds, loss=0.0, slopes=None, offsets=None, seed=0):
    """Every robot's estimate after a number of rounds; the own values grow by `slopes` a round.

    `offsets` (robot, neighbour): by how much the robot's value exceeds its neighbour's.
    """
    draw = np.random.default_rng(seed)
    own = {name: np.array([OWN[name]]) for name in graph.names}
    flows = {name: {other: np.zeros(1) for other in graph.neighbours(name)} for name in graph.names}

    def value(name):
        return own[name] - sum(flows[name].values(), np.zeros(1))

    for _ in range(rounds):
        values = {name: value(name) for name in graph.names}
        sent = {
            (name, other): FlowMessage(graph.degree(name), tuple(values[name]), tuple(flows[name][other]))
            for name in graph.names
            for other in graph.neighbours(name)
            if draw.random() >= loss
        }
        for (name, other), message in sent.items():
            offset = np.zeros(1) if offsets is None else np.array([offsets[other, name]])
            flows[other][name] = next_flow(
                flows[other][name], values[other], message, graph.degree(other), offset, np.ones(1)
            )
        if slopes is not None:
            own = {name: own[name] + slopes[name] for name in graph.names}
    return np.array([float(value(name)[0]) for name in graph.names])


def mean_of(graph):
    return np.mean([OWN[name] for name in graph.names])


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_averaging_is_powers_of_the_metropolis_matrix(graph):
    """So the mean is kept, and the rate is that of the second eigenvalue: the matrix is symmetric."""
    W, x = graph.metropolis, np.array([OWN[name] for name in graph.names])
    for rounds in (1, 2, 17):
        np.testing.assert_allclose(averaged(graph, rounds), np.linalg.matrix_power(W, rounds) @ x)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.usefixtures("unchecked")
def test_the_mean_is_reached_though_three_in_ten_messages_are_lost(graph, seed):
    """To rounding: a line of six averages with 0.93 a round, of which half at least stays, so 500 rounds leave 1e-9."""
    np.testing.assert_allclose(averaged(graph, 500, loss=0.3, seed=seed), mean_of(graph), rtol=1e-9)


@pytest.mark.usefixtures("unchecked")
def test_averaging_follows_a_common_change_without_lag():
    graph = GRAPHS["line"]
    found = averaged(graph, 400, slopes=dict.fromkeys(NAMES, 0.3))
    np.testing.assert_allclose(found, mean_of(graph) + 120.0, rtol=1e-12)


@pytest.mark.usefixtures("unchecked")
def test_averaging_lags_behind_different_ramps_by_what_theory_says():
    """e(k+1) = W e(k) + slopes, less the mean: the lag is (1 − W)⁺ applied to the slopes' differences."""
    graph, slopes = GRAPHS["random"], dict(zip(NAMES, [0.2, -0.1, 0.0, 0.05, 0.4, -0.3], strict=True))
    s = np.array([slopes[name] for name in graph.names])
    lag = np.linalg.pinv(np.eye(len(NAMES)) - graph.metropolis) @ (s - s.mean())
    np.testing.assert_allclose(averaged(graph, 600, slopes=slopes), mean_of(graph) + 600 * s.mean() + lag, rtol=1e-9)


@pytest.mark.parametrize("loss", [0.0, 0.3], ids=["good", "lossy"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.usefixtures("unchecked")
def test_offsets_between_neighbours_give_positions_around_the_mean(graph, loss):
    """The step that the planar papers take from a distributed estimator of the centroid [cdc14, Sec. III]."""
    draw = np.random.default_rng(2)
    r = dict(zip(graph.names, 3.0 * draw.normal(size=len(graph.names)), strict=True))
    offsets = {(name, other): r[name] - r[other] for name in graph.names for other in graph.neighbours(name)}
    found = averaged(graph, 500, loss, offsets=offsets)
    expected = np.array(list(r.values())) - np.mean(list(r.values())) + mean_of(graph)
    np.testing.assert_allclose(found, expected, atol=1e-8)
