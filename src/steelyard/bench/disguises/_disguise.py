"""Simulated logs as other people would have written them: other units, axes, orders, signs, clocks and names."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from steelyard.worlds import MultirotorScenario, SpatialScenario, simulate, simulate_spatial

Columns = Mapping[str, np.ndarray]
LATE = {"40 ms late": 0.04, "two clocks that drift": 0.0}
"""s, how late the second sensor is, beside the difference of clocks."""
CLOCK_AHEAD, CLOCK_FAST = 5000.0, 400e-6
"""s and s/s, of the second clock."""

FLIGHT = {
    "attitude": ("qw", "qx", "qy", "qz"),
    "linear_velocity": ("vx", "vy", "vz"),
    "position": ("px", "py", "pz"),
    "rates": ("gyro_x", "gyro_y", "gyro_z"),
    "thrust": ("thrust",),
}
"""Signals of a flight and the names that others give them."""
HOLD = {
    "twist/angular": ("gyro_x", "gyro_y", "gyro_z"),
    "specific_force": ("acc_x", "acc_y", "acc_z"),
    "wrench/force": ("fx", "fy", "fz"),
    "wrench/torque": ("tx", "ty", "tz"),
}


@dataclasses.dataclass
class Table:
    """A file to be written."""

    name: str
    time: np.ndarray
    columns: dict[str, np.ndarray]
    time_name: str = "t"
    header: bool = True

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}.csv"
        values = np.column_stack([self.time, *self.columns.values()])
        head = ",".join([self.time_name, *self.columns]) if self.header else ""
        np.savetxt(path, values, fmt="%.12g", delimiter=",", header=head, comments="")
        return path


def flight(seed: int, rate: float = 100.0) -> dict[str, np.ndarray]:
    """A flight of constant mass with brisk turns."""
    return simulate(MultirotorScenario(duration=20.0, profile="constant", speed=4.0, rate=rate), seed)


def hold(seed: int, rate: float = 100.0) -> dict[str, np.ndarray]:
    """A load that one robot holds and shakes; sensors as good ones are."""
    return simulate_spatial(SpatialScenario(duration=12.0, sensors="realistic", rate=rate), seed)


def signal(columns: Columns, name: str) -> np.ndarray:
    """(n, k) of a robot's signal in our own columns."""
    axes = {"attitude": "wxyz", "thrust": ""}.get(name, "xyz")
    if not axes:
        return np.asarray(columns[f"r1/{name}"])[:, None]
    return np.column_stack([columns[f"r1/{name}/{axis}"] for axis in axes])


def _plain(columns: Columns, names: Mapping[str, tuple[str, ...]]) -> Table:
    table = {}
    for name, fields in names.items():
        table |= dict(zip(fields, signal(columns, name).T, strict=True))
    return Table("run", np.asarray(columns["time"]), table)


def _scale(table: Table, fields: tuple[str, ...], factor: float) -> None:
    for field in fields:
        table.columns[field] = factor * table.columns[field]


def _late(table: Table, fields: tuple[str, ...], by: float) -> None:
    """What stands in a row happened `by` seconds before."""
    for field in fields:
        table.columns[field] = np.interp(table.time - by, table.time, table.columns[field])


def as_it_is(columns: Columns, names) -> list[Table]:
    return [_plain(columns, names)]


def ned_frd(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    for name, fields in names.items():
        if name == "attitude":  # (w, x, y, z) of NWU/FLU is (w, x, −y, −z) of NED/FRD
            _scale(table, fields[2:], -1.0)
        elif len(fields) == 3:
            _scale(table, fields[1:], -1.0)
    return [table]


def degrees(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    _scale(table, ("gyro_x", "gyro_y", "gyro_z"), 180 / np.pi)
    return [table]


def in_g(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    if "acc_x" in table.columns:
        _scale(table, ("acc_x", "acc_y", "acc_z"), 1 / 9.80665)
    return [table]


def milliseconds(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    table.time = 1e3 * table.time
    return [table]


def xyzw(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    if "attitude" in names:
        fields = names["attitude"]
        for k, field in enumerate((*fields[1:], fields[0])):
            table.columns[f"q{k}"] = table.columns.pop(field)
    return [table]


def upside_down(columns: Columns, names) -> list[Table]:
    """The inertial sensor is mounted upside down."""
    table = _plain(columns, names)
    for field in ("gyro_y", "gyro_z", "acc_y", "acc_z"):
        if field in table.columns:
            _scale(table, (field,), -1.0)
    return [table]


def opposite_wrench(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    for name in ("wrench/force", "wrench/torque"):
        _scale(table, names.get(name, ()), -1.0)
    return [table]


def late(columns: Columns, names) -> list[Table]:
    """The motion capture, or the inertial sensor at the wrist, is 40 ms late."""
    table = _plain(columns, names)
    _late(table, _second(names), LATE["40 ms late"])
    return [table]


def two_clocks(columns: Columns, names) -> list[Table]:
    """Motion capture, or the inertial sensor at the wrist, in its own file; its clock began earlier and is fast."""
    table = _plain(columns, names)
    fields = _second(names)
    other = Table(
        "second", CLOCK_AHEAD + table.time * (1 + CLOCK_FAST), {field: table.columns.pop(field) for field in fields}
    )
    return [table, other]


def half_the_rows(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    present = np.random.default_rng(0).random(len(table.time)) < 0.5
    present[0] = True
    table.time = table.time[present]
    table.columns = {name: values[present] for name, values in table.columns.items()}
    return [table]


def units_in_names(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    _scale(table, ("gyro_x", "gyro_y", "gyro_z"), 180 / np.pi)
    units = {"gyro": "deg/s", "v": "m/s", "p": "m", "acc": "m/s^2", "f": "N", "t": "Nm", "thrust": "N"}
    table.columns = {
        f"{field} [{units[stem]}]"
        if (stem := field if field in units else field.rstrip("xyzw").rstrip("_")) in units
        else field: v
        for field, v in table.columns.items()
    }
    table.time, table.time_name = 1e6 * table.time, "time [us]"
    return [table]


def no_header(columns: Columns, names) -> list[Table]:
    table = _plain(columns, names)
    table.header = False
    return [table]


def _second(names) -> tuple[str, ...]:
    chosen = ("attitude", "linear_velocity", "position") if "attitude" in names else ("twist/angular", "specific_force")
    return tuple(field for name in chosen for field in names[name])


DISGUISES: dict[str, Callable[[Columns, Mapping[str, tuple[str, ...]]], list[Table]]] = {
    "as it is": as_it_is,
    "NED/FRD": ned_frd,
    "degrees": degrees,
    "g": in_g,
    "ms": milliseconds,
    "xyzw": xyzw,
    "upside down": upside_down,
    "wrench of the opposite sign": opposite_wrench,
    "40 ms late": late,
    "two clocks that drift": two_clocks,
    "half the rows missing": half_the_rows,
    "units in the names": units_in_names,
    "no header": no_header,
}
"""By name; the first is none."""
ONLY = {"g": "hold", "wrench of the opposite sign": "hold", "xyzw": "flight"}
"""Disguises that change one kind of log only: a flight here has no accelerometer, a hold no attitude."""


def disguises_of(kind: str) -> list[str]:
    """Names of the disguises that change a `flight` or a `hold`, and of none."""
    return [name for name in DISGUISES if ONLY.get(name, kind) == kind]
