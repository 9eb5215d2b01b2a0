"""Each of these once stopped a team, or made it blind, or wrong: a wrong time, a forged number, a full disk, a name."""

import math
import resource
import subprocess
import sys
import time
from pathlib import Path

import attack_runs
import msgspec
import pytest
from earnest import in_earnest

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.live import plan_team
from steelyard.live.robot._sensor_gate import SensorGate

pytest.importorskip("mujoco")

PROBLEMS = ("planar-load", "spatial-load")


@pytest.fixture(scope="module", params=PROBLEMS)
def attacked(request) -> attack_runs.Attacked:
    """One run of a team that all of the attacks hit, one after the other."""
    return in_earnest(attack_runs.attacked, request.param)


def test_the_team_knows_the_load_after_all_attacks(attacked: attack_runs.Attacked):
    assert attacked.wrong == []
    assert attacked.unaccounted == {}
    assert attacked.kinds == ["sensor"], "the attacks on its sensors are told, and nothing else happened"


def test_samples_with_wrong_times_and_sizes_are_not_used(attacked: attack_runs.Attacked):
    assert attacked.sensors["r1"] == {"sensor-time": len(attack_runs.WRONG_TIMES)}
    assert attacked.sensors["r2"] == {"sensor-value": 2}


def test_forged_envelopes_are_dropped_and_their_robot_is_still_heard(attacked: attack_runs.Attacked):
    """Epochs of 2⁶², numbers 2⁴⁰ ahead, impossible beats, starts and stamps, with an echo that a listener knows."""
    assert attacked.forged == attack_runs.FORGED
    assert attacked.alive == ("r1", "r3")


def test_rows_far_ahead_do_not_travel(attacked: attack_runs.Attacked):
    assert attacked.ahead == attack_runs.AHEAD
    assert attacked.dropped_by_time >= attack_runs.AHEAD


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_robot_restarted_with_its_clock_an_hour_back_is_heard_again(problem: str):
    """The leader of the clock, at that: its epoch and its beats are lower than those of the process before."""
    found = in_earnest(attack_runs.clock_set_back, problem)
    assert found.wrong == []
    assert "r1" in found.alive


def test_a_flood_of_samples_and_samples_without_the_token_do_not_wait():
    gate = SensorGate(100.0, paced=True, token=b"secret")
    assert not gate.lets_in(0.0, None)
    assert not gate.lets_in(0.0, b"guess")
    passed = sum(gate.lets_in(k / 6150.0, b"secret") for k in range(49_200))
    assert 16_000 <= passed <= 18_100  # 2000 a second for 8 s, and the first 2000 at once
    assert gate.dropped == {"sensor-token": 2, "sensor-rate": 49_200 - passed}


BAD_NAMES = (
    "r\n1",
    "r\0",
    "..",
    ".",
    "--help",
    "-r",
    "world",
    "World",
    "authority",
    "truth",
    "load",
    "a/b",
    "",
    "x" * 65,
)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_is_no_name_is_refused(name: str):
    tables = {"team": {"robots": ["r1", name]}, "noise": {"velocity": 0.1}}
    with pytest.raises((BadInput, msgspec.ValidationError)) as refused:
        plan_team(msgspec.convert(tables, Config), Path("team.toml"))
    assert "\n" not in str(refused.value)
    assert "\0" not in str(refused.value)


@pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, math.inf])
def test_a_sensor_rate_that_is_none_is_refused(rate: float):
    tables = {"team": {"robots": ["r1", "r2"]}, "noise": {"velocity": 0.1}, "faults": {"rates": {"r1": rate}}}
    with pytest.raises(BadInput, match="rates"):
        plan_team(msgspec.convert(tables, Config), Path("team.toml"))


def test_ten_thousand_robots_are_refused_at_once():
    config = msgspec.convert({"team": {"robots": [f"r{k}" for k in range(10_000)]}}, Config)
    begin = time.process_time()
    with pytest.raises(BadInput, match="too many"):
        plan_team(config, Path("team.toml"))
    assert time.process_time() - begin < 0.5  # it took a minute


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from steelyard.live.robot._recording import Recorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
recorder = Recorder(Path(sys.argv[1]), "r1")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for k in range(4000):
    recorder.received(0.01 * k, "r2", bytes(1000))
    recorder.flush()
told = [recorder.failure(), recorder.failure()]
recorder.close()
print(told)
"""


def test_a_full_disk_costs_the_recording_only(tmp_path: Path):
    pytest.importorskip("rosbags")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['File too large', None]", "one event, and the robot goes on"
