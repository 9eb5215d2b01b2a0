"""ROS message types: their definitions, and bytes of the messages that we write."""

import functools
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.logs.formats._bag import load_rosbags


def store() -> Any:
    """The types of ROS 2, in rosbags' words."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_JAZZY)


Definitions = Mapping[str, tuple[Any, list[tuple[str, Any]]]]
"""By type, its constants and its fields, in rosbags' terms."""


def definitions_of(path: str, name: str, encoding: str, text: str) -> Definitions:
    """A type with all the types inside it: by its definition in the file, else by ROS 2's own."""
    load_rosbags(path)
    return _parsed(name, encoding, text)


@functools.lru_cache(maxsize=256)
def _parsed(name: str, encoding: str, text: str) -> Definitions:
    from rosbags.typesys import get_types_from_idl, get_types_from_msg

    standard = dict(_standard())
    if not text.strip():
        return standard
    try:
        if encoding in ("ros2idl", "omgidl"):
            found = get_types_from_idl(text)
        else:
            found = get_types_from_msg(text, name)
    except Exception:  # the parser of rosbags raises what it likes on a damaged text
        return standard
    for kind, ((constants, fields)) in found.items():
        standard[kind] = (constants, [(one, (int(node), inner)) for one, (node, inner) in fields])
    return standard


@functools.cache
def _standard() -> Definitions:
    return {kind: (constants, list(fields)) for kind, (constants, fields) in store().fielddefs.items()}


_BEGIN = b"\x00\x01\x00\x00"  # CDR, the least significant byte first
_HEADED = [struct.Struct(f"<4siIIB3x{n}d") for n in range(7)]  # stamp, an empty frame, and numbers
_SEQUENCE = struct.Struct("<4sIII")  # no dimensions, no offset, and how many


class Maker:
    """Makes ROS 2 messages from numbers, as bytes.

    A robot writes a thousand of them a second, so they are put together here; a test reads them with rosbags.
    """

    def vector(self, time_ns: int, values: Mapping[str, float]) -> bytes:
        """`geometry_msgs/Vector3Stamped`."""
        return _headed(time_ns, *_three(values))

    def quaternion(self, time_ns: int, values: Mapping[str, float]) -> bytes:
        """`geometry_msgs/QuaternionStamped`."""
        return _headed(time_ns, *_three(values), values.get("w", math.nan))

    def twist(self, time_ns: int, angular: Mapping[str, float], linear: Mapping[str, float]) -> bytes:
        """`geometry_msgs/TwistStamped`."""
        return _headed(time_ns, *_three(linear), *_three(angular))

    def wrench(self, time_ns: int, torque: Mapping[str, float], force: Mapping[str, float]) -> bytes:
        """`geometry_msgs/WrenchStamped`."""
        return _headed(time_ns, *_three(force), *_three(torque))

    def number(self, value: float) -> bytes:
        """`std_msgs/Float64`, which has no time of its own."""
        return struct.pack("<4sd", _BEGIN, value)

    def numbers(self, values: Any) -> bytes:
        """`std_msgs/Float64MultiArray`."""
        data = np.asarray(values, "<f8").ravel()
        return _SEQUENCE.pack(_BEGIN, 0, 0, len(data)) + (bytes(4) + data.tobytes() if len(data) else b"")

    def raw(self, data: bytes) -> bytes:
        """`std_msgs/UInt8MultiArray`, for what is not ROS's."""
        return _SEQUENCE.pack(_BEGIN, 0, 0, len(data)) + data

    def text(self, text: str) -> bytes:
        """`std_msgs/String`."""
        data = text.encode()
        return struct.pack("<4sI", _BEGIN, len(data) + 1) + data + b"\0"


def _three(values: Mapping[str, float]) -> tuple[float, float, float]:
    # An axis that nobody measured is no number, so that a planar vector comes back as one.
    return values.get("x", math.nan), values.get("y", math.nan), values.get("z", math.nan)


def _headed(time_ns: int, *numbers: float) -> bytes:
    seconds, rest = divmod(time_ns, 10**9)
    return _HEADED[len(numbers)].pack(_BEGIN, seconds, rest, 1, 0, *numbers)
