"""The vocabulary of a log: which signals there are, along which axes, in which units."""

import difflib
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["time", "input", "measurement", "truth", "unknown"]

SCALAR = ("",)  # one number: the column ends with the signal's own name
XY = ("x", "y")
XYZ = ("x", "y", "z")
WXYZ = ("w", "x", "y", "z")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal of the vocabulary.

    `name` may hold `*` for one part that the log names (`joint/*/position`). `axes` are the sets of axes it may
    come with, widest first; a numbered signal has axes 1, 2, … instead, as many as there are.
    """

    name: str
    unit: str
    role: Role
    axes: tuple[tuple[str, ...], ...]
    meaning: str
    numbered: bool = False

    def takes(self, axis: str) -> bool:
        """Whether a column of this signal may end with `axis` ("" for a scalar)."""
        if self.numbered:
            return re.fullmatch(r"[1-9][0-9]*", axis) is not None
        return any(axis in axes for axes in self.axes)

    def names(self, name: str) -> bool:
        """Whether `name`, without robot and axis, is this signal."""
        ours, theirs = self.name.split("/"), name.split("/")
        return len(ours) == len(theirs) and all(a == b or (a == "*" and b) for a, b in zip(ours, theirs, strict=True))


SIGNALS = (
    Signal("velocity", "m/s", "measurement", (XYZ, XY), "velocity of the contact point, world frame"),
    Signal("twist/angular", "rad/s", "measurement", (XYZ,), "angular velocity, sensor frame"),
    Signal("twist/linear", "m/s", "measurement", (XYZ,), "linear velocity, sensor frame"),
    Signal("specific_force", "m/s²", "measurement", (XYZ,), "an accelerometer's reading, sensor frame"),
    Signal("wrench/torque", "N m", "input", (XYZ,), "torque applied to the load, sensor frame"),
    Signal("wrench/force", "N", "input", (XYZ,), "force applied to the load, sensor frame"),
    Signal("force", "N", "input", (XY,), "planar force applied to the load, world frame"),
    Signal("position", "m", "measurement", (XYZ, XY), "position, world frame"),
    Signal("attitude", "1", "measurement", (WXYZ,), "attitude quaternion, body to world"),
    Signal("linear_velocity", "m/s", "measurement", (XYZ,), "velocity, world frame"),
    Signal("rates", "rad/s", "input", (XYZ,), "angular velocity, body frame"),
    Signal("thrust", "N", "input", (SCALAR,), "collective thrust along body z"),
    Signal("rpm", "rpm", "measurement", (), "speed of each rotor or engine", numbered=True),
    Signal("throttle", "%", "input", (), "throttle of each rotor or engine", numbered=True),
    Signal("scale", "kg", "measurement", (), "what a weighing scale under each foot reads", numbered=True),
    Signal("scale_temperature", "°C", "measurement", (), "of each weighing scale", numbered=True),
    Signal("joint/*/position", "rad", "measurement", (SCALAR,), "joint position"),
    Signal("joint/*/velocity", "rad/s", "measurement", (SCALAR,), "joint velocity"),
    Signal("joint/*/effort", "N m", "measurement", (SCALAR,), "joint torque, or force of one that slides"),
    Signal("joint/*/current", "A", "measurement", (SCALAR,), "current of the joint's motor"),
    Signal("motor", "1", "input", (), "command of each motor, 0 to 1", numbered=True),
    Signal("battery/voltage", "V", "measurement", (SCALAR,), "voltage of the battery"),
    Signal("battery/current", "A", "measurement", (SCALAR,), "current from the battery"),
)

# Places on a robot that carry any of the signals above: `base/position`, `foot_left/wrench/force`.
PLACES = ("base", "foot_left", "foot_right")

QUANTITIES = (
    Signal("mass", "kg", "truth", (SCALAR,), "true mass"),
    Signal("com", "m", "truth", (XYZ, XY), "true centre of mass"),
    Signal("inertia", "kg m²", "truth", (INERTIA, SCALAR), "true inertia about the centre of mass"),
    Signal("contact/*", "m", "truth", (XYZ, XY), "true vector to a neighbour's contact"),
    Signal("pose/*/position", "m", "truth", (XYZ,), "true position of a neighbour's frame"),
    Signal("pose/*/attitude", "1", "truth", (WXYZ,), "true attitude of a neighbour's frame"),
    Signal("drag", "N s/m", "truth", (SCALAR,), "true linear drag"),
    Signal("thrust/*", "N", "truth", (SCALAR,), "true thrust of an engine"),
)


@dataclass(frozen=True, slots=True)
class Column:
    """The meaning of a column's name.

    `who` and `signal` are None where the name is outside the vocabulary, `unit` too; `axis` is "" for a scalar.
    """

    name: str
    who: str | None
    signal: str | None
    axis: str
    unit: str | None
    role: Role
    meaning: str

    @property
    def known(self) -> bool:
        """Whether the name is in the vocabulary."""
        return self.signal is not None


@functools.lru_cache(maxsize=4096)
def describe(column: str) -> Column:
    """What a full column name such as `r1/twist/angular/x` means.

    >>> describe("r1/twist/angular/x").unit
    'rad/s'
    """
    if column == "time":
        return Column("time", None, "time", "", "s", "time", "time of the row")
    who, _, rest = column.partition("/")
    head, _, tail = rest.rpartition("/")
    for name, axis in ((rest, ""), (head, tail)):
        word = find_signal(who, name)
        if who and word and word.takes(axis):
            role = "truth" if who == "truth" else word.role
            return Column(column, who, name, axis, word.unit, role, word.meaning)
    return Column(column, None, None, "", None, "unknown", "not in the vocabulary")


def find_signal(who: str, name: str) -> Signal | None:
    """The signal of `<who>/<name>`, the name being without its axis; None where there is none."""
    if who != "truth":
        place, _, inner = name.partition("/")
        return _first(SIGNALS, inner if place in PLACES else name)
    # Truth is the load's, or one robot's: `truth/com/x`, `truth/r1/com/x`.
    for candidate in (name, name.partition("/")[2]):
        bare = candidate.removeprefix("bias/")
        if word := _first(QUANTITIES, candidate) or find_signal("", bare):
            return word
    return None


def choose_axes(word: Signal | None, present: Sequence[str]) -> tuple[str, ...] | None:
    """The axes of a signal, in canonical order, given the endings its columns have; None where some are missing."""
    if word is None:
        return _any_axes(present)
    if word.numbered:
        numbers = sorted((axis for axis in present if word.takes(axis)), key=int)
        whole = numbers == [str(k) for k in range(1, len(numbers) + 1)]
        return tuple(numbers) if numbers and whole else None
    return next((axes for axes in word.axes if set(axes) <= set(present)), None)


def missing_axes(word: Signal | None, present: Sequence[str]) -> tuple[str, ...]:
    """The fewest axes that would have to be added to `present` to make the signal whole."""
    if word is None:
        return SCALAR
    if word.numbered:
        last = max((int(axis) for axis in present if word.takes(axis)), default=1)
        return tuple(str(k) for k in range(1, last + 1) if str(k) not in present)
    gaps = [tuple(axis for axis in axes if axis not in present) for axes in word.axes]
    return min(gaps, key=len)


def nearest_column(column: str) -> str | None:
    """The column name that a misspelt one most probably means, or None.

    >>> nearest_column("r1/velocty/x")
    'r1/velocity/x'
    """
    # Separators and case are the commonest slips (r1_velocity_x, R1/Velocity/X), so they count for nothing here.
    who, _, rest = _plain(column).partition("/")
    known = {_plain(name): name for name in _full_names(truth=who == "truth")}
    if rest.rpartition("/")[2].isdigit():  # a numbered signal: compare its name, keep its number
        head, _, number = rest.rpartition("/")
        close = difflib.get_close_matches(head, [word.name for word in SIGNALS if word.numbered], n=1, cutoff=0.75)
        return f"{who}/{close[0]}/{number}" if close else None
    close = difflib.get_close_matches(rest, list(known), n=1, cutoff=0.75)
    return f"{who}/{known[close[0]]}" if close else None


def _first(words: Iterable[Signal], name: str) -> Signal | None:
    return next((word for word in words if word.names(name)), None)


def _any_axes(present: Sequence[str]) -> tuple[str, ...] | None:
    """Axes of a signal outside the vocabulary: canonical order where they fit one, else as they come."""
    if "" in present:
        return SCALAR
    for axes in (WXYZ, INERTIA):
        if present and set(present) <= set(axes):
            return tuple(axis for axis in axes if axis in present)
    if present and all(re.fullmatch(r"[0-9]+", axis) for axis in present):
        return tuple(sorted(present, key=int))
    return tuple(present) or None


def _full_names(truth: bool) -> Iterable[str]:
    for word in (*QUANTITIES, *SIGNALS) if truth else SIGNALS:
        if "*" not in word.name and not word.numbered:
            for axis in dict.fromkeys(axis for axes in word.axes for axis in axes):
                yield f"{word.name}/{axis}" if axis else word.name


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "/", name.lower()).strip("/")
