"""Leader election: the smallest name leads on every graph, and after every death; the two uses of it share one rule."""

import pytest

from steelyard.team import Graph
from steelyard.team.membership import Election, Offer

NAMES = tuple(f"r{k}" for k in range(8))
GRAPHS = {
    "line": Graph.line(NAMES),
    "ring": Graph.ring(NAMES),
    "star": Graph.star(tuple(reversed(NAMES))),
    "random": Graph.random(NAMES, seed=2),
}
TIMEOUT = 10.0
KEEPS = pytest.mark.parametrize("keeps_parent", [True, False], ids=["keeps its parent", "takes the nearest"])
ON_GRAPHS = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


class Team:
    """Robots that announce to their neighbours what they follow, a step at a time."""

    def __init__(self, graph, keeps_parent):
        self.graph, self.now = graph, 0
        self.robots = {name: Election(name, TIMEOUT, 0, keeps_parent) for name in graph.names}

    def run(self, steps):
        for _ in range(steps):
            self.now += 1
            offers = {name: Offer(one.leader, one.beat, one.hops) for name, one in self.robots.items()}
            for name, one in self.robots.items():
                heard = {other: offers[other] for other in self.graph.neighbours(name) if other in offers}
                one.update(heard, self.now, self.now)

    @property
    def leaders(self):
        return {one.leader for one in self.robots.values()}


@KEEPS
@ON_GRAPHS
def test_the_smallest_name_leads_after_as_many_steps_as_the_graph_is_wide(graph, keeps_parent):
    team = Team(graph, keeps_parent)
    team.run(graph.diameter + 1)
    assert team.leaders == {"r0"}


@KEEPS
@ON_GRAPHS
def test_parents_form_a_tree_to_the_leader(graph, keeps_parent):
    team = Team(graph, keeps_parent)
    team.run(3 * len(NAMES))
    for name in NAMES:
        path = [name]
        while team.robots[path[-1]].parent:
            path.append(team.robots[path[-1]].parent)
            assert len(path) <= len(NAMES), "a cycle"
        assert path[-1] == "r0"
        if not keeps_parent:
            assert len(path) - 1 == graph.distances("r0")[name] == team.robots[name].hops


@KEEPS
def test_the_next_name_leads_when_the_leader_dies_and_old_beats_do_not_bring_it_back(keeps_parent):
    """On a ring old beats can travel in circles: each robot refuses those that it has seen end.

    One timeout after the last beat has reached the farthest robot, plus the width of the graph for the news.
    """
    graph = GRAPHS["ring"]
    team = Team(graph, keeps_parent)
    team.run(20)
    del team.robots["r0"]
    team.run(int(TIMEOUT) + 3 * len(NAMES))
    assert team.leaders == {"r1"}
    team.run(5 * int(TIMEOUT))
    assert team.leaders == {"r1"}


@KEEPS
def test_a_leader_that_comes_back_with_later_beats_leads_again(keeps_parent):
    team = Team(GRAPHS["ring"], keeps_parent)
    team.run(20)
    gone = team.robots.pop("r0")
    team.run(60)
    team.robots["r0"] = Election("r0", TIMEOUT, team.now, keeps_parent)
    team.run(2 * len(NAMES))
    assert team.leaders == {"r0"}
    assert team.robots["r0"].beat > gone.beat


def test_a_parent_is_kept_while_it_has_newer_beats_though_another_is_nearer():
    one = Election("r5", TIMEOUT, 0, keeps_parent=True)
    one.update({"r4": Offer("r0", 1, 3)}, 1, 1)
    one.update({"r4": Offer("r0", 2, 3), "r1": Offer("r0", 3, 0)}, 2, 2)
    assert one.parent == "r4"
    nearest = Election("r5", TIMEOUT, 0, keeps_parent=False)
    nearest.update({"r4": Offer("r0", 2, 3), "r1": Offer("r0", 3, 0)}, 2, 2)
    assert nearest.parent == "r1"
