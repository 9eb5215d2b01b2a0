"""Flights that are not whole: what ends early, comes rarely or stands still is said, and never ends in an exception."""

import functools
from collections.abc import Callable

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import BadInput
from steelyard.logs import Log

Columns = dict[str, np.ndarray]


@functools.cache
def flight(seconds: float, seed: int) -> Log:
    """Of 1 kg, whose mass changes four times."""
    return sy.simulate("multirotor", profile="steps", duration=seconds, seed=seed)


def weighed(time: np.ndarray, columns: Columns, config: dict | None = None) -> sy.Estimate:
    return sy.identify(Log(time, columns, "test"), "multirotor", config)["r1"].mass


def edited(log: Log, *edits: tuple[str, Callable[[np.ndarray], object]]) -> Columns:
    """Copies of all columns; each edit changes those whose name holds its first part."""
    columns = {name: values.copy() for name, values in log.columns.items()}
    for part, edit in edits:
        for name in columns:
            if part in name:
                edit(columns[name])
    return columns


def ends(values: np.ndarray) -> None:
    values[3 * len(values) // 4 :] = np.nan


def zero(values: np.ndarray) -> None:
    values[:] = 0.0


@pytest.mark.parametrize("silent", [("linear_velocity", "position"), ("attitude",), ("r1/thrust",)])
def test_a_signal_that_ends_before_the_log_leaves_the_mass_at_its_end_doubtful(silent):
    log = flight(30.0, 5)  # its last change is after three quarters
    mass = weighed(log.time, edited(log, *((part, ends) for part in silent)))
    assert mass.status == "doubtful"
    assert "unheard" in {reason.code for reason in mass.trust.reasons}


def test_rows_at_another_rate_are_said_where_they_are_the_last_ones():
    log = flight(30.0, 5)
    n = 65 * len(log) // 100
    kept = np.r_[0:n, n : len(log) : 4]
    columns = {name: v[kept] for name, v in log.columns.items() if "linear_velocity" not in name}
    assert weighed(log.time[kept], columns).status == "doubtful"


def test_so_few_rows_that_no_change_would_show_tell_no_mass():
    log = flight(10.0, 1)
    kept = slice(None, None, 30)
    assert weighed(log.time[kept], {name: v[kept] for name, v in log.columns.items()}).status == "doubtful"


@pytest.mark.parametrize("end", [5.4, 6.0])
def test_a_change_just_before_the_end_of_a_short_flight_of_positions_is_not_believed_away(end):
    """0.3 kg more from 4.8 s on: 0.87 kg was known, seven deviations off."""
    log = flight(8.0, 3)
    flown = log.time <= end
    columns = {name: v[flown] for name, v in log.columns.items() if "linear_velocity" not in name}
    assert weighed(log.time[flown], columns).status == "doubtful"


def test_an_axis_of_the_velocity_that_was_not_recorded_is_named():
    log = flight(10.0, 3)
    mass = weighed(log.time, edited(log, ("linear_velocity/z", zero)))
    assert mass.status == "doubtful"
    assert "linear_velocity/z is 0 throughout" in mass.trust.reasons[0].sentence


def test_a_gap_as_long_as_the_flight_is_no_exception():
    log = flight(30.0, 5)
    time = log.time.copy()
    time[len(time) // 2 :] += 60.0
    assert weighed(time, edited(log)).status == "doubtful"  # the position went on as if nothing had been lost


@pytest.mark.parametrize("late", [1e4, 1.7e9])
def test_a_first_row_of_another_clock_is_refused_by_its_gap(late):
    log = flight(10.0, 3)
    time = log.time.copy()
    time[1:] += late
    with pytest.raises(BadInput, match="one gap lasts"):
        weighed(time, edited(log))


def test_a_height_that_stands_still_is_no_exception():
    log = flight(10.0, 3)

    def on_the_ground(values: np.ndarray) -> None:
        values[:100] = 0.3 + 1e-3 * np.random.default_rng(0).standard_normal(100)

    def stands(values: np.ndarray) -> None:
        values[:100] = 1e-3 * np.random.default_rng(1).standard_normal(100)

    columns = edited(log, ("position/z", zero), ("r1/thrust", on_the_ground), ("linear_velocity", stands))
    assert weighed(log.time, columns).status in ("known", "doubtful", "not-identifiable")


def test_an_attitude_and_a_thrust_that_never_share_a_row_give_the_mass():
    log = flight(10.0, 3)

    def odd(values: np.ndarray) -> None:
        values[::2] = np.nan

    def even(values: np.ndarray) -> None:
        values[1::2] = np.nan

    mass = weighed(log.time, edited(log, ("attitude", odd), ("r1/thrust", even)))
    truth = log.truth("mass")
    assert truth is not None
    assert mass.status == "known"
    assert abs(float(mass.value) - truth[-1, 0]) < 4.0 * float(mass.std)  # by chance 6e-5


def test_rotors_that_stand_still_throughout_are_refused():
    log = flight(10.0, 3)
    columns = {name: values for name, values in log.columns.items() if name != "r1/thrust"}
    columns |= {f"r1/rpm/{k}": np.zeros(len(log)) for k in range(1, 5)}
    with pytest.raises(BadInput, match="rpm is zero throughout"):
        weighed(log.time, columns)


def test_rows_that_nearly_coincide_do_not_spoil_the_mass():
    """The derivative between two rows 3 µs apart is noise; cubics beside them are lines."""
    log = flight(10.0, 3)
    time, rows = log.time.copy(), np.arange(50, 1000, 50)
    time[rows] = time[rows + 1] - 3e-6

    def noisy(values: np.ndarray) -> None:
        values += 0.05 * np.random.default_rng(1).standard_normal(len(values))

    mass = weighed(time, edited(log, ("r1/thrust", noisy)))
    truth = log.truth("mass")
    assert truth is not None
    assert mass.status == "known"
    assert abs(float(mass.value) - truth[-1, 0]) < 4.0 * float(mass.std)


def test_a_log_without_signals_is_bad_input():
    log = flight(10.0, 3)
    for columns in ({"truth/mass": np.ones(len(log))}, {}):
        with pytest.raises(BadInput):
            weighed(log.time, columns)
