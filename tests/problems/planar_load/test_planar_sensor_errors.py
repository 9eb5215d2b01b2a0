"""A sensor error that the readings can tell is named; a clean log has none."""

import dataclasses

import numpy as np
import pytest

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems import PlanarRecord, read_planar_record, run_planar_load_team
from steelyard.problems.planar_load._sensor_errors import sensor_error_reasons
from steelyard.worlds import PlanarScenario, simulate_planar


@pytest.fixture(scope="module")
def answered():
    columns = simulate_planar(PlanarScenario(robots=3, duration=10.0, velocity_noise=0.05), 5)
    record = read_planar_record(Log(columns.pop("time"), columns, "a push").without_truth(), Config())
    return record, run_planar_load_team(record).last


def _shifted(record: PlanarRecord, values: np.ndarray, seconds: float) -> np.ndarray:
    """r2's part of a signal, late."""
    values = values.copy()
    for axis in range(2):
        values[:, 1, axis] = np.interp(record.time - seconds, record.time, values[:, 1, axis])
    return values


def test_a_clean_log_has_no_sensor_error(answered):
    record, robots = answered
    assert sensor_error_reasons(record, robots, -np.inf) == []


def test_a_late_force_is_named_with_its_delay(answered):
    record, robots = answered
    late = dataclasses.replace(record, force=_shifted(record, record.force, 0.05))
    (reason,) = sensor_error_reasons(late, robots, -np.inf)
    assert reason.code == "force-late"
    assert "r2/force" in reason.sentence
    assert 40.0 < float(reason.sentence.split(" ms late")[0].split()[-1]) < 60.0  # a row of 10 ms to either side of 50


def test_an_offset_and_a_scale_are_named(answered):
    record, robots = answered
    for code, change in (("force-offset", lambda f: f + np.array([0.5, 0.0])), ("force-scale", lambda f: 1.15 * f)):
        force = record.force.copy()
        force[:, 1] = change(force[:, 1])
        (reason,) = sensor_error_reasons(dataclasses.replace(record, force=force), robots, -np.inf)
        assert (reason.code, "r2" in reason.sentence) == (code, True)


def test_too_few_rows_after_a_change_tell_nothing(answered):
    record, robots = answered
    late = dataclasses.replace(record, force=_shifted(record, record.force, 0.05))
    assert sensor_error_reasons(late, robots, float(record.time[-100])) == []
