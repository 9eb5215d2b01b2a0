"""Where the numbers of a ROS message stand in its bytes, from its definition and one message.

A message's layout depends on the lengths of its strings and sequences. The walk over one message gives the layout,
and the bytes that another message must have in common with it so that the layout is its own, too.
"""

import struct
from dataclasses import dataclass, field
from typing import Any

from steelyard.logs.formats._packets import Field
from steelyard.logs.formats._ros_types import Definitions
from steelyard.logs.formats._tuning import TUNING

_SIZES = {"bool": 1, "byte": 1, "char": 1, "octet": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4}
_SIZES |= {"uint32": 4, "int64": 8, "uint64": 8, "float32": 4, "float64": 8}
_KINDS = {"bool": "u1", "byte": "u1", "char": "u1", "octet": "u1", "int8": "i1", "uint8": "u1", "int16": "i2"}
_KINDS |= {"uint16": "u2", "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8", "float32": "f4"}
_KINDS |= {"float64": "f8"}
_BASE, _NAME, _ARRAY, _SEQUENCE = 1, 2, 3, 4


class NoLayout(ValueError):
    """The message does not fit its definition, or holds what is no number."""


@dataclass
class RosLayout:
    """Fields of the messages that have these bytes in common."""

    size: int
    fields: list[Field] = field(default_factory=list)
    same: list[tuple[int, bytes]] = field(default_factory=list)
    """Offset and bytes: the lengths of strings and sequences, and the names of joints."""
    texts: dict[str, str] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    """Arrays that were left out because they are long."""
    stamp: tuple[int, int, str] | None = None
    """Offsets of seconds and nanoseconds of `header.stamp`, and the byte order."""


def layout_order(data: bytes, ros1: bool) -> str:
    """The byte order of a message."""
    return "<" if ros1 or data[1] else ">"


class _Walk:
    def __init__(self, definitions: Definitions, data: bytes, ros1: bool):
        self.definitions, self.data, self.ros1 = definitions, data, ros1
        self.order, self.base, self.at = "<", 0, 0
        self.steps = 0
        self.found = RosLayout(len(data))
        if not ros1:
            if len(data) < 4 or data[1] not in (0, 1) or data[0] != 0:
                raise NoLayout("its encoding is not plain CDR")
            self.order, self.base, self.at = layout_order(data, ros1), 4, 4
            self.found.same.append((0, data[:2]))

    def align(self, size: int) -> None:
        if not self.ros1:
            self.at += -(self.at - self.base) % size

    def take(self, size: int) -> int:
        at = self.at
        self.at += size
        if self.at > len(self.data):
            raise NoLayout("it is shorter than its definition")
        return at

    def length(self) -> int:
        self.align(4)
        at = self.take(4)
        self.found.same.append((at, self.data[at : at + 4]))
        return struct.unpack_from(f"{self.order}I", self.data, at)[0]

    def text(self) -> tuple[int, str]:
        size = self.length()
        at = self.take(size)
        return at, self.data[at : at + size].rstrip(b"\0").decode("utf-8", "replace")

    def message(self, kind: str, path: str, depth: int = 0) -> None:
        if depth > TUNING.ros_deepest or kind not in self.definitions:
            raise NoLayout(f"{kind} is not defined")
        for name, (node, inner) in self.definitions[kind][1]:
            inside = f"{path}.{name}" if path else name
            if int(node) == _BASE:
                self.base_value(inner[0], inside)
            elif int(node) == _NAME:
                if inside == "header.stamp":
                    self.align(4)
                    at = self.take(8)
                    self.found.stamp = (at, at + 4, self.order)
                else:
                    self.message(inner, inside, depth + 1)
            else:
                count = inner[1] if int(node) == _ARRAY else self.length()
                self.several(inner[0], count, inside, depth)

    def base_value(self, kind: str, path: str) -> None:
        self.steps += 1
        if self.steps > TUNING.ros_values:
            raise NoLayout("it holds too many values")
        if kind == "string":
            _, text = self.text()
            if len(self.found.texts) < 20:
                self.found.texts[path] = text[:200]
            return
        if kind not in _SIZES:
            raise NoLayout(f"{kind} is no type that is read")
        self.align(_SIZES[kind])
        self.found.fields.append(Field(path, self.take(_SIZES[kind]), self.order + _KINDS[kind]))

    def several(self, element: Any, count: int, path: str, depth: int) -> None:
        node, inner = element
        if int(node) == _BASE and inner[0] in _SIZES:
            size = _SIZES[inner[0]]
            if count:
                self.align(size)
            at = self.take(size * count)
            if count > TUNING.ros_longest_array:
                self.found.skipped.add(path)
                return
            kind = self.order + _KINDS[inner[0]]
            self.found.fields += [Field(f"{path}[{k}]", at + k * size, kind) for k in range(count)]
            return
        for k in range(count):
            self.steps += 1
            if self.steps > TUNING.ros_values:
                raise NoLayout("it holds too many values")
            if int(node) == _BASE:
                self.base_value(inner[0], f"{path}[{k}]")
            elif int(node) == _NAME:
                self.message(inner, f"{path}[{k}]", depth + 1)
            else:
                raise NoLayout("it holds arrays of arrays")


def layout_of(definitions: Definitions, kind: str, data: bytes, ros1: bool) -> RosLayout:
    """The layout of a message of this type."""
    walk = _Walk(definitions, data, ros1)
    walk.message(kind, "")
    if kind == "sensor_msgs/msg/JointState":
        _name_joints(walk)
    return walk.found


def _name_joints(walk: _Walk) -> None:
    """`position[2]` becomes `joint.<name>.position`; messages with other names have another layout."""
    names: list[str] = []
    again = _Walk(walk.definitions, walk.data, walk.ros1)
    for name, (node, inner) in walk.definitions["sensor_msgs/msg/JointState"][1]:
        if name == "name":
            start = again.at
            for _ in range(again.length()):
                names.append(again.text()[1])
            walk.found.same.append((start, walk.data[start : again.at]))
            break
        again.message(inner, name) if int(node) == _NAME else None
    named = []
    for one in walk.found.fields:
        signal, _, index = one.path.partition("[")
        if signal in ("position", "velocity", "effort") and index:
            k = int(index[:-1])
            one = Field(f"joint.{names[k]}.{signal}" if k < len(names) else one.path, one.offset, one.kind)
        named.append(one)
    walk.found.fields = named
