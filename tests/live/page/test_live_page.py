"""The page of a running team: what robots report is drawn by a real browser, and nobody else can read it."""

import json
import math
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

import browser
import msgspec
import pytest

from steelyard.errors import BadInput
from steelyard.live import RobotEvent, RobotStatus, WatchedTeam
from steelyard.live.page import LivePage
from steelyard.live.page._history import MassHistory
from steelyard.live.robot._status import EstimateReport
from steelyard.live.trials import live_rows

EVIL = "<script>document.title = 'taken'</script>"
LOCAL = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


def status(robot: str, seconds: float, mass: float | None) -> RobotStatus:
    std, said = (None, "not-yet-known") if mass is None else (0.01, "known")
    known = EstimateReport(mass, std, "kg", None, said, seconds)
    return RobotStatus(
        robot=robot, pid=1, epoch=1, phase="running", time=seconds, tick=1, holding=True, estimates={"mass": known},
        known={"mass": known}, age=0.1, alive=("r2",), missing=(), faulty=(), sent=1, received=1, lost=3, dropped={},
        clock=(robot, 0.0), late=(1.0, 2.0, 3.0), memory=50.0, processor=0.1, threads=4,
    )  # fmt: skip


def view_at(seconds: float, mass: float | None = 2.5) -> WatchedTeam:
    robots = ("r1", EVIL)
    event = RobotEvent(1.0, "silent", "r1", f"{EVIL} is silent")
    return WatchedTeam(
        {one: status(one, seconds, mass) for one in robots}, dict.fromkeys(robots, time.monotonic()), [event]
    )


@pytest.fixture
def page():
    made = LivePage("hauliers", ("r1", EVIL), 0)
    yield made
    made.close()


def test_a_browser_draws_what_robots_report_and_runs_nothing_of_theirs(page):
    for k in range(10):
        page._made = -1.0
        page.show(view_at(k / 2.0, None if k < 2 else 2.5 + 0.01 * k))
    text = browser.dom(page.address, LOCAL)
    assert "4.5 s of the run" in text
    assert len(re.findall(r'class="trace line"><path d="M[^"]+"', text)) == 2
    assert len(re.findall(r'class="trace band"', text)) == 2
    assert "2.5900 ± 0.0196 kg" in text
    assert "is silent" in text
    assert "<title>hauliers, live</title>" in text
    assert not re.search(r"\b(NaN|undefined)\b", re.sub(r"<script>.*?</script>", "", text, flags=re.S))


def test_what_is_no_longer_known_is_not_shown_as_known():
    """A load that has changed: the table says so, and from when the last number is."""
    lost = EstimateReport(None, None, "kg", None, "failed", 20.0)
    then = msgspec.structs.replace(status("r1", 7.0, 2.0), time=20.0, estimates={"mass": lost})
    assert live_rows(WatchedTeam({"r1": then}, {"r1": time.monotonic()}, []), ("r1",))[0][2] == (
        "failed; at 7.0 s: 2.0000 ± 0.0196 kg"
    )


def test_only_this_machine_by_its_own_name_is_answered(page):
    assert json.loads(urllib.request.urlopen(page.address + "state").read()) == {}
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(urllib.request.Request(page.address + "state", headers={"Host": "robots.example:80"}))
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(page.address + "../settings.json")


def test_a_port_that_is_taken_or_is_none_is_bad_input(page):
    port = int(page.address.rstrip("/").rpartition(":")[2])
    with pytest.raises(BadInput, match="cannot be had"):
        LivePage("t", ("r1",), port)
    with pytest.raises(BadInput, match="65535"):
        LivePage("t", ("r1",), 70000)


def test_a_run_of_days_stays_small():
    history = MassHistory(("r1",))
    for k in range(5000):
        history.add(WatchedTeam({"r1": status("r1", float(k), 2.0)}, {}, []))
    lines = [one for one in history.figure()["data"] if one["kind"] == "line"]
    assert 250 <= len(lines[0]["x"]) <= 600
    assert lines[0]["x"][-1] > 4900.0  # s of 5000: the newest are there, 12.8 s apart
    assert all(math.isfinite(y) for y in lines[0]["y"])


def test_a_robot_loads_neither_page_nor_reports():
    code = "import sys, steelyard.live; print([name for name in sys.modules if name.startswith('steelyard.report')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
