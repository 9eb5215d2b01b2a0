"""ROS bags: what each standard message means, and PX4's messages by their own conventions."""

import re
from collections.abc import Iterator

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._px4 import moving_outputs, px4_sources
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tables import table_sources

_AXES = ("x", "y", "z")
_Q = ("w", "x", "y", "z")


def ros_sources(recording: Recording) -> list[SignalSource]:
    """By message type; a robot is the first part of a topic that several topics share."""
    robots = robot_names([stream.name for stream in recording.streams])
    found: list[SignalSource] = []
    for stream in recording.streams:
        if stream.rows > 0:
            found += _of_message(stream, robots[stream.name])
    others = tuple(s for s in recording.streams if s.rows > 1 and not _has_meaning(s))
    found += table_sources(others, lambda stream: robots[stream.name], _label)
    for robot in dict.fromkeys(robots.values()):
        mine = tuple(s for s in recording.streams if robots[s.name] == robot and s.kind.startswith("px4_msgs/"))
        if mine:
            part = Recording(recording.files, "px4", mine)
            found += px4_sources(part, robot, topic=lambda stream: _snake(stream.kind.rpartition("/")[2]))
    return found


def robot_names(topics: list[str]) -> dict[str, str]:
    """The robot that each topic belongs to; `r1` where the topics name none.

    >>> robot_names(["/a/imu", "/a/wrench", "/b/imu"])["/b/imu"], robot_names(["/imu", "/wrench"])["/imu"]
    ('b', 'r1')
    """
    parts = {topic: [part for part in topic.split("/") if part] for topic in topics}
    heads = {topic: part[0] if len(part) > 1 else "" for topic, part in parts.items()}
    vehicles = {head for head in heads.values() if head and head not in ("fmu", "sensors", "mavros")}
    per_head = {head: {"/".join(parts[t][1:]) for t in topics if heads[t] == head} for head in vehicles}
    named = {
        head
        for head in vehicles
        if re.fullmatch(r"[a-z_]*\d+", head)
        or any(per_head[head] & per_head[other] for other in vehicles if other != head)
    }
    return {topic: heads[topic] if heads[topic] in named else "r1" for topic in topics}


def _has_meaning(stream: Stream) -> bool:
    """Whether a message's type says what its fields are; other messages and bare vectors go by their topic's name."""
    return stream.kind.startswith("px4_msgs/") or stream.kind.rpartition("/")[2] in _MESSAGES


def _label(stream: Stream, field: str) -> str:
    return f"{stream.name.rpartition('/')[2]}.{field.removeprefix('vector.').removeprefix('data')}"


def _of_message(stream: Stream, robot: str) -> Iterator[SignalSource]:
    kind = stream.kind.rpartition("/")[2]
    make = _MESSAGES.get(kind)
    if make is not None and not stream.kind.startswith("px4_msgs/"):
        yield from make(stream, robot)


def _vector(stream: Stream, robot: str, signal: str, stem: str, unit: str, why: str, **more) -> Iterator[SignalSource]:
    axes = _Q if signal == "attitude" else _AXES
    fields = tuple(f"{stem}.{axis}" if stem else axis for axis in axes)
    if all(field in stream.fields for field in fields):
        if signal == "attitude" and not _turns(stream, fields):
            return
        order = "wxyz" if signal == "attitude" else None
        source = tuple(f"{stream.name}:{field}" for field in fields)
        yield SignalSource(f"{robot}/{signal}", source, unit, why, order=order, certain=True, **more)


def _turns(stream: Stream, fields: tuple[str, ...]) -> bool:
    """Whether these are unit quaternions: a message that fills none in leaves zeros."""
    q = np.stack([stream.fields[field] for field in fields], axis=1)
    return bool(np.median(np.abs(np.linalg.norm(q, axis=1) - 1.0)) < 0.1)


def _absent(stream: Stream, covariance: str) -> bool:
    """A covariance that begins with −1 states that there is no such measurement."""
    first = stream.fields.get(f"{covariance}[0]")
    return first is not None and len(first) > 0 and first[0] == -1.0


def _imu(stream: Stream, robot: str) -> Iterator[SignalSource]:
    name = stream.name
    if not _absent(stream, "angular_velocity_covariance"):
        yield from _vector(
            stream, robot, "rates", "angular_velocity", "rad/s", f"{name} is an Imu: angular velocity in its own axes."
        )
    if not _absent(stream, "linear_acceleration_covariance"):
        why = f"{name} is an Imu: what its accelerometer reads, in its own axes."
        yield from _vector(stream, robot, "specific_force", "linear_acceleration", "m/s²", why)
    if not _absent(stream, "orientation_covariance"):
        yield from _vector(stream, robot, "attitude", "orientation", "1", f"{name} is an Imu with an orientation.")


def _odometry(stream: Stream, robot: str) -> Iterator[SignalSource]:
    """Pose in the world; the twist in the child frame, turned to the world by the message's own orientation."""
    name = stream.name
    yield from _vector(stream, robot, "position", "pose.pose.position", "m", f"{name} is an Odometry: its position.")
    yield from _vector(stream, robot, "attitude", "pose.pose.orientation", "1", f"{name} is an Odometry: its attitude.")
    v = tuple(f"twist.twist.linear.{axis}" for axis in _AXES)
    q = tuple(f"pose.pose.orientation.{axis}" for axis in _Q)
    if all(field in stream.fields for field in (*v, *q)):
        why = f"{name} is an Odometry: its twist is in the child frame, and its own orientation turns it to the world."
        source = tuple(f"{name}:{field}" for field in (*v, *q))
        yield SignalSource(f"{robot}/linear_velocity", source, "m/s", why, conversion="body-to-world", certain=True)
    why = f"{name} is an Odometry: its twist, in the child frame."
    yield from _vector(stream, robot, "twist/linear", "twist.twist.linear", "m/s", why)
    yield from _vector(stream, robot, "rates", "twist.twist.angular", "rad/s", why)


def _pose(stream: Stream, robot: str) -> Iterator[SignalSource]:
    stem = next((s for s in ("pose.pose.", "pose.") if f"{s}position.x" in stream.fields), "")
    yield from _vector(stream, robot, "position", f"{stem}position", "m", f"{stream.name} is a pose.")
    yield from _vector(stream, robot, "attitude", f"{stem}orientation", "1", f"{stream.name} is a pose.")


def _transform(stream: Stream, robot: str) -> Iterator[SignalSource]:
    stem = "transform." if "transform.translation.x" in stream.fields else ""
    yield from _vector(stream, robot, "position", f"{stem}translation", "m", f"{stream.name} is a transform.")
    yield from _vector(stream, robot, "attitude", f"{stem}rotation", "1", f"{stream.name} is a transform.")


def _outputs(stream: Stream, robot: str) -> Iterator[SignalSource]:
    used = moving_outputs(stream, "channels", 800.0, 2200.0) or moving_outputs(stream, "channels", 800.0, 2200.0, True)
    if used:
        why = f"{stream.name} holds pulses in µs; 1000 is taken for 0 and 2000 for full command."
        yield SignalSource(f"{robot}/motor", tuple(used), "pwm", why, certain=True)


def _twist(stream: Stream, robot: str) -> Iterator[SignalSource]:
    stem = next((s for s in ("twist.twist.", "twist.") if f"{s}linear.x" in stream.fields), "")
    why = f"{stream.name} is a twist, taken to be in the sensor's own axes."
    yield from _vector(stream, robot, "twist/linear", f"{stem}linear", "m/s", why)
    yield from _vector(stream, robot, "rates", f"{stem}angular", "rad/s", why)


def _wrench(stream: Stream, robot: str) -> Iterator[SignalSource]:
    stem = "wrench." if "wrench.force.x" in stream.fields else ""
    why = f"{stream.name} is a wrench in its sensor's axes."
    yield from _vector(stream, robot, "wrench/force", f"{stem}force", "N", why)
    yield from _vector(stream, robot, "wrench/torque", f"{stem}torque", "N m", why)


def _joints(stream: Stream, robot: str) -> Iterator[SignalSource]:
    """The fields of a joint state are `joint.<name>.position`, `.velocity` and `.effort`."""
    units = {"position": "rad", "velocity": "rad/s", "effort": "N m"}
    for field in stream.fields:
        stem, _, kind = field.rpartition(".")
        joint = stem.removeprefix("joint.")
        if kind in units and joint and np.isfinite(stream.fields[field]).any():
            why = f"{stream.name} is a JointState: the {kind} of {joint}."
            yield SignalSource(
                f"{robot}/joint/{joint}/{kind}", (f"{stream.name}:{field}",), units[kind], why, certain=True
            )


def _battery(stream: Stream, robot: str) -> Iterator[SignalSource]:
    for kind, unit in (("voltage", "V"), ("current", "A")):
        if kind in stream.fields and np.isfinite(stream.fields[kind]).any():
            why = f"{stream.name} is a BatteryState."
            yield SignalSource(f"{robot}/battery/{kind}", (f"{stream.name}:{kind}",), unit, why, certain=True)


def _point(stream: Stream, robot: str) -> Iterator[SignalSource]:
    yield from _vector(stream, robot, "position", "point", "m", f"{stream.name} is a point.")


def _number(stream: Stream, robot: str) -> Iterator[SignalSource]:
    """A bare number has no meaning but its topic's name."""
    if "thrust" in stream.name.lower().rpartition("/")[2] and "data" in stream.fields:
        why = f"{stream.name} is a number that looks like the collective thrust."
        stated = stream.units.get("data")
        yield SignalSource(f"{robot}/thrust", (f"{stream.name}:data",), stated or "N", why, certain=stated is not None)


_MESSAGES = {
    "Float64": _number,
    "Float32": _number,
    "Imu": _imu,
    "Odometry": _odometry,
    "Pose": _pose,
    "PoseStamped": _pose,
    "TransformStamped": _transform,
    "Transform": _transform,
    "RCOut": _outputs,
    "Twist": _twist,
    "PoseWithCovarianceStamped": _pose,
    "TwistStamped": _twist,
    "TwistWithCovarianceStamped": _twist,
    "WrenchStamped": _wrench,
    "Wrench": _wrench,
    "JointState": _joints,
    "BatteryState": _battery,
    "PointStamped": _point,
}


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
