"""Teams in space with pauses and dead sensors: no exception, no false change, and no healthy signal blamed."""

import numpy as np

import steelyard as sy
from steelyard.logs import Log
from steelyard.problems import Identification


def without_rows(log: Log, begin: float, end: float) -> Log:
    kept = (log.time < begin) | (log.time >= end)
    return Log(log.time[kept], {name: values[kept] for name, values in log.columns.items()}, "test")


def right(found: Identification, mass: float) -> bool:
    """Every mass that is known is within four and a half deviations: by chance 7e-6."""
    masses = [one["mass"] for one in found.robots.values()]
    return all(one.value is None or abs(float(one.value) - mass) < 4.5 * float(one.std) for one in masses)


def test_rows_missing_over_a_change_are_no_exception():
    log = sy.simulate("spatial", robots=3, seed=2, sensors="realistic", duration=10.0, drop_share=0.3, drop_time=7.0)
    truth = log.truth("mass")
    assert truth is not None
    assert right(sy.identify(without_rows(log, 6.9, 9.4), "spatial-load"), float(truth[-1, 0]))


def test_a_pause_without_rows_is_a_gap_and_the_answer_stays():
    log = sy.simulate("spatial", robots=3, seed=1, sensors="realistic", duration=8.0)
    found = sy.identify(without_rows(log, 3.0, 4.5), "spatial-load")
    assert found.robots["r1"]["mass"].status == "known"
    assert right(found, 2.0)


def test_blank_rows_are_not_written_twice():
    log = sy.simulate("spatial", robots=3, seed=1, sensors="realistic", duration=8.0)
    blank = (log.time >= 3.0) & (log.time < 4.5)
    columns = {name: v if name.startswith("truth") else np.where(blank, np.nan, v) for name, v in log.columns.items()}
    found = sy.identify(Log(log.time, columns, "test"), "spatial-load")
    assert found.robots["r1"]["mass"].status == "known"


def test_gyroscopes_of_zeros_are_named():
    log = sy.simulate("spatial", robots=3, seed=1, sensors="realistic", duration=8.0)
    columns = {name: 0.0 * v if "twist/angular" in name else v for name, v in log.columns.items()}
    found = sy.identify(Log(log.time, columns, "test"), "spatial-load")
    assert all(one.status != "known" for robot in found.robots.values() for one in robot.values())
    assert "twist/angular" in found.verdict
