"""A team weighs what it holds in space, from a log: exactness, one robot alone, poor motions, bad channels."""

import dataclasses
import json

import mujoco
import numpy as np
import pytest
from earnest import in_earnest

import steelyard as sy
from steelyard.cli._main import run
from steelyard.config import Config, Noise, Wrist
from steelyard.logs import Log
from steelyard.models import WRIST_SIGNALS
from steelyard.problems import estimate_spatial_load_at_once, identify, read_spatial_record, run_spatial_load_team
from steelyard.problems.spatial_load._channel_faults import find_faults
from steelyard.worlds import SpatialScenario, simulate_spatial

HOLD = SpatialScenario(robots=3, duration=3.0, sensors="realistic")


UNSTATED = Wrist()


def answer(hold: SpatialScenario, seed: int, damage: str = "", problem: str = "spatial-load", wrist: Wrist = UNSTATED):
    """What identify says of a hold, and the log; importable, to be run in earnest."""
    columns = dict(simulate_spatial(hold, seed))
    _damage(columns, damage)
    log = Log(columns["time"], {name: values for name, values in columns.items() if name != "time"}, "a hold")
    noises = hold.noises if min(hold.noises) > 0 else [None] * 5
    noise = Noise(**dict(zip((signal.replace("/", "_") for signal in WRIST_SIGNALS), noises, strict=True)))
    said = identify(log, problem, Config(noise=noise, wrist=wrist))
    return dataclasses.replace(said, series={}, truth={}), log


def both_ways(hold: SpatialScenario, seed: int):
    """What every robot says last, over messages and at once; importable, to be run in earnest."""
    columns = simulate_spatial(hold, seed)
    log = Log(columns["time"], {name: values for name, values in columns.items() if name != "time"}, "a hold")
    read = read_spatial_record(log.without_truth(), Config())
    return run_spatial_load_team(read).last, estimate_spatial_load_at_once(read).last


def _damage(columns: dict[str, np.ndarray], damage: str) -> None:
    def of(signal: str) -> list[str]:
        return [f"r2/{signal}/{axis}" for axis in "xyz"]

    if damage == "stuck gyro":
        for name in of("twist/angular"):
            columns[name] = np.where(columns["time"] < 1.5, columns[name], columns[name][150])
    elif damage == "stuck force":
        for name in of("wrench/force"):
            columns[name] = np.where(columns["time"] < 1.5, columns[name], columns[name][150])
    elif damage == "saturated gyro":
        for name in of("twist/angular"):
            columns[name] = np.clip(columns[name], -0.5, 0.5)
    elif damage == "late clock":
        for name in (name for signal in WRIST_SIGNALS for name in of(signal)):
            columns[name] = np.concatenate([columns[name][:1].repeat(5), columns[name][:-5]])
    elif damage == "degrees":
        for name in of("twist/angular"):
            columns[name] = np.degrees(columns[name])
    elif damage == "grams":
        for name in of("wrench/force"):
            columns[name] = columns[name] * 1000 / 9.81


def true_load(log: Log, robot: str) -> np.ndarray:
    return np.concatenate([log.truth("mass")[-1], log.truth(f"{robot}/com")[-1], log.truth(f"{robot}/inertia")[-1]])


def numbers(said, part: str) -> np.ndarray:
    mass, com, inertia = (getattr(said[what], part) for what in ("mass", "com", "inertia"))
    entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    return np.concatenate([np.atleast_1d(mass), com, [inertia[entry] for entry in entries]])


def test_logs_without_noise_are_exact():
    said, log = in_earnest(answer, dataclasses.replace(HOLD, sensors="exact"), 1)
    for robot, found in said.robots.items():
        np.testing.assert_allclose(numbers(found, "value"), true_load(log, robot), atol=1e-6)
        for other in [what for what in found if what.startswith("pose/")]:
            position = log.truth(f"{robot}/{other}/position")[-1]
            np.testing.assert_allclose(found[other].value[:3], position, atol=1e-6)


def test_one_robot_alone_says_what_a_rigid_body_says():
    """Two methods on one log; a rigid body's fit has the sensors' errors among its unknowns, the team's has none here.

    The difference of two efficient answers to one log, one with more unknowns, has the difference of their variances.
    """
    hold = dataclasses.replace(HOLD, robots=1)
    team, log = in_earnest(answer, hold, 2, "", "spatial-load", Wrist(tared=True, calibrated=True))
    alone, _ = in_earnest(answer, hold, 2, "", "rigid-body")
    one, other = team.robots["r1"], alone.robots["r1"]
    apart = np.abs(numbers(one, "value") - numbers(other, "value"))
    more, less = numbers(other, "std"), numbers(one, "std")
    assert np.all(apart < 4.0 * np.sqrt(np.maximum(more**2 - less**2, (0.3 * more) ** 2)))
    assert np.all(np.abs(numbers(one, "value") - true_load(log, "r1")) < 4.5 * numbers(one, "std"))


@pytest.mark.parametrize(
    ("motion", "robots", "seed"),
    [("still", 3, 4), ("still", 1, 6), ("no-turning", 3, 6), ("no-turning", 1, 5), ("one-axis", 3, 5)],
)
def test_what_a_motion_cannot_tell_is_no_number_and_the_mass_is(motion, robots, seed):
    """A force that never turns shows no centre along it, nor where others hold."""
    said, log = in_earnest(answer, dataclasses.replace(HOLD, motion=motion, robots=robots, duration=5.5), seed)
    assert "hardly turned" in said.verdict
    for robot, found in said.robots.items():
        assert found["mass"].status == "known"
        assert found["inertia"].value is None
        told = [what for what, one in found.items() if one.value is not None and what not in ("mass", "axis_inertia")]
        assert bool(told) == (motion != "still")
        true = {"mass": log.truth("mass")[-1, 0], "com": log.truth(f"{robot}/com")[-1]}
        for what, value in true.items():
            if found[what].value is not None:
                assert np.all(np.abs(found[what].value - value) < 4.5 * found[what].std)


def test_a_load_moved_in_a_plane_is_known_as_far_as_a_plane_shows():
    """Mass, centre, and the inertia about the plane's normal, which is the box's own; the rest of it is not said."""
    hold = dataclasses.replace(HOLD, motion="in-plane", robots=2)
    said, log = in_earnest(answer, hold, 4)
    about = hold.mass * (hold.length**2 + hold.width**2) / 12
    for robot, found in said.robots.items():
        assert found["inertia"].value is None
        true = {"mass": hold.mass, "com": log.truth(f"{robot}/com")[-1], "axis_inertia": about}
        for what, value in true.items():
            assert np.all(np.abs(found[what].value - value) < 4.5 * found[what].std)
        assert found["axis_inertia"].std < 0.03 * about
        assert found["com"].std.max() < 0.003
    assert "through the centre of mass" in said.verdict


def test_robots_that_talk_say_what_one_says_who_has_all_rows():
    talked, at_once = in_earnest(both_ways, HOLD, 5)
    for robot, said in talked.items():
        assert {one.status for one in said.values()} == {"known"}
        for what, one in said.items():
            np.testing.assert_allclose(one.value, at_once[robot][what].value, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(one.covariance, at_once[robot][what].covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("damage", ["stuck gyro", "saturated gyro"])
def test_a_bad_gyro_is_named_and_left_out(damage):
    """All numbers within 4.5 deviations: of 30, chance puts one beyond in one run of 5000."""
    said, log = in_earnest(answer, HOLD, 3, damage)
    faults = [event for event in said.events if event.kind == "fault"]
    assert {(event.robot, event.quantity) for event in faults} == {("r2", "twist/angular")}
    for robot, found in said.robots.items():
        assert np.all(np.abs(numbers(found, "value") - true_load(log, robot)) < 4.5 * numbers(found, "std"))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("stuck force", "r2/wrench/force is stuck"),
        ("late clock", "the clock of r2 is about"),
        ("degrees", "r2/twist/angular is 5"),
        ("grams", "r2/wrench/force is"),
    ],
)
def test_what_spoils_every_number_is_named_and_nothing_is_said(damage, words):
    said, _ = in_earnest(answer, HOLD, 3, damage)
    assert words in said.verdict
    assert {one.status for found in said.robots.values() for one in found.values()} == {"failed"}


def test_from_simulation_to_urdf_by_the_command_line(tmp_path, capsys):
    """A URDF that MuJoCo loads has the first robot's numbers to the last digit."""
    log, urdf, config = str(tmp_path / "hold.csv"), tmp_path / "load.urdf", tmp_path / "team.toml"
    config.write_text('[team]\nrobots = ["r1", "r2"]\nlinks = [["r1", "r2"]]\n')
    simulate = ["simulate", "spatial", "--robots", "2", "--sensors", "realistic", "--duration", "2.5", "--seed", "2"]
    assert run([*simulate, "-o", log]) == 0
    capsys.readouterr()
    assert run(["identify", log, "--as", "spatial-load", "--config", str(config), "--urdf", str(urdf), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert "Noise estimated" in said["notes"][0]
    assert np.shape(said["robots"]["r1"]["pose/r2"]["value"]) == (7,)
    assert np.shape(said["robots"]["r1"]["pose/r2"]["std"]) == (6,)
    body, found = mujoco.MjModel.from_xml_path(str(urdf)).body("load"), said["robots"]["r1"]
    assert abs(body.mass[0] - found["mass"]["value"]) < 1e-9
    np.testing.assert_allclose(body.ipos, found["com"]["value"], atol=1e-9)
    sizes = np.sort(np.linalg.eigvalsh(np.array(found["inertia"]["value"])))
    np.testing.assert_allclose(np.sort(body.inertia), sizes, atol=1e-9)


def test_a_robot_without_an_accelerometer_is_no_fault_and_no_warning():
    log = sy.simulate("spatial", 2, robots=2, duration=1.0)
    columns = {name: values for name, values in log.columns.items() if not name.startswith("r2/specific_force")}
    found = find_faults(read_spatial_record(Log(log.time, columns).without_truth(), Config()))
    assert not found.reasons
    assert not found.events
