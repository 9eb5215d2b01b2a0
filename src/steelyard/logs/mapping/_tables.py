"""Tables with anybody's column names: which columns are which signal, by the words in their names."""

import dataclasses
import itertools
import re
from collections.abc import Iterator

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._crazyflie import THRUST_WHY
from steelyard.logs.mapping._names import Name, take_apart
from steelyard.logs.mapping._source import SignalSource

# Signal, the words that name it (whole words), the unit it has where nobody states one ("?": physics decides).
_VECTORS = (
    ("twist/linear", {"twist linear", "vl"}, "m/s"),
    ("specific_force", {"a", "acc", "accel", "accelerometer", "acceleration", "specific force", "sf"}, "?"),
    (
        "rates",
        {"w", "om", "omega", "g", "gyr", "gyro", "gyroscope", "rate", "rates", "angular", "angvel", "angular velocity"},
        "?",
    ),
    ("wrench/force", {"f", "force"}, "N"),
    ("wrench/torque", {"t", "tau", "torque", "moment"}, "N m"),
    ("linear_velocity", {"v", "vel", "velocity", "speed"}, "m/s"),
    ("position", {"p", "pos", "position"}, "m"),
)
_SETPOINT = {"sp", "setpoint", "target", "ref", "reference", "desired", "des", "ctrltarget", "goal"}
_ESTIMATE = {"est", "estimate", "estimated", "state", "kalman", "ekf", "filtered", "filt"}
_TRUTH = {"truth", "groundtruth", "gt", "true"}
_INERTIAL = {"imu", "gyro", "gyr", "gyroscope", "acc", "accelerometer"}
_QUATERNION = {"q", "quat", "quaternion", "orientation", "attitude", "att", "rotation"}
_MOTOR = {"m", "motor", "pwm", "throttle", "thr", "u", "esc", "output", "rotor"}
_JOINT_KINDS = {
    "position": ("position", "rad"),
    "pos": ("position", "rad"),
    "angle": ("position", "rad"),
    "velocity": ("velocity", "rad/s"),
    "vel": ("velocity", "rad/s"),
    "effort": ("effort", "N m"),
    "torque": ("effort", "N m"),
    "tau": ("effort", "N m"),
    "current": ("current", "A"),
    "curr": ("current", "A"),
}


@dataclasses.dataclass(frozen=True)
class _Column:
    stream: Stream
    name: Name

    @property
    def source(self) -> str:
        return f"{self.stream.name}:{self.name.field}"

    @property
    def values(self) -> np.ndarray:
        return self.stream.fields[self.name.field]

    def any_of(self, words: set[str]) -> bool:
        return bool(words & set(self.name.words))


def table_sources(recording: Recording) -> list[SignalSource]:
    """Every signal that the columns' names offer, the likelier first."""
    columns = [
        _Column(stream, take_apart(field, stream.units.get(field)))
        for stream in recording.streams
        for field in stream.fields
    ]
    columns = [one for one in columns if not one.any_of(_SETPOINT)]
    found: list[SignalSource] = [*_joints(columns)]
    taken = {source for one in found for source in one.source}
    columns = [one for one in columns if one.source not in taken]
    for make in (_vectors, _quaternions, _matrices, _angles, _motors, _scalars):
        found += make(columns)
    return found


def headerless_question(recording: Recording) -> str | None:
    """What to ask of a table without a header, with what its numbers show; None where every table has one."""
    for stream in recording.streams:
        fields = list(stream.fields)
        if not fields or not all(re.fullmatch(r"#\d+", field) for field in fields):
            continue
        rising = [f for f in fields if len(stream.fields[f]) > 2 and np.all(np.diff(stream.fields[f]) > 0)]
        unit = [k for k in range(len(fields) - 3) if _unit_norm([stream.fields[f] for f in fields[k : k + 4]])]
        seen = [f"{rising[0]} rises like a time"] if rising else []
        seen += [f"{fields[k]} to {fields[k + 3]} are a unit quaternion" for k in unit[:1]]
        shown = f" ({', '.join(seen)})" if seen else ""
        return (
            f"Which column is which signal? {stream.file} has no header{shown}. State it in a mapping: "
            f'["r1/attitude"] source = ["{stream.name}:{fields[0]}", …].'
        )
    return None


def _unit_norm(columns: list[np.ndarray]) -> bool:
    q = np.stack(columns, axis=1)
    return bool(np.ptp(q) > 0.01 and np.nanmax(np.abs(np.linalg.norm(q, axis=1) - 1.0)) < 1e-3)


def _who(one: _Column) -> str:
    return "truth" if one.any_of(_TRUTH) else one.name.robot or "r1"


def _vectors(columns: list[_Column]) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, _Column]] = {}
    for one in columns:
        signal = _vector_of(one)
        if signal is not None and one.name.axis in ("x", "y", "z"):
            rank = 2 * one.any_of(_ESTIMATE) - (signal == "rates" and one.any_of(_INERTIAL))
            key = (rank, _who(one), signal, one.stream.name, one.name.words)
            groups.setdefault(key, {})[one.name.axis] = one
    for (_, who, signal, _, _), axes in sorted(groups.items(), key=lambda item: item[0][0]):
        if set(axes) == {"x", "y", "z"}:
            three = [axes[axis] for axis in ("x", "y", "z")]
            usual = next((unit for name, _, unit in _VECTORS if name == signal))
            stated = three[0].name.unit
            why = f"{_named(three)} {'state' if stated else 'look like'} {_MEANINGS[signal]}"
            why += f" in {stated}." if stated else "."
            source = tuple(one.source for one in three)
            yield SignalSource(f"{who}/{signal}", source, stated or usual, why, certain=stated is not None)


_MEANINGS = {
    "twist/linear": "a velocity in the sensor's own axes",
    "specific_force": "an accelerometer",
    "rates": "an angular velocity",
    "wrench/force": "a force",
    "wrench/torque": "a torque",
    "linear_velocity": "a velocity in the world",
    "position": "a position",
}


def _vector_of(one: _Column) -> str | None:
    words = one.name.words
    pairs = {" ".join(pair) for pair in itertools.pairwise(words)}
    if not words and one.name.axis in ("x", "y", "z"):
        return "position"
    if "twist" in words and "angular" in words:
        return "rates"
    if one.any_of(_QUATERNION) and not one.any_of({"rate", "rates"}):
        return None
    for signal, names, _ in _VECTORS:
        if pairs & names:
            return signal
    for signal, names, _ in _VECTORS:
        if words and (words[-1] in names or set(words) & names):
            return signal
    if one.any_of(_ESTIMATE) and one.name.axis in ("x", "y", "z"):
        return "position"
    return None


def _quaternions(columns: list[_Column]) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, _Column]] = {}
    for one in columns:
        if one.any_of(_QUATERNION) and one.name.axis in ("w", "x", "y", "z", "0", "1", "2", "3", "4"):
            key = (2 * one.any_of(_ESTIMATE), _who(one), one.stream.name, one.name.words)
            groups.setdefault(key, {})[one.name.axis] = one
    for (_, who, _, _), axes in sorted(groups.items(), key=lambda item: item[0][0]):
        if set(axes) >= {"w", "x", "y", "z"}:
            four, order, certain = [axes[a] for a in "wxyz"], "wxyz", True
        elif set(axes) in ({"0", "1", "2", "3"}, {"1", "2", "3", "4"}):
            four, order, certain = [axes[a] for a in sorted(axes)], "?", False
        else:
            continue
        why = f"{_named(four)} look like a quaternion."
        yield SignalSource(f"{who}/attitude", tuple(one.source for one in four), "1", why, order=order, certain=certain)


def _matrices(columns: list[_Column]) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, _Column]] = {}
    for one in columns:
        if re.fullmatch("[123][123]", one.name.axis):
            groups.setdefault((_who(one), one.stream.name, one.name.words), {})[one.name.axis] = one
    for (who, _, _), cells in groups.items():
        if len(cells) == 9:
            nine = [cells[f"{i}{j}"] for i in "123" for j in "123"]
            R = np.stack([one.values for one in nine], axis=1).reshape(-1, 3, 3)
            off = np.nanmedian(np.abs(np.einsum("nij,nkj->nik", R, R) - np.eye(3)))
            why = f"{_named(nine)} are a rotation matrix, row by row: R Rᵀ differs from 1 by {off:.1g}."
            if off < 0.05:
                yield SignalSource(f"{who}/attitude", tuple(one.source for one in nine), "1", why, rows="R")


def _angles(columns: list[_Column]) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, _Column]] = {}
    for one in columns:
        angle = next((word for word in ("roll", "pitch", "yaw") if word in one.name.words), None)
        if angle is not None and not one.any_of({"rate", "rates", "speed", "pid", "cmd", "controller"}):
            words = tuple(word for word in one.name.words if word != angle)
            groups.setdefault((1 + 2 * one.any_of(_ESTIMATE), _who(one), one.stream.name, words), {})[angle] = one
    for (_, who, _, _), axes in sorted(groups.items(), key=lambda item: item[0][0]):
        if len(axes) == 3:
            three = [axes[angle] for angle in ("roll", "pitch", "yaw")]
            stated = three[0].name.unit
            largest = max(float(np.nanmax(np.abs(one.values))) for one in three)
            unit = stated or ("deg" if largest > 2 * np.pi + 0.1 else "rad")
            why = f"{_named(three)} look like roll, pitch and yaw; the largest angle is {largest:.3g}."
            source = tuple(one.source for one in three)
            yield SignalSource(f"{who}/attitude", source, unit, why, order="rpy", certain=stated is not None)


def _motors(columns: list[_Column]) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[int, _Column]] = {}
    for one in columns:
        if one.name.axis.isdigit() and one.any_of(_MOTOR | {"rpm"}) and not one.any_of(_QUATERNION):
            signal = "rpm" if one.any_of({"rpm"}) or one.name.unit == "rpm" else "motor"
            groups.setdefault((_who(one), signal, one.stream.name, one.name.words), {})[int(one.name.axis)] = one
    for (who, signal, _, _), numbered in groups.items():
        motors = [numbered[k] for k in sorted(numbered)]
        if len(motors) < 2:
            continue
        source = tuple(one.source for one in motors)
        if signal == "rpm":
            yield SignalSource(f"{who}/rpm", source, "rpm", f"{_named(motors)} look like rotor speeds.")
            continue
        values = np.concatenate([one.values for one in motors])
        unit = motors[0].name.unit or command_unit(values)
        span = f"{np.nanmin(values):g} and {np.nanmax(values):g}"
        why = f"{_named(motors)} look like motor commands; they lie between {span}."
        yield SignalSource(f"{who}/motor", source, unit, why)
        volts = next((c for c in columns if _is_voltage(c) and c.stream.name == motors[0].stream.name), None)
        if unit == "pwm16" and len(motors) == 4 and volts is not None:
            why = f"{_named(motors)} lie between 0 and 65535, as a Crazyflie's do. {THRUST_WHY}"
            yield SignalSource(
                f"{who}/thrust", (*source, volts.source), "N", why, conversion="crazyflie-2-thrust", certain=True
            )


def command_unit(values: np.ndarray) -> str:
    """What a motor command is in, by its range."""
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    if most <= 1.0 + 1e-6:
        return "of one"
    if most <= 100.0:
        return "%"
    positive = values[values > 0]
    if float(np.nanmin(positive)) >= 800 and most <= 2300:
        return "pwm"
    return "pwm16" if most <= 65535 and least >= 0 else "1"


def _is_voltage(one: _Column) -> bool:
    words = set(one.name.words)
    return bool(words & {"vbat", "vbatt", "voltage"}) or ({"battery", "v"} <= words) or ({"bat", "volt"} <= words)


def _scalars(columns: list[_Column]) -> Iterator[SignalSource]:
    for one in columns:
        who = _who(one)
        if one.name.axis == "" and one.any_of({"thrust", "collective"}) and not one.any_of({"cmd", "command", "pid"}):
            stated = one.name.unit
            why = f"{one.source} {'states' if stated else 'looks like'} the collective thrust" + (
                f" in {stated}." if stated else ", taken to be in N."
            )
            yield SignalSource(f"{who}/thrust", (one.source,), stated or "N", why, certain=stated is not None)
        elif _is_voltage(one):
            unit = one.name.unit or ("mV" if np.nanmedian(one.values) > 100 else "V")
            yield SignalSource(f"{who}/battery/voltage", (one.source,), unit, f"{one.source} looks like a voltage.")


def _joints(columns: list[_Column]) -> Iterator[SignalSource]:
    """Columns with `joint` in their names; which quantity it is stands there, or in the name of the file."""
    for one in columns:
        field = re.sub(r"[\[(].*?[\])]", "", one.name.field).strip(" -_./")
        if "joint" not in field.lower():
            continue
        kind, joint = None, field
        tail = re.fullmatch(r"(.*?)[_./ ]+([A-Za-z]+)", field)
        if tail and tail[2].lower() in _JOINT_KINDS:
            kind, joint = _JOINT_KINDS[tail[2].lower()], tail[1]
        else:
            words = re.split(r"[^a-z]+", one.stream.name.lower())
            kind = next((_JOINT_KINDS[word] for word in words if word in _JOINT_KINDS), None)
        if kind is None:
            continue
        quantity, usual = kind
        unit, why = one.name.unit or usual, f"{one.source} is the {quantity} of {joint}."
        if quantity == "position" and one.name.unit is None:
            largest = float(np.nanmax(np.abs(one.values)))
            unit, why = ("?", f"{why} Its largest value is {largest:.3g}.")
        signal = f"{one.name.robot or 'r1'}/joint/{joint}/{quantity}"
        yield SignalSource(signal, (one.source,), unit, why, certain=one.name.unit is not None)


def _named(columns: list[_Column]) -> str:
    """`stream: ax, ay, az`, for a sentence."""
    names = [one.name.field for one in columns]
    shown = names if len(names) <= 4 else [names[0], "…", names[-1]]
    return f"{columns[0].stream.name}: {', '.join(shown)}"
