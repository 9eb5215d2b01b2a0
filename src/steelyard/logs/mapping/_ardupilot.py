"""ArduPilot DataFlash logs: world NED, body FRD, angles in degrees, inertial sensors in SI units."""

import re

import numpy as np

from steelyard.logs._recording import Recording
from steelyard.logs.mapping._px4 import that_drive
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING

_XYZ = ("X", "Y", "Z")
# Message, fields, signal, unit, frame, what it is; of two for one signal the first is preferred.
_SIGNALS = (
    ("XKQ", ("Q1", "Q2", "Q3", "Q4"), "attitude", "1", "NED/FRD", "the attitude, w x y z, body to world"),
    ("NKQ", ("Q1", "Q2", "Q3", "Q4"), "attitude", "1", "NED/FRD", "the attitude, w x y z, body to world"),
    ("AHR2", ("Q1", "Q2", "Q3", "Q4"), "attitude", "1", "NED/FRD", "the attitude, w x y z, body to world"),
    ("ATT", ("Roll", "Pitch", "Yaw"), "attitude", "deg", "NED/FRD", "roll, pitch and yaw in degrees"),
    ("XKF1", ("VN", "VE", "VD"), "linear_velocity", "m/s", "NED", "the velocity, NED"),
    ("NKF1", ("VN", "VE", "VD"), "linear_velocity", "m/s", "NED", "the velocity, NED"),
    ("XKF1", ("PN", "PE", "PD"), "position", "m", "NED", "the position, NED"),
    ("NKF1", ("PN", "PE", "PD"), "position", "m", "NED", "the position, NED"),
    ("IMU", tuple(f"Gyr{a}" for a in _XYZ), "rates", "rad/s", "FRD", "the gyroscope, rad/s, FRD"),
    ("IMU", tuple(f"Acc{a}" for a in _XYZ), "specific_force", "m/s²", "FRD", "the accelerometer, m/s², FRD"),
    ("BAT", ("Volt",), "battery/voltage", "V", None, "the battery's voltage"),
    ("BAT", ("Curr",), "battery/current", "A", None, "the battery's current"),
    ("CURR", ("Volt",), "battery/voltage", "V", None, "the battery's voltage"),
    ("SIM", ("Q1", "Q2", "Q3", "Q4"), "truth/attitude", "1", "NED/FRD", "the simulator's attitude and no sensor"),
    ("SIM2", ("VN", "VE", "VD"), "truth/linear_velocity", "m/s", "NED", "the simulator's velocity and no sensor"),
    ("SIM2", ("PN", "PE", "PD"), "truth/position", "m", "NED", "the simulator's position and no sensor"),
)
MESSAGES = {*(one[0] for one in _SIGNALS), "RCOU", "ESC", *(f"ESC{k}" for k in range(1, 9))}
"""Whose names are known."""


def ardupilot_sources(recording: Recording, robot: str = "r1") -> list[SignalSource]:
    """What ArduPilot's own conventions say of the messages that we know."""
    found = []
    for message, fields, signal, unit, frame, meaning in _SIGNALS:
        stream = next((s for s in recording.streams if s.kind == message and "#" not in s.name), None)
        if stream is None or not all(field in stream.fields for field in fields) or stream.rows < 2:
            continue
        order = {3: "rpy", 4: "wxyz"}[len(fields)] if signal.endswith("attitude") else None
        source = tuple(f"{stream.name}:{field}" for field in fields)
        why = f"ArduPilot's {message} holds {meaning}."
        name = signal if signal.startswith("truth/") else f"{robot}/{signal}"
        found.append(SignalSource(name, source, unit, why, frame=frame, order=order, certain=True))
    return [*found, *_motors(recording, robot)]


def _motors(recording: Recording, robot: str) -> list[SignalSource]:
    """Outputs that move between 800 and 2200 µs are motors: by the parameters SERVOn_FUNCTION, or the first ones."""
    found = []
    stream = next((s for s in recording.streams if s.kind == "RCOU"), None)
    if stream is not None and stream.rows > 1:
        stem = next((one for one in ("C", "Ch", "Chan") if f"{one}1" in stream.fields), "C")
        stated = [k for k in range(1, 17) if recording.parameters.get(f"SERVO{k}_FUNCTION", 0.0) in _MOTOR_FUNCTIONS]
        used = [k for k in stated if _pulses(stream.fields.get(f"{stem}{k}"))]
        for k in range(1, 15) if len(used) < TUNING.fewest_motors else ():
            if not _pulses(stream.fields.get(f"{stem}{k}")):
                break
            used = [*used, k] if k not in used else used
        if len(stated) < TUNING.fewest_motors:
            spans = [float(np.ptp(_finite(stream.fields[f"{stem}{k}"]))) for k in used]
            used = [int(k) for k in that_drive([str(k) for k in used], spans)]
        if used:
            why = "ArduPilot's RCOU holds pulses in µs; 1000 is taken for 0 and 2000 for full command."
            source = tuple(f"{stream.name}:{stem}{k}" for k in sorted(used))
            found.append(SignalSource(f"{robot}/motor", source, "pwm", why, certain=True))
    speeds = tuple(
        f"{s.name}:RPM"
        for s in recording.streams
        if re.fullmatch(r"ESC\d?", s.kind) and "RPM" in s.fields and s.rows > 1 and np.any(s.fields["RPM"] > 0)
    )
    if len(speeds) >= TUNING.fewest_motors:
        found.append(SignalSource(f"{robot}/rpm", speeds, "rpm", "ArduPilot's ESC holds rpm.", certain=True))
    return found


_MOTOR_FUNCTIONS = {float(k) for k in (*range(33, 41), *range(82, 86))}
"""Of SERVOn_FUNCTION: motors 1 to 8 and 9 to 12."""


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


def _pulses(values: np.ndarray | None) -> bool:
    """Whether an output moves like a motor's; it is 0 before it is first set."""
    if values is None:
        return False
    values = values[np.isfinite(values) & (values != 0)]
    return bool(values.size > 1 and values.min() >= 800 and values.max() <= 2200 and np.ptp(values) >= 10)
