"""What people write above their columns."""

import pytest

from steelyard.errors import BadInput
from steelyard.logs.mapping._names import take_apart
from steelyard.logs.mapping._ros import robot_names
from steelyard.logs.mapping._rotations import axes_matrix
from steelyard.logs.mapping._unit_names import factor_of, plain_unit


@pytest.mark.parametrize(
    ("name", "words", "axis", "unit"),
    [
        ("acc_x [g]", ("acc",), "x", "g"),
        ("imu.linear_acceleration.y", ("imu", "linear", "acceleration"), "y", None),
        ("gyroZ (deg/s)", ("gyro",), "z", "deg/s"),
        ("wx_vicon", ("w", "vicon"), "x", None),
        ("fx", ("f",), "x", None),
        ("accel_x_m_s2", ("accel",), "x", "m/s²"),
        ("motor_motor_m3", ("motor", "motor", "m"), "3", None),
        ("r12", ("r",), "12", None),
        ("qw", ("q",), "w", None),
        ("r1", ("r",), "1", None),
        ("position_ned_m[0]", ("position", "ned"), "0", "m"),
        ("angular_rate_body_radps[2]", ("angular", "rate", "body"), "2", "rad/s"),
        ("eRPM(/100)[3]", ("erpm",), "3", None),
    ],
)
def test_names_are_taken_apart(name: str, words: tuple[str, ...], axis: str, unit: str | None):
    found = take_apart(name)
    assert (found.words, found.axis, found.unit) == (words, axis, unit)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("µs", "us"),
        ("m/s^2", "m/s²"),
        ("°/s", "deg/s"),
        ("Nm", "N m"),
        ("%", "%"),
        ("furlong", None),
        ("meters/Sec2", "m/s²"),
        ("degrees/s", "deg/s"),
        ("degrees180", "deg"),
        ("feet", "ft"),
        ("mph", "mph"),
    ],
)
def test_units_have_many_spellings(text: str, unit: str | None):
    assert plain_unit(text) == unit


def test_an_unknown_unit_is_refused():
    with pytest.raises(BadInput, match="furlong"):
        factor_of("furlong")


def test_axes_must_be_three_different_ones():
    with pytest.raises(BadInput, match="names an axis twice"):
        axes_matrix(["x", "x", "-z"])


def test_robots_are_told_from_their_topics():
    names = robot_names(["/a/imu", "/a/wrench", "/b/imu", "/b/wrench"])
    assert set(names.values()) == {"a", "b"}
    assert set(robot_names(["/imu", "/wrench"]).values()) == {"r1"}
