"""Tables in which something is missing, signed or counted on: read rightly, or asked about; never an exception."""

from pathlib import Path

import numpy as np
import pytest
from foreign_tables import columns, rotor_speeds, text_table, the_flight, ticks, values

from steelyard.logs.mapping import Look, look_at

T = ticks(100.0)


def looked_at(tmp_path: Path, table: dict[str, np.ndarray]) -> Look:
    return look_at([text_table(tmp_path / "run.csv", table)])


def flight(**more: np.ndarray) -> dict[str, np.ndarray]:
    table = (
        {"t [s]": T} | columns("q*", "wxyz", values("attitude", T)) | columns("v* [m/s]", "xyz", values("velocity", T))
    )
    return table | columns("gyro_* [rad/s]", "xyz", values("rates", T)) | more


def test_a_yaw_that_counts_turns_does_not_make_angles_degrees(tmp_path):
    """Roll and pitch in rad beside a yaw of many turns made a mass known that was 44 deviations off."""
    angles = the_flight().motion.angles()
    roll, pitch = (np.interp(T, the_flight().motion.time, angles[:, k]) for k in range(2))
    table = {name: v for name, v in flight().items() if not name.startswith("q")}
    table |= {"roll": roll, "pitch": pitch, "yaw": np.linspace(0.0, 20.0, len(T))}
    found = looked_at(tmp_path, table).mapping.signals.get("r1/attitude")
    assert found is None or found.unit == "rad"


@pytest.mark.parametrize("kind", ["thrust_{} [N]", "rpm_{}"])
def test_three_rotors_of_four_are_no_collective_thrust(tmp_path, kind):
    rotors = {
        kind.format(k): np.full(len(T), 3.0 if "thrust" in kind else 9000.0) + 0.1 * np.sin(T) for k in range(1, 5)
    }
    whole = looked_at(tmp_path, flight(**rotors)).mapping.signals
    signal = "r1/thrust" if "thrust" in kind else "r1/rpm"
    assert len(whole[signal].source) == 4
    rotors[kind.format(3)] = np.full(len(T), np.nan)
    assert signal not in looked_at(tmp_path, flight(**rotors)).mapping.signals


def test_signed_rotor_speeds_fly(tmp_path):
    """Simulators log the sign of each rotor's turn."""
    speeds = rotor_speeds(T) * [1.0, -1.0, 1.0, -1.0]
    table = flight(**columns("rpm_*", "1234", speeds)) | columns(
        "pos_* [m]", "xyz", values("position", T) + np.array([0.0, 0.0, 5.0])
    )
    refused = [one for one in looked_at(tmp_path, table).mapping.findings if one.subject == "r1/flight"]
    assert not refused


@pytest.mark.parametrize("name", ["timestamps", "times"])
def test_the_plural_of_a_time_states_no_unit(tmp_path, name):
    table = {name: 1000.0 * T + 12345.0} | {k: v for k, v in flight().items() if k != "t [s]"}
    looked = looked_at(tmp_path, table)
    assert looked.mapping.times["run"].unit == "ms"


def test_an_empty_last_column_is_a_column(tmp_path):
    """Of more than 200 rows: the heading is no longer among the lines that are tried."""
    path = text_table(tmp_path / "run.csv", flight())
    heading, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{heading},note", *(f"{row}," for row in rows)]) + "\n")
    looked = look_at([path])
    assert "r1/attitude" in looked.mapping.signals
    assert "note" in looked.recording.streams[0].fields


def test_empty_columns_are_no_pose_and_no_exception(tmp_path):
    nothing = np.full(len(T), np.nan)
    for pattern, count in (("O_T_EE[{}]", 16), ("qpos[{}]", 7), ("rpm.m{}", 4)):
        looked = looked_at(tmp_path, flight() | {pattern.format(k): nothing for k in range(count)})
        assert all(
            pattern.split("{")[0] not in source for one in looked.mapping.signals.values() for source in one.source
        )


def test_two_short_files_of_unlike_clocks_are_no_exception(tmp_path):
    t = 1e-3 * np.arange(100)
    one = text_table(tmp_path / "gyro.csv", {"t [s]": t} | columns("gyro_* [rad/s]", "xyz", values("rates", t)))
    two = text_table(tmp_path / "attitude.csv", {"t [s]": t + 500.0} | columns("q*", "wxyz", values("attitude", t)))
    assert look_at([one, two]).mapping.signals
