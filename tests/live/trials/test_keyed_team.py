"""A whole team with keys, as processes: one is killed and comes back, strangers knock, and an interruption ends it."""

import itertools
import json
import math
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")
pytest.importorskip("mujoco")
pytest.importorskip("cryptography")

import msgspec
from commands import ENVIRONMENT, command, gone, steelyard, write_team
from hearing import hearing

from steelyard.live import RobotStatus, read_team
from steelyard.team.transport import key_files, key_of, local_settings, make_keys, open_session

KILLED, BACK = 2.0, 3.0
PATIENCE = 200.0  # s for anything to happen on a busy machine
INTRUDERS = ("no certificate", "another authority", "another's name")


class Watcher:
    """Every robot's statuses, in order."""

    def __init__(self, plan):
        self.plan, self.heard = plan, {name: [] for name in plan.graph.names}
        self._decoder = msgspec.json.Decoder(RobotStatus)
        self._session = open_session(local_settings(None, list(plan.endpoints.local.values())), "a test")
        self._hearing = self._session.declare_subscriber(key_of(plan.name, "*", "status"), self._take)

    def _take(self, sample) -> None:
        status = self._decoder.decode(bytes(sample.payload))
        self.heard[status.robot].append(status)

    def wait_for(self, process: subprocess.Popen, what: str, reached) -> None:
        end = time.monotonic() + PATIENCE
        while not all(self.heard.values()) or not reached({name: heard[-1] for name, heard in self.heard.items()}):
            last = {name: heard[-1:] for name, heard in self.heard.items()}
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end, f"never came: {what}; last heard was {last}"
            time.sleep(0.05)

    def close(self) -> None:
        self._session.close()


def knock(plan, keys: Path, others: Path) -> None:
    """Three intruders shout at r2 under r1's name, r3 with its own certificate among them."""
    tls = {"root_ca_certificate": keys / "authority.crt"}
    foreign, own = key_files(others, "r1"), key_files(keys, "r3")
    for who, files in zip(INTRUDERS, (None, foreign, own), strict=True):
        pair = {} if files is None else {"connect_certificate": files.certificate, "connect_private_key": files.private}
        settings = local_settings(None, []) | {"connect/timeout_ms": 300}
        settings["connect/endpoints"] = [f"tls/{plan.endpoints.links['r2']}"]
        settings |= {f"transport/link/tls/{key}": str(path) for key, path in (tls | pair).items()}
        session = open_session(settings | {"transport/link/tls/enable_mtls": files is not None}, who)
        for _ in range(20):
            session.put(key_of(plan.name, "r1", "r2"), b"noise")
            time.sleep(0.02)
        session.close()


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> SimpleNamespace:
    """Until r3, killed, has known the load again for a second; then interrupted."""
    folder = tmp_path_factory.mktemp("keyed")
    path = write_team(folder, [["r1", "r2"], ["r2", "r3"], ["r3", "r1"]], 25.0, 'keys = "keys"')
    done = steelyard("team", "keys", path)
    assert done.returncode == 0, done.stderr
    plan = read_team(path)
    make_keys(folder / "others", plan.name, dict.fromkeys(plan.graph.names, "127.0.0.1"))
    arguments = ["team", path, "--duration", 600, "--kill", f"r3@{KILLED}-{BACK}"]
    process = subprocess.Popen(
        hearing(command(*arguments)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    watcher = Watcher(plan)
    try:
        known = "the first estimates"
        watcher.wait_for(process, known, lambda last: all("mass" in one.known for one in last.values()))
        first = watcher.heard["r3"][0].pid
        knock(plan, folder / "keys", folder / "others")
        watcher.wait_for(
            process,
            "r3 again, and what all know of after its return",
            lambda last: (
                last["r3"].pid != first
                and all(one.age is not None and one.age < one.time - BACK for one in last.values())
            ),
        )
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
    finally:
        watcher.close()
        if process.poll() is None:
            process.kill()
            process.wait()
    finals = [json.loads(one.read_text()) for one in (folder / "steelyard-team" / "run-1").glob("r?.final.json")]
    return SimpleNamespace(
        code=process.returncode,
        said=said,
        complained=complained,
        finals={final["status"]["robot"]: final for final in finals},
        heard=watcher.heard,
        first=first,
    )


def test_an_interruption_ends_it_cleanly_with_a_table(run):
    assert run.code == 0, run.complained
    assert "At the end" in run.said
    assert "0 unaccounted for" in run.said
    assert len(run.finals) == 3
    assert all(gone(status.pid) for heard in run.heard.values() for status in heard[-1:])


def test_a_robot_that_was_killed_runs_again_within_seconds_and_all_agree(run):
    """Robots that have different rows have different masses, by no more than both deviations allow.

    r3 lacks what it measured between its last checkpoint and its end, and by that much earlier it counts itself as
    one that has let go. Rows that two robots share make their errors alike, so the difference of two masses varies by
    no more than the sum of their variances. Four deviations of that are exceeded in one run of 5000 (three pairs). One
    deviation of one robot, which was demanded here before, was exceeded in one run of six in virtual time.
    """
    again = [status for status in run.heard["r3"] if status.pid != run.first and status.phase == "running"]
    known = [status for status in again if status.age is not None and status.age < status.time - BACK]
    assert known[0].time - again[0].time < 5.0, "it knows the load as it is after its return"
    masses = [final["status"]["known"]["mass"] for final in run.finals.values()]
    for one, other in itertools.combinations(masses, 2):
        assert abs(one["value"] - other["value"]) < 4.0 * math.hypot(one["std"], other["std"])


def test_survivors_estimate_throughout(run):
    for name in ("r1", "r2"):
        since = [status for status in run.heard[name] if "mass" in status.known and status.phase == "running"]
        assert {status.estimates["mass"].status for status in since} == {"known"}


def test_nobody_who_does_not_belong_has_any_effect(run):
    dropped = {reason for final in run.finals.values() for reason in final["ledger"]["dropped"]}
    assert dropped <= {"replayed"}, "not even their bytes came in"
    for final in run.finals.values():
        mass = final["status"]["known"]["mass"]
        assert abs(mass["value"] - 2.0) < 5 * mass["std"]
