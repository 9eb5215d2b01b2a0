"""Motor commands and rotor speeds in a table, by the words in their names, their units and their sizes."""

from collections.abc import Callable, Iterator

import numpy as np

from steelyard.logs.mapping._crazyflie import THRUST_WHY
from steelyard.logs.mapping._phrases import MOTOR, QUATERNION
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tables import Column, is_voltage, named

_SPEEDS = {"rpm", "erpm", "speed", "speeds", "vel", "velocity", "velocities", "omega", "om", "w", "n", "rad", "hz"}
_ROTORS = {"omega", "om", "w", "n"}
"""Symbols that are rotor speeds where four, six or eight columns have them."""
_CORNERS = {"fl": 1, "fr": 2, "rl": 3, "rr": 4, "bl": 3, "br": 4}
_SIDES: dict[tuple[str, ...], str] = {
    ("front", "left"): "fl", ("front", "right"): "fr", ("rear", "left"): "rl", ("rear", "right"): "rr",
    ("back", "left"): "bl", ("back", "right"): "br",
}  # fmt: skip
_COMMANDS = {"pwm", "throttle", "thr", "cmd", "command", "output", "u", "servo"}

_FASTEST = 30000.0
"""rpm, of rotors that fly: a larger number is a command of 16 bits."""


def motor_columns(columns: list[Column], who: Callable[[Column], str]) -> Iterator[SignalSource]:
    """Commands and rotor speeds; of several the named ones first, of an unknown unit the last."""
    groups: dict[tuple, dict[int, Column]] = {}
    for one in columns:
        number, words = _number(one)
        if number is not None and set(words) & (MOTOR | _ROTORS) and not one.any_of(_NO_MOTOR):
            groups.setdefault((who(one), one.stream.name, words), {})[number] = one
    for (robot, _, words), numbered in sorted(groups.items(), key=lambda item: not set(item[0][2]) & {"pwm", "rpm"}):
        motors = [numbered[k] for k in sorted(numbered) if np.isfinite(numbered[k].values).any()]
        if not 2 <= len(motors) <= 16 or (not set(words) & MOTOR and not _are_rotors(motors)):
            continue
        source, unit = tuple(one.source for one in motors), motors[0].name.unit
        values = np.concatenate([one.values for one in motors])
        span = f"{np.nanmin(values):g} and {np.nanmax(values):g}"
        if unit in ("rpm", "krpm", "rad/s", "Hz") or set(words) & _SPEEDS:
            unit = {"rad/s": "rotor rad/s", None: _speed_unit(values, words)}.get(unit, unit)
            why = f"{named(motors)} look like rotor speeds; they lie between {span}."
            yield SignalSource(f"{robot}/rpm", source, unit or "?", why)
            continue
        unit = unit or command_unit(values, bool(set(words) & _COMMANDS))
        why = f"{named(motors)} look like motor commands; they lie between {span}."
        yield SignalSource(f"{robot}/motor", source, unit, why)
        volts = next((c for c in columns if is_voltage(c) and c.stream.name == motors[0].stream.name), None)
        firmware = any("stateestimate" in c.source.lower() for c in columns if c.stream.name == motors[0].stream.name)
        if unit == "pwm16" and len(motors) == 4 and (volts is not None or firmware):
            why = f"{named(motors)} lie between 0 and 65535, as a Crazyflie's do. {THRUST_WHY}"
            source = source if volts is None else (*source, volts.source)
            yield SignalSource(f"{robot}/thrust", source, "N", why, conversion="crazyflie-2-thrust", certain=True)


_NO_MOTOR = QUATERNION | {"current", "temp", "thrust"}


def _number(one: Column) -> tuple[int | None, tuple[str, ...]]:
    """Which motor a column is of, by its number or its corner, and the other words of its name."""
    if one.name.axis.isdigit():
        return int(one.name.axis), one.name.words
    words = one.name.words
    for k, word in enumerate(words):
        if word in _CORNERS and one.name.axis == "":
            return _CORNERS[word], words[:k] + words[k + 1 :]
        if words[k : k + 2] in _SIDES:
            return _CORNERS[_SIDES[words[k : k + 2]]], words[:k] + words[k + 2 :]
    return None, words


def _are_rotors(columns: list[Column]) -> bool:
    """Whether columns with a rotor's symbol can be rotors: so many of them, and fast."""
    values = np.concatenate([one.values for one in columns])
    return len(columns) in (4, 6, 8) and bool(np.nanmin(values) >= 0 and np.nanmax(values) > 50)


def _speed_unit(values: np.ndarray, words: tuple[str, ...]) -> str | None:
    """By name, or by size: rotors turn with 100 to 3000 rad/s."""
    if {"rpm", "erpm"} & set(words):
        return "rpm"
    most = float(np.nanmax(np.abs(values)))
    by_size = "rotor rad/s" if 50 < most < 3000 and "n" not in words else None
    return "rpm" if most > 5000 else by_size


def command_unit(values: np.ndarray, command: bool = True) -> str:
    """What a motor command is in, by its range; "?" where that could be a rotor's speed as well."""
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    positive = values[values > 0]
    lowest = float(np.nanmin(positive)) if positive.size else 0.0
    if most <= 1.0 + 1e-6:
        return "of one"
    if most <= 100.0:
        return "%"
    if lowest >= 800 and most <= 2300:
        return "pwm"
    if lowest >= 48 and most <= 2047 and np.all(np.mod(values[np.isfinite(values)], 1.0) == 0):
        return "dshot"
    if (5000 if command else _FASTEST) < most <= 65535 and least >= 0:
        return "pwm16"
    return "?"
