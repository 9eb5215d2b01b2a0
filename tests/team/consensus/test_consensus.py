"""Consensus: theorems on every graph, and what is left of them on a bad bus."""

import numpy as np
import pytest

from steelyard.team import (
    Average,
    Bus,
    Centroid,
    ConsensusAgent,
    Disturbance,
    DynamicAverage,
    Graph,
    Maximum,
    NetworkSize,
    Partition,
    PushSum,
    Stay,
    run_team,
    without,
)

NAMES = tuple(f"r{k}" for k in range(1, 7))
GRAPHS = {
    "line": Graph.line(NAMES),
    "ring": Graph.ring(NAMES),
    "star": Graph.star(NAMES),
    "random": Graph.random(NAMES, seed=5),
    "alone": Graph(["r1"], []),
}
OWN = dict(zip(NAMES, [3.0, -1.0, 4.0, 1.5, -9.0, 2.6], strict=True))
BAD = Disturbance(loss=0.3, delay=1, jitter=3, double=0.1, shuffle=True)


def run(consensus, graph, rounds, own=OWN, disturbance=None, samples=None, stays=None, seed=0):
    """What each robot reads after a number of rounds."""
    agents = [ConsensusAgent(name, graph.neighbours(name), consensus, own[name]) for name in graph.names]
    samples = samples or {name: [None] * (rounds + 1) for name in graph.names}
    result = run_team(agents, samples, Bus(graph, disturbance, seed), stays)
    return {name: consensus.read(result.states[name].inner) for name in graph.names}, result


def mean_of(graph):
    return np.mean([OWN[name] for name in graph.names])


@pytest.mark.parametrize("consensus", [Average(), DynamicAverage()], ids=["average", "flows"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_averaging_is_powers_of_the_metropolis_matrix(graph, consensus):
    """So the mean is kept, and the rate is that of the second eigenvalue: the matrix is symmetric."""
    W, x = graph.metropolis, np.array([OWN[name] for name in graph.names])
    for rounds in (1, 2, 17):
        found, _ = run(consensus, graph, rounds)
        np.testing.assert_allclose([found[name] for name in graph.names], np.linalg.matrix_power(W, rounds) @ x)
    eigenvalues = np.sort(np.abs(np.linalg.eigvalsh(W)))
    rate = eigenvalues[-2] if len(eigenvalues) > 1 else 0.0
    error = np.array([found[name] for name in graph.names]) - x.mean()
    assert np.linalg.norm(error) <= rate**17 * np.linalg.norm(x - x.mean()) * (1 + 1e-9)
    assert abs(error.sum()) < 1e-12


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_the_greatest_arrives_in_as_many_rounds_as_the_graph_is_wide(graph):
    ends = [name for name in graph.names if max(graph.distances(name).values()) == graph.diameter]
    own = {name: 5.0 if name == ends[0] else -1.0 for name in graph.names}
    found, _ = run(Maximum(), graph, graph.diameter, own)
    assert set(found.values()) == {5.0}
    if graph.diameter:
        early, _ = run(Maximum(), graph, graph.diameter - 1, own)
        assert set(early.values()) == {5.0, -1.0}


def test_the_greatest_arrives_on_a_bad_bus_too():
    found, _ = run(Maximum(), GRAPHS["line"], 150, disturbance=BAD)
    assert set(found.values()) == {4.0}


@pytest.mark.parametrize("consensus", [PushSum(), DynamicAverage()], ids=["push-sum", "flows"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.usefixtures("unchecked")
def test_the_mean_is_reached_though_three_in_ten_messages_are_lost(graph, seed, consensus):
    found, _ = run(consensus, graph, 500, disturbance=Disturbance(loss=0.3), seed=seed)
    np.testing.assert_allclose(list(found.values()), mean_of(graph), rtol=1e-9)


@pytest.mark.parametrize("consensus", [PushSum(), DynamicAverage()], ids=["push-sum", "flows"])
@pytest.mark.usefixtures("unchecked")
def test_the_mean_is_reached_though_messages_are_late_double_and_overtake(consensus):
    found, _ = run(consensus, GRAPHS["line"], 1500, disturbance=BAD)
    np.testing.assert_allclose(list(found.values()), mean_of(GRAPHS["line"]), rtol=1e-9)


@pytest.mark.usefixtures("unchecked")
def test_plain_averaging_loses_the_mean_with_the_messages():
    """The road not taken: why the two robust ones are there."""
    found, _ = run(Average(), GRAPHS["line"], 800, disturbance=Disturbance(loss=0.3))
    values = np.array(list(found.values()))
    assert np.ptp(values) < 1e-6
    assert abs(values.mean() - mean_of(GRAPHS["line"])) > 1e-3


def test_push_sum_keeps_its_mass_on_robots_and_links():
    """Value held by all, and sent but not yet received, is the sum of the start after any number of losses."""
    graph = GRAPHS["random"]
    _, result = run(PushSum(), graph, 37, disturbance=Disturbance(loss=0.5))
    states = {name: result.states[name].inner for name in graph.names}
    for part, total in ((0, sum(OWN.values())), (1, len(NAMES))):
        held = sum(state.held[part] for state in states.values())
        under_way = sum(
            states[name].sigma[part] - states[other].rho[name][part]
            for name in graph.names
            for other in graph.neighbours(name)
        )
        assert held + under_way == pytest.approx(total, rel=1e-12)


def ramps(graph, rounds, slopes):
    return {name: [OWN[name] + slopes[name] * k for k in range(rounds + 1)] for name in graph.names}


@pytest.mark.usefixtures("unchecked")
def test_dynamic_consensus_follows_a_common_change_without_lag():
    graph = GRAPHS["line"]
    found, _ = run(DynamicAverage(), graph, 400, samples=ramps(graph, 400, dict.fromkeys(NAMES, 0.3)))
    np.testing.assert_allclose(list(found.values()), mean_of(graph) + 120.0, rtol=1e-12)


@pytest.mark.usefixtures("unchecked")
def test_dynamic_consensus_lags_behind_different_ramps_by_what_theory_says():
    """e(k+1) = W e(k) + slopes, less the mean: the lag is (1 − W)⁺ applied to the slopes' differences."""
    graph, slopes = GRAPHS["random"], dict(zip(NAMES, [0.2, -0.1, 0.0, 0.05, 0.4, -0.3], strict=True))
    found, _ = run(DynamicAverage(), graph, 600, samples=ramps(graph, 600, slopes))
    s = np.array([slopes[name] for name in graph.names])
    lag = np.linalg.pinv(np.eye(len(NAMES)) - graph.metropolis) @ (s - s.mean())
    expected = mean_of(graph) + 600 * s.mean() + lag
    np.testing.assert_allclose([found[name] for name in graph.names], expected, rtol=1e-9)


@pytest.mark.usefixtures("unchecked")
def test_flows_heal_after_a_partition():
    cut = Disturbance(partitions=(Partition(20, 200, frozenset(NAMES[:3])),))
    step = {name: [OWN[name] + (7.0 if k > 100 and name == "r1" else 0.0) for k in range(1200)] for name in NAMES}
    found, _ = run(DynamicAverage(), GRAPHS["line"], 1199, disturbance=cut, samples=step)
    np.testing.assert_allclose(list(found.values()), mean_of(GRAPHS["line"]) + 7.0 / 6.0, rtol=1e-9)


@pytest.mark.usefixtures("unchecked")
def test_flows_take_in_a_late_joiner():
    found, _ = run(DynamicAverage(), GRAPHS["line"], 1200, stays={"r6": Stay(join=300)})
    np.testing.assert_allclose(list(found.values()), mean_of(GRAPHS["line"]), rtol=1e-9)


def test_flows_let_a_robot_leave():
    """Its neighbour forgets its flow; those who stay then find the mean of their own."""
    graph, consensus = GRAPHS["line"], DynamicAverage()
    _, result = run(consensus, graph, 60)
    states = {name: result.states[name].inner for name in NAMES[:5]}
    states["r5"] = without(states["r5"], "r6")
    rest = Graph.line(NAMES[:5])
    for _ in range(500):
        told = {name: {o: consensus.tell(states[o], name) for o in rest.neighbours(name)} for name in rest.names}
        states = {name: consensus.hear(states[name], told[name], None) for name in rest.names}
    np.testing.assert_allclose([state.value for state in states.values()], np.mean(list(OWN.values())[:5]), rtol=1e-9)


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_everybody_counts_the_team(graph):
    found, _ = run(NetworkSize(), graph, 300)
    assert set(found.values()) == {len(graph.names)}


@pytest.mark.usefixtures("unchecked")
def test_everybody_counts_the_team_on_a_bad_bus():
    found, _ = run(NetworkSize(), GRAPHS["random"], 600, disturbance=BAD)
    assert set(found.values()) == {6}


def test_nobody_counts_before_it_can_know():
    """While the count is not settled there is no number; a wrong one never."""
    graph, size = GRAPHS["line"], NetworkSize()
    states = {name: size.init(name, graph.neighbours(name), None) for name in graph.names}
    for _ in range(300):
        told = {name: {o: size.tell(states[o], name) for o in graph.neighbours(name)} for name in graph.names}
        states = {name: size.hear(states[name], told[name], None) for name in graph.names}
        assert {size.read(state) for state in states.values()} <= {None, 6}
    assert {size.read(state) for state in states.values()} == {6}


@pytest.mark.parametrize("disturbance", [None, Disturbance(loss=0.3)], ids=["good", "lossy"])
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.usefixtures("unchecked")
def test_differences_between_neighbours_give_positions_from_the_middle(graph, disturbance):
    rng = np.random.default_rng(2)
    r = {name: rng.normal(size=2) * 3.0 for name in graph.names}
    own = {name: {o: tuple((r[name] - r[o]).tolist()) for o in graph.neighbours(name)} for name in graph.names}
    found, _ = run(Centroid(), graph, 500, own, disturbance)
    middle = np.mean(list(r.values()), axis=0)
    for name in graph.names:
        np.testing.assert_allclose(found[name], r[name] - middle, atol=1e-9)


def test_messages_survive_the_wire():
    """What another process would decode is what was sent."""
    import msgspec

    for consensus in (Average(), DynamicAverage(), PushSum(), Maximum(), NetworkSize()):
        agent = ConsensusAgent("r1", ("r2",), consensus, 1.5)
        message = agent.step(agent.init(), None, ()).outbox["r2"]
        assert agent.decode(msgspec.msgpack.encode(message)) == message
        with pytest.raises(msgspec.DecodeError):
            agent.decode(b"\x93\x01\x02\x03")
