"""The flight of `foreign_tables` as PX4, ArduPilot and ROS would have logged it, in layouts of several versions."""

import itertools
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from foreign_runs import FLIP, at
from foreign_tables import TURN_Q, Kept, the_flight, ticks, values, xyzw
from log_files import DataFlashWriter, ULogWriter

ZERO = 5.0
"""s, of the clocks at the flight's time 0."""
_CODES = {"float": "f", "uint8_t": "B", "uint16_t": "H", "uint32_t": "I", "uint64_t": "Q"}


def commands(time: np.ndarray) -> np.ndarray:
    """(n, 4), 0 to 1: a rotor gives 12 N at 1."""
    return np.sqrt(at(time, the_flight().motion.time, the_flight().rotors()) / 12.0)


def pulses(time: np.ndarray, outputs: int) -> np.ndarray:
    """µs, (n, outputs); those beyond the fourth are 0."""
    return np.hstack([1000 + 1000 * commands(time), np.zeros((len(time), outputs - 4))])


class Topics:
    """A ULog under construction: topics as tables, written in the order of their times."""

    def __init__(self, path: Path):
        self.path, self.log, self.rows = path, ULogWriter(path), []

    def add(self, name: str, fields: str, time: np.ndarray, *columns: np.ndarray, instance: int = 0) -> None:
        """`fields` as ULog writes them, without the timestamp."""
        code = "<Q"
        for kind, count in re.findall(r"(\w+)(?:\[(\d+)\])? \w+;", fields):
            code += f"{count or 1}{_CODES[kind]}"
        if not any(name == other for other, *_ in self.rows):
            self.log.format(name, f"uint64_t timestamp;{fields}")
        self.rows.append((name, instance, time, code, np.column_stack(columns)))

    def close(self) -> list[Path]:
        for number, (name, instance, *_) in enumerate(self.rows):
            self.log.subscribe(number, name, instance)
        events = []
        for number, (_, _, time, code, table) in enumerate(self.rows):
            kinds = "".join(int(count) * kind for count, kind in re.findall(r"(\d+)(\w)", code))
            for t, row in zip(time, table, strict=True):
                cells = (float(v) if kind == "f" else int(v) for v, kind in zip(row, kinds, strict=True))
                events.append((t, number, struct.pack(code, round(1e6 * (ZERO + t)), *cells)))
        for _, number, content in sorted(events, key=lambda event: event[:2]):
            self.log.data(number, content)
        self.log.close()
        return [self.path]


def px4_v1_9(folder: Path) -> list[Path]:
    log, t, u, v = Topics(folder / "v1_9.ulg"), ticks(40), ticks(100), ticks(10)
    log.add("vehicle_attitude", "float rollspeed;float pitchspeed;float yawspeed;float[4] q;", t,
            values("rates", t) * FLIP, values("attitude", t) * TURN_Q)  # fmt: skip
    log.add("sensor_combined", "float[3] gyro_rad;uint32_t gyro_integral_dt;float[3] accelerometer_m_s2;", u,
            values("rates", u) * FLIP, 0 * u, values("specific_force", u) * FLIP)  # fmt: skip
    log.add("vehicle_local_position", "uint64_t ref_timestamp;float x;float y;float z;float vx;float vy;float vz;", v,
            0 * v, values("position", v) * FLIP, values("velocity", v) * FLIP)  # fmt: skip
    log.add("actuator_outputs", "uint32_t noutputs;float[16] output;", v, 0 * v + 4, pulses(v, 16))
    spare = np.full((len(v), 16), 1500.0)
    log.add("actuator_outputs", "uint32_t noutputs;float[16] output;", v, 0 * v + 4, spare, instance=1)
    return log.close()


def px4_v1_13(folder: Path) -> list[Path]:
    """`actuator_outputs` in a simulator's own units beside `actuator_motors`."""
    log, t, u, v = Topics(folder / "v1_13.ulg"), ticks(40), ticks(100), ticks(20)
    log.add("vehicle_attitude", "uint64_t timestamp_sample;float[4] q;", t, 0 * t, values("attitude", t) * TURN_Q)
    log.add("vehicle_angular_velocity", "float[3] xyz;", u, values("rates", u) * FLIP)
    log.add("vehicle_acceleration", "float[3] xyz;", u, values("specific_force", u) * FLIP)
    log.add("vehicle_local_position", "float x;float y;float z;float vx;float vy;float vz;", v,
            values("position", v) * FLIP, values("velocity", v) * FLIP)  # fmt: skip
    unused = np.full((len(v), 8), np.nan)
    log.add("actuator_motors", "uint16_t reversible_flags;float[12] control;", v, 0 * v, commands(v), unused)
    log.add("actuator_outputs", "float[16] output;", v, 1000 * commands(v), np.zeros((len(v), 12)))
    log.add("vehicle_thrust_setpoint", "float[3] xyz;", v, np.zeros((len(v), 2)), -commands(v).mean(axis=1))
    return log.close()


def px4_odometry(folder: Path) -> list[Path]:
    """v1.14, without the estimator's position and with raw sensors, two of each."""
    log, t, u = Topics(folder / "v1_14.ulg"), ticks(60), ticks(100)
    log.add(
        "vehicle_odometry", "uint8_t pose_frame;float[3] position;float[4] q;uint8_t velocity_frame;float[3] velocity;"
        "float[3] angular_velocity;", t, 0 * t + 1, values("position", t) * FLIP, values("attitude", t) * TURN_Q,
        0 * t + 1, values("velocity", t) * FLIP, values("rates", t) * FLIP,
    )  # fmt: skip
    for k, (name, signal) in itertools.product((0, 1), (("accel", "specific_force"), ("gyro", "rates"))):
        fields = "uint32_t device_id;float x;float y;float z;"
        log.add(f"sensor_{name}", fields, u, 0 * u, values(signal, u) * FLIP, instance=k)
    log.add("actuator_motors", "float[12] control;", t, commands(t), np.full((len(t), 8), np.nan))
    return log.close()


def px4_spare_outputs(folder: Path) -> list[Path]:
    """v1.12 with DShot: the first instance of outputs stands, the second drives the motors, and the filter has two."""
    log, t, u, v = Topics(folder / "v1_12.ulg"), ticks(50), ticks(100), ticks(10)
    log.add("vehicle_attitude", "float[4] q;", t, values("attitude", t) * TURN_Q)
    log.add("sensor_combined", "float[3] gyro_rad;float[3] accelerometer_m_s2;", u, values("rates", u) * FLIP,
            values("specific_force", u) * FLIP)  # fmt: skip
    fields = "float x;float y;float z;float vx;float vy;float vz;"
    log.add("vehicle_local_position", fields, v, values("position", v) * FLIP, values("velocity", v) * FLIP)
    for k in (0, 1):
        log.add("estimator_local_position", fields, v, values("position", v) + k, values("velocity", v), instance=k)
    log.add("actuator_outputs", "float[16] output;", v, np.full((len(v), 16), 900.0))
    dshot = np.column_stack([np.round(1999 * commands(v)), np.zeros((len(v), 12))])
    log.add("actuator_outputs", "float[16] output;", v, dshot, instance=1)
    return log.close()


class Messages(DataFlashWriter):
    """A DataFlash log under construction: messages as tables, written in the order of their times."""

    def __init__(self, path: Path, ticks_a_second: float):
        super().__init__(path)
        self.path, self.tick, self.events, self.number = path, ticks_a_second, [], 130

    def add(self, name: str, kinds: str, columns: str, time: np.ndarray, *tables: np.ndarray) -> None:
        if not any(name == other for _, other, _ in self.events):
            self.describe(self.number, name, kinds, columns)
            self.number += 1
        for t, row in zip(time, np.column_stack(tables), strict=True):
            cells = [float(v) if kind in "fd" else round(v) for v, kind in zip(row, kinds[1:], strict=True)]
            self.events.append((t, name, cells))

    def finish(self) -> list[Path]:
        for t, name, cells in sorted(self.events, key=lambda event: event[:2]):
            self.write(name, round(self.tick * (ZERO + t)), *cells)
        self.close()
        return [self.path]


def angles(time: np.ndarray) -> np.ndarray:
    """Roll, pitch and yaw of FRD in NED, degrees, the yaw from 0 to 360."""
    from scipy.spatial.transform import Rotation

    q = values("attitude", time) * TURN_Q
    found = np.degrees(Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_euler("ZYX")[:, ::-1])
    return np.column_stack([found[:, :2], found[:, 2] % 360])


def ardupilot_4(folder: Path) -> list[Path]:
    """Two inertial sensors, and two cores of the Kalman filter that are not marked as instances."""
    log, t, u = Messages(folder / "4_5.bin", 1e6), ticks(25), ticks(100)
    log.add("ATT", "Qfff", "TimeUS,Roll,Pitch,Yaw", t, angles(t))
    for k in (0, 1):
        log.add("IMU", "QBffffff", "TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ", u + 1e-4 * k, 0 * u + k,
                values("rates", u) * FLIP, values("specific_force", u) * FLIP)  # fmt: skip
        log.add("XKF1", "QBffffff", "TimeUS,C,VN,VE,VD,PN,PE,PD", t + 1e-4 * k, 0 * t + k,
                values("velocity", t) * FLIP + 0.3 * k, values("position", t) * FLIP + 0.3 * k)  # fmt: skip
    log.add("RCOU", "QHHHHHHHH", "TimeUS,C1,C2,C3,C4,C5,C6,C7,C8", t, pulses(t, 8))
    return log.finish()


def ardupilot_3(folder: Path) -> list[Path]:
    """Milliseconds, centidegrees, other names of outputs."""
    log, t, u = Messages(folder / "3_2.bin", 1e3), ticks(10), ticks(50)
    log.add("ATT", "IccC", "TimeMS,Roll,Pitch,Yaw", t, 100 * angles(t))
    log.add("IMU", "Iffffff", "TimeMS,GyrX,GyrY,GyrZ,AccX,AccY,AccZ", u,
            values("rates", u) * FLIP, values("specific_force", u) * FLIP)  # fmt: skip
    log.add(
        "NKF1", "Iffffff", "TimeMS,VN,VE,VD,PN,PE,PD", t, values("velocity", t) * FLIP, values("position", t) * FLIP
    )
    log.add("RCOU", "IHHHHHHHH", "TimeMS,Ch1,Ch2,Ch3,Ch4,Ch5,Ch6,Ch7,Ch8", t, pulses(t, 8))
    return log.finish()


class Bag:
    """A ROS 2 bag with messages made of numbers: nested parts are filled in the order of their fields."""

    def __init__(self, folder: Path):
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore

        self.store, self.folder = get_typestore(Stores.ROS2_JAZZY), folder / "bag"
        self.writer = Writer(self.folder, version=9, storage_plugin=StoragePlugin.MCAP)
        self.writer.open()

    def add(self, topic: str, kind: str, time: np.ndarray, *tables: np.ndarray, definition: str = "") -> None:
        """Messages of a type whose numbers, after its header, are those of the tables' rows in their order."""
        from rosbags.typesys import get_types_from_msg

        if definition:
            self.store.register(get_types_from_msg(definition, kind))
        connection = self.writer.add_connection(topic, kind, typestore=self.store)
        for t, row in zip(time, np.column_stack(tables), strict=True):
            message = self._filled(kind, ZERO + t, iter(row.tolist()))
            self.writer.write(connection, round(1e9 * (ZERO + t)), self.store.serialize_cdr(message, kind))

    def _filled(self, kind: str, time: float, cells: Iterator[float]) -> Any:
        fields: list[Any] = []
        described: Any = self.store.fielddefs[kind][1]
        for name, (node, detail) in described:
            if name == "header":
                stamp = self.store.types["builtin_interfaces/msg/Time"](int(time), round(1e9 * (time % 1)) % 10**9)
                fields.append(self.store.types["std_msgs/msg/Header"](stamp, "frame"))
            elif node.name == "NAME":
                fields.append(self._filled(detail, time, cells))
            elif node.name == "BASE" and detail[0] == "string":
                fields.append("")
            elif node.name == "BASE":
                fields.append(next(cells) if "float" in detail[0] else int(next(cells)))
            elif name.endswith("covariance"):
                fields.append(np.zeros(detail[1]))
            else:  # an array; of free length it takes what is left
                (_, (base, _)), count = detail
                row = list(itertools.islice(cells, count or None))
                fields.append(np.array(row, base if base != "float32" else np.float32))
        return self.store.types[kind](*fields)

    def close(self) -> list[Path]:
        self.writer.close()
        return [self.folder]


def _imu(bag: Bag, topic: str, time: np.ndarray) -> None:
    none = np.zeros((len(time), 4))
    bag.add(topic, "sensor_msgs/msg/Imu", time, none, values("rates", time), values("specific_force", time))


def ros_motion_capture(folder: Path) -> list[Path]:
    """A transform of a motion capture, rotor speeds in rad/s in a message that nobody here knows."""
    bag, t, u = Bag(folder), ticks(60), ticks(100)
    _imu(bag, "/firefly/imu", u)
    bag.add("/firefly/vicon", "geometry_msgs/msg/TransformStamped", t, values("position", t), xyzw(t))
    speeds = np.sqrt(at(t, the_flight().motion.time, the_flight().rotors()) / 1.5e-6)
    definition = "std_msgs/Header header\nfloat64[] angular_velocities\n"
    bag.add("/firefly/motor_speed", "mav_msgs/msg/Actuators", t, speeds, definition=definition)
    return bag.close()


def ros_mavros(folder: Path) -> list[Path]:
    """A twist in the world's axes, and pulses."""
    bag, t = Bag(folder), ticks(60)
    _imu(bag, "/mavros/imu/data", t)
    bag.add("/mavros/local_position/pose", "geometry_msgs/msg/PoseStamped", t, values("position", t), xyzw(t))
    twist = "geometry_msgs/msg/TwistStamped"
    bag.add("/mavros/local_position/velocity_local", twist, t, values("velocity", t), values("rates", t))
    definition = "std_msgs/Header header\nuint16[] channels\n"
    bag.add("/mavros/rc/out", "mavros_msgs/msg/RCOut", t, pulses(t, 8), definition=definition)
    return bag.close()


def ros_own_state(folder: Path) -> list[Path]:
    """One message with everything in arrays, by the names of its fields."""
    bag, t = Bag(folder), ticks(100)
    fields = ("float64[3] position", "float64[3] velocity", "float64[4] quaternion", "float64[3] angular_velocity")
    definition = "std_msgs/Header header\n" + "".join(f"{field}\n" for field in (*fields, "float64 thrust"))
    numbers = [values(name, t) for name in ("position", "velocity", "attitude", "rates", "thrust")]
    bag.add("/quad/state", "own_msgs/msg/QuadState", t, *numbers, definition=definition)
    return bag.close()


_FLYING = ("attitude", "position", "rates", "specific_force")
LOGS = {
    "PX4 v1.9": Kept(px4_v1_9, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "PX4 v1.13": Kept(px4_v1_13, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "PX4 v1.14, odometry": Kept(px4_odometry, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "PX4 v1.12, two outputs": Kept(px4_spare_outputs, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "ArduPilot 4": Kept(ardupilot_4, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "ArduPilot 3": Kept(ardupilot_3, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "ROS, motion capture": Kept(ros_motion_capture, (*_FLYING, "rpm"), zero=ZERO),
    "ROS, MAVROS": Kept(ros_mavros, (*_FLYING, "linear_velocity", "motor"), zero=ZERO),
    "ROS, own message": Kept(
        ros_own_state, ("attitude", "position", "rates", "linear_velocity", "thrust"), zero=ZERO
    ),
}  # fmt: skip
"""By what wrote them."""
