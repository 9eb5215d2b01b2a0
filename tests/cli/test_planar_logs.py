"""Planar logs of other kinds through `identify`: forces sampled or held, and two robots that hold one point."""

import json

import numpy as np
import pytest

from steelyard import logs
from steelyard.worlds import PlanarScenario, PlanarTruth, planar_truth

NOISE = 0.02
RATE = 25.0


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> tuple[str, PlanarTruth]:
    """Smooth forces at a low rate; the last of three contacts has two robots, each of which pushes half."""
    truth = planar_truth(PlanarScenario(3, duration=9.0, rate=RATE, spin=1.0), 4)
    chance, columns = np.random.default_rng(4), {}
    for name, at, share in (("r1", 0, 1.0), ("r2", 1, 1.0), ("r3", 2, 0.5), ("r4", 2, 0.5)):
        velocity = truth.contact_velocities[:, at] + NOISE * chance.standard_normal((len(truth.time), 2))
        for k, axis in enumerate("xy"):
            columns[f"{name}/velocity/{axis}"] = velocity[:, k]
            columns[f"{name}/force/{axis}"] = share * truth.forces[:, at, k]
    path = tmp_path_factory.mktemp("logs") / "shared.csv"
    logs.write(logs.Log(truth.time, columns), path)
    return str(path), truth


def identified(earnestly, tmp_path, path, hold, code=0):
    (tmp_path / "robot.toml").write_text(f'[noise]\nvelocity = {NOISE}\n[inputs]\nhold = "{hold}"\n')
    done = earnestly("identify", path, "--as", "planar-load", "--json", "--config", "robot.toml")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)["robots"]


def test_sampled_forces_and_two_at_one_point_make_right_numbers(earnestly, tmp_path, shared):
    """Within 4.5 deviations: of 20 numbers, chance puts one beyond in one run of 7000."""
    path, truth = shared
    robots = identified(earnestly, tmp_path, path, "sample")
    for name, at in (("r1", 0), ("r2", 1), ("r3", 2), ("r4", 2)):
        true = {"mass": truth.mass[-1], "inertia": truth.inertia[-1], "com": -truth.arms[-1, at]}
        for quantity, value in true.items():
            one = robots[name][quantity]
            assert one["status"] == "known", (name, quantity)
            assert np.all(np.abs(np.array(one["value"]) - value) < 4.5 * np.array(one["std"])), (name, quantity)
    between = robots["r3"]["contact/r4"]
    assert np.all(np.abs(np.array(between["value"])) < 4.5 * np.array(between["std"]))


def test_sampled_forces_that_are_taken_for_held_ones_get_no_number(earnestly, tmp_path, shared):
    """They then act a whole row late: nothing fits, and nobody says a number."""
    robots = identified(earnestly, tmp_path, shared[0], "step", code=3)
    assert all(quantities["mass"]["value"] is None for quantities in robots.values())
