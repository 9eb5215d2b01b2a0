"""Headers that public loggers write: what is in such a table is found, asked for, or left alone."""

from pathlib import Path

import numpy as np
import pytest
from foreign_runs import FLIP, at
from foreign_tables import TURN_Q, columns, rotor_speeds, text_table, the_flight, the_wrist, ticks, values, xyzw

from steelyard.config import Config
from steelyard.logs.mapping import Look, look_at, open_log, prepare
from steelyard.logs.mapping._airborne import airborne
from steelyard.logs.mapping._samples import samples


def test_topics_in_column_names_are_no_columns_of_ours(tmp_path: Path):
    """PlotJuggler and others name columns by topic and field; `identify` read such a table as ours, misspelt."""
    t = ticks(100, 24.9)
    table = {"timestamp": 1.7e9 + t} | columns("/ft_sensor/wrench_force_*", "xyz", values("force", t))
    table |= columns("/ft_sensor/wrench_torque_*", "xyz", values("torque", t))
    table |= columns("/imu_angular_velocity_*", "xyz", values("wrist rates", t))
    table |= columns("/imu_linear_acceleration_*", "xyz", values("wrist specific_force", t))
    looked = open_log([text_table(tmp_path / "run.csv", table)])
    assert isinstance(looked, Look)
    assert looked["rigid-body"].possible


def test_a_time_that_does_not_rise_is_none(tmp_path: Path):
    t = ticks(100, 10.0)
    table = {"time": np.sin(t)} | columns("q*", "xyzw", xyzw(t)) | columns("gyro_*", "xyz", values("rates", t))
    looked = open_log([text_table(tmp_path / "run.csv", table)])
    assert isinstance(looked, Look)
    assert "do not increase" in looked.mapping.times["run"].why


def drone(rate: float = 50.0, end: float = 39.9) -> tuple[np.ndarray, dict]:
    """Times, and a pose, a velocity and a gyroscope under usual names."""
    t = ticks(rate, end)
    table = {"t": t} | columns("p_*", "xyz", values("position", t)) | columns("q_*", "wxyz", values("attitude", t))
    return t, table | columns("v_*", "xyz", values("velocity", t)) | columns("w_*", "xyz", values("rates", t))


def rotors(t: np.ndarray) -> np.ndarray:
    """N, (n, 4)."""
    return at(t, the_flight().motion.time, the_flight().rotors())


def look(tmp_path: Path, table: dict, separator: str = ",") -> Look:
    return look_at([text_table(tmp_path / "run.csv", table, separator)])


@pytest.mark.parametrize("pattern", ["thrust_*", "motor_thrust_*", "rotor_*_thrust", "m*_thrust"])
def test_thrusts_of_rotors_are_summed(tmp_path: Path, pattern: str):
    t, table = drone()
    looked = look(tmp_path, table | columns(pattern, "1234", rotors(t)))
    thrust = looked.mapping.signals["r1/thrust"]
    assert (thrust.conversion, thrust.open_unit) == ("sum", True)
    _, found = samples(looked.recording, looked.mapping, "r1/thrust")
    np.testing.assert_allclose(found[:, 0], rotors(t).sum(axis=1), rtol=1e-6)
    assert any('{thrust_1 = "N"}' in one or "thrust" in one for one in looked.mapping.unit_questions)


def test_commands_that_are_stated_in_newtons_are_thrusts_of_rotors(tmp_path: Path):
    """Planned trajectories call them u_1 to u_4."""
    t, table = drone()
    file = text_table(tmp_path / "run.csv", table | columns("u_*", "1234", rotors(t)))
    assert look_at([file]).mapping.signals["r1/motor"].open_unit
    (tmp_path / "map.toml").write_text('"run".units = {u_1 = "N"}\n')
    thrust = look_at([file], tmp_path / "map.toml").mapping.signals["r1/thrust"]
    assert (thrust.conversion, thrust.unit, thrust.open_unit) == ("sum", "N", False)


def test_a_thrust_in_place_of_a_refused_one_is_examined_too(tmp_path: Path):
    """A collective thrust of 0 to 1 beside four of 0 to 1: neither is in newtons, and both are asked for."""
    t, table = drone()
    collective = rotors(t).sum(axis=1) / 48.0
    table |= {"thrust": collective} | columns("m*_thrust", "1234", rotors(t) / 12.0)
    looked = look(tmp_path, table)
    assert "r1/thrust" not in looked.mapping.signals
    assert [f"How many newtons is run:{name} at 1?" in text for name, text in zip(
        ("thrust", "m1_thrust"), looked.mapping.questions, strict=True)] == [True, True]  # fmt: skip


def test_a_thrust_in_whole_numbers_is_a_command(tmp_path: Path):
    t, table = drone()
    looked = look(tmp_path, table | {"thrust": np.round(65535 * np.sqrt(rotors(t).sum(axis=1) / 60))})
    assert "r1/thrust" not in looked.mapping.signals
    assert any("whole numbers" in one for one in looked.mapping.questions)


@pytest.mark.parametrize(("pattern", "factor", "unit"), [
    ("r*", 1.0, "rotor rad/s"), ("m*_rads", 1.0, "rotor rad/s"), ("motor_rpm_*", 30 / np.pi, "rpm"),
])  # fmt: skip
def test_rotor_speeds_have_many_names(tmp_path: Path, pattern: str, factor: float, unit: str):
    t, table = drone()
    looked = look(tmp_path, table | columns(pattern, "1234", factor * rotor_speeds(t)))
    assert looked.mapping.signals["r1/rpm"].unit == unit


@pytest.mark.parametrize("pattern", ["m*_erpm", "eRPM(/100)[*]"])
def test_electrical_revolutions_are_not_the_rotors(tmp_path: Path, pattern: str):
    """Nobody states the pairs of poles: the unit stays open, and the line that answers is no `rpm`."""
    t, table = drone()
    looked = look(tmp_path, table | columns(pattern, "1234", np.round(7 * 30 / np.pi * rotor_speeds(t))))
    assert looked.mapping.signals["r1/rpm"].open_unit
    assert any("pairs of poles" in one and "0.142857 rpm" in one for one in looked.mapping.unit_questions)


def test_corners_in_one_word(tmp_path: Path):
    """DJI's `Motor:Speed:RFront`, and states with a letter for their kind behind them."""
    t, speeds = ticks(50), 30 / np.pi * rotor_speeds(ticks(50))
    table = {"Tick#": np.round(4.5e6 * t), "Clock:offsetTime": t}
    table |= columns("IMU_ATTI(0):gyro*", "XYZ", np.degrees(values("rates", t) * FLIP))
    table |= columns("IMU_ATTI(0):accel*", "XYZ", values("specific_force", t) * FLIP / 9.81)
    table |= columns("IMU_ATTI(0):quat*:D", "WXYZ", values("attitude", t) * TURN_Q)
    table |= columns("IMU_ATTI(0):vel*", "NED", values("velocity", t) * FLIP)
    table |= columns("Motor:Speed:*", ("LFront", "RFront", "LBack", "RBack"), speeds)
    looked = look(tmp_path, table)
    assert looked["multirotor"].possible
    units = {name: looked.mapping.signals[f"r1/{name}"].unit for name in ("rates", "specific_force", "rpm")}
    assert units == {"rates": "deg/s", "specific_force": "g", "rpm": "rpm"}
    assert looked.mapping.signals["r1/attitude"].axes == ("x", "-y", "-z")


def test_counts_and_centimetres_of_a_blackbox(tmp_path: Path):
    """INAV: a quaternion of 10000 for 1, positions north, east, up in cm, and a setpoint that is called a rate."""
    t, neu = ticks(100), np.array([1.0, -1.0, 1.0])
    table = {"time (us)": np.round(1e6 * (16 + t))} | columns(
        "axisRate[*]", "012", np.zeros((len(t), 3)) + np.sin(t)[:, None]
    )
    table |= columns("gyroADC[*]", "012", np.round(np.degrees(values("rates", t))))
    table |= columns("accSmooth[*]", "012", np.round(512 * values("specific_force", t) / 9.81))
    table |= columns("quaternion[*]", "0123", np.round(10000 * values("attitude", t)))
    table |= columns("motor[*]", "0123", np.round(1000 + 1000 * np.sqrt(rotors(t) / 12)))
    table |= columns("navPos[*]", "012", np.round(100 * values("position", t) * neu))
    table |= columns("navVel[*]", "012", np.round(100 * values("velocity", t) * neu))
    found = look(tmp_path, table).mapping.signals
    assert (found["r1/rates"].source[0], found["r1/rates"].unit) == ("run:gyroADC[0]", "deg/s")
    assert found["r1/attitude"].source[0] == "run:quaternion[0]"
    assert (found["r1/position"].unit, found["r1/position"].axes) == ("cm", ("x", "-y", "z"))
    assert (found["r1/linear_velocity"].unit, found["r1/linear_velocity"].axes) == ("cm/s", ("x", "-y", "z"))


def test_arrays_with_their_units_before_the_index(tmp_path: Path):
    t = ticks(50)
    table = {"seconds_since_launch": t} | columns("position_ned_m[*]", "012", values("position", t) * FLIP)
    table |= columns("velocity_ned_mps[*]", "012", values("velocity", t) * FLIP)
    table |= columns("accel_body_mps2[*]", "012", values("specific_force", t) * FLIP)
    table |= columns("orientation_rad[*]", "012", values("angles", t) * FLIP)
    table |= columns("angular_rate_body_radps[*]", "012", values("rates", t) * FLIP)
    found = look(tmp_path, table | columns("motor_*_rpm", "1234", 30 / np.pi * rotor_speeds(t))).mapping.signals
    assert "r1/motor" not in found
    for name in ("position", "linear_velocity", "specific_force", "attitude", "rates"):
        assert found[f"r1/{name}"].axes == ("x", "-y", "-z"), name


def test_longitude_and_latitude_are_no_metres(tmp_path: Path):
    t, table = drone()
    p = values("position", t)
    east_north = np.column_stack([-79.78 + p[:, 0] / 85_000, 40.45 + p[:, 1] / 111_000, 270 + p[:, 2]])
    table |= columns("p_*", "xyz", east_north) | {"thrust [N]": values("thrust", t)}
    looked = look(tmp_path, table)
    assert "r1/position" not in looked.mapping.signals
    assert any("longitude" in one.sentence for one in looked.mapping.findings)
    assert looked["multirotor"].possible


def test_a_flight_without_positions_begins_where_its_velocity_shows_it(tmp_path: Path):
    t, table = drone()
    table = {name: one for name, one in table.items() if not name.startswith("p_")} | {
        "thrust [N]": values("thrust", t)
    }
    looked = look(tmp_path, table)
    span = airborne(looked.recording, looked.mapping, "r1")
    assert span is not None
    assert span[0] == pytest.approx(5.5, abs=1.0)
    assert span[1] == pytest.approx(34.5, abs=1.0)


def test_a_direction_of_gravity_is_no_gyroscope(tmp_path: Path):
    """Payload identification logs call it g_x, g_y, g_z beside a force and an angular velocity."""
    t, motion = ticks(100, 24.9), the_wrist().motion
    gravity = at(t, motion.time, np.einsum("nji,j->ni", motion.R, np.array([0, 0, -9.81])))
    table = (
        {"time": t} | columns("force_*", "xyz", values("force", t)) | columns("torque_*", "xyz", values("torque", t))
    )
    looked = look(
        tmp_path, table | columns("g_*", "xyz", gravity) | columns("acc_*", "xyz", values("wrist specific_force", t))
    )
    assert "r1/rates" not in looked.mapping.signals
    assert not any("rad/s" in one for one in looked.mapping.questions)


def test_a_pose_beside_a_force_alone_is_left_open(tmp_path: Path):
    """X, Y, Z, RX, RY, RZ: without an accelerometer nothing shows whether they are angles or a vector."""
    t = ticks(100, 24.9)
    table = {"Current Time (ms)": 1e3 * t} | columns("F* (N)", "xyz", values("force", t))
    table |= columns("T* (Nm)", "xyz", values("torque", t)) | columns("*", "XYZ", 1e3 * values("wrist position", t))
    looked = look(tmp_path, table | columns("R*", "XYZ", np.degrees(values("angles", t))))
    assert "r1/attitude" not in looked.mapping.signals


def test_two_sensors_whose_clocks_are_microseconds_apart_are_no_error(tmp_path: Path):
    t = ticks(100, 24.9)
    wrench = {"timestamp": 1.7e9 + t} | columns("force_* (N)", "xyz", values("force", t))
    wrench |= columns("torque_* (Nm)", "xyz", values("torque", t))
    imu = {"timestamp": 1.7e9 + t + 4e-6} | columns("accel_*_g", "xyz", values("wrist specific_force", t) / 9.80665)
    imu |= columns("gyro_*_dps", "xyz", np.degrees(values("wrist rates", t)))
    files = [text_table(tmp_path / f"{name}.csv", table) for name, table in (("ft", wrench), ("imu", imu))]
    assert prepare(open_log(files), "rigid-body", Config()).problem == "rigid-body"


@pytest.mark.parametrize("damage", [1e300, np.inf, np.nan, 0.0])
@pytest.mark.parametrize("column", ["p_x", "v_y", "w_z", "q_w", "rpm_2", "vbat", "t"])
def test_a_column_of_absurd_numbers_ends_no_examination(tmp_path: Path, damage: float, column: str):
    """Least squares over 1e300 did not converge, and a signal without a usable sample had no first time."""
    t, table = drone(20.0)
    table |= columns("rpm_*", "1234", 30 / np.pi * rotor_speeds(t)) | {"vbat": 16 - 0.01 * t}
    assert look(tmp_path, table | {column: np.full(len(t), damage)}).streams
