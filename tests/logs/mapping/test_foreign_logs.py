"""Logs as other people's tools write them: each signal is found, in its unit, axes and clock, or nothing is said."""

from pathlib import Path

import numpy as np
import pytest
from foreign_autopilots import LOGS
from foreign_exports import EXPORTS
from foreign_runs import Flight, Wrist, at
from foreign_tables import TABLES, the_flight, the_wrist

from steelyard.logs.mapping import Look, look_at
from steelyard.logs.mapping._rotations import matrices
from steelyard.logs.mapping._samples import samples

LIMITS = {"attitude": 0.02, "linear_velocity": 0.1, "rates": 0.06, "specific_force": 0.3, "position": 0.03}
LIMITS |= {"wrench/force": 0.3, "wrench/torque": 0.03, "thrust": 0.3}
"""RMS differences that noise, rounding and a few milliseconds explain; a wrong unit or axis is far beyond."""
EVERY = TABLES | LOGS | EXPORTS
NAMES = {"linear_velocity": "velocity", "wrench/force": "force", "wrench/torque": "torque"}


def difference(looked: Look, signal: str, run: Flight | Wrist, zero: float) -> float:
    """RMS difference of a mapped signal from the truth; an attitude's in rad."""
    time, found = samples(looked.recording, looked.mapping, signal)
    name = signal.partition("/")[2]
    name = NAMES.get(name, name)
    true = at(time - zero, run.motion.time, getattr(run if hasattr(run, name) else run.motion, name))
    if name == "attitude":
        turn = np.einsum("nij,nkj->nik", matrices(found), matrices(true / np.linalg.norm(true, axis=1, keepdims=True)))
        return float(np.sqrt(np.mean(np.arccos(np.clip((np.trace(turn, axis1=1, axis2=2) - 1) / 2, -1, 1)) ** 2)))
    return float(np.sqrt(np.mean(np.sum((found - true.reshape(found.shape)) ** 2, axis=1))))


@pytest.mark.parametrize("kind", EVERY)
def test_a_log_is_mapped_to_what_was_measured(kind: str, tmp_path: Path):
    kept = EVERY[kind]
    if kind.startswith("ROS"):
        pytest.importorskip("rosbags", reason="bags are written with rosbags")
    looked = look_at(kept.write(tmp_path))
    run = the_flight() if kept.run == "flight" else the_wrist()
    (robot,) = {one.robot for one in looked.mapping.signals.values()}
    for name in kept.signals:
        assert f"{robot}/{name}" in looked.mapping.signals, name
        if (name in LIMITS and kind != "cfclient") or name in ("attitude", "rates"):
            assert difference(looked, f"{robot}/{name}", run, kept.zero) < LIMITS[name], name
    if kept.run == "wrist":
        assert looked["rigid-body"].possible
    if set(kept.signals) & {"thrust", "rpm", "motor"}:
        assert looked["multirotor"].possible


def test_a_robots_own_estimate_of_outside_forces_is_no_wrench(tmp_path: Path):
    """The load is compensated in it: a mass of it would be a wrong number."""
    for kind in ("an arm's controller", "poses as matrices"):
        force = look_at(TABLES[kind].write(tmp_path)).mapping.signals["r1/wrench/force"]
        assert not any("TCP" in one or "hat" in one for one in force.source)


@pytest.mark.parametrize("pattern", ["actual_TCP_force_*", "O_F_ext_hat_K[*]", "tool_external_wrench_*"])
def test_why_an_estimate_of_outside_forces_is_no_wrench_is_said(pattern: str, tmp_path: Path):
    from foreign_tables import columns, text_table, ticks, values

    t = ticks(125, 10.0)
    numbers = np.hstack([values("force", t), values("torque", t)])
    table = {"time": t} | columns(pattern, "012345", numbers)
    table |= columns("acc_*", "xyz", values("wrist specific_force", t))
    table |= columns("gyro_*", "xyz", values("wrist rates", t))
    looked = look_at([text_table(tmp_path / "robot.csv", table)])
    assert "in which its load is compensated" in looked["rigid-body"].missing[0]
    assert not looked["rigid-body"].possible


def test_a_column_that_counts_rows_is_no_time(tmp_path: Path):
    """At 100 Hz it would be a flight ten times as fast, in which nothing contradicts the mass."""
    from foreign_exports import inertial, pose
    from foreign_tables import text_table, ticks

    t = ticks(100)
    looked = look_at([text_table(tmp_path / "run.csv", {"t": np.arange(len(t))} | pose(t) | inertial(t))])
    (missing,) = looked["multirotor"].missing
    assert "may count rows" in missing
    assert '"run".time = {rate = 100.0}' in missing


def test_joints_named_by_letters_and_numbers_are_no_quaternion(tmp_path: Path):
    from foreign_tables import columns, text_table, ticks

    t = ticks(100, 10.0)
    q = np.cos(0.3 * t[:, None] * np.arange(1, 7))
    table = {"t": t} | columns("q*", "123456", q) | columns("qd*", "123456", np.gradient(q, t, axis=0))
    looked = look_at([text_table(tmp_path / "arm.csv", table | columns("tau*", "123456", q))])
    assert looked["arm"].complete
    assert not looked.mapping.questions


def test_a_speed_or_a_command_that_nothing_tells_apart_is_asked_for(tmp_path: Path):
    looked = look_at(TABLES["NeuroBEM"].write(tmp_path))
    assert any("a command (of which range) or a rotor's speed" in one for one in looked.mapping.questions)
    assert "r1/motor" not in looked.mapping.signals


def test_in_flight_gravity_tells_nothing_of_a_gyroscopes_unit(tmp_path: Path):
    """The specific force is along the thrust however the machine turns: rad/s must not become deg/s."""
    from foreign_tables import columns, text_table, ticks, values

    t = ticks(100)
    table = (
        {"t": t} | columns("gyro_*", "xyz", values("rates", t)) | columns("acc_*", "xyz", values("specific_force", t))
    )
    looked = look_at([text_table(tmp_path / "imu.csv", table | {"thrust": values("thrust", t)})])
    assert "r1/rates" not in looked.mapping.signals
    assert any("rad/s or deg/s" in question for question in looked.mapping.questions)
