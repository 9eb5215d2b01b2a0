"""The flight of `foreign_tables` as exports of tools whose layouts need more than the words in column names."""

from pathlib import Path

import numpy as np
from foreign_runs import FLIP, at
from foreign_tables import FLYING, Kept, columns, text_table, the_flight, ticks, values, xyzw

Table = dict[str, np.ndarray]


def inertial(t: np.ndarray) -> Table:
    """A gyroscope, an accelerometer and a thrust, under usual names."""
    table = columns("gyro_*", "xyz", values("rates", t)) | columns("acc_*", "xyz", values("specific_force", t))
    return table | {"thrust [N]": values("thrust", t)}


def pose(t: np.ndarray) -> Table:
    """Motion capture, under usual names."""
    table = columns("pos_*", "xyz", values("position", t)) | columns("quat_*", "wxyz", values("attitude", t))
    return table | columns("vel_*", "xyz", values("velocity", t))


def vicon(folder: Path) -> list[Path]:
    """Rotation vectors and millimetres, neither of which is stated."""
    from scipy.spatial.transform import Rotation

    t = ticks(100)
    vectors = Rotation.from_quat(xyzw(t)).as_rotvec()
    table = {"t": t} | columns("drone drone T*", "XYZ", 1e3 * values("position", t))
    return [text_table(folder / "vicon.csv", table | columns("drone drone R*", "XYZ", vectors) | inertial(t))]


def mujoco(folder: Path) -> list[Path]:
    """The state of a free joint as seven and six numbers."""
    t = ticks(100)
    qpos, qvel = (np.hstack([values(a, t), values(b, t)]) for a, b in (("position", "attitude"), ("velocity", "rates")))
    table = {"time": t} | columns("qpos_*", "0123456", qpos) | columns("qvel_*", "012345", qvel)
    return [text_table(folder / "sim.csv", table | {"thrust [N]": values("thrust", t)})]


def xsens(folder: Path) -> list[Path]:
    """Times as counts of 0.1 ms, and a counter before them."""
    t = ticks(100)
    table = {"PacketCounter": np.arange(len(t)), "SampleTimeFine": np.round(1e4 * (5 + t))}
    table |= columns("Acc_*", "XYZ", values("specific_force", t)) | columns("Gyr_*", "XYZ", values("rates", t))
    table |= columns("Quat_q*", "0123", values("attitude", t))
    head = "// General information:\n// Update Rate: 100.0Hz"
    mocap = {"t": 5 + t} | columns("pos_*", "xyz", values("position", t)) | {"thrust [N]": values("thrust", t)}
    return [text_table(folder / "MT.txt", table, "\t", head), text_table(folder / "mocap.csv", mocap)]


def mavlogdump(folder: Path) -> list[Path]:
    """Messages of several types in one table, each on rows of its own with the same times."""
    blocks = {
        "ATT": (50, ("Roll", "Pitch", "Yaw"), lambda t: np.degrees(values("angles", t) * FLIP)),
        "IMU": (100, ("GyrX", "GyrY", "GyrZ", "AccX", "AccY", "AccZ"), lambda t: np.hstack(
            [values("rates", t) * FLIP, values("specific_force", t) * FLIP])),
        "XKF1": (10, ("VN", "VE", "VD", "PN", "PE", "PD"), lambda t: np.hstack(
            [values("velocity", t) * FLIP, values("position", t) * FLIP])),
        "RCOU": (20, ("C1", "C2", "C3", "C4"), lambda t: 1000 + 1000 * np.sqrt(
            at(t, the_flight().motion.time, the_flight().rotors()) / 12)),
    }  # fmt: skip
    names = ["timestamp", *(f"{kind}.{field}" for kind, (_, fields, _) in blocks.items() for field in fields)]
    rows, first = [], 1
    for rate, fields, numbers in blocks.values():
        t = ticks(rate)
        for s, row in zip(t, numbers(t), strict=True):
            cells = [f"{1.6e9 + s:.6f}"] + [""] * (len(names) - 1)
            cells[first : first + len(fields)] = [f"{v:.9g}" for v in row]
            rows.append((s, ",".join(cells)))
        first += len(fields)
    rows.sort(key=lambda row: row[0])
    (folder / "log.csv").write_text("\n".join([",".join(names), *(line for _, line in rows)]) + "\n")
    return [folder / "log.csv"]


def left_handed(folder: Path) -> list[Path]:
    """Positions and velocities in a world whose y runs the other way; the attitude is not mirrored."""
    t = ticks(100)
    table = {"t": t} | pose(t) | inertial(t)
    table |= {name: -table[name] for name in ("pos_y", "vel_y")}
    return [text_table(folder / "run.csv", table)]


def telephones_sign(folder: Path) -> list[Path]:
    """An accelerometer that reads gravity and not what holds against it."""
    t = ticks(100)
    table = {"t": t} | pose(t) | inertial(t)
    return [text_table(folder / "run.csv", table | {f"acc_{axis}": -table[f"acc_{axis}"] for axis in "xyz"})]


def german_spreadsheet(folder: Path) -> list[Path]:
    """UTF-16, tabs, decimal commas and German words."""
    t = ticks(100)
    table = {"Zeit (s)": t} | columns("Position * (m)", "XYZ", values("position", t))
    table |= columns("Quaternion *", "wxyz", values("attitude", t))
    table |= columns("Geschwindigkeit * (m/s)", "XYZ", values("velocity", t))
    table |= columns("Drehrate * (°/s)", "XYZ", np.degrees(values("rates", t)))
    table |= columns("Beschl * (g)", "XYZ", values("specific_force", t) / 9.80665) | {"Schub (N)": values("thrust", t)}
    file = text_table(folder / "flug.txt", table, "\t")
    file.write_text(file.read_text().replace(".", ","), encoding="utf-16")
    return [file]


def matlab(folder: Path) -> list[Path]:
    """A timetable: durations as text, numbers for axes."""
    t = ticks(100)
    table = {"Time": [f"{s:.4f} sec" for s in t]} | columns("pos_*", "123", values("position", t))
    table |= columns("quat_*", "1234", values("attitude", t)) | columns("omega_*", "123", values("rates", t))
    return [text_table(folder / "run.csv", table | columns("acc_*", "123", values("specific_force", t)))]


EXPORTS = {
    "Vicon": Kept(vicon, (*FLYING, "thrust")),
    "MuJoCo": Kept(mujoco, ("attitude", "position", "rates", "linear_velocity", "thrust")),
    "Xsens": Kept(xsens, (*FLYING, "thrust"), zero=5.0),
    "mavlogdump": Kept(mavlogdump, (*FLYING, "linear_velocity", "motor"), zero=1.6e9),
    "a left-handed world": Kept(left_handed, (*FLYING, "linear_velocity", "thrust")),
    "a telephone's sign": Kept(telephones_sign, (*FLYING, "linear_velocity", "thrust")),
    "a German spreadsheet": Kept(german_spreadsheet, (*FLYING, "linear_velocity", "thrust")),
    "MATLAB": Kept(matlab, FLYING),
}
"""By the tool or the peculiarity."""
