"""The planar papers by their commands: without noise to a thousandth, with noise where the paper landed.

In processes of their own: there nothing checks types at run time, and two papers run at once.
"""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from steelyard.papers.planar._bound import attainable
from steelyard.papers.planar._load import Moment
from steelyard.papers.planar._observer import observed_error
from steelyard.papers.planar._scenario import NAMES
from steelyard.papers.planar._score import errors_of, worst, z_c_error
from steelyard.worlds import PlanarScenario, planar_truth

COMMANDS = {
    "cdc14": ("cdc14", "--report", "cdc14.html"),
    "icra15": ("icra15", "--trials", "1", "--observer-trials", "1", "--report", "icra15.html"),
}


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """What each command printed, and the folder with its page."""
    folder = tmp_path_factory.mktemp("papers")
    env = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}  # a whole program is optimised
    started = {
        paper: subprocess.Popen(
            [sys.executable, "-m", "steelyard", "reproduce", *arguments, "--json"],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for paper, arguments in COMMANDS.items()
    }
    found = {}
    try:
        for paper, process in started.items():
            out, complaint = process.communicate(timeout=300)
            assert process.returncode == 0, complaint
            found[paper] = json.loads(out)
    finally:
        for process in started.values():
            process.kill()  # where the other one failed; of one that has ended this is nothing
    return found, folder


def rows(reproduced, paper):
    return {row["quantity"]: row for row in reproduced[0][paper]["rows"]}


def test_without_noise_every_quantity_is_known_to_a_thousandth_at_every_robot(reproduced):
    found = rows(reproduced, "cdc14")
    assert set(found) == {"inertia", "mass", "distance", "com", "contact"}
    assert all(row["unit"] == "%" and row["paper_method"] < 0.1 for row in found.values())  # %: a thousandth
    assert all(found[quantity]["steelyard"] < 0.1 for quantity in set(found) - {"distance"})  # %


def test_with_noise_the_papers_method_lands_where_the_paper_did(reproduced):
    """J within 1 %, m within 5 %, z_c within 0.1 m."""
    found = rows(reproduced, "icra15")
    assert found["inertia"]["published"] == pytest.approx(0.34, abs=0.01)
    assert found["mass"]["published"] == pytest.approx(2.97, abs=0.01)
    assert found["inertia"]["paper_method"] < 1.0
    assert found["mass"]["paper_method"] < 5.0
    assert max(found[f"z_c/{axis}"]["paper_method"] for axis in "xy") < 0.1
    assert all(found[q]["bound"] > 0.0 for q in ("inertia", "mass", "z_c/x", "z_c/y", "com/x", "com/y"))


def test_ours_is_within_four_deviations_of_the_truth(reproduced):
    """One trial: a Gaussian error leaves four of its least standard deviations once in 16,000."""
    found = rows(reproduced, "icra15")
    for quantity in ("inertia", "mass", "z_c/x", "z_c/y", "com/x", "com/y"):
        assert found[quantity]["steelyard"] < 4.0 * found[quantity]["bound"], quantity


@pytest.mark.parametrize("paper", COMMANDS)
def test_the_page_shows_the_figures_and_the_load(reproduced, paper):
    page = (reproduced[1] / f"{paper}.html").read_text()
    for words in ("Distance from r1 to r2", "Moment of inertia J", "Angular velocity", "Mass m", "The load from above"):
        assert words in page


def test_the_observer_without_noise_finds_the_middle_of_the_contacts():
    """On a load that turns under one slow sinusoid of each robot; what is left is the lag of sampling."""
    push = PlanarScenario(duration=60.0, spin=2.0, inertia=8.6891)
    truth = planar_truth(push, 3)
    assert np.sqrt(observed_error(truth, truth.angular_velocity).sum()) < 0.05


def test_the_bound_shrinks_with_the_noise_and_does_not_depend_on_where_the_world_points():
    truth = planar_truth(PlanarScenario(duration=5.0, rate=20.0, spin=1.0), 1)
    wide, narrow = attainable(truth, 0.2), attainable(truth, 0.1)
    assert wide.mass == pytest.approx(2.0 * narrow.mass, rel=1e-6)
    np.testing.assert_allclose(wide.com, 2.0 * narrow.com, rtol=1e-6)
    assert (wide.z_c < wide.com.max(axis=0)).all()


def test_errors_of_the_truth_are_none_and_of_silence_are_unknown():
    from steelyard.estimators import Estimate

    moment = Moment(0.7, 1.0, 0j)
    arms = moment.arms

    def vector(z):
        return Estimate.known([z.real, z.imag], [1.0, 1.0], "m", "world", 0.0)

    estimates = {
        "mass": Estimate.known(5.0, 1.0, "kg", None, 0.0),
        "inertia": Estimate.known(8.0, 1.0, "kg m²", None, 0.0),
    }
    estimates |= {"com": vector(-arms["r1"]), "contact/r2": vector(arms["r2"] - arms["r1"])}
    found = errors_of(estimates, "r1", 8.0, moment)
    assert max(map(abs, found.values())) < 1e-12  # rounding
    assert abs(z_c_error(dict.fromkeys(NAMES, found))) < 1e-12
    silent = errors_of(estimates | {"mass": Estimate.unknown("not-yet-known", "kg", None, 0.0)}, "r1", 8.0, moment)
    assert math.isnan(silent["mass"])
    assert worst({"r1": [silent]}, "mass") is None
