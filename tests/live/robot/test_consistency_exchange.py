"""Claims of others are checked whatever they hold."""

import math
from pathlib import Path

import numpy as np
import pytest
from teams import SPATIAL, configured

from steelyard.config import WrongMotion
from steelyard.live import plan_team
from steelyard.live.robot._alignment import Aligned
from steelyard.live.robot._consistency_exchange import ConsistencyExchange
from steelyard.live.trials._faults import falsified
from steelyard.team.transport import Claim

PLAN = plan_team(configured(SPATIAL), Path("team.toml"))
WIDTH = len(PLAN.task.columns)


@pytest.mark.parametrize("values", [(math.nan,) * WIDTH, (math.inf,) * WIDTH, (1e308,) * WIDTH, (1.0,), ()])
def test_claims_that_make_no_sense_name_nobody_and_raise_nothing(values):
    exchange = ConsistencyExchange("r1", PLAN)
    for tick in range(1200):
        exchange.measure(Aligned(tick, (1.0,) * WIDTH))
        if tick % 4 == 0:
            sound = tuple(Claim(name, tick // 4, (1.0,) * WIDTH) for name in ("r3", "r4", "r5"))
            exchange.receive((*sound, Claim("r2", tick // 4, values)), "r2")
        assert exchange.find_faulty(tick) == []


def test_a_faulty_member_that_claims_no_more_is_named_all_the_same():
    """It has found itself faulty, and a busy robot checks its earlier claims a second later."""
    player = PLAN.task.play(PLAN.graph, PLAN.rate)
    called = dict(zip(PLAN.graph.names, player.robots, strict=True))
    exchange, named = ConsistencyExchange("r1", PLAN), []
    measured: dict[str, list[tuple[float, ...]]] = {name: [] for name in called}
    for tick in range(800):
        row = player.next(frozenset(player.robots))
        assert row is not None
        for name, own in measured.items():
            own.append(tuple(row.readings[called[name]][column] for column in PLAN.task.columns))
        exchange.measure(Aligned(tick, measured["r1"][-1]))
        if tick % 4 == 3:
            claims = {name: tuple(np.mean(own[-4:], axis=0).tolist()) for name, own in measured.items()}
            if tick >= 300:
                claims["r2"] = (
                    falsified(claims["r2"], PLAN.task.motion, WrongMotion("r2", 3.0))
                    if tick < 500
                    else (math.nan,) * WIDTH
                )
            exchange.receive(tuple(Claim(name, tick // 4, values) for name, values in claims.items()), "r2")
        if tick >= 720:
            named += [member for member, _ in exchange.find_faulty(tick)]
    assert named == ["r2"]
