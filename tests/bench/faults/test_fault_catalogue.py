"""The catalogue of faults: pure functions of a log, and a count of what becomes of the answers."""

import re

import numpy as np
import pytest

from steelyard.bench.faults import TRIED, FaultRun, rounds, table_of, totals
from steelyard.bench.faults._edits import held, outliers, saturated, stuck
from steelyard.bench.faults._trial import largest_error
from steelyard.estimators import Estimate
from steelyard.logs import Log
from steelyard.problems import Identification, Series

TIME = 0.01 * np.arange(400)


def noise(columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((len(TIME), columns))


@pytest.mark.parametrize("problem", TRIED.values(), ids=list(TRIED))
def test_a_problem_has_thirty_faults_and_each_changes_the_log_alone(problem):
    """Truth is carried along, the log that went in is not touched, and the same chance gives the same fault."""
    assert len(problem.faults) >= 30
    assert len({fault.name for fault in problem.faults}) == len(problem.faults)
    log = problem.clean(3).between(0.0, 6.0)
    before = {name: values.copy() for name, values in log.columns.items()}
    for fault in problem.faults:
        re.compile(fault.named)
        for edit in fault.strengths.values():
            faulty, again = (edit(log, np.random.default_rng(1)) for _ in range(2))
            assert any(not np.array_equal(faulty.columns[n], before[n], True) for n in before) or not np.array_equal(
                faulty.time, log.time
            ), fault.name
            assert all(np.array_equal(faulty.columns[n], again.columns[n], True) for n in before)
            assert np.isin(faulty.columns["truth/mass"], before["truth/mass"]).all()
    assert all(np.array_equal(log.columns[name], values, True) for name, values in before.items())


def test_faults_are_as_large_as_they_say():
    chance = np.random.default_rng(0)
    values = noise(2)
    same = np.all(np.diff(stuck(0.25)(TIME, values, chance), axis=0) == 0.0, axis=1)
    assert same.sum() == 99
    assert len(np.unique(held(0.1)(TIME, values, chance)[:, 0])) == 40
    share = np.mean(np.any(outliers(0.1)(TIME, values, chance) != values, axis=1))
    assert abs(share - 0.1) < 5 * np.sqrt(0.09 / len(TIME))
    assert np.mean(saturated(0.2)(TIME, values, chance) != values) == pytest.approx(0.2, abs=0.02)


def test_an_error_is_counted_in_deviations_and_an_inertia_axis_by_axis():
    moments = np.array([[1.0, 2.0, 3.0, 0.1, 0.2, 0.3]])
    matrix = np.array([[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 3.5]])
    truth = {"mass": Series(TIME[:1], np.array([2.0]), np.zeros(1), "kg")}
    truth["r1/inertia"] = Series(TIME[:1], moments, np.zeros((1, 6)), "kg m²")
    robots = {
        "mass": Estimate.known(2.1, 0.05, "kg", None, 0.0),
        "inertia": Estimate.known(matrix, np.full((3, 3), 0.1), "kg m²", "r1", 0.0),
    }
    found = Identification("rigid-body", "m", "o", {"r1": robots}, (), "", truth=truth)
    assert largest_error(found, lambda name: True) == (pytest.approx(5.0), "r1's inertia", True)
    assert largest_error(found, lambda name: name == "mass")[0] == pytest.approx(2.0)


def test_the_table_counts_what_happened():
    def run(fault, strength, verdict, named=False):
        return FaultRun(fault, strength, 0, verdict, 0.0, "", named, "", False, 0.1)

    runs = [run("clean", "clean", "right")] * 3 + [run("clean", "clean", "doubted")]
    runs += [run("a", "strong", "wrong")] * 2 + [run("b", "strong", "doubted", True)] * 2
    figures = totals(runs)
    assert figures["confidently_wrong"] == 2 / 8
    assert figures["faults_wrong_more_than_once"] == ["a"]
    assert (figures["clean_doubted"], figures["strong_named_first"]) == (0.25, 0.5)
    assert [row.fault for row in table_of(runs)] == ["clean", "a", "b"]
    problem = TRIED["planar-load"]
    strengths = sum(len(fault.strengths) for fault in problem.faults)
    assert len(list(rounds(problem, 2, 0, 7))) == 7 + 2 * strengths


def test_a_log_is_needed_only_once():
    """A faulty log of a clean one: `Log` is a value, so faults can share it."""
    log = Log(TIME, {"r1/thrust": noise(1)[:, 0]})
    with pytest.raises(ValueError, match="read-only"):
        log.columns["r1/thrust"][0] = 1.0
