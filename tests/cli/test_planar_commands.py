"""A planar team by its commands: identify, plan, and what a user does wrong there."""

import json

import numpy as np
import pytest

from steelyard import logs
from steelyard.cli._main import run
from steelyard.config import Config, Noise
from steelyard.estimators import Estimate
from steelyard.problems import read_planar_record
from steelyard.problems.planar_load._verdict import first_state, planar_verdict


@pytest.fixture(scope="module")
def push_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("pushes") / "push.csv"
    assert run(["simulate", "planar", "--duration", "8", "--seed", "2", "--spin", "2", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def straight_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("pushes") / "straight.csv"
    options = ["--forces", "none-turning", "--duration", "5", "--seed", "1"]
    assert run(["simulate", "planar", *options, "-o", str(path)]) == 0
    return path


def complaint(said, *named):
    code, out, err = said
    assert code == 2, err
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for word in named:
        assert word in err


def without(path, folder, *prefixes):
    """A copy of a log less some columns."""
    log = logs.read(path)
    kept = {name: values for name, values in log.columns.items() if not name.startswith(prefixes)}
    logs.write(logs.Log(log.time, kept), folder / "less.csv")
    return folder / "less.csv"


def test_every_robot_weighs_the_load_it_shares(earnestly, push_csv, tmp_path):
    """In a process of its own, where nothing checks types at run time: a team steps thousands of times."""
    done = earnestly("identify", push_csv, "--as", "planar-load", "--json", "--series", "--report", "r.html")
    assert done.returncode == 0, done.stderr
    answer, log = json.loads(done.stdout), logs.read(push_csv)
    assert answer["problem"] == "planar-load"
    assert list(answer["robots"]) == ["r1", "r2", "r3", "r4"]
    for robot, quantities in answer["robots"].items():
        truths = {"mass": 5.0, "inertia": 8.6891, "com": [log.columns[f"truth/{robot}/com/{a}"][-1] for a in "xy"]}
        for name, truth in truths.items():
            one = quantities[name]
            assert one["status"] == "known"
            off = np.abs(np.array(one["value"]) - truth) / np.array(one["std"])
            assert off.max() < 4.5, (robot, name)  # once in 150,000 an error of 16
    assert answer["robots"]["r2"]["contact/r1"]["frame"] == "world"
    assert "can be told" in answer["verdict"]
    assert any("velocity 0.2" in note for note in answer["notes"])
    assert set(answer["series"]["r1"]) >= {"mass", "inertia", "com", "contact/r2"}
    assert "planar-load" in (tmp_path / "r.html").read_text()


def test_a_push_that_never_turns_is_told_in_words(earnestly, straight_csv):
    done = earnestly("identify", straight_csv, "--as", "planar-load", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert "nothing turned" in answer["verdict"]
    for quantities in answer["robots"].values():
        for name in ("inertia", "com"):
            assert quantities[name]["status"] in ("not-yet-known", "not-identifiable")
            assert quantities[name]["value"] is None


def test_a_team_in_two_parts_is_refused(steelyard, push_csv, tmp_path):
    (tmp_path / "team.toml").write_text('[team]\nrobots = ["r1", "r2", "r3"]\nlinks = [["r1", "r2"]]\n')
    said = steelyard("identify", push_csv, "--as", "planar-load", "--config", tmp_path / "team.toml")
    complaint(said, '"r3"', "add a link")


def test_nobody_weighs_alone(steelyard, push_csv, tmp_path):
    (tmp_path / "team.toml").write_text('[team]\nrobots = ["r1"]\n')
    said = steelyard("identify", push_csv, "--as", "planar-load", "--config", tmp_path / "team.toml")
    complaint(said, "r1 alone", "add another")


@pytest.mark.parametrize("gone", ["r3/force/y", "r2/velocity/x"])
def test_a_missing_column_is_named(steelyard, push_csv, tmp_path, gone):
    complaint(steelyard("identify", without(push_csv, tmp_path, gone), "--as", "planar-load"), gone, "missing")


def test_a_log_of_something_else_is_refused(steelyard, flight_csv):
    complaint(steelyard("identify", flight_csv, "--as", "planar-load"), "velocity and a force")


def test_an_unknown_method_names_the_known(steelyard, push_csv):
    complaint(steelyard("identify", push_csv, "--as", "planar-load", "--method", "magic"), "magic", "consensus")


def answers(push, log, known=True):
    """The truth as every robot's answer, or nothing."""
    robots = {}
    for name in push.graph.names:
        com = [log.columns[f"truth/{name}/com/{axis}"][-1] for axis in "xy"]
        truths = {"mass": (5.0, "kg"), "inertia": (8.6891, "kg m²"), "com": (com, "m")}
        robots[name] = {
            quantity: Estimate.known(value, 0.01 * np.ones(np.shape(value)), unit, None, 0.0)
            if known
            else Estimate.unknown("not-yet-known", unit, None, 0.0)
            for quantity, (value, unit) in truths.items()
        }
    return robots


def test_a_verdict_follows_the_load_back_to_where_it_began(push_csv):
    log = logs.read(push_csv)
    push = read_planar_record(log, Config(noise=Noise(velocity=0.2)))
    state = first_state(push, answers(push, log))
    assert state is not None
    # Noise of ω, about 0.06 rad/s a row, sums up over 800 rows to some 0.02 rad.
    arms = -np.array([[log.columns[f"truth/{name}/com/{axis}"][0] for axis in "xy"] for name in push.graph.names])
    np.testing.assert_allclose(state.contacts, arms, atol=0.2)
    assert float(state.angular_velocity) == pytest.approx(2.0, abs=0.1)
    assert "Everything can be told" in planar_verdict(push, answers(push, log))


def test_without_answers_the_verdict_says_what_the_motion_lacked(straight_csv):
    log = logs.read(straight_csv)
    push = read_planar_record(log, Config(noise=Noise(velocity=0.2)))
    assert "nothing turned" in planar_verdict(push, answers(push, log, known=False))


def test_a_plan_tells_what_a_push_cannot_and_writes_one_that_can(steelyard, tmp_path):
    options = ["--forces", "none-turning", "--duration", "4", "--rate", "25", "-o", tmp_path / "forces.csv", "--json"]
    code, out, err = steelyard("plan", "planar", *options)
    assert code == 0, err
    own, paper, better = json.loads(out)["motions"]
    assert "nothing turned" in own["verdict"]
    assert own["std"]["inertia"] is None
    assert "paper" in paper["forces"]
    # Of 5 kg, 8.7 kg m² and a plate of 2 m: within a twentieth, where the motion as it was told nothing.
    assert max(better["std"][q] for q in ("mass", "inertia", "z_c")) < 0.1
    log = logs.read(tmp_path / "forces.csv")
    assert log.robots == ("r1", "r2", "r3", "r4")
    assert max(np.abs(values).max() for values in log.columns.values()) <= 4.0  # N, the scenario's largest force


USAGE = {
    "no scenario": (["plan"], ["planar"]),
    "no such scenario": (["plan", "planer"], ['"planar"']),
    "a plan without noise": (["plan", "planar", "--velocity-noise", "0"], ["--velocity-noise is 0"]),
    "a plan without force": (["plan", "planar", "--force", "0"], ["--force is 0"]),
    "a plan for a load that changes": (["plan", "planar", "--drop-share", "0.3"], ["--drop-share"]),
    "a plan into nowhere": (["plan", "planar", "-o", "no/f.csv"], ["no/f.csv", "folder"]),
    "a plan of nobody": (["plan", "planar", "--robots", "0"], ["--robots is 0"]),
    "no trials": (["reproduce", "icra15", "--trials", "0"], ["--trials is 0"]),
    "no observer trials": (["reproduce", "icra15", "--observer-trials", "0"], ["--observer-trials is 0"]),
    "a seed below zero": (["reproduce", "cdc14", "--seed=-1"], ["--seed is -1"]),
    "a paper with no such option": (["reproduce", "cdc14", "--trials", "3"], ["--trials"]),
}


@pytest.mark.parametrize(("arguments", "named"), USAGE.values(), ids=USAGE.keys())
def test_bad_usage_ends_with_one_sentence(steelyard, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    complaint(steelyard(*arguments), *named)
    assert list(tmp_path.iterdir()) == []
