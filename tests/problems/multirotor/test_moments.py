"""Changes of the mass between rows: their moments are unknowns of the fit."""

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._blocks import mass_column, moment_column
from steelyard.problems.multirotor._moments import with_moments
from steelyard.problems.multirotor._motion import motion_of
from steelyard.problems.multirotor._smoothed import Smoothed, smoothed
from steelyard.worlds import MultirotorScenario, simulate

GRAVITY = (0.0, 0.0, -9.81)


def flight(seed: int, **scenario) -> Log:
    columns = in_earnest(simulate, MultirotorScenario(**scenario), seed)
    columns = {name: column for name, column in columns.items() if "throttle" not in name}
    return Log(columns.pop("time"), columns, f"flight {seed}")


def fitted(log: Log) -> Smoothed:
    return smoothed(read_flight_record(log.without_truth(), "r1", Config()), Config())


@pytest.mark.parametrize("kind", ["step", "slope"])
def test_the_column_of_a_moment_is_the_derivative_of_the_change(kind: str):
    motion = motion_of(read_flight_record(flight(0, duration=6.0), "r1", Config()), GRAVITY)
    mass = np.linspace(1.0, 1.2, len(motion.time))
    begin, little = 2.0037, 1e-5  # s; within one row, where a step's shape is linear in its moment
    later, earlier = (mass_column(motion, mass, (kind, begin + by)) for by in (little, -little))
    expected = (later - earlier) / (2 * little)
    np.testing.assert_allclose(moment_column(motion, mass, (kind, begin)), expected, atol=2e-3 * np.abs(expected).max())


def test_a_step_between_two_rows_is_found_within_four_deviations():
    """Six flights that drop a third at 5 s: moment and mass before and after, each by its stated deviation.

    The chance that one of 18 normal errors is beyond four deviations is 0.1 %.
    """
    for seed in range(6):
        log = flight(seed, profile="step-down", duration=16.0)
        found = fitted(log)
        moments = with_moments(found.fit)
        truth = log.truth("mass")[:, 0]
        jump = float(log.time[np.argmax(np.abs(np.diff(truth))) + 1])
        ((_, begin),) = moments.changes
        std = float(np.sqrt(moments.covariance[-1, -1]))
        step = float(np.median(np.diff(log.time)))
        assert abs(begin - jump) < 4 * std + step  # the log says to one row when the mass changed
        for at in (3.0, 14.0):
            k = int(np.searchsorted(log.time, at))
            assert abs(found.mass[k] - truth[k]) < 4 * found.mass_std[k]


def test_a_flight_that_ends_with_half_of_its_thrust_has_not_landed():
    """After a drop of 60 % the thrust is that of a landed machine; it flies at 1 m and moves."""
    log = flight(1, profile="step-down", duration=16.0)
    record = read_flight_record(log.without_truth(), "r1", Config())
    lighter = record.thrust * np.where(record.time > 8.0, 0.45, 1.0)
    columns = dict(log.columns) | {"r1/thrust": lighter}
    motion = motion_of(read_flight_record(Log(np.asarray(log.time), columns, "lighter"), "r1", Config()), GRAVITY)
    assert np.isfinite(motion.velocity[-1]).all()
