"""The reproduction of the spatial paper: what is scored, and how trials become rows."""

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.cli._main import run
from steelyard.estimators import Estimate
from steelyard.geometry import SO3, Inertia
from steelyard.papers.fan17 import _physical_loads as possible
from steelyard.papers.fan17 import _teams as teams
from steelyard.papers.fan17 import fan17_work
from steelyard.papers.fan17._reproduce import rows_of
from steelyard.papers.fan17._results import Results
from steelyard.papers.fan17._scenario import MOMENTS, NAMES, PUBLISHED, RING, SCENARIO, true_pose
from steelyard.papers.fan17._score import score
from steelyard.papers.fan17._teams import cases_of
from steelyard.papers.fan17._trials import Trial, latest
from steelyard.worlds import spatial_truth

AT = 0.3


@pytest.fixture(scope="module")
def truth():
    return spatial_truth(dataclasses.replace(SCENARIO, duration=0.5, drop_share=0.0), 0)


def said_of(truth, name, off=0.0, turn=0.0, std=0.01, known=True):
    """A robot that is off by as much in every number, and turned by an angle about x in every pose."""
    i, row = NAMES.index(name), round(AT * SCENARIO.rate)
    estimates = {
        "mass": (truth.mass[row] + off, 1),
        "com": (truth.com[row, i] + off, 3),
        "inertia": (truth.inertia[row, i] + off, 9),
    }
    for other in RING.neighbours(name):
        R, t = true_pose(truth, i, NAMES.index(other))
        q = (SO3.from_matrix(jnp.asarray(R)) @ SO3.from_x_radians(turn)).wxyz
        estimates[f"pose/{other}"] = (np.concatenate([t + off, np.asarray(q)]), 6)
    if not known:
        return {what: Estimate.unknown("not-yet-known", "", name, AT) for what in estimates}
    return {
        what: Estimate(np.asarray(v), std**2 * np.eye(n), "", name, AT, "known") for what, (v, n) in estimates.items()
    }


def test_a_robot_that_knows_the_truth_has_no_error(truth):
    found = score(said_of(truth, "r2"), truth, "r2", AT)
    assert all(abs(error) < 1e-7 for error in found.errors.values())  # an angle from its cosine: the root of rounding
    assert all(all(held) for held in found.covered.values())
    assert {what: len(held) for what, held in found.covered.items()} == {"mass": 1, "com": 3, "inertia": 6, "pose": 12}


def test_errors_are_norms_in_the_units_they_say(truth):
    errors = score(said_of(truth, "r4", off=0.03, turn=0.02), truth, "r4", AT).errors
    root = math.sqrt(3.0)
    assert errors["mass"] == pytest.approx(100 * 0.03 / 2.0)
    assert errors["com"] == pytest.approx(0.03 * root)
    assert errors["inertia"] == pytest.approx(0.09)
    assert errors["inertia/entry"] == pytest.approx(0.03)
    assert errors["position"] == pytest.approx(0.03 * root)
    assert errors["rotation"] == pytest.approx(0.02, rel=1e-6)


def test_covariances_are_judged_by_what_they_cover_and_by_squares(truth):
    good, bad = (score(said_of(truth, "r1", off=0.01, turn=0.01, std=std), truth, "r1", AT) for std in (0.01, 0.002))
    assert good.nees["com"] == pytest.approx(1.0)
    assert all(good.covered["com"])
    assert bad.nees["com"] == pytest.approx(25.0)
    assert not any(bad.covered["com"])


def test_the_latest_word_is_of_no_later_time(truth):
    history = [said_of(truth, "r1", off=off) for off in (0.0, 1.0, 2.0)]
    history = [
        {what: dataclasses.replace(one, time=0.1 * k) for what, one in estimates.items()}
        for k, estimates in enumerate(history)
    ]
    assert latest(history, 0.15)["mass"].value == pytest.approx(3.0)
    assert latest(history, 0.2)["mass"].value == pytest.approx(4.0)


def trial_of(truth, off, delay=0.2, known=True):
    def scores(error, known=True):
        each = {name: score(said_of(truth, name, off=error, known=known), truth, name, AT) for name in NAMES}
        return dict.fromkeys(MOMENTS, each)

    quantities = scores(0.0)[8.0]["r1"].errors
    bounds = dict.fromkeys(MOMENTS, dict.fromkeys(NAMES, dict.fromkeys(quantities, 0.5)))
    return Trial(scores(2 * off), scores(off, known), bounds, dict.fromkeys(NAMES, delay), 0)


def test_rows_are_rms_at_the_worst_robot_and_empty_where_a_trial_did_not_know(truth):
    results = Results([trial_of(truth, 0.01), trial_of(truth, 0.02, delay=0.4)])
    rows = {row.quantity: row for row in rows_of(results)}
    rms = math.sqrt((0.01**2 + 0.02**2) / 2)
    assert rows["mass at 50 s"].steelyard == pytest.approx(100 * rms / 2.0)
    assert rows["mass at 50 s"].paper_method == pytest.approx(2 * 100 * rms / 2.0)
    assert rows["mass at 50 s"].bound == pytest.approx(0.5)
    assert rows["mass at 50 s"].published == pytest.approx(100 * (1 - 1.196 / 1.2))
    assert rows["event after the change"].steelyard == pytest.approx(0.4)
    assert {(q, at) for q, at in PUBLISHED} <= {tuple(_split(name)) for name in rows if " at " in name}
    blind = Results([trial_of(truth, 0.01), trial_of(truth, 0.01, delay=math.inf, known=False)])
    rows = {row.quantity: row for row in rows_of(blind)}
    assert rows["com at 20 s"].steelyard is None
    assert rows["com at 20 s"].paper_method is not None
    assert rows["event after the change"].steelyard is None
    assert blind.known("ours", "com", 20.0) == 0.5


def test_teams_are_judged_beside_one_who_has_everybodys_data(capsys):
    """The ratio is of the robot that loses most by talking, and a robot that did not know leaves a row empty."""
    known = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    worse = known * np.array([[1.0, 1.0, 1.0], [1.1, 1.0, 2.0]])
    line, *_, both = cases_of([2])
    trials = [teams.Trial(worse, known, 5.0, 1.0), teams.Trial(known, known, 7.0, 3.0)]
    share = [math.sqrt((1.1**2 + 1) / 2), 1.0, math.sqrt((2.0**2 + 1) / 2)]
    np.testing.assert_allclose(teams.ratios(trials), share)
    blind = [teams.Trial(np.full((5, 3), np.nan), np.ones((5, 3)), 5.0, 1.0)]
    rows = {row.quantity: row for row in teams.rows_of({line: trials, both: blind})}
    assert rows["team/line/2/mass"].steelyard == pytest.approx(share[0])
    assert rows["team/line/2/mass"].bound == pytest.approx(1.0)
    assert rows["team/line/2/sent"].steelyard == 7.0
    assert rows["team/line/2/step"].steelyard == 2.0
    assert rows["team/ring/5/both/com"].steelyard is None
    assert fan17_work(3, 7, 2, [2, 10]) == 3 + 7 + 2 * (2 * 3 + 3)
    assert run(["reproduce", "fan17", "--team-sizes", "2", "1"]) == 2
    assert "--team-sizes has 1" in capsys.readouterr().err


def test_reported_loads_are_checked_to_be_possible():
    """An impossible one is counted; a noisy run reports none."""
    found = [possible.brief_trial(3), possible.BriefTrial(2, -1e-3)]
    assert found[0].loads > 10
    assert found[0].least > 0.0
    impossible, loads = possible.rows_of(found)
    assert impossible.steelyard == 1.0
    assert loads.steelyard == found[0].loads + 2


def _box(mass):
    return Inertia(jnp.array(mass), jnp.zeros(3), mass / 12.0 * jnp.array([0.13, 0.20, 0.25, 0.0, 0.0, 0.0]))


def _split(name):
    quantity, at = name.removesuffix(" s").split(" at ")
    return quantity, float(at)
