"""Planar teams whose signals end, stand still or change their load: said, and never a known number of another time."""

import numpy as np
import pytest

import steelyard as sy
from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.preflight import preflight

ROBOTS = ("r1", "r2", "r3", "r4")


def edited(log: Log, part: str, edit) -> Log:
    columns = {name: values.copy() for name, values in log.columns.items()}
    for name in columns:
        if name.startswith(part):
            edit(columns[name])
    return Log(log.time, columns, "test")


def ends(values: np.ndarray) -> None:
    values[7 * len(values) // 10 :] = np.nan


def stands(values: np.ndarray) -> None:
    values[:] = 0.0


@pytest.mark.parametrize("part", ["r2/force", "r2/"])
def test_a_robot_that_falls_silent_leaves_no_known_answer_of_an_earlier_time(part):
    """A drop of 2 kg after that was not seen, and vectors in world axes were 390 deviations off."""
    log = sy.simulate("planar", seed=2, duration=14.0, rate=50.0, drop_share=0.4, drop_time=10.5)
    found = sy.identify(edited(log, part, ends), "planar-load")
    answers = [one for robot in ROBOTS if robot in found.robots for one in found.robots[robot].values()]
    assert all(one.status != "known" for one in answers)
    assert "unheard" in {reason.code for one in answers for reason in one.trust.reasons}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_load_that_changes_is_no_fault_of_a_force(seed):
    log = sy.simulate("planar", seed=seed, duration=14.0, drop_share=0.4, drop_time=7.0)
    assert preflight(log, "planar-load", Config(), mend=False).findings == ()


def test_a_velocity_that_stands_still_is_named_and_no_other():
    log = sy.simulate("planar", seed=1, duration=12.0, rate=50.0)
    findings = preflight(edited(log, "r2/velocity/x", stands), "planar-load", Config(), mend=False).findings
    assert ["r2/velocity/x stands at one value" in one.sentence for one in findings] == [True]
