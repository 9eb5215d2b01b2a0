"""Logs that nobody here made: each is mapped right. Skipped where the files are not."""

import os
from pathlib import Path

import pytest

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import read_recording
from steelyard.logs.mapping import Look, look, prepare

DATA = Path(os.environ.get("STEELYARD_REAL_DATA", Path(__file__).parents[4] / "shared" / "data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real recordings are not here; see $STEELYARD_REAL_DATA")


def looked_at(*names: str) -> Look:
    return look(read_recording(*(DATA / name for name in names)))


def units(looked: Look) -> dict[str, str]:
    return {signal: one.unit for signal, one in looked.mapping.signals.items()}


def sentences(looked: Look) -> str:
    return " ".join(finding.sentence for finding in looked.mapping.findings)


def test_kuka_three_files_are_one_wrist_log():
    looked = looked_at(*(f"kuka_wrist/1-baseline_{part}.csv" for part in ("accel", "orientations", "wrench")))
    signals = looked.mapping.signals
    assert {one.unit for one in looked.mapping.times.values()} == {"us"}
    assert signals["r1/specific_force"].unit == "g"
    assert signals["r1/specific_force"].axes == ("y", "z", "x")  # a fixed rotation that nobody gives
    assert signals["r1/attitude"].rows == "R"
    assert looked["rigid-body"].possible
    late = signals["r1/specific_force"]
    assert late.delay_std is not None
    assert abs(late.delay - 0.0084) < 2 * late.delay_std
    assert late.delay_std < 0.004  # s: a sample of its accelerometer, 254 Hz
    assert "offset" in sentences(looked)
    assert len(looked.mapping.questions) == 1  # gravity turned about one axis only


def test_kuka_at_rest_has_no_times():
    looked = looked_at("kuka_wrist/0-steady-state_accel.csv", "kuka_wrist/0-steady-state_wrench.csv")
    assert not looked["rigid-body"].possible
    assert all(stream.rate is None for stream in looked.streams)


@pytest.mark.parametrize("flight", ["B3_figure8_medium_rep2", "B5_helix_medium_rep1"])
def test_nanobench_motion_capture_inertial_sensor_and_thrust_map(flight: str):
    looked = looked_at(f"nanobench/{flight}.csv.gz")
    found, signals = units(looked), looked.mapping.signals
    assert found["r1/specific_force"] == "g"
    assert found["r1/rates"] == "rad/s"
    assert found["r1/motor"] == "pwm16"
    assert signals["r1/attitude"].source[0].endswith(":qw")
    assert signals["r1/attitude"].axes is None
    assert signals["r1/position"].source[0].endswith(":px")
    assert signals["r1/rates"].source[0].endswith(":imu_gyro_x")
    assert signals["r1/thrust"].conversion == "crazyflie-2-thrust"
    assert "Förster" in signals["r1/thrust"].why
    assert looked["multirotor"].possible


def test_nanobench_that_never_leaves_the_ground_is_refused():
    looked = looked_at("nanobench/B6_linear_ramp_rep1.csv.gz")
    assert not looked["multirotor"].possible
    assert "nothing can be weighed" in looked["multirotor"].missing[0]


def test_px4_iris_by_its_own_conventions_and_truth_apart():
    looked = looked_at("px4/yuneec_position.ulg")
    signals = looked.mapping.signals
    assert signals["r1/attitude"].frame == "NED/FRD"
    assert signals["r1/linear_velocity"].frame == "NED"
    assert signals["r1/rates"].frame == "FRD"
    assert signals["r1/motor"].unit == "pwm"
    assert len(signals["r1/motor"].source) == 4
    assert "truth/attitude" in signals
    assert not any(
        "groundtruth" in source for name, one in signals.items() if name.startswith("r1/") for source in one.source
    )
    assert looked["multirotor"].possible
    assert "throttle_map" in looked["multirotor"].configuration[0]
    assert not any(finding.verdict == "refused" for finding in looked.mapping.findings)
    assert "only mass over thrust scale can be told" in sentences(looked)


def test_px4_that_barely_hovers_is_refused():
    looked = looked_at("px4/sample_px4_events.ulg")
    assert looked.mapping.signals["r1/motor"].unit == "of one"
    assert not looked["multirotor"].possible
    assert "nothing can be weighed" in looked["multirotor"].missing[0]


def test_px4_without_motors_that_turn_lacks_them():
    """The log was begun on the ground: its four outputs stand at 900 µs."""
    looked = looked_at("px4/sample_appended_multiple.ulg")
    assert any("motor commands: actuator_outputs:output[0]" in text for text in looked["multirotor"].missing)
    assert any("it is -0.1 throughout" in text for text in looked["multirotor"].missing)


def test_crazyflie_thousand_hertz():
    found = units(looked_at("crazyflie/arpl/log10"))
    assert (found["r1/specific_force"], found["r1/rates"], found["r1/motor"]) == ("g", "deg/s", "pwm16")


@pytest.mark.parametrize("flight", ["motor_data_normal_flight_E9_log00", "motor_data_add_weight_W1_near_M3_E9_log04"])
def test_crazypad_lacks_pitch_and_its_commands_are_answered(flight: str):
    looked = looked_at(f"crazyflie/crazypad/{flight}")
    assert units(looked)["r1/battery/voltage"] == "mV"
    assert looked["multirotor"].possible
    assert not any(name.endswith("/attitude") for name in looked["multirotor"].mapping)


def test_tx40_currents_and_degrees_without_times():
    looked = looked_at("tx40/curr_data.csv.gz", "tx40/pos_read_data.csv.gz")
    found = units(looked)
    assert found["r1/joint/Joint_4/position"] == "deg"
    assert found["r1/joint/Joint_4/current"] == "A"
    assert any("State its rate" in text for text in looked["arm"].missing)
    with pytest.raises(BadInput, match=r"pos_read_data: position; curr_data: current.*no method[^;]*$"):
        prepare(looked, None, Config())


def test_tiago_joints():
    looked = looked_at(*(f"tiago/tiago_{part}.csv.gz" for part in ("effort", "position", "velocity")))
    found = units(looked)
    assert found["r1/joint/arm_2_joint/position"] == "rad"
    assert found["r1/joint/arm_2_joint/effort"] == "N m"
    assert looked["arm"].possible
    with pytest.raises(BadInput, match=r"tiago_position: position; tiago_effort: effort.*no method"):
        prepare(looked, None, Config())
