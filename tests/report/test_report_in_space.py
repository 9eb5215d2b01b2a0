"""The load in 3D: ellipsoids that have the inertia they stand for, in a frame that all beliefs share."""

import dataclasses
import json
import re

import browser
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from steelyard.estimators import Estimate
from steelyard.problems import Identification, Series
from steelyard.report import PLOTTING, Section, write_page
from steelyard.report._picture_in_space import ellipsoid
from steelyard.report._sections import in_space

MASS, AXES = 2.0, np.array([0.6, 0.45, 0.3])
"""kg, and semi-axes of an even ellipsoid, m."""
TURN = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix()
INERTIA = TURN @ np.diag(MASS / 5.0 * (np.sum(AXES**2) - AXES**2)) @ TURN.T
COM = np.array([0.1, 0.2, -0.1])
R_12, T_12 = Rotation.from_rotvec([1.0, 0.2, -0.4]).as_matrix(), np.array([0.5, -0.3, 0.2])


def identification(known=True) -> Identification:
    """Two robots that know everything exactly, r1's frame the picture's."""
    quaternion = np.roll(Rotation.from_matrix(R_12).as_quat(), 1)
    seen = {"r1": (COM, INERTIA), "r2": (R_12.T @ (COM - T_12), R_12.T @ INERTIA @ R_12)}
    robots = {
        name: {
            "mass": Estimate.known(MASS, 0.01, "kg", None, 1.0),
            "com": Estimate.known(com, np.full(3, 0.01), "m", name, 1.0),
            "inertia": Estimate.known(inertia, np.full((3, 3), 0.01), "kg m²", name, 1.0)
            if known
            else Estimate.unknown("not-yet-known", "kg m²", name, 1.0),
        }
        for name, (com, inertia) in seen.items()
    }
    robots["r1"]["pose/r2"] = Estimate(np.concatenate([T_12, quaternion]), 1e-4 * np.eye(6), "m", "r1", 1.0, "known")
    moments = INERTIA[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    truth = {
        name: Series(np.zeros(1), value[None], np.zeros_like(value)[None], "")
        for name, value in (("mass", np.array([MASS])), ("r1/com", COM), ("r1/inertia", moments))
    }
    return Identification("spatial-load", "consensus", "log", robots, [], "Known.", truth=truth)


def test_an_ellipsoid_is_the_body_it_stands_for():
    drawn = np.array([ellipsoid(MASS, COM, INERTIA, "load", 0)[axis] for axis in "xyz"], float).T
    local = (drawn[np.isfinite(drawn[:, 0])] - COM) @ TURN
    np.testing.assert_allclose(np.sum((local / AXES) ** 2, axis=1), 1.0, atol=2e-3)  # rounded to 0.1 mm


def traces(picture):
    return json.loads(re.search(r'class="plot-data">(.*?)</script>', picture, re.S)[1])["data"]


def test_beliefs_and_truth_are_drawn_in_the_first_robots_frame():
    picture = in_space(identification())
    assert picture is not None
    found = {trace["name"]: np.array([trace[axis] for axis in "xyz"], float) for trace in traces(picture)}
    assert set(found) >= {"r1", "r2", "the load as it is", "the load by r1", "the load by r2"}
    np.testing.assert_allclose(found["r2"][:, 0], T_12, atol=1e-4)
    for name in ("r1", "r2"):
        np.testing.assert_allclose(found[f"centre of mass by {name}"][:, 0], COM, atol=1e-4)
        same = found[f"the load by {name}"]
        # The same body: as far along every direction, whichever way its lines run.
        for direction in np.eye(3):
            reach = np.nanmax(direction @ same), np.nanmax(direction @ found["the load as it is"])
            assert reach[0] == pytest.approx(reach[1], abs=0.03)


def test_nothing_is_drawn_of_what_nobody_knows_or_what_is_no_such_load():
    assert in_space(identification(known=False)) is None
    assert in_space(dataclasses.replace(identification(), robots={})) is None


def test_a_browser_draws_it_under_the_pages_own_policy(tmp_path):
    path = tmp_path / "space.html"
    picture = in_space(identification())
    write_page("Space", [Section("Space", picture, PLOTTING)], path)
    drawn = re.sub(r"<script\b.*?</script>", "", browser.dom(path), flags=re.S)
    paths = re.findall(r'class="trace line"><path d="(M[^"]*)"', drawn)
    assert len(paths) == sum(trace["kind"] == "line" for trace in traces(picture)) == 5
    assert "NaN" not in "".join(paths)
    names = re.findall(r'<div class="legend">(.*?)</div>', drawn, re.S)[0]
    assert re.findall(r"<span>(.*?)</span>", names) == ["the load as it is", "r1", "r2"]  # one button a robot
