"""What is said of teams beyond the papers, and the centralised answer they are held to."""

import math

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.cli._reproduce import run
from steelyard.errors import BadInput
from steelyard.papers.planar import _teams as teams
from steelyard.papers.planar._centralised import centralised
from steelyard.worlds import PlanarScenario, planar_truth


def trial(*errors, central=(0.01, 0.02, 0.03), noticed=()):
    return teams.Trial(np.array(errors), np.array([central] * len(errors)), 50.0, noticed)


def test_the_centralised_answer_to_exact_data_is_the_truth():
    """From a first guess that is off by a tenth; what is left is the midpoint rule against MuJoCo."""
    truth = planar_truth(PlanarScenario(duration=4.0, rate=50.0, spin=1.0), 1)
    before = np.concatenate([truth.forces[:1], truth.forces[:-1]])
    start = truth.state_at(0)
    off = type(start)(**{**vars(start), "log_mass": start.log_mass + 0.1, "log_inertia": start.log_inertia - 0.1})
    dt = np.diff(truth.time, prepend=truth.time[:1])
    found = centralised(off, dt, 0.5 * (before + truth.forces), truth.contact_velocities)
    assert float(found.log_mass) == pytest.approx(math.log(5.0), abs=1e-4)
    assert float(found.log_inertia) == pytest.approx(float(start.log_inertia), abs=1e-3)


def test_every_robot_ends_with_the_centralised_answer_over_a_bad_radio():
    """Losses and delays cost time; in the end what is left is a tenth of a deviation: a sample, and rows of four."""
    found = in_earnest(teams.team_trial, teams.DISTURBED[2], 0)
    one_deviation = 0.002  # the bound, of m and of J
    assert np.abs(found.errors - found.central)[:, :2].max() < 0.1 * one_deviation
    assert found.errors[:, 2].max() < 0.02


def test_rows_hold_the_worst_robot_to_the_centralised_answer():
    case = teams.Case("5 robots, ring", 5, "ring")
    pushes = [trial((0.01, 0.0, 0.0), (0.03, 0.02, 0.0)), trial((0.01, 0.0, 0.0), (0.04, 0.02, 0.0))]
    mass, inertia, com, apart, _, sent = teams.size_rows(case, pushes)
    assert (mass.quantity, sent.quantity) == ("team/ring/5/mass", "team/ring/5/sent")
    assert apart.quantity == "team/ring/5/mass/apart"
    assert apart.steelyard == pytest.approx(100.0 * math.sqrt((2.0**2 + 3.0**2) / 2.0))
    assert mass.steelyard == pytest.approx(100.0 * math.sqrt((0.03**2 + 0.04**2) / 2.0))
    assert (mass.bound, inertia.bound, com.bound) == (pytest.approx(1.0), pytest.approx(2.0), pytest.approx(3.0))


def test_findings_say_what_a_disturbance_costs_and_how_late_a_change_is_noticed():
    found = {
        teams.Case("8 robots, line", 8): [trial((0.011, 0.02, 0.06))],
        teams.UNDISTURBED: [trial((0.01, 0.02, 0.03))],
        teams.DISTURBED[0]: [trial((0.011, 0.03, 0.03))],
        teams.DROPPED: [trial((0.001, -0.004, 0.1), noticed=(0.5, 0.7))],
    }
    size, lost, dropped = teams.conclude(found)
    assert "1.10 (m), 1.00 (J) and 2.00 (centre of mass)" in size
    assert "10 % (m) and 0 % (J) of an error away" in size
    assert "+10 % (m)" in lost
    assert "+50 % (J)" in lost
    assert "after 0.70 s" in dropped
    assert "0.40 %" in dropped


def test_the_last_robot_of_a_case_that_leaves_is_not_asked():
    assert [case.there for case in teams.DISTURBED] == [4, 4, 4, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--team-trials", "-1"), "--team-trials is -1"), (("--team-sizes", "8", "2"), "--team-sizes has 2")],
)
def test_teams_that_cannot_be(arguments, words):
    with pytest.raises(BadInput, match=words):
        run(["icra15", *arguments])
