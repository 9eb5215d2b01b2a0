"""Columns with numbers instead of axes: `acc[0]`, a wrench of six, a pose of six, a matrix of sixteen, joints."""

import re
from collections.abc import Callable, Iterator

import numpy as np

from steelyard.logs.mapping._phrases import INERTIAL, MOTOR, NO_SIGNAL, SETPOINT, VECTORS, vector_signal
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tables import Column, named, vector_source
from steelyard.logs.mapping._tuning import TUNING

_WRENCH = {"wrench", "ft", "fts", "forcetorque", "f", "force"}
_JOINTS = {
    "position": ("rad", {"q", "qpos", "position", "positions", "pos", "angle", "angles", "joint"}),
    "velocity": ("rad/s", {"qd", "dq", "qdot", "qvel", "velocity", "velocities", "vel", "speed"}),
    "effort": ("N m", {"tau", "effort", "efforts", "torque", "torques", "moment"}),
    "current": ("A", {"current", "currents", "curr"}),
}
"""By quantity: its unit, and words that name it."""
_QUANTITIES = {word: quantity for quantity, (_, words) in _JOINTS.items() for word in words - {"q", "joint"}}

Who = Callable[[Column], str]


def numbered_sources(columns: list[Column], who: Who) -> Iterator[SignalSource]:
    """What groups of numbered columns hold; joints with names, too."""
    joints = list(_named_joints(columns))
    yield from joints
    taken = {source for one in joints for source in one.source}
    groups: dict[tuple, dict[int, Column]] = {}
    for one in columns:
        if one.source not in taken and one.name.axis.isdigit() and not one.any_of(SETPOINT | MOTOR - {"m", "u"}):
            groups.setdefault((who(one), one.stream.name, one.name.words), {})[int(one.name.axis)] = one
    for (robot, stream, words), numbered in list(groups.items()):
        if words[-1:] == ("qpos",) and sorted(numbered)[:1] == [0]:
            free = list(_free_body(robot, numbered, groups.get((robot, stream, (*words[:-1], "qvel")), {})))
            yield from free
            taken = {source for one in free for source in one.source}
            for key in ("qpos", "qvel"):
                others = list(groups.get((robot, stream, (*words[:-1], key)), {}).values())
                groups[robot, stream, (*words[:-1], key)] = dict(
                    enumerate([one for one in others if one.source not in taken], 1)
                )
    for (robot, _, words), numbered in sorted(groups.items(), key=lambda item: not set(item[0][2]) & INERTIAL):
        if not numbered:
            continue
        first, count = min(numbered), len(numbered)
        if first > 1 or sorted(numbered) != list(range(first, first + count)):
            continue
        several = [numbered[k] for k in sorted(numbered)]
        if not any(np.isfinite(one.values).any() for one in several):
            continue
        phrase = set(words)
        if count == 3 and (signal := vector_signal(several[0].name)) and (len(words[-1]) > 1 or len(words) == 1):
            yield vector_source(robot, signal, several)
        elif count == 6 and phrase & _WRENCH and not _foreign(words):
            yield vector_source(robot, "wrench/force", several[:3])
            yield vector_source(robot, "wrench/torque", several[3:])
        elif count == 6 and "pose" in phrase:
            yield vector_source(robot, "position", several[:3])
            yield _rotation_vector(robot, several[3:])
        elif count == 16:
            yield from _pose_matrix(robot, several)
        elif TUNING.fewest_joints <= count <= 12 and not phrase & {"pose", "speed"}:
            yield from _joint_group(robot, words, several)


def _free_body(robot: str, q: dict[int, Column], v: dict[int, Column]) -> Iterator[SignalSource]:
    """MuJoCo's free joint: position and quaternion w x y z, then velocity in the world and rates in the body."""
    if not all(k in q for k in range(7)):
        return
    norm = np.linalg.norm(np.stack([q[k].values for k in range(3, 7)], axis=1), axis=1)
    if not np.isfinite(norm).any() or not np.nanmax(np.abs(norm - 1.0)) < 0.05:
        return
    why = "the state of a free joint as MuJoCo orders it"

    def made(signal: str, cells: list[Column], unit: str, **more) -> SignalSource:
        return SignalSource(
            f"{robot}/{signal}",
            tuple(c.source for c in cells),
            unit,
            f"{named(cells)} are {why}.",
            certain=True,
            **more,
        )

    yield made("position", [q[k] for k in range(3)], "m")
    yield made("attitude", [q[k] for k in range(3, 7)], "1", order="wxyz")
    if all(k in v for k in range(6)):
        yield made("linear_velocity", [v[k] for k in range(3)], "m/s")
        yield made("rates", [v[k] for k in range(3, 6)], "rad/s")


def _foreign(words: tuple[str, ...]) -> bool:
    """Whether these are a robot's own estimate of outside forces, in which its load is compensated."""
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in NO_SIGNAL)


def _rotation_vector(robot: str, three: list[Column]) -> SignalSource:
    why = f"{named(three)} are the last three of a pose, taken for a rotation vector."
    return SignalSource(f"{robot}/attitude", tuple(c.source for c in three), "rad", why, order="rotvec")


def _pose_matrix(robot: str, cells: list[Column]) -> Iterator[SignalSource]:
    """A homogeneous matrix, column by column or row by row: its last row is 0, 0, 0, 1."""
    M = np.stack([one.values for one in cells], axis=1)
    M = M[np.isfinite(M).all(axis=1)]
    if not len(M):
        return
    for by_column, last in ((True, (3, 7, 11, 15)), (False, (12, 13, 14, 15))):
        if np.max(np.abs(M[:, last] - [0.0, 0.0, 0.0, 1.0])) > 1e-6:
            continue

        def cell(row: int, column: int, by_column=by_column) -> Column:
            return cells[row + 4 * column if by_column else 4 * row + column]

        nine = [cell(i, j) for i in range(3) for j in range(3)]
        way = "column by column" if by_column else "row by row"
        why = f"{named(cells)} are a pose as a matrix, {way}: the last row is 0, 0, 0, 1."
        yield SignalSource(f"{robot}/attitude", tuple(one.source for one in nine), "1", why, rows="R")
        three = tuple(cell(i, 3).source for i in range(3))
        yield SignalSource(f"{robot}/position", three, VECTORS["position"][1], why)
        return


def _joint_group(robot: str, words: tuple[str, ...], several: list[Column]) -> Iterator[SignalSource]:
    quantity = next((k for k, (_, names) in _JOINTS.items() for word in reversed(words) if word in names), None)
    if quantity is None or _foreign(words):
        return
    for k, one in enumerate(several):
        yield _joint(robot, f"joint_{k + 1}", quantity, one)


def _joint(robot: str, joint: str, quantity: str, one: Column) -> SignalSource:
    unit, why = one.name.unit or _JOINTS[quantity][0], f"{one.source} is the {quantity} of {joint}."
    if quantity == "position" and one.name.unit is None:
        unit, why = "?", f"{why} Its largest value is {float(np.nanmax(np.abs(one.values), initial=0.0)):.3g}."
    signal = f"{robot}/joint/{joint}/{quantity}"
    return SignalSource(signal, (one.source,), unit, why, certain=one.name.unit is not None)


def _named_joints(columns: list[Column]) -> Iterator[SignalSource]:
    """Columns with `joint` in their names; which quantity it is stands there, or in the name of the file."""
    for one in columns:
        field = re.sub(r"[\[(].*?[\])]", "", one.name.field).strip(" -_./")
        if "joint" not in field.lower() or one.any_of(SETPOINT):
            continue
        quantity, joint = None, field
        tail = re.fullmatch(r"(.*?)[_./ ]+([A-Za-z]+)", field)
        if tail and tail[2].lower() in _QUANTITIES:
            quantity, joint = _QUANTITIES[tail[2].lower()], tail[1]
        else:
            words = re.split(r"[^a-z]+", one.stream.name.lower())
            quantity = next((_QUANTITIES[word] for word in words if word in _QUANTITIES), None)
        if quantity is not None:
            yield _joint(one.name.robot or "r1", joint, quantity, one)
