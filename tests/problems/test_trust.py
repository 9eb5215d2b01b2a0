"""What is not believed is not known: reasons of every answer, as data."""

import dataclasses
import json

import numpy as np
import pytest

from steelyard.estimators import Estimate, Reason, Trust
from steelyard.problems import Event, Identification, Innovations, Series
from steelyard.problems._trust import TUNING, doubted, innovation_correlation, judged, robots_that_use

ROWS = 2000
TIME = 0.01 * np.arange(ROWS)


def answer(value=1.0, std=0.01, innovations=None, events=(), trust=None, **more) -> Identification:
    estimates = {"mass": Estimate.known(value, std, "kg", None, TIME[-1]), **more}
    series = {"mass": Series(TIME, np.full(ROWS, 1.0), np.full(ROWS, 0.01), "kg")}
    found = {} if innovations is None else {"r1": Innovations(TIME, ("a", "b"), innovations, np.ones((ROWS, 2)))}
    return Identification(
        "multirotor", "ekf", "a log", {"r1": estimates}, events, "Fine.", (), {"r1": series}, found, trust=trust or {}
    )


def white(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((ROWS, 2))


def test_a_consistent_answer_stays_known():
    mass = judged(answer(innovations=white())).robots["r1"]["mass"]
    assert (mass.status, mass.trust.level) == ("known", "believed")


@pytest.mark.parametrize(
    ("innovations", "code"),
    [(1.5 * white(), "misfit"), (np.repeat(white()[::20], 20, axis=0), "coloured")],
    ids=["too far off", "correlated over a fifth of a second"],
)
def test_innovations_of_an_inconsistent_filter_make_an_answer_doubtful(innovations, code):
    found = judged(answer(innovations=innovations))
    mass = found.robots["r1"]["mass"]
    assert (mass.status, mass.value, float(mass.doubtful_value)) == ("doubtful", None, 1.0)
    assert code in {reason.code for reason in mass.trust.reasons}
    assert found.verdict.startswith(f"Doubtful: {mass.trust.reasons[0].sentence}")  # before what the method says


def test_readings_without_anything_in_common_with_the_model_are_no_number():
    mass = judged(answer(innovations=20.0 * white())).robots["r1"]["mass"]
    assert (mass.status, mass.value, mass.doubtful_value) == ("failed", None, None)


def test_further_reasons_come_before_those_that_a_verdict_has():
    found = judged(answer(innovations=1.5 * white()))
    first = found.robots["r1"]["mass"].trust.reasons[0].sentence
    again = doubted(found, {"r1": (Reason("unit", "Nothing states the unit."),)})
    assert again.verdict.startswith(f"Doubtful: Nothing states the unit. {first}")
    assert again.verdict.count("Doubtful:") == 1
    assert again.verdict.count("If this did not matter:") == 1


@pytest.mark.parametrize(
    ("problem", "robots", "used_by"),
    [
        ("multirotor", ("r1", "r2"), ("r1",)),
        ("spatial-load", ("r1", "r2"), ("r1", "r2")),  # one load: what one robot measures is in everybody's answer
        ("cart.py", ("cart",), ("cart",)),  # a robot of the user's own reads columns of another name
    ],
)
def test_whose_answers_hang_on_what_a_robot_logged(problem, robots, used_by):
    found = dataclasses.replace(answer(), problem=problem, robots={robot: {} for robot in robots})
    assert robots_that_use(found, "r1") == used_by


def test_white_innovations_are_hardly_ever_correlated():
    """A hundred draws: the correlation over ten rows has a standard deviation of 1 / sqrt(2 rows), limit 25 of them."""
    found = [
        innovation_correlation(Innovations(TIME, ("a", "b"), white(seed), np.ones((ROWS, 2))), TUNING.correlation_lag)
        for seed in range(100)
    ]
    assert max(found) < 5.0 / np.sqrt(2 * ROWS) < TUNING.doubtful_correlation


def test_more_changes_than_any_load_has_are_doubted():
    events = [Event(0.5 * k, "change", "r1", "mass", "", (-1.0) ** k) for k in range(40)]
    mass = judged(answer(innovations=white(), events=events)).robots["r1"]["mass"]
    assert [reason.code for reason in mass.trust.reasons] == ["events"]


def test_negative_drag_and_negative_mass_are_not_known():
    drag = Estimate.known(-0.3, 0.02, "N s/m", None, TIME[-1])
    found = judged(answer(innovations=white(), drag=drag)).robots["r1"]
    assert (found["drag"].status, found["mass"].status) == ("doubtful", "known")
    assert judged(answer(value=-1.0)).robots["r1"]["mass"].status == "failed"


def test_what_is_not_finite_has_failed():
    assert judged(answer(value=np.nan)).robots["r1"]["mass"].status == "failed"
    assert judged(answer(std=np.inf)).robots["r1"]["mass"].status == "failed"


def test_a_reason_may_concern_one_quantity_only():
    com = Estimate.known(np.zeros(3), np.full(3, 0.01), "m", "r1", TIME[-1])
    trust = {"r1": Trust((Reason("tilt", "The centre is seen from one side only.", quantities=("com",)),))}
    found = judged(answer(trust=trust, com=com)).robots["r1"]
    assert (found["com"].status, found["mass"].status) == ("doubtful", "known")


def test_json_has_trust_reasons_and_the_doubtful_number():
    found = judged(answer(innovations=1.5 * white())).to_dict()["robots"]["r1"]["mass"]
    found = json.loads(json.dumps(found))
    assert (found["value"], found["std"], found["status"], found["trust"]) == (None, None, "doubtful", "doubtful")
    assert (found["doubtful_value"], found["doubtful_std"]) == (1.0, pytest.approx(0.01))
    assert found["reasons"][0]["code"] == "misfit"
    assert found["reason"] == found["reasons"][0]["sentence"]


def test_nothing_known_is_seen_and_sensor_errors_do_not_count():
    offset = Estimate.known(np.zeros(3), np.ones(3), "N", "r1", TIME[-1])
    found = judged(answer(innovations=1.5 * white()))
    assert judged(answer(innovations=white())).knows_something
    assert not Identification(
        "rigid-body", "m", "o", {"r1": {"mass": found.robots["r1"]["mass"], "offset/wrench/force": offset}}, (), ""
    ).knows_something


def test_methods_that_contradict_each_other_are_doubted_and_a_fresh_change_is_none():
    found = answer(value=1.0, std=0.01, innovations=white())
    assert judged(found, rough={"r1": (1.02, 0.01)}).robots["r1"]["mass"].status == "known"
    mass = judged(found, rough={"r1": (1.2, 0.01)}).robots["r1"]["mass"]
    assert (mass.status, [reason.code for reason in mass.trust.reasons]) == ("doubtful", ["methods"])
    late = answer(innovations=white(), events=[Event(TIME[-1] - 1.0, "change", "r1", "mass", "", -0.2)])
    assert judged(late, rough={"r1": (1.2, 0.01)}).robots["r1"]["mass"].status == "known"
