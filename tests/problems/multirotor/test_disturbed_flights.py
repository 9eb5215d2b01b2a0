"""Flights with what models lack: intervals hold, changes are found, nothing else is; short logs; the causal series."""

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.bench.drone import disturbed_flight, perfect_flight, summary_of
from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._smoothed import smoothed
from steelyard.worlds import MultirotorScenario, simulate
from steelyard.worlds.multirotor import draw_disturbances, fly_disturbed


def log_of(columns: dict[str, np.ndarray], *without: str) -> Log:
    columns = {name: value for name, value in columns.items() if not any(w in name for w in without)}
    return Log(columns.pop("time"), columns, "flight")


def whole(log: Log):
    return smoothed(read_flight_record(log.without_truth(), "r1", Config()), Config())


def test_disturbed_flights_are_within_their_intervals_and_changes_are_noticed():
    """Six flights, every second one with a change of 10 %. Four deviations in six are a chance below 1 in 2000."""
    flights = [in_earnest(disturbed_flight, 60.0, 2, seed) for seed in range(10, 16)]
    summary = summary_of("disturbed", flights)
    known = [one for one in flights if one["value"] is not None]
    assert len(known) >= 4
    assert all(abs(one["value"] - one["true"]) < 4.0 * one["std"] for one in known)
    assert summary.false_changes == 0
    assert summary.missed == 0
    assert summary.median_delay is not None
    assert summary.median_delay < 0.5


def test_white_noise_is_no_coloured_error():
    """In this flight a coloured error is likelier than white noise alone, by a ratio of 12.5, as in one of 80."""
    flight = in_earnest(perfect_flight, 25.0, 1002)
    assert flight["std"] < 1.5 * flight["bound"]
    assert abs(flight["value"] - flight["true"]) < 3.0 * flight["std"]


def test_summaries_count_what_was_inside():
    flights = [in_earnest(perfect_flight, 25.0, 3)]
    row = summary_of("perfect", [flights[0], flights[0] | {"value": 2.0}])
    assert row.coverage == 0.5
    assert row.flights == row.known == 2


@pytest.mark.parametrize("seconds", [9.0, 14.0])
def test_short_disturbed_flights_have_no_change_and_hold_the_truth(seconds: float):
    """Too short for a ramp: the whole-log method answers, and no gust is a change."""
    for seed in (3, 5, 11):
        columns = in_earnest(fly_disturbed, draw_disturbances(seed, False, seconds), seconds, seed)
        found = in_earnest(identify, log_of(columns, "rpm"), "multirotor")
        assert found.method == "smoothed"
        assert not [event for event in found.events if event.kind == "change"]
        mass = found["r1"].mass
        if mass.value is not None:
            true = columns["truth/mass"][-1] / columns["truth/thrust_scale"][-1]
            assert abs(mass.value - true) < 4 * mass.std


def test_a_short_flight_in_which_mass_flows_is_read_online():
    log = log_of(in_earnest(simulate, MultirotorScenario(profile="ramp", duration=12.0), 1), "throttle")
    assert in_earnest(identify, log, "multirotor").method == "adaptive"


def test_the_causal_series_knows_a_step_only_after_it():
    """Before the step the old mass, within half a second the new one; at the end the answer of the whole log."""
    log = log_of(in_earnest(simulate, MultirotorScenario(profile="step-down"), 2), "throttle")
    whole = in_earnest(identify, log, "multirotor", None, "smoothed")
    causal = in_earnest(identify, log, "multirotor", None, "causal")
    series, time = causal.series["r1"]["mass"], np.asarray(log.time)
    assert np.isnan(series.value[0])
    assert series.value[(time > 5.0) & (time < 12.4)] == pytest.approx(1.0, abs=0.02)
    assert series.value[time > 14.0] == pytest.approx(0.7, abs=0.02)
    assert series.std[time < 12.0][-1] > whole.series["r1"]["mass"].std[time < 12.0][-1]
    assert causal["r1"].mass.value == pytest.approx(float(whole["r1"].mass.value), rel=1e-3)


def test_rows_on_the_ground_do_not_count():
    """Two seconds at a fifth of the thrust before take-off, and one after landing: the same mass as without them."""
    columns = in_earnest(simulate, MultirotorScenario(profile="constant"), 5)
    log = log_of(columns, "throttle")
    flown = in_earnest(whole, log).mass[-1]
    before, after = 200, 100
    rows = {
        name: np.concatenate([np.full(before, column[0]), column, np.full(after, column[-1])])
        for name, column in log.columns.items()
    }
    ground = np.r_[np.ones(before, bool), np.zeros(len(log), bool), np.ones(after, bool)]
    rows["r1/thrust"][ground] = 2.0
    for axis in "xyz":
        rows[f"r1/linear_velocity/{axis}"][ground] = 0.0
    found = in_earnest(whole, Log(0.01 * np.arange(len(ground)), rows, "ground"))
    assert found.mass[-1] == pytest.approx(flown, rel=2e-3)
    assert not [piece for piece in found.fit.unknowns.pieces if piece[0] != "level"]
