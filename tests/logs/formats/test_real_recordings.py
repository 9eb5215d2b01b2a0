"""Logs that others recorded: rates, rows and fields as their description says. See conftest.py for where they are."""

import time
from pathlib import Path

import numpy as np
import pytest

from steelyard.logs import Recording, Stream, read_recording

FILES = {  # file, stream, rows, rate (Hz; None without a clock), some fields
    "crazyflie/arpl/log10": ("fixedFrequency", 50496, 1009.76, ["acc.x", "gyro.z", "motor.m4"]),
    "crazyflie/crazypad/motor_data_normal_flight_E9_log00": (
        "fixedFrequency",
        2593,
        100.87,
        ["pwm.m1_pwm", "pm.vbatMV"],
    ),
    "crazyflie/crazypad/motor_data_add_weight_W1_near_M3_E9_log04": ("fixedFrequency", 2595, 100.69, ["motor.m3"]),
    "px4/yuneec_position.ulg": ("vehicle_attitude_groundtruth", 5084, 83.32, ["q[0]", "q[3]"]),
    "px4/sample_px4_events.ulg": ("sensor_combined", 7783, 250.0, ["gyro_rad[0]", "accelerometer_m_s2[2]"]),
    "px4/sample_appended_multiple.ulg": ("sensor_combined", 2373, 246.63, ["gyro_rad[0]"]),
    "nanobench/B3_figure8_medium_rep2.csv.gz": ("B3_figure8_medium_rep2", 4227, 100.0, ["px", "qw", "motor_motor_m1"]),
    "nanobench/B5_helix_medium_rep1.csv.gz": ("B5_helix_medium_rep1", 4225, 99.95, ["imu_acc_z"]),
    "nanobench/B6_linear_ramp_rep1.csv.gz": ("B6_linear_ramp_rep1", 3223, 100.0, ["imu_acc_z"]),
    "kuka_wrist/1-baseline_wrench.csv": ("1-baseline_wrench", 4376, 698.09e-6, ["fx", "tz"]),  # time is in µs, unsaid
    "kuka_wrist/1-baseline_accel.csv": ("1-baseline_accel", 1593, 254.12e-6, ["ax", "az"]),
    "kuka_wrist/1-baseline_orientations.csv": ("1-baseline_orientations", 627, 99.99e-6, ["r11", "r33"]),
    "kuka_wrist/0-steady-state_wrench.csv": ("0-steady-state_wrench", 698, None, ["fx"]),
    "kuka_wrist/0-steady-state_accel.csv": ("0-steady-state_accel", 256, None, ["ax"]),
    "tx40/curr_data.csv.gz": ("curr_data", 45000, None, ["Joint_1", "Joint_6"]),
    "tx40/pos_read_data.csv.gz": ("pos_read_data", 45000, None, ["Joint_1"]),
    "tiago/tiago_position.csv.gz": ("tiago_position", 8022, 100.0, ["- torso_lift_joint_position"]),
    "tiago/tiago_velocity.csv.gz": ("tiago_velocity", 8022, 100.0, ["- arm_7_joint_velocity"]),
    "tiago/tiago_effort.csv.gz": ("tiago_effort", 8022, 100.0, ["- arm_1_joint_effort"]),
}


def rate(stream: Stream) -> float | None:
    return None if stream.time is None else float((stream.rows - 1) / (stream.time[-1] - stream.time[0]))


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_has_the_rows_rates_and_fields_that_are_known_of_it(real_data: Path, name: str):
    stream_name, rows, hertz, fields = FILES[name]
    began = time.process_time()
    stream = read_recording(real_data / name)[stream_name]
    assert stream.rows == rows
    assert rate(stream) == (None if hertz is None else pytest.approx(hertz, rel=1e-3))
    for field in fields:
        assert len(stream.fields[field]) == rows
        assert np.isfinite(stream.fields[field]).all()
    assert time.process_time() - began < 5.0  # of the processor, so that other work on the machine does not count


@pytest.mark.parametrize("name", ["yuneec_position", "sample_px4_events", "sample_appended_multiple"])
def test_a_real_ulog_is_what_pyulog_reads(real_data: Path, name: str):
    pyulog = pytest.importorskip("pyulog")
    path = real_data / "px4" / f"{name}.ulg"
    ours, theirs = read_recording(path), pyulog.ULog(str(path))
    assert len(ours.streams) == len(theirs.data_list)
    assert ours.parameters.keys() == theirs.initial_parameters.keys()
    for data in theirs.data_list:
        stream = ours[data.name if data.multi_id == 0 else f"{data.name}#{data.multi_id}"]
        assert stream.rows == len(data.data["timestamp"])
        for field, column in stream.fields.items():
            np.testing.assert_array_equal(column, data.data[field].astype(float))


def test_the_three_files_of_one_run_are_one_recording(real_data: Path):
    names = [real_data / "kuka_wrist" / f"1-baseline_{part}.csv" for part in ("wrench", "accel", "orientations")]
    found: Recording = read_recording(*names)
    assert [stream.name for stream in found.streams] == [
        "1-baseline_wrench",
        "1-baseline_accel",
        "1-baseline_orientations",
    ]
    starts = [float(stream.time[0]) for stream in found.streams if stream.time is not None]
    assert max(starts) - min(starts) < 3000  # µs


def test_the_accelerometers_at_rest_read_about_one_g(real_data: Path):
    """In g: which no file states, and the reader does not change."""
    stream = read_recording(real_data / "kuka_wrist/0-steady-state_accel.csv").streams[0]
    size = np.linalg.norm([stream.fields[axis] for axis in ("ax", "ay", "az")], axis=0)
    assert size.mean() == pytest.approx(1.0, abs=0.03)
