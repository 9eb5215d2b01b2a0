"""Whoever is inconsistent with all others is named, whatever robots report."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from teams import PLANAR, SPATIAL, configured

from steelyard.config import WrongMotion
from steelyard.live import TeamPlan, plan_team
from steelyard.live.robot._consistency_check import ConsistencyCheck
from steelyard.live.robot._estimation import Estimation
from steelyard.live.trials._faults import falsified
from steelyard.team import Agent, Graph, Message, PlanarSample, Turn
from steelyard.team._agent import MotionReports
from steelyard.team.planar_load._velocity_relay import VelocityRelay

PLAN = plan_team(configured(SPATIAL), Path("team.toml"))


class Reported(Agent):
    """An agent of which all that counts is what robots report."""

    def __init__(self, table: np.ndarray, samples: int = 4):
        self.table, self.samples = table, samples

    def init(self) -> Any: ...

    def step(self, state: Any, sample: Any, inbox: tuple[Message, ...]) -> Turn:
        raise AssertionError

    def exclude(self, state: Any, earlier: Any, faulty: frozenset[str]) -> Any:
        return earlier

    def decode(self, data: bytes) -> Message:
        raise AssertionError

    def reported_motion(self, state: Any, robots: tuple[str, ...], row: float, span: float) -> MotionReports:
        return MotionReports(self.table[:, [PLAN.graph.names.index(name) for name in robots]], self.samples)


def tables(false: str | None = None, plan: TeamPlan = PLAN, samples: int = 4) -> np.ndarray:
    """Twists of 4 s in rows of some samples, of which one robot's may be false throughout."""
    player, count = plan.task.play(plan.graph, plan.rate), round(4.0 * plan.rate)
    rows = []
    for _ in range(count):
        row = player.next(frozenset(player.robots))
        assert row is not None
        twists = [[row.readings[one][column] for column in PLAN.task.columns[:6]] for one in player.robots]
        rows.append(twists)
    table = np.array(rows).reshape(count // samples, samples, 5, 6).mean(axis=1)
    if false is not None:
        k = PLAN.graph.names.index(false)
        table[:, k] = [falsified(tuple(one), 6, WrongMotion(false)) for one in table[:, k].tolist()]
    return table


def named(table: np.ndarray, known: frozenset[str] = frozenset()) -> list[str]:
    check, agent, found = ConsistencyCheck(PLAN), Reported(table), list[str]()
    for tick in range(400, 1200):
        found += check.find_faulty(tick, agent, None, known | set(found))
    return found


def test_the_only_inconsistent_member_is_named_once():
    assert named(tables("r2")) == ["r2"]
    assert named(tables()) == []


def test_a_member_known_from_a_checkpoint_is_not_asked_again():
    """Its motion no longer reaches the estimator: rows of it would never be whole, and nobody else would be found."""
    table = tables("r3")
    table[:, PLAN.graph.names.index("r2")] = math.inf
    estimation, found = Estimation(PLAN, Reported(table)), list[str]()
    estimation.resume(None, 400, ("r2",))
    for estimation.tick in range(400, 1200):
        found += estimation.find_faulty()
    assert found == ["r3"]
    assert estimation.faulty == {"r2", "r3"}


def test_a_slow_team_is_checked_too():
    slow = plan_team(configured(SPATIAL.replace("rate = 100.0", "rate = 10.0")), Path("team.toml"))
    check, agent, found = ConsistencyCheck(slow), Reported(tables("r2", slow, 1), samples=1), list[str]()
    for tick in range(40, 60):
        found += check.find_faulty(tick, agent, None, frozenset(found))
    assert found == ["r2"]


def test_who_joins_an_older_team_does_not_go_back_to_its_own_rows():
    estimation = Estimation(PLAN, Reported(tables("r2")))
    estimation.tick, estimation.state = 10, "rows of a younger team"
    estimation.keep_snapshot()
    estimation.restart()
    for estimation.tick in range(5000, 5200):
        estimation.find_faulty()
    assert estimation.faulty == {"r2"}
    assert estimation.state is None


@pytest.mark.parametrize("value", [1e308, 1e7, 1.0])
def test_reports_that_make_no_sense_name_nobody_and_raise_nothing(value: float):
    table = tables()
    table[:, 1] = value
    assert named(table) == ([] if abs(value) > 1e6 else ["r2"])
    assert named(table[:20]) == []
    assert named(np.zeros((0, 5, 6))) == []


def test_a_spatial_agent_reports_what_all_have_relayed():
    agent = PLAN.task.agents(Graph.line(["r1", "r2"]), 100.0)[0]
    state = agent.init()
    for k in range(100):
        raw = np.full((2, 15), k // 4, float)
        raw[1, :6] = math.nan if k == 50 else 2.0
        state.estimator.history.append(0.01 * k, raw)
    reports = agent.reported_motion(state, ("r2", "r1"), 0.04, 4.0)
    assert reports.samples == 4
    np.testing.assert_array_equal(reports.table[:, 1, 0], [row for row in range(25) if row != 12])
    assert np.all(reports.table[:, 0] == 2.0)


def test_velocities_travel_through_a_line_of_robots_once_each_way():
    names = ("a", "b", "c")
    relays = {"a": VelocityRelay("a", ("b",)), "b": VelocityRelay("b", ("a", "c")), "c": VelocityRelay("c", ("b",))}
    for row in range(30):
        for k, name in enumerate(names):
            relays[name].measure(row, complex(k, row) if (name, row) != ("c", 7) else complex(math.nan))
        for _ in range(2):
            for one, other in (("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")):
                relays[other].receive(relays[one].message(other), one)
    for relay in relays.values():
        table = relay.table(names, 100)
        assert table.shape == (29, 3, 2), "all rows but the one with a number that is none"
        np.testing.assert_array_equal(table[:, 2, 0], 2.0)


def test_a_planar_agent_relays_in_real_time_only():
    plan = plan_team(configured(PLANAR), Path("team.toml"))
    live = plan.task.agents(Graph.line(["r1", "r2"]), 50.0)[0]
    state = live.init()
    for k in range(40):
        turn = live.step(state, PlanarSample(0.02 * k, (1.0, 0.5), (0.0, 1.0)), ())
        state = turn.state
    reports = live.reported_motion(state, ("r1",), 0.04, 4.0)
    assert reports.samples == 2
    np.testing.assert_array_equal(reports.table[0, 0], (1.0, 0.5))
