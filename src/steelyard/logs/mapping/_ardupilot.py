"""ArduPilot DataFlash logs: world NED, body FRD, angles in degrees, inertial sensors in SI units."""

from steelyard.logs._recording import Recording
from steelyard.logs.mapping._source import SignalSource

_XYZ = ("X", "Y", "Z")
# Message, fields, signal, unit, frame, what it is; of two for one signal the first is preferred.
_MESSAGES = (
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
)


def ardupilot_sources(recording: Recording, robot: str = "r1") -> list[SignalSource]:
    """What ArduPilot's own conventions say of the messages that we know."""
    found = []
    for message, fields, signal, unit, frame, meaning in _MESSAGES:
        stream = next((s for s in recording.streams if s.kind == message and "#" not in s.name), None)
        if stream is None or not all(field in stream.fields for field in fields) or stream.rows < 2:
            continue
        order = {3: "rpy", 4: "wxyz"}[len(fields)] if signal == "attitude" else None
        source = tuple(f"{stream.name}:{field}" for field in fields)
        why = f"ArduPilot's {message} holds {meaning}."
        found.append(SignalSource(f"{robot}/{signal}", source, unit, why, frame=frame, order=order, certain=True))
    return [*found, *_motors(recording, robot)]


def _motors(recording: Recording, robot: str) -> list[SignalSource]:
    """RCOU's first outputs that move between 800 and 2200 µs are motors; ESC messages hold rotor speeds."""
    found = []
    stream = next((s for s in recording.streams if s.kind == "RCOU"), None)
    if stream is not None and stream.rows > 1:
        used = []
        for k in range(1, 15):
            values = stream.fields.get(f"C{k}")
            if values is None or values.min() < 800 or values.max() > 2200 or values.max() - values.min() < 10:
                break
            used.append(f"{stream.name}:C{k}")
        if used:
            why = "ArduPilot's RCOU holds pulses in µs; 1000 is taken for 0 and 2000 for full command."
            found.append(SignalSource(f"{robot}/motor", tuple(used), "pwm", why, certain=True))
    speeds = tuple(f"{s.name}:RPM" for s in recording.streams if s.kind == "ESC" and "RPM" in s.fields and s.rows > 1)
    if speeds:
        found.append(SignalSource(f"{robot}/rpm", speeds, "rpm", "ArduPilot's ESC holds rpm.", certain=True))
    return found
