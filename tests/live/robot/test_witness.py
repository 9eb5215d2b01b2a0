"""Claims of others are looked at whatever they hold."""

import math
from pathlib import Path

import numpy as np
import pytest
from teams import SPATIAL, configured

from steelyard.config import Lie
from steelyard.live import plan_team
from steelyard.live.robot._alignment import Aligned
from steelyard.live.robot._consistency_exchange import Witness
from steelyard.live.trials._faulty_member import lie
from steelyard.team.transport import Claim

PLAN = plan_team(configured(SPATIAL), Path("team.toml"))
WIDTH = len(PLAN.task.columns)


@pytest.mark.parametrize("values", [(math.nan,) * WIDTH, (math.inf,) * WIDTH, (1e308,) * WIDTH, (1.0,), ()])
def test_claims_that_make_no_sense_name_nobody_and_raise_nothing(values):
    witness = Witness("r1", PLAN)
    for tick in range(1200):
        witness.measure(Aligned(tick, (1.0,) * WIDTH))
        if tick % 4 == 0:
            sound = tuple(Claim(name, tick // 4, (1.0,) * WIDTH) for name in ("r3", "r4", "r5"))
            witness.hear((*sound, Claim("r2", tick // 4, values)), "r2")
        assert witness.judge(tick) == []


def test_a_liar_that_says_no_more_is_named_all_the_same():
    """It has named itself, and a busy robot comes to look at what it said a second later."""
    player = PLAN.task.play(PLAN.graph, PLAN.rate)
    called = dict(zip(PLAN.graph.names, player.robots, strict=True))
    witness, named = Witness("r1", PLAN), []
    said: dict[str, list[tuple[float, ...]]] = {name: [] for name in called}
    for tick in range(800):
        row = player.next(frozenset(player.robots))
        assert row is not None
        for name, own in said.items():
            own.append(tuple(row.readings[called[name]][column] for column in PLAN.task.columns))
        witness.measure(Aligned(tick, said["r1"][-1]))
        if tick % 4 == 3:
            claims = {name: tuple(np.mean(own[-4:], axis=0).tolist()) for name, own in said.items()}
            if tick >= 300:
                claims["r2"] = (
                    lie(claims["r2"], PLAN.task.motion, Lie("r2", 3.0)) if tick < 500 else (math.nan,) * WIDTH
                )
            witness.hear(tuple(Claim(name, tick // 4, values) for name, values in claims.items()), "r2")
        if tick >= 720:
            named += [liar for liar, _ in witness.judge(tick)]
    assert named == ["r2"]
