"""Real processes over real links on this machine: started by one command, ended by their own ids."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from teams import free_ports

from steelyard.cli._main import run as run_command

for needed in ("zenoh", "rosbags", "mujoco"):
    pytest.importorskip(needed)

TEAM = """
[team]
robots = ["r1", "r2", "r3"]
links = [["r1", "r2"], ["r2", "r3"]]
[noise]
twist_angular = 0.1
twist_linear = 0.1
specific_force = 0.1
wrench_torque = 0.1
wrench_force = 0.1
[live]
problem = "spatial-load"
rate = 50.0
port = {port}
local_port = {local}
[world]
pace = "fast"
duration = 4.0
"""
ENVIRONMENT = {**os.environ, "XLA_FLAGS": ""}  # the tests' own flags make programs slow


@pytest.fixture
def team_file(tmp_path: Path) -> Path:
    port = free_ports(8)
    path = tmp_path / "team.toml"
    path.write_text(TEAM.format(port=port, local=port + 4), encoding="utf-8")
    return path


def steelyard(*arguments: object, timeout: float = 240.0) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "steelyard", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> dict:
    """One run of a whole team, as fast as it goes."""
    folder = tmp_path_factory.mktemp("team")
    port = free_ports(8)
    (folder / "team.toml").write_text(TEAM.format(port=port, local=port + 4), encoding="utf-8")
    done = steelyard("team", folder / "team.toml", "--loss", 0.1, "--json")
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "file": folder / "team.toml"}


def test_every_robot_weighs_the_load_in_its_own_process(run: dict):
    pids = {robot["pid"] for robot in run["robots"].values()}
    assert len(pids) == 3
    for robot in run["robots"].values():
        mass = robot["known"]["mass"]
        assert abs(mass["value"] - run["truth"]["truth/mass"]) < 5 * mass["std"]


def test_no_message_is_unaccounted_for(run: dict):
    assert len(run["links"]) == 4
    for link in run["links"]:
        assert link["lost"] > 0.05 * link["sent"]
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


def test_an_interruption_ends_it_cleanly_with_a_table(team_file: Path):
    command = [sys.executable, "-m", "steelyard", "team", str(team_file), "--pace", "real", "--duration", "60"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True
    )
    try:
        checkpoint = team_file.parent / "steelyard-team" / "run-1" / "r1.checkpoint"
        end = time.monotonic() + 120.0
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        assert checkpoint.exists(), "the robots never ran"
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert process.returncode == 0, complained
    assert "At the end" in said
    assert "0 unaccounted for" in said
    finals = [json.loads(path.read_text()) for path in checkpoint.parent.glob("r?.final.json")]
    assert len(finals) == 3
    assert all(gone(final["status"]["pid"]) for final in finals)


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
