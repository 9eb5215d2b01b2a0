"""Real processes over real links on this machine: started by one command, ended by their own ids."""

import json
from pathlib import Path

import pytest
from commands import gone, steelyard, write_team

from steelyard.cli._main import run as run_command

for needed in ("zenoh", "rosbags", "mujoco"):
    pytest.importorskip(needed)

WORLD = """
[world]
pace = "fast"
duration = 3.0
"""
LINE = [["r1", "r2"], ["r2", "r3"]]


@pytest.fixture
def team_file(tmp_path: Path) -> Path:
    return write_team(tmp_path, LINE, 50.0, rest=WORLD)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> dict:
    """One run of a whole team, as fast as it goes."""
    file = write_team(tmp_path_factory.mktemp("team"), LINE, 50.0, rest=WORLD)
    done = steelyard("team", file, "--loss", 0.1, "--json")
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "file": file}


def test_every_robot_weighs_the_load_in_its_own_process(run: dict):
    pids = {robot["pid"] for robot in run["robots"].values()}
    assert len(pids) == 3
    for robot in run["robots"].values():
        mass = robot["known"]["mass"]
        assert abs(mass["value"] - run["truth"]["truth/mass"]) < 5 * mass["std"]


def test_no_message_is_unaccounted_for(run: dict):
    assert len(run["links"]) == 4
    for link in run["links"]:
        assert link["lost"] > 0.05 * link["sent"]  # half of the loss that the file states
        assert link["sent"] == link["received"] + link["lost"] + link["dropped"]


def test_all_its_processes_have_ended(run: dict):
    assert all(gone(robot["pid"]) for robot in run["robots"].values())


def test_identify_on_the_recordings_gives_the_same_numbers(run: dict):
    recording = Path(run["folder"]) / "recording"
    done = steelyard("identify", recording, "--as", "spatial-load", "--config", run["file"], "--json")
    assert done.returncode == 0, done.stderr
    for name, robot in json.loads(done.stdout)["robots"].items():
        live = run["robots"][name]["estimates"]["mass"]
        # All rows have arrived at the end, but chunks of them may be cut elsewhere.
        assert robot["mass"]["value"] == pytest.approx(live["value"], abs=0.1 * live["std"])


def test_a_port_in_use_is_told_with_what_to_do(team_file: Path):
    import socket

    port = int(team_file.read_text().split("port = ")[1].split()[0])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        done = steelyard("agent", team_file, "--robot", "r1")
    assert done.returncode == 2
    assert f"127.0.0.1:{port}" in done.stderr
    assert "the port is in use" in done.stderr
    assert done.stderr.count("\n") == 1


WRONG = {
    "an unknown robot": (lambda text: text, ["agent", "--robot", "r9"], 'there is no robot "r9"'),
    "a disconnected graph": (
        lambda text: text.replace(', ["r2", "r3"]', ""),
        ["team"],
        'Robot "r3" cannot be reached',
    ),
    "no noise": (lambda text: text.replace("wrench_force = 0.1", ""), ["team"], "[noise] wrench_force is missing"),
    "another machine without keys": (
        lambda text: text + '\n[live.endpoints]\nr1 = "10.0.0.1:7601"\n',
        ["team"],
        "without keys robots talk on this machine only",
    ),
    "a key that is none": (lambda text: text.replace("local_port", "local_prt"), ["team"], 'did you mean "local_port"'),
    "an option that is none": (lambda text: text, ["team", "--kill", "r3"], "write it like r3@20-25"),
    "a fault of nobody": (lambda text: text, ["team", "--lie", "r7@3"], '[faults] lie names "r7"'),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_run_is_told_in_one_sentence(case: str, team_file: Path, capsys):
    change, (command, *options), words = WRONG[case]
    team_file.write_text(change(team_file.read_text()), encoding="utf-8")
    assert run_command([command, str(team_file), *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
