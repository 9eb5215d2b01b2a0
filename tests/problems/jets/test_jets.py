"""Thrusts of a humanoid and of a drone from simulated logs, the user's path, and what a user does wrong."""

import functools
import json

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.cli._main import run
from steelyard.config import Config, parse
from steelyard.logs import Log, write
from steelyard.problems import alike, hardest, identify, standing
from steelyard.worlds import JetsScenario, humanoid, jets_config, simulate_jets

GROUND = JetsScenario(duration=9.0, mass_error=0.03, foot_bias=2.0)
AIR = JetsScenario(robot="aerial-arm", duration=5.0)


def answered(flight: JetsScenario, seed: int) -> tuple[dict, dict[str, np.ndarray]]:
    """What `identify --json --series` says, and the columns it was told."""
    columns = simulate_jets(flight, seed)
    log = Log(columns["time"], {name: values for name, values in columns.items() if name != "time"}, "simulation")
    answer = identify(log, "jets", parse(jets_config(flight), Config, "robot.toml"))
    return answer.to_dict(series=True), columns


@functools.cache
def in_one_go(flight: JetsScenario, seed: int):
    return in_earnest(answered, flight, seed)


def test_a_humanoid_on_the_ground_tells_its_thrusts_and_its_mass():
    answer, columns = in_one_go(GROUND, 1)
    maximum = {"l_arm_jet": 160.0, "r_arm_jet": 160.0, "l_chest_jet": 220.0, "r_chest_jet": 220.0}
    for name, most in maximum.items():
        told = answer["series"]["r1"][f"thrust/{name}"]
        error = np.array(told["value"]) - columns[f"truth/thrust/{name}"]
        # Of its maximum: engines differ from their type by up to 5 % a coefficient, and that must be learnt in part.
        assert np.sqrt(np.mean(error**2)) < 0.03 * most
    mass = answer["robots"]["r1"]["mass"]
    assert mass["status"] == "known"
    assert abs(mass["value"] - columns["truth/mass"][0]) < 4 * mass["std"]  # once in 16,000
    assert answer["events"] == []


def test_a_drone_with_an_arm_needs_no_feet():
    answer, columns = in_one_go(AIR, 2)
    thrusts = [f"thrust/rotor_{k}" for k in range(1, 7)]
    error, std = [], []
    for name in thrusts:
        told = answer["series"]["r1"][name]
        error.append(np.array(told["value"]) - columns[f"truth/{name}"])
        std.append(told["std"])
    late = slice(200, None)
    assert np.sqrt(np.mean(np.array(error)[:, late] ** 2)) < 0.01 * 12.0  # N: a hundredth of a rotor's thrust
    assert (
        np.mean((np.array(error)[:, late] / np.array(std)[:, late]) ** 2) < 3.0
    )  # 1 on average; six filters' errors, each alike for seconds
    assert not any(name.startswith("bias/") for name in answer["robots"]["r1"])


def test_engines_that_act_alike_are_said_to():
    A = np.ones((1, 6, 3))
    A[0, :3, 2] = 0.0
    said = alike(("left", "right", "tail"), A)
    assert len(said) == 1
    assert said[0].startswith("left and right cannot be told apart")
    rng = np.random.default_rng(1)
    assert alike(("left", "right", "tail"), rng.normal(size=(5, 6, 3))) == []


def test_the_pair_that_the_poses_hardly_separate_is_named_with_its_interval():
    A = np.zeros((1, 6, 3))
    A[0, 5] = 1.0
    A[0, 0] = [0.01, -0.01, 1.0]
    covariance = np.array([[4.0, -3.9, 0.0], [-3.9, 4.0, 0.0], [0.0, 0.0, 0.01]])
    said = hardest(("left", "right", "tail"), A, covariance)
    assert len(said) == 1
    assert said[0].startswith("left and right are the hardest to tell apart")
    assert "7.8 N" in said[0]  # 1.96 √(4 + 4 + 2 · 3.9)
    assert hardest(("left", "right"), A[:, :, 1:], covariance[1:, 1:]) == []


def test_a_sole_stands_until_it_has_risen_and_again_once_it_carries():
    wrench, soles = np.zeros((8, 6)), np.zeros((8, 1, 3))
    wrench[:, 5] = [200.0, 50.0, 8.0, 2.0, 2.0, 2.0, 2.0, 90.0]
    soles[:, 0, 2] = [0.0, 0.0, 0.0, 0.01, 0.05, 0.2, 0.01, 0.0]
    assert standing(wrench, soles)[:, 0].tolist() == [True, True, True, True, False, False, False, True]
    assert not standing(wrench[3:7], soles[3:7]).any()  # nothing ever stood on it


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jets")
    flight = JetsScenario(duration=1.0)
    columns = simulate_jets(flight, 3)
    (folder / "robot.toml").write_text(jets_config(flight), encoding="utf-8")
    return folder, columns


def told(capsys, log, config) -> tuple[int, str]:
    report = log.parent / "report.html"
    code = run(["identify", str(log), "--as", "jets", "--config", str(config), "--report", str(report)])
    assert not report.exists()
    return code, capsys.readouterr().err


URDF = humanoid().urdf
BAD_ROBOTS = {
    "a frame that is not there": (('frame = "l_arm_jet"', 'frame = "l_arm_jte"'), 'no frame "l_arm_jte"'),
    "a fixed base": (('<link name="root">', '<link name="world"/><link name="root">'), "must have one root link"),
    "a world": (('"root"', '"world"'), "has a fixed base"),
    "links without mass": (('<mass value="18.500000"/>', '<mass value="0"/>'), 'link "chest" moves but has no mass'),
    "a direction of zero": (('kind = "P160"', 'kind = "P160"\ndirection = [0, 0, 0]'), "points nowhere"),
    "a diverging engine": (
        ('kind = "P160"', 'kind = "jet"\nmaximum = 160\ncoefficients = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'),
        "diverges",
    ),
    "an unknown kind": (('kind = "P160"', 'kind = "P161"'), 'did you mean "P16'),
    "no engines": (("[[jets.engines]]", "[[jets.motors]]"), "motors"),
    "nine coefficients": (('kind = "P160"', 'kind = "jet"\ncoefficients = [1, 1, 1, 1, 1, 1, 1, 1, 1]'), "ten numbers"),
}


@pytest.mark.parametrize("mistake", list(BAD_ROBOTS))
def test_a_bad_robot_is_told_in_one_sentence(mistake, ground, capsys, tmp_path):
    folder, columns = ground
    (old, new), words = BAD_ROBOTS[mistake]
    text = (folder / "robot.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "bad.toml").write_text(text.replace(old, new), encoding="utf-8")
    log = tmp_path / "log.csv"
    write(Log(columns["time"], {k: v for k, v in columns.items() if k != "time"}, "x"), log)
    code, said = told(capsys, log, tmp_path / "bad.toml")
    assert code == 2
    assert words in said
    assert said.count("\n") == 1


BAD_LOGS = {
    "a joint missing": ({"r1/joint/l_knee/position": None}, 'joint "l_knee" of the URDF has no samples'),
    "a throttle of 130 %": ({"r1/throttle/2": 130.0}, "r1/throttle/2 is 130"),
    "a negative throttle": ({"r1/throttle/2": -1.0}, "out of the range"),
    "no throttle": ({f"r1/throttle/{k}": None for k in range(1, 5)}, "throttle"),
    "no feet": ({"r1/foot_left/wrench/force/z": None}, "foot_left/wrench/force"),
    "no attitude": ({f"r1/base/attitude/{a}": None for a in "wxyz"}, "base/attitude"),
}


@pytest.mark.parametrize("mistake", list(BAD_LOGS))
def test_a_bad_log_is_told_in_one_sentence(mistake, ground, capsys, tmp_path):
    folder, columns = ground
    changes, words = BAD_LOGS[mistake]
    kept = {k: v for k, v in columns.items() if k != "time" and k not in changes}
    kept |= {k: np.full(len(columns["time"]), v) for k, v in changes.items() if v is not None}
    log = tmp_path / "log.csv"
    write(Log(columns["time"], kept, "x"), log)
    code, said = told(capsys, log, folder / "robot.toml")
    assert code == 2
    assert words in said
    assert said.count("\n") == 1


def test_without_a_robot_it_says_how_to_describe_one(ground, capsys, tmp_path):
    _, columns = ground
    log = tmp_path / "log.csv"
    write(Log(columns["time"], {k: v for k, v in columns.items() if k != "time"}, "x"), log)
    assert run(["identify", str(log), "--as", "jets"]) == 2
    assert "[jets] has no urdf" in capsys.readouterr().err


def test_simulate_writes_a_log_and_the_robot(tmp_path, capsys):
    log, config = tmp_path / "f.csv", tmp_path / "f.toml"
    assert run(["simulate", "jets", "-o", str(log), "--config", str(config), "--duration", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 101
    assert parse(config.read_text(encoding="utf-8"), Config, "f.toml").jets.engines[0].kind == "P160"
    assert run(["simulate", "jets", "-o", str(log), "--failed-engine", "9"]) == 2
    assert "engines 1 to 4" in capsys.readouterr().err
