"""A log is a read-only value; its channels come in canonical order; what is wrong is said in one sentence."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from steelyard.logs import Log

TIME = np.array([0.0, 1.0, 2.0])


def made(**columns: list[float]) -> Log:
    named = {name.replace("__", "/"): np.array(values) for name, values in columns.items()}
    return Log(TIME, named, "a.csv")


def zeros(*names: str) -> Log:
    return Log(TIME, {name: np.full(3, float(k)) for k, name in enumerate(names)}, "a.csv")


def test_it_cannot_be_changed_and_does_not_change_with_its_source():
    source = np.zeros(3)
    log = Log(TIME, {"r1/thrust": source})
    source[0] = 1.0
    assert log.columns["r1/thrust"][0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        log.columns["r1/thrust"][0] = 1.0
    with pytest.raises(TypeError):
        log.columns["r1/rpm/1"] = source  # pyright: ignore[reportIndexIssue]
    with pytest.raises(AttributeError):
        log.time = source  # pyright: ignore[reportAttributeAccessIssue]


def test_it_pickles(log):
    again = pickle.loads(pickle.dumps(log))
    assert again.columns.keys() == log.columns.keys()
    assert all(np.array_equal(again.columns[name], log.columns[name], equal_nan=True) for name in log.columns)
    assert (again.origin, again.metadata) == (log.origin, log.metadata)


def test_robots_in_order_of_appearance():
    assert zeros("r2/thrust", "truth/mass", "load/position/x", "temperature", "r1/thrust").robots == ("r2", "r1")


@pytest.mark.parametrize(
    ("signal", "recorded", "canonical"),
    [
        ("velocity", "y x", "x y"),
        ("velocity", "z y x", "x y z"),
        ("attitude", "x y z w", "w x y z"),
        ("twist/angular", "z y x", "x y z"),
        ("rpm", "10 9 8 7 6 5 4 3 2 1", "1 2 3 4 5 6 7 8 9 10"),
        ("foot_left/wrench/force", "y z x", "x y z"),
        ("odd", "z y x", "x y z"),
        ("odd", "2 1", "1 2"),
        ("odd", "b a", "b a"),
    ],
)
def test_axes_come_in_canonical_order_however_recorded(signal, recorded, canonical):
    axes = recorded.split()
    log = zeros(*(f"r1/{signal}/{axis}" for axis in axes))
    assert log.signal("r1", signal)[0].tolist() == [axes.index(axis) for axis in canonical.split()]


def test_inertia_comes_in_canonical_order_or_as_one_number():
    log = zeros(*(f"truth/inertia/{axis}" for axis in ["yz", "xz", "xy", "zz", "yy", "xx"]))
    assert log.truth("inertia")[0].tolist() == [5, 4, 3, 2, 1, 0]
    assert zeros("truth/inertia").truth("inertia").shape == (3, 1)


def test_a_scalar_is_one_column(log):
    assert log.signal("r2", "thrust").shape == (4, 1)
    assert log.signal("r1", "velocity").shape == (4, 2)


def test_named_axes_take_a_part():
    log = zeros("r1/position/x", "r1/position/y", "r1/position/z")
    assert log.signal("r1", "position", axes=("z", "x"))[0].tolist() == [2, 0]
    assert not zeros("r1/position/x", "r1/position/y").has("r1", "position", axes=("x", "y", "z"))


def test_a_signal_is_not_taken_for_its_longer_namesake():
    log = zeros("r1/wrench/force/x", "r1/wrench/force/y", "r1/wrench/force/z", "r1/forceful/x")
    assert not log.has("r1", "force")
    assert not log.has("r1", "wrench")


def test_has_agrees_with_require(log):
    assert log.has("r1", "velocity")
    assert not log.has("r2", "attitude")
    assert not log.has("r2", "velocity")


def test_truth(log):
    assert log.truth("mass").shape == (4, 1)
    assert log.truth("com") is None
    assert made(truth__mass=[np.nan] * 3).truth("mass") is None
    assert zeros("truth/r1/com/x", "truth/r1/com/y").truth("r1/com").shape == (3, 2)
    assert zeros("truth/thrust/1", "truth/thrust/2").truth("thrust").shape == (3, 2)


def test_without_truth_nothing_of_it_is_left(log):
    seen = log.without_truth()
    assert not [name for name in seen.columns if name.startswith("truth")]
    assert seen.truth("mass") is None
    assert not seen.metadata
    assert len(seen.columns) == len(log.columns) - 1


def test_between_is_closed(log):
    assert log.between(0.1, 0.3).time.tolist() == [0.1, 0.3]
    assert log.between(-1.0, 9.0).time.tolist() == log.time.tolist()
    assert log.between(0.1, 0.3).metadata == log.metadata


def test_units(log):
    assert (log.unit("time"), log.unit("r1/force/x"), log.unit("x/y/z")) == ("s", "N", None)


def test_unknown_columns_are_carried_and_listed():
    log = zeros("r1/velocty/x", "battery/voltage", "r1/velocity/x")
    assert log.unknown_columns == {"r1/velocty/x": "r1/velocity/x", "battery/voltage": None}
    assert "battery/voltage" in log.columns


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda log: log.require("r2", "velocity"), ["columns r2/velocity/x, r2/velocity/y are", "r2 has thrust"]),
        (lambda log: log.require("r1", "attitude"), ["r1/attitude/w", "r1 has velocity, force"]),
        (lambda log: log.require("r1", "rpm"), ["column r1/rpm/1 is missing"]),
        (lambda log: log.require("r1", "odd"), ["column r1/odd is missing"]),
        (lambda log: log.require("r9", "velocity"), ['"r9"', "r1, r2"]),
        (lambda log: log.require("r2", "attitude"), ["r2/attitude/x"]),
        (lambda log: log.require("r2", "attitude", axes=["w"]), ["r2/attitude/w is empty in all 4 rows"]),
        (lambda log: log.require("r1", "velocity", axes=("x", "y", "z")), ["column r1/velocity/z is missing"]),
        (lambda log: log.between(5.0, 6.0), ["between 5 and 6 s", "from 0 to 0.4 s"]),
    ],
)
def test_what_is_missing_is_named(log, complaint, call, words):
    complaint(lambda: call(log), "flight.csv", *words)


def test_the_misspelt_column_is_named(complaint):
    log = zeros("r1/velocty/x", "r1/velocity/y", "r2/velocity/x")
    complaint(lambda: log.require("r1", "velocity"), "column r1/velocity/x is missing", 'rename "r1/velocty/x"')


def test_a_gap_in_a_numbered_signal_is_named(complaint):
    complaint(lambda: zeros("r1/rpm/1", "r1/rpm/3").require("r1", "rpm"), "column r1/rpm/2 is missing")


@pytest.mark.parametrize(
    ("time", "columns", "words"),
    [
        ([0, 1, 1], {}, ["time stands still at row 3", "1.0 s after 1.0 s", "delete"]),
        ([0, 2, 1], {}, ["time goes backwards at row 3", "1.0 s after 2.0 s", "sort"]),
        ([0, np.nan, 1], {}, ["time is missing at row 2"]),
        ([0, 1, np.inf], {}, ["time is infinite at row 3"]),
        ([], {}, ["no rows"]),
        ([[0.0]], {}, ["no rows"]),
        ([0, 1], {"r1/thrust": [1, 2, 3]}, ["r1/thrust", "(3,)"]),
        ([0, 1], {"r1/thrust": [1, -np.inf]}, ["r1/thrust is infinite at row 2"]),
        ([0, 1], {" r1/thrust": [1, 1]}, ["' r1/thrust'"]),
        ([0, 1], {"a\nb": [1, 1]}, ["'a\\nb'"]),
        ([0, 1], {"time": [1, 1]}, ["'time'"]),
    ],
)
def test_what_is_no_log_is_refused(complaint, time, columns, words):
    columns = {name: np.array(values, dtype=float) for name, values in columns.items()}
    complaint(lambda: Log(np.array(time, dtype=float), columns, "a.csv"), "a.csv: ", *words)


def test_importing_logs_imports_neither_jax_nor_pyarrow():
    code = "import sys, steelyard.logs; print({'jax', 'jaxtyping', 'pyarrow', 'msgspec'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"
