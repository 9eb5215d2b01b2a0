"""Which signal a column's words name: phrases as people write them, the longest and last of a name first."""

from steelyard.logs.mapping._names import Name, take_apart

VECTORS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "twist/linear": (
        ("twist linear", "vl", "vb", "body velocity", "velocity body", "body vel", "vel body"),
        "m/s",
        "a velocity in the sensor's own axes",
    ),
    "specific_force": (
        ("a", "acc", "accel", "accelerometer", "acceleration", "accelerations", "specific force", "sf", "lin acc",
         "linacc", "linaccel", "lin accel", "linear acc", "linear accel", "linear acceleration",
         "beschleunigung", "beschl"),
        "?",
        "an accelerometer",
    ),
    "rates": (
        ("w", "om", "omega", "g", "gyr", "gyro", "gyros", "gyroscope", "rate", "rates", "angular", "angvel", "ang vel",
         "angular velocity", "angular vel", "ang velocity", "angular rate", "angular rates", "body rate", "body rates",
         "ang rate", "twist angular", "angular speed", "drehrate"),
        "?",
        "an angular velocity",
    ),
    "wrench/force": (("f", "force", "forces", "wrench force", "kraft"), "N", "a force"),
    "wrench/torque": (
        ("t", "tau", "torque", "torques", "moment", "moments", "m", "mom", "wrench torque", "drehmoment"),
        "N m",
        "a torque",
    ),
    "linear_velocity": (
        ("v", "vel", "velocity", "speed", "dot", "lin vel", "linear vel", "linear velocity", "geschwindigkeit"),
        "m/s",
        "a velocity in the world",
    ),
    "position": (("p", "pos", "position", "translation", "trans", "xyz", "x", "location"), "m", "a position"),
}  # fmt: skip
"""By signal: phrases, the unit where nobody states one ("?": physics decides), and what it is."""

NO_SIGNAL = (
    "ang acc", "angacc", "ang accel", "angular acceleration", "angular acc", "angular accel", "alpha", "jerk", "snap",
    "mag", "magnetometer", "magnetic", "magnetic field", "bias", "b w", "b a", "b g", "cov", "covariance", "std",
    "sigma", "var", "variance", "err", "error", "residual", "noise", "wind", "pid", "controller", "integral",
    "accel angular", "temperature", "dmot", "external", "ext", "tcp force", "tcp torque", "ext hat", "power",
)  # fmt: skip
"""Phrases whose columns are none of our signals; a robot's own estimate of outside forces has its load taken off."""
SETPOINT = {"sp", "setpoint", "target", "ref", "reference", "desired", "des", "ctrltarget", "goal", "thrustdes", "cmd",
            "command", "commanded"}  # fmt: skip
ESTIMATE = {"est", "estimate", "estimated", "state", "kalman", "ekf", "filtered", "filt"}
MACHINE = {
    "drone",
    "quad",
    "quadrotor",
    "uav",
    "mav",
    "cf",
    "crazyflie",
    "vehicle",
    "mocap",
    "vicon",
    "optitrack",
    "vrpn",
    "motive",
    "qualisys",
    "rigidbody",
}
"""A machine, or what tracks it: an axis of it alone is a position."""
LOAD = {"load", "payload", "pendulum", "bob", "cable", "slung"}
"""What hangs below a machine: its motion is not the machine's."""
TRUTH = {"truth", "groundtruth", "gt", "true"}
INERTIAL = {"imu", "gyro", "gyr", "gyroscope", "acc", "accelerometer"}
QUATERNION = {"q", "quat", "quaternion", "orientation", "attitude", "att", "rotation", "rot"}
MOTOR = {"m", "motor", "motors", "mot", "pwm", "throttle", "thr", "u", "esc", "output", "rotor", "rotors", "servo",
         "rpm", "erpm", "propeller", "prop"}  # fmt: skip

_FORCES = {"force", "forces", "torque", "torques", "wrench", "ft", "f", "tau"}
_COMPENSATED = ("external", "ext", "tcp force", "tcp torque", "ext hat")


def is_compensated(field: str) -> bool:
    """Whether a field is a robot's own estimate of outside forces.

    >>> is_compensated("actual_TCP_force_0"), is_compensated("O_F_ext_hat_K[2]"), is_compensated("ft.force.x")
    (True, True, False)
    """
    words = take_apart(field).words
    text = f" {' '.join(words)} "
    return bool(_FORCES & set(words)) and any(f" {phrase} " in text for phrase in _COMPENSATED)


_PHRASES = {
    phrase: signal
    for signal, phrases in ((None, NO_SIGNAL), *((s, p) for s, (p, _, _) in VECTORS.items()))
    for phrase in phrases
}


def vector_signal(name: Name) -> str | None:
    """The vector signal that a name states; None where it states none.

    The longest phrase counts, and of two the one nearer the name's end: `wrench.torque`, `imu_angular_velocity`.
    """
    words = name.words
    if not words:
        return "position" if name.axis in ("x", "y", "z") else None
    if set(words) & QUATERNION and not set(words) & {"rate", "rates"}:
        return None
    found = [
        (length, end, _PHRASES[phrase])
        for length in (3, 2, 1)
        for end in range(length, len(words) + 1)
        if (phrase := " ".join(words[end - length : end])) in _PHRASES
    ]
    if any(signal is None and length == 1 for length, _, signal in found):
        return None  # a bias of a gyroscope, whatever else it is called
    if found:
        signal = max(found, key=lambda one: one[:2])[2]
        return None if signal in ("position", "linear_velocity") and set(words) & LOAD else signal
    return "position" if set(words) & (ESTIMATE | MACHINE) and name.axis in ("x", "y", "z") else None
