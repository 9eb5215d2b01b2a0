"""Which ROS 2 message holds which signal, both ways."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

XYZ = ("x", "y", "z")

Columns = Iterator[tuple[str, float]]


def store() -> Any:
    """The types of ROS 2, in rosbags' words."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_JAZZY)


def _vector(stem: str, vector: Any) -> Columns:
    for axis in XYZ:
        yield f"{stem}/{axis}", getattr(vector, axis)


def _quaternion(stem: str, quaternion: Any) -> Columns:
    for axis in ("w", *XYZ):
        yield f"{stem}/{axis}", getattr(quaternion, axis)


def _above(topic: str, name: str) -> str:
    """`r1/imu` and `rates` make `r1/rates`."""
    return f"{topic.rpartition('/')[0]}/{name}".lstrip("/")


def _twist(topic: str, message: Any) -> Columns:
    yield from _vector(f"{topic}/angular", message.twist.angular)
    yield from _vector(f"{topic}/linear", message.twist.linear)


def _wrench(topic: str, message: Any) -> Columns:
    yield from _vector(f"{topic}/torque", message.wrench.torque)
    yield from _vector(f"{topic}/force", message.wrench.force)


def _imu(topic: str, message: Any) -> Columns:
    """A covariance that begins with −1 says that there is no such measurement."""
    if message.linear_acceleration_covariance[0] != -1.0:
        yield from _vector(_above(topic, "specific_force"), message.linear_acceleration)
    if message.angular_velocity_covariance[0] != -1.0:
        yield from _vector(_above(topic, "rates"), message.angular_velocity)
    if message.orientation_covariance[0] != -1.0:
        yield from _quaternion(_above(topic, "attitude"), message.orientation)


def _pose(topic: str, message: Any) -> Columns:
    yield from _vector(_above(topic, "position"), message.pose.position)
    yield from _quaternion(_above(topic, "attitude"), message.pose.orientation)


def _joints(topic: str, message: Any) -> Columns:
    for signal in ("position", "velocity"):
        for name, value in zip(message.name, getattr(message, signal), strict=False):
            yield _above(topic, f"joint/{name}/{signal}"), value


def _array(topic: str, message: Any) -> Columns:
    for k, value in enumerate(message.data):
        yield f"{topic}/{k + 1}", value


READERS: Mapping[str, Callable[[str, Any], Columns]] = {
    "geometry_msgs/msg/Vector3Stamped": lambda topic, message: _vector(topic, message.vector),
    "geometry_msgs/msg/PointStamped": lambda topic, message: _vector(topic, message.point),
    "geometry_msgs/msg/QuaternionStamped": lambda topic, message: _quaternion(topic, message.quaternion),
    "geometry_msgs/msg/TwistStamped": _twist,
    "geometry_msgs/msg/WrenchStamped": _wrench,
    "geometry_msgs/msg/PoseStamped": _pose,
    "sensor_msgs/msg/Imu": _imu,
    "sensor_msgs/msg/JointState": _joints,
    "std_msgs/msg/Float64": lambda topic, message: iter([(topic, message.data)]),
    "std_msgs/msg/Float32": lambda topic, message: iter([(topic, message.data)]),
    "std_msgs/msg/Float64MultiArray": _array,
}
"""By type, the columns of a message; topics of other types are left out."""


class Maker:
    """Makes ROS 2 messages from numbers, as bytes."""

    def __init__(self) -> None:
        self.store = store()
        self._types = self.store.types

    def stamped(self, time_ns: int) -> Any:
        """A header."""
        time = self._types["builtin_interfaces/msg/Time"](*divmod(time_ns, 10**9))
        return self._types["std_msgs/msg/Header"](stamp=time, frame_id="")

    def _vector(self, values: Mapping[str, float]) -> Any:
        # An axis that nobody measured is no number, so that a planar vector comes back as one.
        return self._types["geometry_msgs/msg/Vector3"](*(float(values.get(axis, math.nan)) for axis in XYZ))

    def vector(self, time_ns: int, values: Mapping[str, float]) -> bytes:
        """`geometry_msgs/Vector3Stamped`."""
        name = "geometry_msgs/msg/Vector3Stamped"
        return self._close(name, self._types[name](self.stamped(time_ns), self._vector(values)))

    def quaternion(self, time_ns: int, values: Mapping[str, float]) -> bytes:
        """`geometry_msgs/QuaternionStamped`."""
        name, q = "geometry_msgs/msg/QuaternionStamped", self._types["geometry_msgs/msg/Quaternion"]
        made = q(**{axis: float(values.get(axis, math.nan)) for axis in ("x", "y", "z", "w")})
        return self._close(name, self._types[name](self.stamped(time_ns), made))

    def twist(self, time_ns: int, angular: Mapping[str, float], linear: Mapping[str, float]) -> bytes:
        """`geometry_msgs/TwistStamped`."""
        name = "geometry_msgs/msg/TwistStamped"
        made = self._types["geometry_msgs/msg/Twist"](linear=self._vector(linear), angular=self._vector(angular))
        return self._close(name, self._types[name](self.stamped(time_ns), made))

    def wrench(self, time_ns: int, torque: Mapping[str, float], force: Mapping[str, float]) -> bytes:
        """`geometry_msgs/WrenchStamped`."""
        name = "geometry_msgs/msg/WrenchStamped"
        made = self._types["geometry_msgs/msg/Wrench"](force=self._vector(force), torque=self._vector(torque))
        return self._close(name, self._types[name](self.stamped(time_ns), made))

    def number(self, value: float) -> bytes:
        """`std_msgs/Float64`, which has no time of its own."""
        return self._close("std_msgs/msg/Float64", self._types["std_msgs/msg/Float64"](float(value)))

    def numbers(self, values: Any) -> bytes:
        """`std_msgs/Float64MultiArray`."""
        name = "std_msgs/msg/Float64MultiArray"
        layout = self._types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
        return self._close(name, self._types[name](layout=layout, data=np.asarray(values, float).ravel()))

    def raw(self, data: bytes) -> bytes:
        """`std_msgs/UInt8MultiArray`, for what is not ROS's."""
        name = "std_msgs/msg/UInt8MultiArray"
        layout = self._types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
        return self._close(name, self._types[name](layout=layout, data=np.frombuffer(data, np.uint8)))

    def text(self, text: str) -> bytes:
        """`std_msgs/String`."""
        return self._close("std_msgs/msg/String", self._types["std_msgs/msg/String"](text))

    def _close(self, name: str, message: Any) -> bytes:
        return bytes(self.store.serialize_cdr(message, name))
