"""PX4 ULogs and px4_msgs: world NED, body FRD, quaternions w, x, y, z from body to world, SI units."""

from collections.abc import Callable

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tuning import TUNING

TOPICS = (
    "vehicle_attitude", "vehicle_odometry", "sensor_combined", "sensor_gyro", "sensor_accel",
    "vehicle_angular_velocity", "vehicle_acceleration", "vehicle_local_position", "battery_status", "actuator_motors",
    "actuator_outputs", "esc_status",
)  # fmt: skip
"""Whose conventions are known."""
_VECTOR = ("[0]", "[1]", "[2]")


def px4_sources(
    recording: Recording, robot: str = "r1", topic: Callable[[Stream], str] | None = None
) -> list[SignalSource]:
    """What PX4's own conventions say of every topic that we know; of two for one signal the faster comes first.

    `topic` gives a stream's uORB name where its own name is another one, as in a ROS bag.
    """
    found: list[tuple[float, SignalSource]] = []
    for stream in recording.streams:
        name = (topic or (lambda s: s.kind))(stream)
        if topic is None and "#" in stream.name and name != "actuator_outputs":
            continue  # a second instance is a spare sensor
        for one in _of_topic(name, stream, robot):
            found.append((_rate(stream), one))
    order = sorted(range(len(found)), key=lambda k: (-_preference(found[k][1]), -found[k][0]))
    return [found[k][1] for k in order]


def _of_topic(topic: str, stream: Stream, robot: str) -> list[SignalSource]:
    who, base = (robot, topic) if not topic.endswith("_groundtruth") else ("truth", topic.removesuffix("_groundtruth"))
    found = []

    def add(signal: str, fields: tuple[str, ...], unit: str, frame: str | None, meaning: str, **more) -> None:
        if all(field in stream.fields for field in fields) and stream.rows > 1:
            source = tuple(f"{stream.name}:{field}" for field in fields)
            truth = " It is the simulator's truth and no sensor." if who == "truth" else ""
            why = f"PX4's {base} holds {meaning}.{truth}"
            found.append(SignalSource(f"{who}/{signal}", source, unit, why, frame=frame, certain=True, **more))

    def xyz(stem: str) -> tuple[str, ...]:
        return tuple(stem + k for k in _VECTOR)

    q = ("q[0]", "q[1]", "q[2]", "q[3]")
    if base in ("vehicle_attitude", "vehicle_odometry"):
        add("attitude", q, "1", "NED/FRD", "the attitude q, w x y z, from body (FRD) to world (NED)", order="wxyz")
        speeds = ("rollspeed", "pitchspeed", "yawspeed")
        add("rates", speeds, "rad/s", "FRD", "the body's rates, rad/s, FRD")
    if base == "vehicle_odometry":
        add("rates", xyz("angular_velocity"), "rad/s", "FRD", "the body's rates, rad/s, FRD")
        old = "vx" in stream.fields  # before v1.14, with frames of other numbers
        if _all_are(stream, "local_frame" if old else "pose_frame", 0.0 if old else 1.0):
            add("position", ("x", "y", "z") if old else xyz("position"), "m", "NED", "the position, m, NED")
        if _all_are(stream, "velocity_frame", 0.0 if old else 1.0):
            fields = ("vx", "vy", "vz") if old else xyz("velocity")
            add("linear_velocity", fields, "m/s", "NED", "the velocity, m/s, NED")
    if base == "sensor_gyro":
        add("rates", ("x", "y", "z"), "rad/s", "FRD", "the gyroscope before calibration, rad/s, FRD")
    if base == "sensor_accel":
        add("specific_force", ("x", "y", "z"), "m/s²", "FRD", "the accelerometer before calibration, m/s², FRD")
    if base == "sensor_combined":
        add("rates", xyz("gyro_rad"), "rad/s", "FRD", "the gyroscope, rad/s, FRD")
        add("specific_force", xyz("accelerometer_m_s2"), "m/s²", "FRD", "the accelerometer, m/s², FRD")
    if base == "vehicle_angular_velocity":
        add("rates", xyz("xyz"), "rad/s", "FRD", "filtered body rates, rad/s, FRD")
    if base == "vehicle_acceleration":
        add("specific_force", xyz("xyz"), "m/s²", "FRD", "the filtered specific force, m/s², FRD")
    if base == "vehicle_local_position":
        add("position", ("x", "y", "z"), "m", "NED", "the position, m, NED")
        add("linear_velocity", ("vx", "vy", "vz"), "m/s", "NED", "the velocity, m/s, NED")
    if base == "battery_status":
        add("battery/voltage", ("voltage_v",), "V", None, "the battery's voltage")
        add("battery/current", ("current_a",), "A", None, "the battery's current")
    if base in ("actuator_motors", "actuator_outputs") and who != "truth":
        found += _motors(base, stream, robot)
    if base == "esc_status" and who != "truth":
        rpm = [f"esc[{k}].esc_rpm" for k in range(8)]
        used = tuple(f for f in rpm if f in stream.fields and np.any(stream.fields[f] != 0))
        if used:
            source = tuple(f"{stream.name}:{f}" for f in used)
            found.append(SignalSource(f"{robot}/rpm", source, "rpm", "PX4's esc_status holds rpm.", certain=True))
    return found


def moving_outputs(stream: Stream, stem: str, low: float, high: float, still: bool = False) -> list[str]:
    """The first outputs in a row that move within these limits, or the first that stand within them."""
    used, spans = [], []
    for k in range(16):
        field = f"{stem}[{k}]"
        if field not in stream.fields:
            break
        values = stream.fields[field]
        values = values[np.isfinite(values) & (values != 0)]  # an output is 0 before it is first set
        inside = values.size > 1 and np.all((values >= low) & (values <= high))
        if inside and (len(np.unique(values[:: max(values.size // 1000, 1)])) > 5) != still:
            used.append(f"{stream.name}:{field}")
            spans.append(float(np.ptp(np.percentile(values, (1.0, 99.0)))))
        elif used:
            break
    return used if still else that_drive(used, spans)


def that_drive(outputs: list[str], spans: list[float]) -> list[str]:
    """Outputs that move about as far as most do: motors start and stop together, a gimbal or a spare servo does not."""
    return [one for one, span in zip(outputs, spans, strict=True) if span > 0.3 * float(np.median(spans))]


_OUTPUTS = (
    (800.0, 2200.0, "pwm", "pulses in µs; 1000 is taken for 0 and 2000 for full command"),
    (1.0, 1999.0, "of 1999", "DShot commands of 0 to 1999"),
    (1.0, 8191.0, "of 8191", "UAVCAN commands of 0 to 8191"),
)


def _motors(topic: str, stream: Stream, robot: str) -> list[SignalSource]:
    """Commands of the motors: outputs as pulses or numbers, or controls of 0 to 1.

    Where none moves, those that stand are taken: they are refused later, with that as the reason.
    """
    if topic == "actuator_motors":
        stem, ranges = "control", ((0.0, 1.0, "of one", "each motor's command, 0 to 1"),)
    else:
        stem, ranges = "output", _OUTPUTS
    for still, kinds in ((False, ranges), (True, ranges[:1])):
        for low, high, unit, meaning in kinds:
            used = moving_outputs(stream, stem, low, high, still)
            if len(used) >= (TUNING.fewest_motors if unit.startswith("of ") and unit != "of one" else 1):
                why = f"PX4's {topic} holds {meaning}."
                return [SignalSource(f"{robot}/motor", tuple(used), unit, why, certain=not still)]
    return []


def normalised_thrust(recording: Recording) -> str | None:
    """The topic that holds a thrust in units of its maximum, where there is one."""
    fields = {
        "vehicle_thrust_setpoint": "xyz[2]",
        "vehicle_attitude_setpoint": "thrust_body[2]",
        "vehicle_rates_setpoint": "thrust_body[2]",
    }
    for stream in recording.streams:
        field = fields.get(stream.kind)
        if field is not None and field in stream.fields:
            return f"{stream.name}:{field}"
    return None


def _all_are(stream: Stream, field: str, value: float) -> bool:
    """Whether a field has this value throughout; True where there is no such field."""
    return field not in stream.fields or bool(np.all(stream.fields[field] == value))


def _rate(stream: Stream) -> float:
    if stream.time is None or stream.rows < 2 or not np.ptp(stream.time) > 0:
        return 0.0
    return (stream.rows - 1) / float(np.ptp(stream.time))


def _preference(one: SignalSource) -> int:
    """Commands of 0 to 1 before pulses, which a simulator may give in other units; first instances before others.

    Commands that move before those that stand. The estimator's position before an odometry's, calibrated sensors before
    raw ones.
    """
    if one.name == "motor":
        return 2 * (one.unit == "of one") - ("#" in one.source[0]) - 4 * (not one.certain)
    raw = any(stem in one.why for stem in ("before calibration", "vehicle_odometry"))
    return -1 if raw and one.name != "attitude" else 0
