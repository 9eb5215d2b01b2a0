"""Tables with anybody's column names: which columns are which signal, by the words in their names."""

import dataclasses
import re
from collections.abc import Callable, Iterator

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._names import Name, take_apart
from steelyard.logs.mapping._phrases import (
    ESTIMATE,
    INERTIAL,
    LOAD,
    QUATERNION,
    SETPOINT,
    TRUTH,
    VECTORS,
    vector_signal,
)
from steelyard.logs.mapping._source import SignalSource


@dataclasses.dataclass(frozen=True)
class Column:
    """A column and what its name states."""

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


def table_sources(
    streams: tuple[Stream, ...],
    robot_of: Callable[[Stream], str] = lambda stream: "r1",
    label: Callable[[Stream, str], str] = lambda stream, field: field,
) -> list[SignalSource]:
    """Every signal that the columns' names offer, the likelier first; `robot_of` where the names state no robot.

    `label` gives the text whose words count, where a field's own name is too short.
    """
    from steelyard.logs.mapping._angle_columns import angle_columns
    from steelyard.logs.mapping._motor_columns import motor_columns
    from steelyard.logs.mapping._numbered import numbered_sources

    columns = [
        Column(stream, dataclasses.replace(take_apart(label(stream, field), stream.units.get(field)), field=field))
        for stream in streams
        for field in stream.fields
    ]

    robots = {one.name.robot for one in columns if one.name.robot}
    only = next(iter(robots)) if len(robots) == 1 else None  # what names no robot is of the one that is named

    def who(one: Column) -> str:
        return "truth" if one.any_of(TRUTH) else one.name.robot or only or robot_of(one.stream)

    columns = [one for one in columns if not one.any_of(SETPOINT - {"cmd", "command", "commanded"})]
    found: list[SignalSource] = [*numbered_sources(columns, who)]
    taken = {source for one in found for source in one.source}
    columns = [one for one in columns if one.source not in taken]
    felt = [one for one in columns if not one.any_of(SETPOINT)]
    for make in (_vectors, _turning, _quaternions, _matrices, angle_columns, _tracked, _scalars):
        found += make(felt, who)
    return [*found, *motor_columns(columns, who)]


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
            f'"r1/attitude".source = ["{stream.name}:{fields[0]}", …].'
        )
    return None


def _unit_norm(columns: list[np.ndarray]) -> bool:
    q = np.stack(columns, axis=1)
    return bool(np.ptp(q) > 0.01 and np.nanmax(np.abs(np.linalg.norm(q, axis=1) - 1.0)) < 1e-3)


def _tracked(columns: list[Column], who) -> Iterator[SignalSource]:
    """Poses as motion capture and arms write them: RX, RY, RZ beside TX, TY, TZ or X, Y, Z; a vector, or angles."""
    groups: dict[tuple, dict[str, Column]] = {}
    for one in columns:
        if one.name.axis in ("x", "y", "z"):
            groups.setdefault((who(one), one.stream.name, one.name.words), {})[one.name.axis] = one
    for (robot, stream, words), axes in groups.items():
        beside = (groups.get((robot, stream, (*words[:-1], *end)), {}) for end in (("t",), ()))
        other = next((one for one in beside if one), {})
        if words[-1:] == ("r",) and len(axes) == len(other) == 3:
            three = [axes[axis] for axis in "xyz"]
            stated = three[0].name.unit
            largest = max(float(np.nanmax(np.abs(one.values), initial=0.0)) for one in three)
            unit = stated or ("deg" if largest > 2 * np.pi + 0.1 else "?")
            why = f"{named(three)} look like a tracked rotation; its largest number is {largest:.3g}."
            source = tuple(one.source for one in three)
            yield SignalSource(f"{robot}/attitude", source, unit, why, order="?3", certain=stated is not None)
            yield vector_source(robot, "position", [other[axis] for axis in "xyz"])


_AXES_OF_VECTORS = {*"xyzned", "u"}


def _vectors(columns: list[Column], who) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, Column]] = {}
    translated = {(one.stream.name, one.name.words[:-1]) for one in columns if one.name.words[-1:] == ("t",)}
    rotations = {(stream, (*words, "r")) for stream, words in translated}  # RX beside TX
    forces = {one.stream.name for one in columns if vector_signal(one.name) == "wrench/force"}
    for one in columns:
        signal = vector_signal(one.name)
        if signal == "wrench/torque" and one.stream.name not in forces and one.name.words[-1] in ("t", "m"):
            signal = "position" if one.name.words[-1] == "t" else None  # a translation; a magnetometer
        if (one.stream.name, one.name.words) in rotations:
            continue
        if signal is not None and one.name.axis in _AXES_OF_VECTORS:
            rank = 2 * one.any_of(ESTIMATE) - (signal == "rates" and one.any_of(INERTIAL))
            rank += signal == "position" and one.name.words[-1:] == ("t",)  # a target's, or a translation
            key = (rank, who(one), signal, one.stream.name, one.name.words)
            groups.setdefault(key, {})[one.name.axis] = one
    for (_, robot, signal, _, _), axes in sorted(groups.items(), key=lambda item: item[0][0]):
        for names, frame in (("xyz", None), ("ned", "NED"), ("enu", None)):
            if set(axes) == set(names):
                made = vector_source(robot, signal, [axes[axis] for axis in names])
                yield dataclasses.replace(made, frame=frame)


def vector_source(robot: str, signal: str, three: list[Column]) -> SignalSource:
    """The columns of x, y and z as a signal."""
    _, usual, meaning = VECTORS[signal]
    stated = of_force(three[0].name.unit) if signal == "wrench/force" else three[0].name.unit
    why = f"{named(three)} {'state' if stated else 'look like'} {meaning}"
    why += f" in {stated}." if stated else "."
    source = tuple(one.source for one in three)
    return SignalSource(f"{robot}/{signal}", source, stated or usual, why, certain=stated is not None)


def of_force(unit: str | None) -> str | None:
    """A unit beside a force: grams are those of a weight, not of an acceleration."""
    return "gf" if unit == "g" else unit


_TURNS = {"p": "roll", "q": "pitch", "r": "yaw", "roll": "roll", "pitch": "pitch", "yaw": "yaw"}
_RATE_WORDS = {"rate", "rates", "speed", "gyro", "gyr", "omega", "body", "ang", "angular", "vel", "velocity", "imu"}


def _turning(columns: list[Column], who) -> Iterator[SignalSource]:
    """Body rates by their letters, p, q and r, or as rates of roll, pitch and yaw."""
    groups: dict[tuple, dict[str, Column]] = {}
    for one in columns:
        words = one.name.words
        turn = next((word for word in words if word in _TURNS), None)
        others = tuple(word for word in words if word != turn)
        if turn is None or one.name.axis or (len(turn) > 1 and not set(others) & _RATE_WORDS):
            continue
        if len(turn) == 1 and not set(others) <= _RATE_WORDS | ESTIMATE:
            continue
        groups.setdefault((who(one), one.stream.name, others, len(turn) > 1), {})[_TURNS[turn]] = one
    for (robot, _, others, _), turns in groups.items():
        if len(turns) == 3 and not set(others) & {"pid", "controller"}:
            yield vector_source(robot, "rates", [turns[turn] for turn in ("roll", "pitch", "yaw")])


def _quaternions(columns: list[Column], who) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, Column]] = {}
    for one in columns:
        if (
            one.any_of(QUATERNION)
            and not one.any_of(LOAD)
            and one.name.axis in ("w", "x", "y", "z", "0", "1", "2", "3", "4")
        ):
            key = (2 * one.any_of(ESTIMATE), who(one), one.stream.name, one.name.words)
            groups.setdefault(key, {})[one.name.axis] = one
    for (_, robot, _, _), axes in sorted(groups.items(), key=lambda item: item[0][0]):
        if set(axes) >= {"w", "x", "y", "z"}:
            four, order, certain = [axes[a] for a in "wxyz"], "wxyz", True
        elif set(axes) in ({"0", "1", "2", "3"}, {"1", "2", "3", "4"}):
            four, order, certain = [axes[a] for a in sorted(axes)], "?", False
        else:
            continue
        why = f"{named(four)} look like a quaternion."
        yield SignalSource(
            f"{robot}/attitude", tuple(one.source for one in four), "1", why, order=order, certain=certain
        )


def _matrices(columns: list[Column], who) -> Iterator[SignalSource]:
    groups: dict[tuple, dict[str, Column]] = {}
    for one in columns:
        if re.fullmatch("[123][123]", one.name.axis):
            groups.setdefault((who(one), one.stream.name, one.name.words), {})[one.name.axis] = one
    for (robot, _, _), cells in groups.items():
        if len(cells) == 9:
            nine = [cells[f"{i}{j}"] for i in "123" for j in "123"]
            R = np.stack([one.values for one in nine], axis=1).reshape(-1, 3, 3)
            R = R[np.isfinite(R).all(axis=(1, 2))]
            off = np.median(np.abs(np.einsum("nij,nkj->nik", R, R) - np.eye(3))) if len(R) else np.inf
            why = f"{named(nine)} are a rotation matrix, row by row: R Rᵀ differs from 1 by {off:.1g}."
            if off < 0.05:
                yield SignalSource(f"{robot}/attitude", tuple(one.source for one in nine), "1", why, rows="R")


def is_voltage(one: Column) -> bool:
    words = set(one.name.words)
    return bool(words & {"vbat", "vbatt", "voltage"}) or ({"battery", "v"} <= words) or ({"bat", "volt"} <= words)


def _scalars(columns: list[Column], who) -> Iterator[SignalSource]:
    for one in columns:
        robot = who(one)
        if (
            one.name.axis == ""
            and one.any_of({"thrust", "collective", "schub"})
            and not one.any_of({"cmd", "command", "pid", "avg", "average", "mean"})  # of one rotor
        ):
            stated = of_force(one.name.unit)
            why = f"{one.source} {'states' if stated else 'looks like'} the collective thrust" + (
                f" in {stated}." if stated else ", taken to be in N."
            )
            yield SignalSource(f"{robot}/thrust", (one.source,), stated or "N", why, certain=stated is not None)
        elif is_voltage(one) and np.isfinite(one.values).any():
            unit = one.name.unit or ("mV" if np.nanmedian(one.values) > 100 else "V")
            yield SignalSource(f"{robot}/battery/voltage", (one.source,), unit, f"{one.source} looks like a voltage.")


def named(columns: list[Column]) -> str:
    """`stream: ax, ay, az`, for a sentence."""
    names = [one.name.field for one in columns]
    shown = names if len(names) <= 4 else [names[0], "…", names[-1]]
    return f"{columns[0].stream.name}: {', '.join(shown)}"
