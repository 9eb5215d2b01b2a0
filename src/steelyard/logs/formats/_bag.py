"""A ROS 2 bag that is being written: an MCAP file, whole up to the last second whatever happens to the process."""

import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import BadInput


def load_rosbags(path: str | Path) -> None:
    """Says how to get rosbags where it is missing."""
    try:
        import rosbags.rosbag2 as rosbag2
        import rosbags.typesys as typesys
    except ImportError:
        raise BadInput(f'{path}: MCAP needs rosbags; install it with pip install "steelyard[logs]".') from None
    del rosbag2, typesys


class Bag:
    """Signals and other things by topic; what fits a ROS 2 message becomes one."""

    def __init__(self, folder: Path):
        load_rosbags(folder)
        from rosbags.rosbag2 import StoragePlugin, Writer

        from steelyard.logs.formats._ros_types import Maker, store

        self._writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.open()
        self._topics: dict[str, Any] = {}
        self._make, self._types = Maker(), store()

    def signals(self, time: float, who: str, values: Mapping[str, float]) -> None:
        """A sample of one robot, values by `<signal>/<axis>`: each signal a topic, angular and linear together."""
        at, groups = round(time * 1e9), grouped(values)
        for signal, axes in groups.items():
            head, _, part = signal.rpartition("/")
            topic = f"/{who}/{signal}"
            if head and part in ("angular", "torque"):
                other = groups.get(f"{head}/{_PARTNERS[part]}", {})
                make, kind = (self._make.twist, "Twist") if part == "angular" else (self._make.wrench, "Wrench")
                self._write(f"/{who}/{head}", f"geometry_msgs/msg/{kind}Stamped", at, make(at, axes, other))
            elif head and part in _PARTNERS.values() and any(f"{head}/{one}" in groups for one in _PARTNERS):
                continue  # said along with its partner
            elif "" in axes:
                self._write(topic, "std_msgs/msg/Float64", at, self._make.number(axes[""]))
            elif "w" in axes:
                self._write(topic, "geometry_msgs/msg/QuaternionStamped", at, self._make.quaternion(at, axes))
            elif set(axes) <= {"x", "y", "z"}:
                self._write(topic, "geometry_msgs/msg/Vector3Stamped", at, self._make.vector(at, axes))
            else:
                for axis, value in axes.items():
                    self._write(f"{topic}/{axis}", "std_msgs/msg/Float64", at, self._make.number(value))

    def numbers(self, time: float, topic: str, values: Any) -> None:
        """A list of numbers."""
        self._write(topic, "std_msgs/msg/Float64MultiArray", round(time * 1e9), self._make.numbers(values))

    def raw(self, time: float, topic: str, data: bytes) -> None:
        """Bytes of our own."""
        self._write(topic, "std_msgs/msg/UInt8MultiArray", round(time * 1e9), self._make.raw(data))

    def text(self, time: float, topic: str, text: str) -> None:
        """Words."""
        self._write(topic, "std_msgs/msg/String", round(time * 1e9), self._make.text(text))

    def flush(self) -> None:
        """Hands all that was written to the system, a whole chunk: a process that is killed now loses none of it."""
        storage: Any = self._writer.storage
        if storage.chunk.bio.tell():
            storage.close_chunk()
        storage.bio.flush()

    def close(self) -> None:
        """Writes the index."""
        self._writer.close()

    def _write(self, topic: str, kind: str, at: int, data: bytes) -> None:
        if at < 0:  # before the team's first sample; a bag's times begin at zero
            return
        if topic not in self._topics:
            self._topics[topic] = self._writer.add_connection(topic, kind, typestore=self._types)
        self._writer.write(self._topics[topic], at, data)


_PARTNERS = {"angular": "linear", "torque": "force"}


def grouped(values: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """By signal, its axes; "" for a number alone. Numbers that are none are left out."""
    found: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        if not math.isnan(value):
            signal, axis = _parts(name)
            found.setdefault(signal, {})[axis] = value
    return found


@functools.lru_cache(maxsize=4096)
def _parts(name: str) -> tuple[str, str]:
    """A column's signal and its axis."""
    head, _, axis = name.rpartition("/")
    return (head, axis) if axis in _AXES else (name, "")


_AXES = ("x", "y", "z", "w", "xx", "yy", "zz", "xy", "xz", "yz")
