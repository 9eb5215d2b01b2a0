"""One flight and one wrist run as tables that other people's tools write: their names, units, axes and clocks."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
from foreign_runs import FLIP, Flight, Wrist, at, flight, noisy, wrist

NOISE = {"position": 1e-3, "velocity": 0.01, "attitude": 5e-4, "angles": 1e-3, "rates": 5e-3, "specific_force": 0.05}
NOISE |= {"force": 0.05, "torque": 3e-3, "thrust": 0.02}
"""One standard deviation, SI units."""
TURN_Q = np.array([1.0, 1.0, -1.0, -1.0])
"""A quaternion of NED/FRD from one of north-west-up/FLU."""


@dataclasses.dataclass(frozen=True)
class Kept:
    """A kind of file: what writes it, whose run it holds, and the signals that must be found in it."""

    write: Callable[[Path], list[Path]]
    signals: tuple[str, ...]
    run: str = "flight"
    zero: float = 0.0
    """s, of its clock at the run's time 0."""


def the_flight() -> Flight:
    return flight(1)


def the_wrist() -> Wrist:
    return wrist(2)


def values(name: str, time: np.ndarray) -> np.ndarray:
    """Noisy samples of a signal; forces are the wrist run's."""
    if name.startswith("wrist "):
        run, name = the_wrist(), name.removeprefix("wrist ")
    else:
        run = the_wrist() if name in ("force", "torque") else the_flight()
    dense = run.motion.angles() if name == "angles" else getattr(run if hasattr(run, name) else run.motion, name)
    return noisy(at(time, run.motion.time, dense), NOISE[name], seed=3)


def columns(pattern: str, axes, numbers: np.ndarray) -> dict[str, np.ndarray]:
    """Columns named by a pattern with `*` for the axis."""
    return {pattern.replace("*", axis): column for axis, column in zip(axes, numbers.T, strict=True)}


def ticks(rate: float, end: float = 39.9) -> np.ndarray:
    return np.arange(0.0, end, 1 / rate)


def text_table(path: Path, table: Mapping[str, Iterable], separator: str = ",", head: str = "") -> Path:
    """Numbers with fifteen digits, text as it is."""
    cells = [[v if isinstance(v, str) else f"{v:.15g}" for v in column] for column in table.values()]
    path.parent.mkdir(exist_ok=True)
    lines = [head] * bool(head) + [separator.join(table)]
    path.write_text("\n".join([*lines, *(separator.join(row) for row in zip(*cells, strict=True))]) + "\n")
    return path


def xyzw(time: np.ndarray) -> np.ndarray:
    return values("attitude", time)[:, [1, 2, 3, 0]]


def nanoseconds(time: np.ndarray, zero: int) -> list[str]:
    return [str(zero + round(1e9 * t)) for t in time]


def body_velocity(time: np.ndarray) -> np.ndarray:
    motion = the_flight().motion
    return at(time, motion.time, np.einsum("nji,nj->ni", motion.R, motion.velocity))


def euroc(folder: Path) -> list[Path]:
    t, zero = ticks(100), 1_400_000_000_000_000_000
    turned = np.array([[0, 0, 1], [0, -1, 0], [1, 0, 0]])  # the inertial sensor's x is up
    imu = columns("w_RS_S_* [rad s^-1]", "xyz", values("rates", t) @ turned.T)
    imu |= columns("a_RS_S_* [m s^-2]", "xyz", values("specific_force", t) @ turned.T)
    truth = columns(" p_RS_R_* [m]", "xyz", values("position", t)) | columns(
        " q_RS_* []", "wxyz", values("attitude", t)
    )
    truth |= columns(" v_RS_R_* [m s^-1]", "xyz", values("velocity", t))
    truth |= columns(" b_w_RS_S_* [rad s^-1]", "xyz", np.full((len(t), 3), 0.01))
    truth |= columns(" b_a_RS_S_* [m s^-2]", "xyz", np.full((len(t), 3), 0.02))
    stamps = nanoseconds(t, zero)
    return [
        text_table(folder / "imu0" / "data.csv", {"#timestamp [ns]": stamps} | imu),
        text_table(folder / "state0" / "data.csv", {"#timestamp": stamps} | truth),
    ]


def tum(folder: Path) -> list[Path]:
    t, u = ticks(60), ticks(200)
    pose = columns("t*", "xyz", values("position", t)) | columns("q*", "xyzw", xyzw(t))
    imu = columns("ang_vel_*", "xyz", values("rates", u)) | columns("lin_acc_*", "xyz", values("specific_force", u))
    return [
        text_table(folder / "groundtruth.txt", {"# timestamp": 1.55e9 + t} | pose, " "),
        text_table(folder / "imu.txt", {"# id": np.arange(len(u)), "timestamp": 1.55e9 + u} | imu, " "),
    ]


def neurobem(folder: Path) -> list[Path]:
    t = ticks(120)
    table = {"t": t} | columns("ang acc *", "xyz", np.gradient(values("rates", t), t, axis=0))
    table |= columns("ang vel *", "xyz", values("rates", t)) | columns("quat *", "xyzw", xyzw(t))
    table |= columns("acc *", "xyz", values("specific_force", t)) | columns("vel *", "xyz", body_velocity(t))
    table |= columns("pos *", "xyz", values("position", t))
    speeds = np.sqrt(at(t, the_flight().motion.time, the_flight().rotors()) / 1.5e-6)
    table |= columns("mot *", "1234", speeds) | columns("dmot *", "1234", np.gradient(speeds, t, axis=0))
    return [text_table(folder / "merged.csv", table | {"vbat": 16.2 - 0.01 * t})]


def ulog2csv(folder: Path) -> list[Path]:
    files = []

    def topic(name: str, rate: float, fields: Callable[[np.ndarray], dict]) -> None:
        t = ticks(rate)
        stamps = np.round(1e6 * (12.3 + t))
        files.append(text_table(folder / f"log_7_2023-4-5_{name}_0.csv", {"timestamp": stamps} | fields(t)))

    three = ("[0]", "[1]", "[2]")
    topic("vehicle_attitude", 50, lambda t: columns("q*", (*three, "[3]"), values("attitude", t) * TURN_Q))
    topic(
        "sensor_combined", 100,
        lambda t: columns("gyro_rad*", three, values("rates", t) * FLIP)
        | columns("accelerometer_m_s2*", three, values("specific_force", t) * FLIP),
    )  # fmt: skip
    topic(
        "vehicle_local_position", 10,
        lambda t: {"ref_timestamp": 0 * t} | columns("*", "xyz", values("position", t) * FLIP)
        | columns("v*", "xyz", values("velocity", t) * FLIP) | columns("a*", "xyz", values("velocity", t)),
    )  # fmt: skip
    topic("actuator_outputs", 10, lambda t: columns("output*", [f"[{k}]" for k in range(8)], _pulses(t)))
    topic(
        "vehicle_attitude_setpoint", 50, lambda t: columns("q_d*", (*three, "[3]"), np.tile(np.eye(4)[0], (len(t), 1)))
    )
    return files


def _pulses(t: np.ndarray) -> np.ndarray:
    rotors = at(t, the_flight().motion.time, the_flight().rotors())
    return np.hstack([900 + np.sqrt(rotors / 8.5e-6), np.zeros((len(t), 4))])


def german(folder: Path) -> list[Path]:
    """Semicolons, decimal commas, angles, and a time that is called none in English."""
    t = ticks(100)
    table = {"Zeit [ms]": 1e3 * t} | columns("* [°]", ("Roll", "Pitch", "Yaw"), np.degrees(values("angles", t)))
    table |= columns("v* [m/s]", "xyz", values("velocity", t)) | columns("* [m]", "xyz", values("position", t))
    table |= columns("Gyro * [°/s]", "XYZ", np.degrees(values("rates", t)))
    table |= columns("Acc * [g]", "XYZ", values("specific_force", t) / 9.80665)
    file = text_table(folder / "flug.csv", table, ";")
    file.write_text(file.read_text().replace(".", ","))
    return [file]


def iso_dates(folder: Path) -> list[Path]:
    from datetime import UTC, datetime, timedelta

    t, start = ticks(100), datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    dates = [(start + timedelta(seconds=float(s))).isoformat(timespec="microseconds") for s in t]
    table = columns("quat_*", "wxyz", values("attitude", t)) | columns("pos_*", "xyz", values("position", t))
    table |= columns("imu_angular_velocity_*", "xyz", values("rates", t))
    table |= columns("imu_linear_acceleration_*", "xyz", values("specific_force", t))
    return [text_table(folder / "run.csv", {"date": dates} | table)]


def _odometry(t: np.ndarray, pattern: str) -> dict[str, np.ndarray]:
    """The fields of an Odometry, its twist in the body's axes; `pattern` has `*` for the path."""
    path = pattern.replace("*", "{}").format
    found = columns(path("pose.pose.position.") + "*", "xyz", values("position", t))
    found |= columns(path("pose.pose.orientation.") + "*", "xyzw", xyzw(t))
    found |= columns(path("twist.twist.linear.") + "*", "xyz", body_velocity(t))
    return found | columns(path("twist.twist.angular.") + "*", "xyz", values("rates", t))


def rostopic(folder: Path) -> list[Path]:
    t = ticks(100)
    stamps = nanoseconds(t, 1_600_000_000_000_000_000)
    head = {"%time": stamps, "field.header.seq": np.arange(len(t)), "field.header.stamp": stamps}
    frames = {"field.header.frame_id": ["world"] * len(t), "field.child_frame_id": ["body"] * len(t)}
    return [text_table(folder / "odom.csv", head | frames | _odometry(t, "field.*"))]


def bagpy(folder: Path) -> list[Path]:
    def head(t: np.ndarray) -> dict[str, np.ndarray]:
        stamps = {"header.stamp.secs": np.floor(1.6e9 + t), "header.stamp.nsecs": np.round(1e9 * (t % 1))}
        return {"Time": 1.6e9 + t + 0.003, "header.seq": np.arange(len(t))} | stamps

    t, u = ticks(80), ticks(120)
    imu = columns("angular_velocity.*", "xyz", values("rates", u))
    imu |= columns("linear_acceleration.*", "xyz", values("specific_force", u))
    none = columns("orientation.*", "xyzw", np.zeros((len(u), 4)))
    return [
        text_table(folder / "odometry.csv", head(t) | _odometry(t, "*")),
        text_table(folder / "imu-data.csv", head(u) | none | imu),
    ]


def plotjuggler(folder: Path) -> list[Path]:
    t = ticks(100)
    table = {name.replace(".", "/"): column for name, column in _odometry(t, "/odom.*").items()}
    table |= columns("/imu/data/angular_velocity/*", "xyz", values("rates", t))
    table |= columns("/imu/data/linear_acceleration/*", "xyz", values("specific_force", t))
    return [text_table(folder / "export.csv", {"__time": 1.6e9 + t} | table)]


def betaflight(folder: Path) -> list[Path]:
    t = ticks(200)
    rotors = at(t, the_flight().motion.time, the_flight().rotors())
    table = {"loopIteration": np.arange(len(t)), " time (us)": np.round(1e6 * (20 + t))}
    table |= columns(" axisP[*]", "012", np.zeros((len(t), 3))) | columns(" rcCommand[*]", "0123", np.ones((len(t), 4)))
    table |= {" vbatLatest (V)": 16 - 0.01 * t}
    table |= columns(" gyroADC[*] (deg/s)", "012", np.round(np.degrees(values("rates", t))))
    table |= columns(" accSmooth[*]", "012", np.round(2048 * values("specific_force", t) / 9.80665))
    table |= columns(" motor[*]", "0123", np.round(48 + 1999 * np.sqrt(rotors / 8.0)))
    return [text_table(folder / "LOG00012.01.csv", table)]


def cfclient(folder: Path) -> list[Path]:
    t, small = ticks(100), flight(1, 0.035)
    pwm = (np.sqrt(small.rotors() / 3.16e-10) - 4070.3) / 0.2685 * 3.8 / 3.9
    angles = np.degrees(values("angles", t)) * np.array([1, -1, 1])
    table = {"Timestamp": 1e3 * (8 + t)} | columns("stateEstimate.*", "xyz", values("position", t))
    table |= columns("stabilizer.*", ("roll", "pitch", "yaw"), angles)
    table |= columns("acc.*", "xyz", values("specific_force", t) / 9.80665)
    table |= columns("gyro.*", "xyz", np.degrees(values("rates", t)))
    table |= columns("motor.m*", "1234", at(t, small.motion.time, np.clip(np.round(pwm), 0, 65535)))
    return [text_table(folder / "20240506_logconfig.csv", table | {"pm.vbat": 0 * t + 3.9})]


def telephone(folder: Path) -> list[Path]:
    """An acceleration without gravity beside the accelerometer's, and millimetres."""
    t, motion = ticks(100), the_flight().motion
    table = {"Time (s)": t} | columns("Position * (mm)", "XYZ", 1e3 * values("position", t))
    table |= columns("Linear Acceleration * (m/s^2)", "xyz", at(t, motion.time, motion.acceleration))
    table |= columns("Velocity * (m/s)", "XYZ", values("velocity", t)) | columns("Quaternion *", "XYZW", xyzw(t))
    table |= columns("Gyroscope * (rad/s)", "xyz", values("rates", t))
    return [
        text_table(folder / "data.csv", table | columns("Acceleration * (m/s^2)", "xyz", values("specific_force", t)))
    ]


def simulator(folder: Path) -> list[Path]:
    t = ticks(100)
    table = {"time": t} | columns("*", "xyz", values("position", t)) | columns("*dot", "xyz", values("velocity", t))
    table |= columns("q*", "xyzw", xyzw(t)) | columns("w*", "xyz", values("rates", t))
    return [text_table(folder / "sim.csv", table | {"thrustdes": 0 * t, "thrust": values("thrust", t)})]


def blackbird(folder: Path) -> list[Path]:
    """NED and FRD, which nothing but the motion states; rotor speeds in a file of their own."""
    t, u, v = ticks(120), ticks(100), ticks(60)
    state = columns("p_*", "xyz", values("position", t) * FLIP) | columns("q_*", "wxyz", values("attitude", t) * TURN_Q)
    imu = columns("gyro_*", "xyz", values("rates", u) * FLIP)
    imu |= columns("accel_*", "xyz", values("specific_force", u) * FLIP)
    rotors = at(v, the_flight().motion.time, the_flight().rotors())
    rpm = columns("rotor_*_rpm", "1234", np.sqrt(rotors / 3e-8))
    return [
        text_table(folder / f"{name}.csv", {"# timestamp": 1e6 * (3 + when)} | table)
        for name, when, table in (("state", t, state), ("imu", u, imu), ("rpm", v, rpm))
    ]


def optitrack(folder: Path) -> list[Path]:
    """Motive's export: six lines above the numbers, y up."""
    from scipy.spatial.transform import Rotation

    t, u = ticks(80), ticks(100)
    up = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    q = (Rotation.from_matrix(up) * Rotation.from_quat(xyzw(t))).as_quat()
    head = ["Format Version,1.23,Take Name,Take,Capture Frame Rate,120.0,Rotation Type,Quaternion", ""]
    head += [f",{name}" + 7 * f",{text}" for name, text in (("Type", "Rigid Body"), ("Name", "drone"), ("ID", "1"))]
    head += [",,Rotation,Rotation,Rotation,Rotation,Position,Position,Position"]
    head += ["Frame,Time (Seconds),X,Y,Z,W,X,Y,Z"]
    rows = np.column_stack([t, q, values("position", t) @ up.T])
    lines = [f"{k}," + ",".join(f"{v:.7f}" for v in row) for k, row in enumerate(rows)]
    (folder / "Take.csv").write_text("\n".join([*head, *lines]) + "\n")
    imu = columns("gyro_*", "xyz", values("rates", u)) | columns("acc_*", "xyz", values("specific_force", u))
    return [folder / "Take.csv", text_table(folder / "imu.csv", {"t": u} | imu | {"thrust": values("thrust", u)})]


def calibrated_sensor(folder: Path) -> list[Path]:
    t = ticks(150, 24.9)
    table = (
        {"Time (s)": t} | columns("F* (N)", "xyz", values("force", t)) | columns("T* (N-m)", "xyz", values("torque", t))
    )
    table |= columns("imu_a*", "xyz", values("wrist specific_force", t))
    return [text_table(folder / "ati.csv", table | columns("imu_w*", "xyz", values("wrist rates", t)))]


def moments(folder: Path) -> list[Path]:
    t = ticks(150, 24.9)
    table = (
        {"timestamp": 1e3 * t}
        | columns("ft_F*", "xyz", values("force", t))
        | columns("ft_M*", "xyz", values("torque", t))
    )
    table |= columns("accel.*", "xyz", values("wrist specific_force", t))
    return [text_table(folder / "r.csv", table | columns("gyr.*", "xyz", np.degrees(values("wrist rates", t))))]


def numbered(folder: Path) -> list[Path]:
    t = ticks(150, 24.9)
    wrench = np.hstack([values("force", t), values("torque", t)])
    table = {"t": t} | columns("wrench[*]", "012345", wrench)
    table |= columns("acc[*]", "012", values("wrist specific_force", t))
    return [text_table(folder / "r.csv", table | columns("gyro[*]", "012", values("wrist rates", t)))]


def rotation_vectors(folder: Path) -> list[Path]:
    """An arm's controller: joints, a pose of six, and an estimate of outside forces, in which the load is missing."""
    from scipy.spatial.transform import Rotation

    t = ticks(125, 24.9)
    turned = Rotation.from_quat(values("wrist attitude", t)[:, [1, 2, 3, 0]]).as_rotvec()
    pose = np.hstack([values("wrist position", t), turned])
    wrench = np.hstack([values("force", t), values("torque", t)])
    table = {"timestamp": t} | columns("actual_q_*", "012345", np.sin(t[:, None] + np.arange(6)))
    table |= columns("actual_TCP_pose_*", "012345", pose) | columns("actual_TCP_force_*", "012345", 0.1 * wrench)
    table |= columns("ft_raw_wrench_*", "012345", wrench)
    table |= columns("actual_tool_accelerometer_*", "012", values("wrist specific_force", t))
    return [text_table(folder / "robot_data.csv", table, " ")]


def pose_matrices(folder: Path) -> list[Path]:
    """A pose as sixteen numbers, column by column."""
    t, motion = ticks(100, 24.9), the_wrist().motion
    T = np.zeros((len(t), 4, 4))
    T[:, :3, :3] = motion.R[np.searchsorted(motion.time, t)]
    T[:, :3, 3], T[:, 3, 3] = values("wrist position", t), 1.0
    table = {"time [s]": t} | columns("O_T_EE[*]", [str(k) for k in range(16)], T.transpose(0, 2, 1).reshape(-1, 16))
    table |= columns("tau_J[*]", "0123456", np.sin(t[:, None] + np.arange(7)))
    table |= columns("q[*]", "0123456", np.cos(t[:, None] + np.arange(7)))
    table |= columns("O_F_ext_hat_K[*]", "012345", np.zeros((len(t), 6)))
    table |= columns("force.*", "xyz", values("force", t)) | columns("torque.*", "xyz", values("torque", t))
    return [text_table(folder / "franka.csv", table | columns("acc.*", "xyz", values("wrist specific_force", t)))]


def rotor_speeds(time: np.ndarray) -> np.ndarray:
    """rad/s, (n, 4)."""
    return np.sqrt(at(time, the_flight().motion.time, the_flight().rotors()) / 1.5e-6)


def letters(folder: Path) -> list[Path]:
    """Symbols of textbooks: body rates p, q, r, and four omegas; a load hangs below and is tracked first."""
    t = ticks(100)
    table = {"time_s": t} | columns("payload_*", "xyz", values("position", t) - [0.0, 0.0, 0.6])
    table |= columns("drone_*", "xyz", values("position", t)) | columns("drone_q*", "xyzw", xyzw(t))
    table |= columns("drone_v*", "xyz", values("velocity", t)) | columns("*", "pqr", values("rates", t))
    table |= columns("a*", "xyz", values("specific_force", t)) | columns("omega_*", "1234", rotor_speeds(t))
    return [text_table(folder / "flight.csv", table)]


def corners(folder: Path) -> list[Path]:
    """Rotors by their corners, units of one letter behind the axis."""
    t = ticks(100)
    table = {"time": t} | columns("mocap_position_*_m", "xyz", values("position", t))
    table |= columns("mocap_quat_*", "xyzw", xyzw(t)) | columns("mocap_vel_*", "xyz", values("velocity", t))
    table |= columns("imu_linacc_*", "xyz", values("specific_force", t))
    table |= columns("imu_angvel_*_dps", "xyz", np.degrees(values("rates", t)))
    speeds = 30 / np.pi * rotor_speeds(t)
    return [text_table(folder / "flight.csv", table | columns("rpm_*", ("fr", "rl", "fl", "rr"), speeds))]


def north_east_down(folder: Path) -> list[Path]:
    """Greek angles, and axes by their directions."""
    t = ticks(100)
    angles = values("angles", t) * FLIP
    table = {"t": t} | columns("pos_*", "NED", values("position", t) * FLIP)
    table |= columns("vel_*_m_s", "NED", values("velocity", t) * FLIP)
    table |= dict(zip(("phi", "theta", "psi"), angles.T, strict=True))
    table |= columns("rate_*", "pqr", values("rates", t) * FLIP)
    table |= columns("acc*", "XYZ", values("specific_force", t) * FLIP)
    return [text_table(folder / "flight.csv", table | columns("motor*RPM", "1234", 30 / np.pi * rotor_speeds(t)))]


FLYING = ("attitude", "position", "rates", "specific_force")
_WRIST = ("wrench/force", "wrench/torque", "specific_force")
TABLES = {
    "EuRoC": Kept(euroc, (*FLYING, "linear_velocity"), zero=1.4e9),
    "TUM and UZH": Kept(tum, FLYING, zero=1.55e9),
    "NeuroBEM": Kept(neurobem, (*FLYING, "linear_velocity")),
    "ulog2csv": Kept(ulog2csv, (*FLYING, "linear_velocity", "motor"), zero=12.3),
    "semicolons and decimal commas": Kept(german, (*FLYING, "linear_velocity")),
    "ISO dates": Kept(iso_dates, FLYING, zero=1714979289.0),
    "rostopic echo -p": Kept(rostopic, ("attitude", "position", "rates", "linear_velocity"), zero=1.6e9),
    "bagpy": Kept(bagpy, (*FLYING, "linear_velocity"), zero=1.6e9),
    "PlotJuggler": Kept(plotjuggler, (*FLYING, "linear_velocity"), zero=1.6e9),
    "Betaflight": Kept(betaflight, ("rates", "specific_force", "motor"), zero=20.0),
    "cfclient": Kept(cfclient, (*FLYING, "motor", "thrust"), zero=8.0),
    "a telephone": Kept(telephone, (*FLYING, "linear_velocity")),
    "a simulator": Kept(simulator, ("attitude", "position", "rates", "linear_velocity", "thrust")),
    "Blackbird": Kept(blackbird, (*FLYING, "rpm"), zero=3.0),
    "OptiTrack": Kept(optitrack, (*FLYING, "thrust")),
    "letters": Kept(letters, (*FLYING, "linear_velocity", "rpm")),
    "corners": Kept(corners, (*FLYING, "linear_velocity", "rpm")),
    "north, east, down": Kept(north_east_down, (*FLYING, "linear_velocity", "rpm")),
    "a calibrated sensor": Kept(calibrated_sensor, (*_WRIST, "rates"), "wrist"),
    "moments and degrees": Kept(moments, (*_WRIST, "rates"), "wrist"),
    "numbers for axes": Kept(numbered, (*_WRIST, "rates"), "wrist"),
    "an arm's controller": Kept(rotation_vectors, (*_WRIST, "attitude"), "wrist"),
    "poses as matrices": Kept(pose_matrices, (*_WRIST, "attitude"), "wrist"),
}
"""By the tool or data set whose conventions they have."""
