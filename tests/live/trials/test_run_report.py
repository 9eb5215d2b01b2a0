"""A run's report tells what its robots told."""

from pathlib import Path

import numpy as np
from teams import SPATIAL, configured

from steelyard.live import plan_team
from steelyard.live.trials._run_report import without_false_motion
from steelyard.logs import Log
from steelyard.problems.preflight import outliers


def test_the_motion_of_a_faulty_member_is_left_out_from_before_it_was_found():
    plan = plan_team(configured(SPATIAL), Path("team.toml"))
    time = np.arange(0.0, 20.0, 0.1)
    columns = {f"{name}/{column}": np.ones(len(time)) for name in ("r1", "r2") for column in plan.task.columns}
    log = without_false_motion(Log(time, columns, "run"), plan, {"r2": 12.0})
    for column in plan.task.columns:
        blank = np.isnan(log.columns[f"r2/{column}"])
        false = time >= 6.0 if column in plan.task.columns[: plan.task.motion] else np.zeros(len(time), bool)
        np.testing.assert_array_equal(blank, false)
        assert not np.isnan(log.columns[f"r1/{column}"]).any()


def test_samples_of_a_slow_sensor_between_which_lines_were_drawn_are_no_outliers():
    """A recording holds a sample for each tick of the team, of which a sensor at half the rate has every second."""
    time, draw = np.arange(1000) * 0.01, np.random.default_rng(1)
    values = np.sin(time)[:, None] + 0.2 * draw.standard_normal((1000, 3))
    values[1:-1:2] = 0.5 * (values[:-2:2] + values[2::2])
    assert outliers(time, values).mean() < 0.01
    values[500, 1] += 10.0
    assert outliers(time, values)[500]
