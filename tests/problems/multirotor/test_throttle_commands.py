"""Weighing from commands: the motors' lag is found beside drag and mass, and what the bench's map is worth."""

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.config import Config, Guess, Multirotor
from steelyard.logs import Log
from steelyard.models import common_rotor_bench
from steelyard.problems import identify
from steelyard.problems.multirotor._reading import throttle_thrust
from steelyard.worlds import SesameScenario, fly_sesame

BENCH = tuple(float(4 * thrust) for thrust in common_rotor_bench().thrusts)


@pytest.fixture(scope="module")
def lemniscate() -> Log:
    columns = dict(in_earnest(fly_sesame, SesameScenario("lemniscate", "step-down", 1), 11))
    return Log(columns.pop("time"), columns, "lemniscate")


def weigh(log: Log, **own):
    return in_earnest(identify, log, "multirotor", Config(guess=Guess(mass=1.0), multirotor=Multirotor(**own)))


def settled_bias(log: Log, found) -> float:
    late = np.asarray(log.time) > 7.5
    truth = log.truth("mass")
    assert truth is not None
    return float(np.mean(found.series["r1"]["mass"].value[late] / truth[late, 0] - 1.0))


def test_mass_drag_and_lag_are_told_apart_on_saturated_inputs(lemniscate):
    """Truth: 0.7 kg at the end, 0.3 N s/m, 0.08 N s²/m², 50 ms; each within four of its standard deviations."""
    found = weigh(lemniscate, throttle_map=BENCH)
    answers = found.robots["r1"]
    for name, truth in (("mass", 0.7), ("drag", 0.3), ("drag/quadratic", 0.08), ("motor_lag", 0.05)):
        estimate = answers[name]
        assert estimate.status == "known", name
        assert abs(estimate.value - truth) < 4 * estimate.std, name
    assert answers["mass"].std < 0.01
    (event,) = found.events
    assert event.time == pytest.approx(6.0, abs=0.2)
    assert event.noticed is not None
    assert event.noticed - 6.0 < 0.3
    assert event.size == pytest.approx(-0.3, abs=0.02)


def test_a_stated_lag_is_taken_and_no_lag_means_none(lemniscate):
    stated, none = (weigh(lemniscate, throttle_map=BENCH, motor_lag=lag) for lag in (0.05, 0.0))
    assert "motor_lag" not in stated.robots["r1"]
    assert abs(settled_bias(lemniscate, stated)) < 0.01  # three times the 0.3 % RMS of a settled flight
    # Without it the mass is no better, and the innovations say that something is missing.
    assert "motor_lag" not in none.robots["r1"]
    squares = [np.nanmean((one.innovations["r1"].value / one.innovations["r1"].std) ** 2) for one in (stated, none)]
    assert abs(squares[0] - 1.0) < 0.1  # a variance: deviations are right to 5 %


def test_without_the_map_the_mass_is_off_by_what_the_rotors_lose(lemniscate):
    """A throttle that gives 1 % less than was asked looks like 1 % more mass: the bias is the loss, here 0.5 to 2 %."""
    known, withheld = weigh(lemniscate, throttle_map=BENCH), weigh(lemniscate, commanded=True)
    assert 0.004 < settled_bias(lemniscate, withheld) - settled_bias(lemniscate, known) < 0.02
    assert "relative to the thrust" in withheld.verdict


def test_a_map_wins_over_a_logged_thrust(lemniscate):
    assert any("throttle" in note for note in weigh(lemniscate, throttle_map=BENCH).notes)
    assert not any("throttle" in note for note in weigh(lemniscate, commanded=True).notes)


def test_a_coarse_map_of_a_square_law_is_followed_to_a_thousandth():
    """Straight lines through eleven points of a square are 0.4 % too high at half throttle, on average."""
    table = tuple(40.0 * np.linspace(0.0, 1.0, 11) ** 2)
    throttle = np.linspace(30.0, 90.0, 601)
    found = throttle_thrust(throttle[:, None], Config(multirotor=Multirotor(throttle_map=table)))
    np.testing.assert_allclose(found, 40.0 * (throttle / 100.0) ** 2, rtol=1e-3)
