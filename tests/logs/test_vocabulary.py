"""Every column that the design names is known, with its unit."""

import pytest

from steelyard.logs import SIGNALS, describe
from steelyard.logs._vocabulary import nearest_column


@pytest.mark.parametrize(
    ("column", "signal", "axis", "unit", "role"),
    [
        ("time", "time", "", "s", "time"),
        ("r1/velocity/x", "velocity", "x", "m/s", "measurement"),
        ("r1/twist/angular/z", "twist/angular", "z", "rad/s", "measurement"),
        ("r1/specific_force/y", "specific_force", "y", "m/s²", "measurement"),
        ("r1/wrench/torque/x", "wrench/torque", "x", "N m", "input"),
        ("r12/force/y", "force", "y", "N", "input"),
        ("r1/attitude/w", "attitude", "w", "1", "measurement"),
        ("load/position/z", "position", "z", "m", "measurement"),
        ("r1/thrust", "thrust", "", "N", "input"),
        ("r1/rpm/12", "rpm", "12", "rpm", "measurement"),
        ("r1/throttle/1", "throttle", "1", "%", "input"),
        ("r1/joint/elbow/position", "joint/elbow/position", "", "rad", "measurement"),
        ("r1/base/attitude/w", "base/attitude", "w", "1", "measurement"),
        ("r1/foot_left/wrench/force/x", "foot_left/wrench/force", "x", "N", "input"),
        ("truth/mass", "mass", "", "kg", "truth"),
        ("truth/com/x", "com", "x", "m", "truth"),
        ("truth/inertia/xy", "inertia", "xy", "kg m²", "truth"),
        ("truth/r1/com/x", "r1/com", "x", "m", "truth"),
        ("truth/velocity/x", "velocity", "x", "m/s", "truth"),
        ("truth/bias/specific_force/x", "bias/specific_force", "x", "m/s²", "truth"),
        ("truth/r1/contact/r2/x", "r1/contact/r2", "x", "m", "truth"),
        ("truth/thrust/left_arm", "thrust/left_arm", "", "N", "truth"),
    ],
)
def test_columns_of_the_design(column, signal, axis, unit, role):
    found = describe(column)
    assert (found.signal, found.axis, found.unit, found.role, found.known) == (signal, axis, unit, role, True)
    assert found.who == (None if column == "time" else column.split("/")[0])


@pytest.mark.parametrize(
    "column",
    ["x", "", "/velocity/x", "r1/velocity", "r1/velocity/w", "r1/mass", "r1/rpm/0", "r1/rpm/a", "r1/thrust/x", "r1/"],
)
def test_columns_outside_it(column):
    found = describe(column)
    assert (found.known, found.unit, found.role) == (False, None, "unknown")


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("r1/velocty/x", "r1/velocity/x"),
        ("R1/Velocity/X", "r1/velocity/x"),
        ("r1_specific_force_x", "r1/specific_force/x"),
        ("r1.twist.angular.z", "r1/twist/angular/z"),
        ("r1/RPM/3", "r1/rpm/3"),
        ("truth/mas", "truth/mass"),
        ("battery/voltage", None),
        ("temperature", None),
        ("", None),
    ],
)
def test_the_nearest_name(column, meant):
    assert nearest_column(column) == meant


def test_every_nearest_name_is_a_name():
    for word in SIGNALS:
        for axis in {axis for axes in word.axes for axis in axes}:
            column = f"r1/{word.name}/{axis}".rstrip("/").replace("*", "knee")
            assert describe(column).known
            assert describe(nearest_column(column) or column).known
