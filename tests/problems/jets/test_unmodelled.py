"""What the model of a robot on jets lacks: its size is told, and it speaks against the answers it moves."""

import numpy as np
import pytest

from steelyard.bench.faults import TRIED
from steelyard.bench.faults._jets import clean_jets, standing_config
from steelyard.problems import identify
from steelyard.problems.jets import estimate_thrusts, robot_from
from steelyard.problems.jets._unmodelled import error_rates, errors_of
from steelyard.problems.preflight._base import base_findings


@pytest.fixture(scope="module")
def log():
    return clean_jets(7)


def faulty(log, name, strength="mild"):
    fault = next(one for one in TRIED["jets"].faults if one.name == name)
    return fault.strengths[strength](log, np.random.default_rng(1))


def told(log):
    """Size and deviation of everything that is looked for."""
    one = estimate_thrusts(log.without_truth(), "r1", robot_from(standing_config()), standing_config())
    score, information = (np.asarray(x)[-1] for x in (one.track.unmodelled.score, one.track.unmodelled.information))
    return score / information, 1.0 / np.sqrt(information)


def test_there_is_a_rate_for_each_sentence_and_a_clean_log_shows_none(log):
    one = estimate_thrusts(log.without_truth(), "r1", robot_from(standing_config()), standing_config())
    assert error_rates(one.record).shape == (len(log), 6, len(errors_of(one.robot.feet)))
    size, std = told(log)
    assert np.max(np.abs(size) / std) < 4.0  # by chance once in 16,000
    assert identify(log, "jets", standing_config()).robots["r1"]["mass"].status == "known"


def test_late_feet_are_told_with_their_delay(log):
    size, std = told(faulty(log, "feet late"))
    assert size[1] > 6.0 * std[1]  # by chance once in a thousand million
    assert size[1] == pytest.approx(0.03, abs=0.012)
    mass = identify(faulty(log, "feet late"), "jets", standing_config()).robots["r1"]["mass"]
    assert mass.status == "doubtful"
    assert "late" in mass.trust.reasons[0].sentence


def test_a_velocity_that_drifts_against_the_position_is_told_before_the_estimate(log):
    mass = identify(faulty(log, "velocity drifts"), "jets", standing_config()).robots["r1"]["mass"]
    assert mass.trust.reasons[0].code == "velocity-drift"


@pytest.mark.parametrize(
    ("name", "code"),
    [("attitude inverse", "rates-sign"), ("rates in degrees", "rates-scale"), ("attitude late", "late")],
)
def test_rates_and_attitude_that_contradict_each_other_are_told_before_the_estimate(log, name, code):
    assert base_findings(log, "r1") == []
    assert [one.code for one in base_findings(faulty(log, name, "strong"), "r1")] == [code]
