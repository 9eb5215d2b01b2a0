"""Crazyflie logs by the firmware's variable names: g, deg/s, metres in a world with z up, PWM of 0 to 65535."""

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._source import SignalSource


def thrust_map_sentence(voltage: bool) -> str:
    """Which thrust map is used, with the battery's voltage or without it."""
    scaled = "p scaled by battery voltage over 3.8 V" if voltage else "as no battery voltage was logged, for 3.8 V"
    return (
        "The four PWM commands go through the Crazyflie 2.x thrust map (Förster 2015: rpm = 0.2685 p + 4070.3, "
        f"3.16e-10 N a rpm² and rotor), {scaled}: the mass is relative to that map."
    )


# Fields, signal, unit, what it is.
_VARIABLES = (
    (("acc.x", "acc.y", "acc.z"), "specific_force", "g", "the accelerometer in g"),
    (("gyro.x", "gyro.y", "gyro.z"), "rates", "deg/s", "the gyroscope in deg/s"),
    (tuple(f"stateEstimate.{a}" for a in ("x", "y", "z")), "position", "m", "the estimated position"),
    (tuple(f"stateEstimate.{a}" for a in ("vx", "vy", "vz")), "linear_velocity", "m/s", "the estimated velocity"),
    (tuple(f"stateEstimate.{a}" for a in ("qw", "qx", "qy", "qz")), "attitude", "1", "the estimated attitude"),
    (tuple(f"kalman.q{k}" for k in range(4)), "attitude", "1", "the Kalman filter's attitude, w x y z"),
    (tuple(f"kalman.stateP{a}" for a in "XYZ"), "twist/linear", "m/s", "the Kalman filter's velocity in body axes"),
    (tuple(f"locSrv.{a}" for a in ("qw", "qx", "qy", "qz")), "attitude", "1", "the attitude from motion capture"),
    (tuple(f"locSrv.{a}" for a in "xyz"), "position", "m", "the position from motion capture"),
    (tuple(f"lighthouse.{a}" for a in "xyz"), "position", "m", "the position from lighthouses"),
    (tuple(f"stateEstimateZ.{a}" for a in "xyz"), "position", "mm", "the estimated position in mm"),
    (tuple(f"stateEstimateZ.v{a}" for a in "xyz"), "linear_velocity", "mm/s", "the estimated velocity in mm/s"),
    (tuple(f"gyro_unfiltered.{a}" for a in "xyz"), "rates", "deg/s", "the gyroscope in deg/s"),
    (tuple(f"rpm.m{k}" for k in range(1, 5)), "rpm", "rpm", "the rotors' speeds in rpm"),
    (("pm.vbat",), "battery/voltage", "V", "the battery's voltage"),
    (("pm.vbatMV",), "battery/voltage", "mV", "the battery's voltage in mV"),
)
_MOTORS = (("pwm.m1_pwm", "pwm.m2_pwm", "pwm.m3_pwm", "pwm.m4_pwm"), ("motor.m1", "motor.m2", "motor.m3", "motor.m4"))
"""What the motors get, which counts where the firmware corrects for the battery, before what was asked for."""


def crazyflie_sources(recording: Recording, robot: str = "r1") -> list[SignalSource]:
    """What the firmware's names say."""
    found = []
    for stream in recording.streams:
        for fields, signal, unit, meaning in _VARIABLES:
            if all(field in stream.fields for field in fields):
                source = tuple(f"{stream.name}:{field}" for field in fields)
                why = f"The Crazyflie's {fields[0].partition('.')[0]} holds {meaning}."
                order = "wxyz" if signal == "attitude" else None
                found.append(SignalSource(f"{robot}/{signal}", source, unit, why, order=order, certain=True))
        for group in ("stateEstimate", "stabilizer"):
            angles = tuple(f"{group}.{a}" for a in ("roll", "pitch", "yaw"))
            if all(field in stream.fields for field in angles):
                source = tuple(f"{stream.name}:{field}" for field in angles)
                why = f"The Crazyflie's {group} holds roll, pitch and yaw in degrees, its pitch against ours."
                angles = {"order": "rpy", "conversion": "legacy-pitch", "certain": True}
                found.append(SignalSource(f"{robot}/attitude", source, "deg", why, **angles))
        found += _motor_sources(stream, robot)
    return found


def _motor_sources(stream: Stream, robot: str) -> list[SignalSource]:
    motors = next((names for names in _MOTORS if all(name in stream.fields for name in names)), None)
    if motors is None:
        return []
    source = tuple(f"{stream.name}:{name}" for name in motors)
    why = f"The Crazyflie's {motors[0].partition('.')[0]} holds each motor's command, 0 to 65535."
    volts = next((name for name in ("pm.vbat", "pm.vbatMV") if name in stream.fields), None)
    with_volts = (*source, f"{stream.name}:{volts}") if volts else source
    return [
        SignalSource(f"{robot}/motor", source, "pwm16", why, certain=True),
        SignalSource(
            f"{robot}/thrust",
            with_volts,
            "N",
            thrust_map_sentence(volts is not None),
            conversion="crazyflie-2-thrust",
            certain=True,
        ),
    ]
