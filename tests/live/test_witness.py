"""Claims of others are looked at whatever they hold."""

import math
from pathlib import Path

import pytest
from teams import SPATIAL, configured

from steelyard.live import plan_team
from steelyard.live._align import Aligned
from steelyard.live._witness import Witness
from steelyard.team.wire import Claim

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
