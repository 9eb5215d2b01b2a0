"""Log files of every format, written for tests: by the format's own library where it can write."""

import struct
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np


def numbers(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Smooth numbers, (rows, columns)."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(0, 0.1, (rows, columns)), axis=0)


# ROS


OWN_TYPE = """float64 mass
Inner inner
Inner[2] pair
float32[] several
string note
================================================================================
MSG: own_msgs/Inner
int16 a
float64 b
"""
"""A type that no ROS installation knows: nested, with arrays."""


def ros_messages(rows: int, ros1: bool = False) -> tuple[Any, list[tuple[str, str, int, Any]]]:
    """A type store and messages of five topics at 100 Hz: topic, type, time in ns, message."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_JAZZY)
    store.register(get_types_from_msg(OWN_TYPE, "own_msgs/msg/Own"))
    types = store.types
    data = numbers(rows, 20)

    def header(k: int, frame: str) -> Any:
        stamp = types["builtin_interfaces/msg/Time"](sec=1700000000 + k // 100, nanosec=(k % 100) * 10_000_000)
        extra = {"seq": k} if ros1 else {}
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame, **extra)

    def vector(x: np.ndarray) -> Any:
        return types["geometry_msgs/msg/Vector3"](*(float(one) for one in x))

    def quaternion() -> Any:
        return types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)

    nine = np.zeros(9)
    found = []
    for k in range(rows):
        x, time = data[k], 1_700_000_000_500_000_000 + k * 10_000_000
        imu = types["sensor_msgs/msg/Imu"](
            header(k, "imu_link"), quaternion(), nine, vector(x[:3]), nine, vector(x[3:6]), nine
        )
        found.append(("/imu", "sensor_msgs/msg/Imu", time, imu))
        names = ["shoulder", "elbow"]
        joints = types["sensor_msgs/msg/JointState"](header(k, ""), names, x[6:8], x[8:10], x[10:12])
        found.append(("/joint_states", "sensor_msgs/msg/JointState", time, joints))
        inner = types["own_msgs/msg/Inner"]
        several = x[15 : 15 + 2 + k % 2].astype(np.float32)
        own = types["own_msgs/msg/Own"](
            float(x[12]), inner(k % 100, float(x[13])), [inner(1, float(x[14])), inner(2, 0.5)], several, "n" * (k % 3)
        )
        found.append(("/own", "own_msgs/msg/Own", time, own))
        pose = types["geometry_msgs/msg/Pose"](types["geometry_msgs/msg/Point"](*map(float, x[:3])), quaternion())
        with_covariance = types["geometry_msgs/msg/PoseWithCovariance"](pose, np.zeros(36))
        twist = types["geometry_msgs/msg/TwistWithCovariance"](
            types["geometry_msgs/msg/Twist"](vector(x[3:6]), vector(x[6:9])), np.zeros(36)
        )
        odometry = types["nav_msgs/msg/Odometry"](header(k, "odom"), "base_link", with_covariance, twist)
        found.append(("/odom", "nav_msgs/msg/Odometry", time, odometry))
        found.append(("/mass", "std_msgs/msg/Float64", time, types["std_msgs/msg/Float64"](float(x[0]))))
    return store, found


def write_ros2(folder: Path, rows: int, storage: str = "mcap") -> Path:
    """A ROS 2 bag; returns the file in it."""
    from rosbags.rosbag2 import StoragePlugin, Writer

    store, messages = ros_messages(rows)
    plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
    with Writer(folder, version=9, storage_plugin=plugin) as writer:
        topics: dict[str, Any] = {}
        for topic, kind, time, message in messages:
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(topics[topic], time, store.serialize_cdr(message, kind))
    return next(file for file in folder.iterdir() if file.suffix in (".mcap", ".db3"))


def write_ros1(path: Path, rows: int, compression: str = "none") -> Path:
    """A ROS 1 bag."""
    from rosbags.rosbag1 import Writer

    store, messages = ros_messages(rows, ros1=True)
    writer = Writer(path)
    if compression != "none":
        writer.set_compression(Writer.CompressionFormat[compression.upper()])
    with writer:
        topics: dict[str, Any] = {}
        for topic, kind, time, message in messages:
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(topics[topic], time, store.serialize_ros1(message, kind))
    return path


# Crazyflie


def write_crazyflie(
    path: Path, values: Mapping[str, tuple[str, np.ndarray]], time: np.ndarray, version: int = 2
) -> Path:
    """One event with these variables, (type, numbers) each; `time` in seconds."""
    variables = b"".join(f"{name}({kind})".encode() + b"\0" for name, (kind, _) in values.items())
    head = b"\xbc" + struct.pack("<HHH", version, 1, 0xFFFF) + b"fixedFrequency\0"
    data = [head, struct.pack("<H", len(values)), variables]
    packed = struct.Struct("<" + "".join(kind for kind, _ in values.values()))
    columns = [column.tolist() for _, column in values.values()]
    stamp, tick = ("<HI", 1e-3) if version == 1 else ("<HQ", 1e-6)
    for seconds, *row in zip(time.tolist(), *columns, strict=True):
        data += [struct.pack(stamp, 0xFFFF, round(seconds / tick)), packed.pack(*row)]
    whole = b"".join(data)
    path.write_bytes(whole + struct.pack("<I", zlib.crc32(whole)))
    return path


# PX4 ULog


class ULogWriter:
    """Writes a ULog message by message; pyulog writes only what it has read."""

    def __init__(self, path: Path):
        self._file = path.open("wb")
        self._file.write(b"ULog\x01\x12\x35\x01" + struct.pack("<Q", 1_000_000))
        self.message("B", bytes(40))

    def message(self, kind: str, content: bytes) -> None:
        self._file.write(struct.pack("<HB", len(content), ord(kind)) + content)

    def format(self, name: str, fields: str) -> None:
        self.message("F", f"{name}:{fields}".encode())

    def parameter(self, name: str, value: float) -> None:
        key = f"float {name}".encode()
        self.message("P", bytes([len(key)]) + key + struct.pack("<f", value))

    def info(self, name: str, text: str) -> None:
        key = f"char[{len(text)}] {name}".encode()
        self.message("I", bytes([len(key)]) + key + text.encode())

    def subscribe(self, number: int, name: str, instance: int = 0) -> None:
        self.message("A", struct.pack("<BH", instance, number) + name.encode())

    def data(self, number: int, content: bytes) -> None:
        self.message("D", struct.pack("<H", number) + content)

    def raw(self, content: bytes) -> None:
        self._file.write(content)

    def close(self) -> None:
        self._file.close()


def write_ulog(path: Path, rows: int, damage: bytes = b"") -> Path:
    """Two instances of a battery at 250 Hz, an attitude and a nested type; damage in the middle, where it is given."""
    log = ULogWriter(path)
    log.format("battery_status", "uint64_t timestamp;float voltage_v;uint8_t count;uint8_t[3] _padding0;")
    log.format("cell", "float u;int16_t k;")
    log.format("cells", "uint64_t timestamp;cell[2] cell;float[3] q;char[4] name;")
    log.info("sys_name", "PX4")
    log.parameter("MPC_THR_HOVER", 0.5)
    log.subscribe(0, "battery_status")
    log.subscribe(1, "battery_status", 1)
    log.subscribe(2, "cells")
    values = numbers(rows, 8).astype(np.float32)
    for k, row in enumerate(values):
        time = 2_000_000 + 4000 * k
        log.data(0, struct.pack("<QfB", time, row[0], k % 200))
        log.data(1, struct.pack("<QfB3x", time, row[1], k % 200))
        if k % 5 == 0:
            log.data(2, struct.pack("<QfhfhfffI", time, row[2], k % 300, row[3], -1, *row[4:7], 0))
            log.message("S", bytes.fromhex("2f731320250cbb12"))
        if k == rows // 2:
            log.message("O", struct.pack("<H", 250))
            log.raw(damage)
    log.close()
    return path


# ArduPilot DataFlash


KINDS = {"b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "f": "f", "d": "d", "n": "4s", "N": "16s"}
KINDS |= {"Z": "64s", "c": "h", "C": "H", "e": "i", "E": "I", "L": "i", "M": "B", "q": "q", "Q": "Q"}


class DataFlashWriter:
    """Writes a DataFlash log; no public library does."""

    def __init__(self, path: Path):
        self._file = path.open("wb")
        self._structs: dict[str, tuple[int, struct.Struct]] = {}
        self.describe(128, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns")

    def describe(self, number: int, name: str, kinds: str, columns: str) -> None:
        packed = struct.Struct("<" + "".join(KINDS[kind] for kind in kinds))
        self._structs[name] = (number, packed)
        self.write("FMT", number, packed.size + 3, name.encode(), kinds.encode(), columns.encode())

    def write(self, name: str, *row: Any) -> None:
        number, packed = self._structs[name]
        self._file.write(bytes([0xA3, 0x95, number]) + packed.pack(*row))

    def raw(self, content: bytes) -> None:
        self._file.write(content)

    def close(self) -> None:
        self._file.close()


def write_dataflash(path: Path, rows: int, damage: bytes = b"") -> Path:
    """Two IMUs at 100 Hz, an attitude in centidegrees, a parameter, a vehicle's name, units of some fields."""
    log = DataFlashWriter(path)
    log.describe(129, "PARM", "QNff", "TimeUS,Name,Value,Default")
    log.describe(130, "MSG", "QZ", "TimeUS,Message")
    log.describe(131, "IMU", "QBffffff", "TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ")
    log.describe(132, "ATT", "QccC", "TimeUS,Roll,Pitch,Yaw")
    log.describe(133, "UNIT", "QbZ", "TimeUS,Id,Label")
    log.describe(134, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds")
    log.describe(135, "MULT", "Qbd", "TimeUS,Id,Mult")
    for mark, label in (("s", "s"), ("E", "rad/s"), ("o", "m/s/s"), ("d", "deg")):
        log.write("UNIT", 0, ord(mark), label.encode())
    log.write("MULT", 0, ord("F"), 1e-6)
    log.write("MULT", 0, ord("B"), 1e-2)
    log.write("FMTU", 0, 131, b"s#EEEooo", b"F-000000")
    log.write("FMTU", 0, 132, b"sddd", b"FBBB")
    log.write("PARM", 1000, b"MOT_THST_HOVER", 0.35, 0.35)
    log.write("MSG", 1000, b"ArduCopter V4.5.1")
    values = numbers(rows, 14)
    for k, row in enumerate(values):
        time = 5_000_000 + 10_000 * k
        log.write("IMU", time, 0, *row[:6])
        log.write("IMU", time + 3, 1, *row[6:12])
        log.write("ATT", time, int(100 * row[12]), int(100 * row[13]), k % 36000)
        if k == rows // 2:
            log.raw(damage)
    log.close()
    return path


# Hours of flight


LONG_NAMES = {"mcap": ("/imu/gyro", "/imu/accelerometer"), "ulog": ("vehicle_angular_velocity", "vehicle_acceleration")}
"""Of the first topics of an hour, which are mapped and so decoded; the others are called `sensor_2` and so on."""


def write_long_mcap(path: Path, seconds: int, topics: int = 40, rate: int = 250, compression: str = "") -> Path:
    """Vectors with a stamp on so many topics, a chunk a second; written by the second, not by the message."""
    from rosbags.typesys import Stores, get_typestore

    definition = get_typestore(Stores.ROS2_JAZZY).generate_msgdef("geometry_msgs/msg/Vector3Stamped", ros_version=2)[0]
    kind = np.dtype([("op", "u1"), ("size", "<u8"), ("channel", "<u2"), ("sequence", "<u4"), ("log", "<u8"),
                     ("publish", "<u8"), ("begin", "u1", 4), ("sec", "<i4"), ("nanosec", "<u4"), ("frame", "u1", 8),
                     ("vector", "<f8", 3)])  # fmt: skip
    rows = np.zeros((rate, topics), kind)
    rows["op"], rows["size"], rows["begin"], rows["frame"][..., 0] = 5, kind.itemsize - 9, (0, 1, 0, 0), 1
    rows["channel"] = np.arange(topics)
    at = np.arange(rate * topics).reshape(rate, topics) * kind.itemsize
    with path.open("wb") as file:

        def record(operation: int, content: bytes) -> None:
            file.write(bytes([operation]) + struct.pack("<Q", len(content)) + content)

        def text(value: str) -> bytes:
            return struct.pack("<I", len(value.encode())) + value.encode()

        file.write(b"\x89MCAP0\r\n")
        record(1, text("ros2") + text("steelyard tests"))
        record(3, struct.pack("<H", 1) + text("geometry_msgs/msg/Vector3Stamped") + text("ros2msg") + text(definition))
        for k in range(topics):
            record(
                4,
                struct.pack("<HH", k, 1)
                + text(dict(enumerate(LONG_NAMES["mcap"])).get(k, f"/sensor_{k}"))
                + text("cdr")
                + struct.pack("<I", 0),
            )
        for second in range(seconds):
            ticks = np.arange(rate) * (10**9 // rate)
            rows["log"] = rows["publish"] = (second * 10**9 + ticks)[:, None]
            rows["sec"], rows["nanosec"] = second, ticks[:, None]
            rows["vector"] = np.sin(second + ticks / 1e9)[:, None, None] + np.arange(3)
            plain = rows.tobytes()
            packed = _packed(plain, compression)
            head = struct.pack("<QQQI", second * 10**9, second * 10**9 + int(ticks[-1]), len(plain), zlib.crc32(plain))
            record(6, head + text(compression) + struct.pack("<Q", len(packed)) + packed)
            for k in range(topics):
                entries = np.stack([rows["log"][:, k], at[:, k].astype(np.uint64)], axis=1).astype("<u8").tobytes()
                record(7, struct.pack("<HI", k, len(entries)) + entries)
        record(15, bytes(4))
        record(2, bytes(20))
        file.write(b"\x89MCAP0\r\n")
    return path


def _packed(data: bytes, compression: str) -> bytes:
    if compression == "zstd":
        from backports import zstd

        return zstd.compress(data, 1)
    if compression == "lz4":
        import lz4.frame

        return lz4.frame.compress(data)
    return data


def write_long_ulog(path: Path, seconds: int, topics: int = 40, rate: int = 250) -> Path:
    """Four numbers on so many topics, written by the second."""
    log = ULogWriter(path)
    kind = np.dtype([("size", "<u2"), ("type", "u1"), ("id", "<u2"), ("time", "<u8"), ("xyz", "<f4", 3), ("n", "<u4")])
    names = (*LONG_NAMES["ulog"], *(f"sensor_{k}" for k in range(2, topics)))
    for name in names:
        log.format(name, "uint64_t timestamp;float[3] xyz;uint32_t n;")
    for k, name in enumerate(names):
        log.subscribe(k, name)
    rows = np.zeros((rate, topics), kind)
    rows["size"], rows["type"], rows["id"] = kind.itemsize - 3, ord("D"), np.arange(topics)
    for second in range(seconds):
        ticks = second * 10**6 + np.arange(rate) * (10**6 // rate)
        rows["time"] = ticks[:, None]
        rows["xyz"] = np.sin(ticks / 1e6)[:, None, None] + np.arange(3)
        log.raw(rows.tobytes())
        log.message("S", bytes.fromhex("2f731320250cbb12"))
    log.close()
    return path


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """A damaged copy: bytes changed, a part cut out, repeated or overwritten, or the end missing."""
    copy = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        if len(copy) < 16:
            break
        at = int(rng.integers(len(copy))) if rng.random() < 0.5 else int(rng.integers(min(len(copy), 2048)))
        match rng.integers(7):
            case 0:
                copy[at] = int(rng.integers(256))
            case 1:
                for _ in range(int(rng.integers(1, 32))):
                    copy[int(rng.integers(len(copy)))] ^= 1 << int(rng.integers(8))
            case 2:
                del copy[at : at + int(rng.integers(1, 64))]
            case 3:
                copy[at:at] = copy[at : at + int(rng.integers(1, 256))]
            case 4:
                copy[at : at + 8] = rng.choice(_EXTREMES)
            case 5:
                del copy[at:]
            case _:
                copy[at : at + 32] = rng.bytes(32)
    return bytes(copy)


_EXTREMES = [bytes(8), b"\xff" * 8, b"\xff\xff\xff\x7f" + bytes(4), b"\xff" * 7 + b"\x7f", struct.pack("<Q", 1 << 40)]


def take(items: Iterable, count: int) -> list:
    """The first items."""
    return [one for one, _ in zip(items, range(count), strict=False)]
