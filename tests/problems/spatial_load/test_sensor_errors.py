"""Sensor errors of a team: the equations are exact for the truth, errors are found, and what they do is counted."""

import dataclasses

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.bench.faults import TRIED
from steelyard.bench.faults._wrist import clean_team
from steelyard.config import Config, Wrist
from steelyard.logs import Log
from steelyard.problems import identify, read_spatial_record
from steelyard.problems.spatial_load._averages import Averages
from steelyard.team import LinearisationPoint
from steelyard.worlds import SpatialScenario, simulate_spatial

HOLD = SpatialScenario(sensors="exact", robots=3, duration=6.0)


def _exact() -> tuple[Log, LinearisationPoint]:
    columns = dict(simulate_spatial(HOLD, 1))
    log = Log(columns.pop("time"), columns, "a hold")
    R, t = [np.eye(3)], [np.zeros(3)]
    for hop in ("r1/pose/r2", "r2/pose/r3"):
        w, x, y, z = log.truth(f"{hop}/attitude")[-1]
        step = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        t.append(t[-1] + R[-1] @ log.truth(f"{hop}/position")[-1])
        R.append(R[-1] @ step)
    m, com, i = log.truth("mass")[-1, 0], log.truth("r1/com")[-1], log.truth("r1/inertia")[-1]
    inertia = np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])
    return log, LinearisationPoint.of(m, com, inertia, np.array([0, 0, -9.81]), np.array(R), np.array(t))


def test_the_truth_leaves_nothing_but_what_averaging_does():
    """Means over 50 ms of products are not products of means; next to the signals that is one in a thousand."""
    log, point = _exact()
    record = read_spatial_record(log.without_truth(), Config())
    smooth = Averages.of(record, 0)
    assert smooth is not None
    misfit = smooth.misfit(point, [], np.zeros(0), 9.81)
    sizes = {0: np.std(smooth.F), 1: np.std(smooth.N) + 0.3 * np.std(smooth.F), 2: np.std(smooth.w)}
    for kind, size in sizes.items():
        assert np.sqrt(np.nanmean(misfit[:, smooth.kinds[kind]] ** 2)) < 3e-3 * size


@pytest.mark.parametrize(
    ("label", "size", "kinds"),
    [((1, "torque_offset"), 0.2, {1}), ((1, "force_offset"), 2.0, {0, 1}), ((2, "gyro_bias"), 0.1, {1, 2})],
)
def test_an_error_shows_in_its_own_equations(label, size, kinds):
    """A wrench's offset is in the equations of motion only; a gyro's between robots, too."""
    log, point = _exact()
    smooth = Averages.of(read_spatial_record(log.without_truth(), Config()), 0)
    assert smooth is not None
    none = smooth.misfit(point, [], np.zeros(0), 9.81)
    some = smooth.misfit(point, [label] * 3, size * np.array([1.0, 0.0, 0.0]), 9.81)
    changed = {k for k, at in enumerate(smooth.kinds) if np.nanmax(np.abs(some - none)[:, at]) > 0.2 * size}
    assert kinds <= changed
    if "offset" in label[1]:
        assert changed == kinds


def _answer(fault: str, seed: int, config: Config):
    log = clean_team(seed)
    if fault:
        (found,) = [one for one in TRIED["spatial-load"].faults if one.name == fault]
        assert found.mild is not None
        log = found.mild(log, np.random.default_rng(seed))
    said = identify(log, "spatial-load", config)
    return dataclasses.replace(said, series={}, truth={})


@pytest.mark.parametrize(
    ("fault", "seed", "names"),
    [
        ("torque in N mm", 1000, "r2/wrench"),
        ("torque in N mm", 1001, "r2/wrench"),
        ("inertial sensor away", 1000, "r2/specific_force"),
    ],
)
def test_an_error_that_the_filter_takes_in_is_found(fault, seed, names):
    """The filter's own misfit is as expected here, and its centre of mass up to 140 deviations off.

    With the torques a lever arm is as likely: only both together are certain.
    """
    said = in_earnest(_answer, fault, seed, Config())
    for quantities in said.robots.values():
        assert quantities["com"].status == "doubtful"
        (reason,) = quantities["com"].trust.reasons
        assert reason.code == "sensor-error"
        assert reason.sentence.startswith(names)


@pytest.mark.parametrize("seed", range(81000, 81006))
def test_sensors_without_an_error_are_believed(seed):
    """Errors count from six deviations on, of several together by as strict a bound: no clean log is doubted."""
    said = in_earnest(_answer, "", seed, Config())
    for quantities in said.robots.values():
        assert {quantities[what].status for what in ("mass", "com", "inertia")} == {"known"}


def test_offsets_that_nobody_rules_out_are_in_the_deviations():
    plain = in_earnest(_answer, "", 1000, Config())
    stated = in_earnest(_answer, "", 1000, Config(wrist=Wrist(tared=True, calibrated=True)))
    for robot, quantities in plain.robots.items():
        for what in ("mass", "com", "inertia"):
            one, other = quantities[what], stated.robots[robot][what]
            assert one.status == other.status == "known"
            np.testing.assert_array_equal(one.value, other.value)
            assert np.all(one.std >= other.std)
        assert np.max(quantities["com"].std / stated.robots[robot]["com"].std) > 1.1  # more than rounding: they count
