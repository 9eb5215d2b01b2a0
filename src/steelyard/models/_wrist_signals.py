"""The signals of a wrist that holds a load, in the one order that worlds, teams, problems and robots share."""

WRIST_SIGNALS = {
    "twist/angular": "rad/s",
    "twist/linear": "m/s",
    "specific_force": "m/s²",
    "wrench/torque": "N m",
    "wrench/force": "N",
}
"""Log name and unit of each signal. All have the axes x, y, z of the sensor frame, so a robot's row has 15 numbers."""
