"""Who is in the team: robots that have the same rows have the same views, and a team that is whole again has one.

In virtual time: relays and row queues as robots run them, without estimators, over a bus that a seed disturbs.
"""

import itertools
import math
import random

import pytest

from steelyard.team import Bus, Disturbance, Graph, Partition
from steelyard.team.membership import TUNING, FailureDetector, GripRules, Roster, Standing, View
from steelyard.team.spatial_load._relay import Relay
from steelyard.team.spatial_load._row_queue import RowQueue

RATE = 50.0
NAMES = ("r1", "r2", "r3", "r4", "r5")
GRAPHS = {"line": Graph.line(NAMES), "ring": Graph.ring(NAMES), "star": Graph.star(NAMES)}
SETTLED = round((TUNING.late + TUNING.released + 1.0) * RATE)
"""Rows after the last fault in which everybody has one view: what is late is given up, who is gone has let go, and a
second for messages."""


class Team:
    """Robots that measure nothing but that they are there; `away` are stays (robot, from, until) in rows."""

    def __init__(self, graph: Graph, disturbance=None, seed=0, away=()):
        self.graph, self.away, self.step = graph, away, 0
        neighbours = {name: graph.neighbours(name) for name in graph.names}
        self.rules = GripRules(round(TUNING.released * RATE), neighbours)
        self.bus = Bus(graph, disturbance, seed)
        self.relays = {name: Relay(name, neighbours[name], graph.names) for name in graph.names}
        self.queues = {name: RowQueue(graph.names, RATE, self.rules) for name in graph.names}
        self.views: dict[str, list[View]] = {name: [] for name in graph.names}
        self.counted: dict[str, list[tuple[int, tuple[str, ...]]]] = {name: [] for name in graph.names}

    def gone(self, name: str, row: int) -> bool:
        return any(who == name and start <= row < end for who, start, end in self.away)

    def run(self, rows: int) -> None:
        for _ in range(rows):
            for name in self.graph.names:
                letters = self.bus.collect(self.step, name)
                if self.gone(name, self.step):
                    continue
                if self.gone(name, self.step - 1):  # another process, from the checkpoint of the last
                    self.relays[name].begin_again()
                    self.queues[name].catch_up()
                self._work(name, letters)
            self.step += 1

    def _work(self, name: str, letters) -> None:
        relay, queue = self.relays[name], self.queues[name]
        for letter in letters:
            relay.hear(letter)
        relay.measure(self.step, self.step / RATE, bytes(120))
        while (decided := queue.decide(relay, relay.newest + 1)) is not None:
            assert queue.view is not None
            self.counted[name].append((decided.row, tuple(decided.samples)))
            if not self.views[name] or self.views[name][-1] != queue.view:
                self.views[name].append(queue.view)
        queue.tick()
        self.bus.post(self.step, name, relay.outbox(self.step / RATE))


def drawn(seed: int) -> tuple[Team, int]:
    """A graph, a bad radio, cuts and absences by a seed; all over by a row."""
    draw = random.Random(seed)
    over = round(6 * RATE)
    away, cuts = [], []
    for _ in range(draw.randint(0, 2)):
        start = draw.randint(0, over - 60)
        away.append((draw.choice(NAMES), start, min(start + draw.randint(5, 200), over)))
    for _ in range(draw.randint(0, 2)):
        start = draw.randint(0, over - 60)
        side = frozenset(draw.sample(NAMES, draw.randint(1, 4)))
        cuts.append(Partition(start, min(start + draw.randint(5, 200), over), side))
    radio = Disturbance(draw.uniform(0.0, 0.3), draw.randint(0, 3), draw.randint(0, 3), 0.1, True, tuple(cuts))
    return Team(draw.choice(list(GRAPHS.values())), radio, seed, away), over


@pytest.mark.parametrize("seed", range(20))
def test_once_faults_stop_all_settle_on_one_view_of_everybody(seed: int):
    """Within the stated time, whatever happened before; rows count nobody twice and come in their order.

    And of all robots' views at all times, those with the same epoch are equal.
    """
    team, over = drawn(seed)
    team.run(over)
    team.bus.disturbance = Disturbance()
    team.run(SETTLED)
    for name in NAMES:
        view = team.queues[name].view
        assert view is not None
        assert view.members == frozenset(NAMES), (name, view)
        assert view.leader == "r1"
        rows = [row for row, _ in team.counted[name]]
        assert rows == list(range(rows[0], rows[-1] + 1))
        assert all(len(set(robots)) == len(robots) for _, robots in team.counted[name])
    team.run(round(RATE))
    counted = {name: dict(team.counted[name]) for name in NAMES}
    latest = min(max(rows) for rows in counted.values())
    for row in range(latest - round(0.5 * RATE), latest + 1):
        assert all(counted[name][row] == NAMES for name in NAMES), row
    views = {view for found in team.views.values() for view in found}
    for one, other in itertools.combinations(views, 2):
        assert (one.epoch == other.epoch) == ((one.since, one.members) == (other.since, other.members))


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("seed", range(4))
def test_robots_that_can_hear_each_other_have_the_same_views(graph: Graph, seed: int):
    """One dies and comes back, over a radio that loses a fifth: those that stay count the same rows, to the sample.

    What a robot has reaches the others within `late` here, so they decide alike without a word about it.
    """
    who = NAMES[-1]
    team = Team(graph, Disturbance(loss=0.2, jitter=1, double=0.1, shuffle=True), seed, [(who, 120, 330)])
    team.run(600)
    stay = NAMES[:-1]
    assert [view.members for view in team.views[stay[0]]] == [{*NAMES}, {*stay}, {*NAMES}]
    last = min(len(team.counted[name]) for name in stay)
    assert last > 500
    for name in stay[1:]:
        assert team.views[name] == team.views[stay[0]]
        assert team.counted[name][:last] == team.counted[stay[0]][:last]


def test_nobody_is_in_two_teams():
    """Of a team that is cut in two, no part counts a robot as present that the other part counts at that time."""
    cut = Partition(100, 400, frozenset({"r4", "r5"}))
    team = Team(GRAPHS["line"], Disturbance(partitions=(cut,)))
    team.run(400)
    deep = range(100 + round((TUNING.late + 0.2) * RATE), 300)
    for row in deep:
        parts = [dict(team.counted[name])[row] for name in ("r1", "r5")]
        assert set(parts[0]).isdisjoint(parts[1]), row
    members = {name: team.queues[name].view for name in NAMES}
    assert all(view is not None for view in members.values())
    assert members["r1"].members == {*NAMES}  # r4 and r5 are both silent: they may hold on together
    assert members["r1"] == members["r2"] == members["r3"]


def test_the_standings_of_a_robot_follow_its_samples():
    """Present, silent, released, present: each for as long as the rules say."""
    rules = GripRules(4, {"r1": ("r2",), "r2": ("r1",)})
    roster, found = Roster(("r1", "r2"), rules), []
    for row in range(20):
        found.append(roster.take(row, {"r1"} if 5 <= row < 13 else {"r1", "r2"})["r2"])
    there = [Standing.PRESENT] * 5 + [Standing.SILENT] * 4 + [Standing.RELEASED] * 4
    assert found == [*there, *[Standing.PRESENT] * 7]
    assert roster.view == View(13, frozenset({"r1", "r2"}))


def test_without_rules_nobody_has_let_go():
    roster = Roster(("r1", "r2"))
    assert {roster.take(row, {"r1"})["r2"] for row in range(1000)} == {Standing.SILENT}


def test_a_neighbour_is_absent_after_its_silence_and_before_it_was_heard():
    detector = FailureDetector(("r1", "r2"), 0.5)
    assert detector.present(0.0) == ()
    detector.hear("r1", 1.0)
    assert detector.present(1.49) == ("r1",)
    assert detector.present(1.51) == ()
    assert math.isinf(detector.silence("r2", 2.0))
    copied = detector.copied()
    copied.hear("r2", 2.0)
    assert detector.present(2.0) == ()
    copied.forget("r2")
    assert copied.present(2.0) == ()
