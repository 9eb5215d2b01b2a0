"""Which ROS 2 message holds which of our columns."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from steelyard.logs.formats._ros_topic import Decoded, Topic

_STAMPED = {"Vector3": "vector", "Point": "point", "Quaternion": "quaternion", "Twist": "twist", "Wrench": "wrench"}
_DIRECT = {f"geometry_msgs/msg/{kind}Stamped": f"{path}." for kind, path in _STAMPED.items()}
_ABOVE = {
    "geometry_msgs/msg/PoseStamped": {"pose.position.": "position", "pose.orientation.": "attitude"},
    "sensor_msgs/msg/Imu": {
        "linear_acceleration.": "specific_force", "angular_velocity.": "rates", "orientation.": "attitude",
    },
}  # fmt: skip
_JOINTS = "sensor_msgs/msg/JointState"
_NUMBERS = ("std_msgs/msg/Float64", "std_msgs/msg/Float32", "std_msgs/msg/Float64MultiArray")

KINDS = frozenset([*_DIRECT, *_ABOVE, _JOINTS, *_NUMBERS])
"""Types of messages that hold columns of ours; topics of other types are left out."""


def columns_of(topic: Topic, one: Decoded) -> Iterator[tuple[str, NDArray[np.int64], NDArray]]:
    """Names of columns, rows of the topic in which they were recorded, and numbers."""
    stem = topic.name.strip("/")
    every = np.arange(len(one.time))
    for path, values in one.columns.items():
        name = _name(topic.kind, stem, path)
        if name is None:
            continue
        rows = every
        covariance = one.columns.get(f"{path.partition('.')[0]}_covariance[0]")
        if topic.kind == "sensor_msgs/msg/Imu" and covariance is not None:
            rows = np.flatnonzero(covariance != -1.0)  # which says that there is no such measurement
        elif topic.kind == _JOINTS or topic.kind.endswith("MultiArray"):
            rows = np.flatnonzero(~np.isnan(values))  # a joint that is not in every message
        if len(rows):
            yield name, rows, values[rows]


def _name(kind: str, stem: str, path: str) -> str | None:
    if kind in _DIRECT:
        rest = path.removeprefix(_DIRECT[kind])
        return f"{stem}/{rest.replace('.', '/')}" if rest != path else None
    for start, signal in _ABOVE.get(kind, {}).items():
        if path.startswith(start):
            return _above(stem, f"{signal}/{path.removeprefix(start)}")
    if kind == _JOINTS and path.startswith("joint."):
        name, _, signal = path.removeprefix("joint.").rpartition(".")
        return _above(stem, f"joint/{name}/{signal}") if signal in ("position", "velocity") else None
    if kind in _NUMBERS and path == "data":
        return stem
    index = re.fullmatch(r"data\[(\d+)\]", path)
    return f"{stem}/{int(index[1]) + 1}" if kind in _NUMBERS and index else None


def _above(topic: str, name: str) -> str:
    """`r1/imu` and `rates` make `r1/rates`."""
    return f"{topic.rpartition('/')[0]}/{name}".lstrip("/")
