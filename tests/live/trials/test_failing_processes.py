"""A process that fails ends with a code and a sentence, and the team notices."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from teams import PLANAR, configured

from steelyard.errors import BadInput, Failed
from steelyard.live import TeamRunner, plan_team

FAILS = """
import sys
from steelyard.cli import _main
import steelyard.live as live
def fail(*_):
    raise RuntimeError("a bearing is hot")
live.run_robot = live.run_disturbed_robot = fail
_main.main(["agent", sys.argv[1], "--robot", "r1"])
"""


class Processes:
    """Processes of which some have ended."""

    def __init__(self, codes: dict[str, int]):
        self.codes, self.killed, self.frozen = codes, set(), set()

    def ended(self, name: str) -> int | None:
        return self.codes.get(name)

    def last_line(self, name: str) -> str:
        return "steelyard: a bearing is hot"


@pytest.fixture
def team(tmp_path: Path):
    pytest.importorskip("zenoh")
    plan = plan_team(configured(PLANAR), tmp_path / "team.toml")
    runner = object.__new__(TeamRunner)
    runner.plan, runner._back = plan, []
    runner.view = type("View", (), {"heard": {}})()
    return runner


def test_an_uncaught_exception_in_a_robot_ends_its_process_with_a_code(tmp_path: Path):
    file = tmp_path / "team.toml"
    file.write_text(PLANAR)
    environment = {**os.environ, "STEELYARD_CHILD": "1"}
    command = [sys.executable, "-c", FAILS, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 1
    assert "a bearing is hot" in done.stderr


@pytest.mark.parametrize(
    ("codes", "kind", "words"),
    [
        ({"r2": 1}, Failed, "Robot r2 ended unexpectedly \\(1\\): a bearing is hot"),
        ({"r2": 2}, BadInput, "a bearing is hot"),
        ({"world": 1}, Failed, "The world ended unexpectedly \\(1\\)"),
    ],
)
def test_the_team_notices_a_process_that_has_ended(team, codes, kind, words):
    team.processes = Processes(codes)
    with pytest.raises(kind, match=words):
        team._check()


def test_a_robot_that_was_killed_on_purpose_is_no_failure(team):
    team.processes = Processes({"r2": -9, "world": 0})
    team.processes.killed.add("r2")
    team._check()


def test_a_robot_that_reports_no_more_is_noticed(team):
    team.processes = Processes({})
    team.view.heard["r3"] = -1e6
    with pytest.raises(Failed, match="r3 has not reported"):
        team._check()
