"""The user's path: simulate, identify, read the answer."""

import json
import os
import statistics

import numpy as np
import pytest
from earnest import in_earnest
from scipy import stats

from steelyard import logs
from steelyard.bench import SEEDS, coverage, error_after_steps, identify_steps
from steelyard.worlds import change_times


def test_a_flight_goes_from_simulation_to_json(steelyard, flight_csv):
    code, out, err = steelyard(
        "identify", flight_csv, "--as", "multirotor", "--method", "adaptive", "--json", "--series"
    )
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert set(answer) >= {"problem", "method", "robots", "events", "verdict", "series"}
    mass = answer["robots"]["r1"]["mass"]
    assert set(mass) == {"value", "std", "unit", "frame", "status", "trust", "reasons"}
    assert mass["status"] == "known"
    assert mass["unit"] == "kg"
    truth = logs.read(flight_csv).truth("mass")
    assert truth is not None
    assert abs(mass["value"] - truth[-1, 0]) < 4 * mass["std"]
    series = answer["series"]["r1"]["mass"]
    assert len(series["time"]) == len(series["value"]) == len(series["std"]) == len(truth)
    assert {event["kind"] for event in answer["events"]} == {"change"}
    assert "thrust" in answer["verdict"]


@pytest.fixture(scope="module")
def steps():
    """`identify`, with no configuration at all, on twenty flights with four steps each."""
    return [in_earnest(identify_steps, seed) for seed in SEEDS]


def test_the_mass_is_within_two_per_cent_a_second_after_every_step(steps):
    assert max(map(error_after_steps, steps)) < 0.02  # asked of every step of twenty flights


def test_the_band_covers_the_truth_in_90_to_99_per_cent_of_the_samples(steps):
    # 95 %; if a flight has ten samples whose errors are independent, the mean of twenty flights scatters by 1.5 %.
    assert 0.90 <= statistics.mean(map(coverage, steps)) <= 0.99


def test_the_stated_deviations_are_the_errors(steps):
    """The error lasts for a whole flight, so each flight is one number: chi-square, 99.9 %."""
    z = [float((one["r1"].mass.value - one.truth["mass"].value[-1]) / one["r1"].mass.std) for one in steps]
    low, high = stats.chi2.ppf([0.0005, 0.9995], len(z))
    assert low < np.sum(np.square(z)) < high


def test_every_step_is_an_event_and_nothing_else_is(steps):
    for answer in steps:
        onsets = [event.time for event in answer.events]
        assert len(onsets) == 4
        np.testing.assert_allclose(onsets, change_times("steps", 25.0), atol=0.2)
        sizes = [event.size for event in answer.events]
        np.testing.assert_allclose(sizes, [0.3, -0.4, 0.3, -0.45], atol=0.03)


@pytest.mark.parametrize("method", ["ekf", "ukf", "msckf", "rls"])
def test_the_other_methods_weigh_a_constant_mass_too(steelyard, tmp_path, method):
    flight = tmp_path / "flight.csv"
    steelyard("simulate", "multirotor", "--profile", "constant", "--duration", 8, "-o", flight)
    code, out, _ = steelyard("identify", flight, "--as", "multirotor", "--method", method, "--json")
    mass = json.loads(out)["robots"]["r1"]["mass"]
    assert code == 0
    assert abs(mass["value"] - 1.0) < 4 * mass["std"]
    assert mass["std"] < 0.02  # kg: the two per cent that steps are held to above


def test_help_answers_at_once_and_nothing_heavy_is_loaded(process):
    """Half a second of processor time, where JAX alone takes twice that."""
    before = os.times()
    result = process("--help")
    assert result.returncode == 0
    assert "identify" in result.stdout
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 0.5


def test_demo_leaves_a_log_a_team_and_a_report(process, tmp_path):
    """Every robot's answers against the truth: mass, centre and inertia known, and the change told."""
    done = process("demo", "--output", "demo", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert list(answer["robots"]) == ["r1", "r2", "r3", "r4", "r5"]
    for said in answer["robots"].values():
        assert {said[quantity]["status"] for quantity in ("mass", "com", "inertia")} == {"known"}
        # All robots weigh from the same samples, so this is one draw: five deviations are one in two million.
        assert abs(said["mass"]["value"] - 1.2) < 5 * said["mass"]["std"] < 0.05
    assert {event["robot"] for event in answer["events"] if event["kind"] == "change"} == set(answer["robots"])
    folder = tmp_path / "demo"
    assert (folder / "hold.csv").stat().st_size > 1e6
    assert "[team]" in (folder / "team.toml").read_text()
    page = (folder / "report.html").read_text()
    assert "<html" in page[:2000]
    assert "The load in the first robot" in page


def test_parquet_and_csv_give_the_same_answer(steelyard, flight_csv, tmp_path):
    other = tmp_path / "flight.parquet"
    logs.write(logs.read(flight_csv), other)
    how = ("--as", "multirotor", "--method", "adaptive", "--json")
    answers = [json.loads(steelyard("identify", log, *how)[1]) for log in (flight_csv, other)]
    assert answers[0]["robots"] == answers[1]["robots"]
