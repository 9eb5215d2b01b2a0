"""Motor commands and rotor speeds in a table, by the words in their names, their units and their sizes."""

import re
from collections.abc import Callable, Iterator

import numpy as np

from steelyard.logs.mapping._crazyflie import thrust_map_sentence
from steelyard.logs.mapping._phrases import MOTOR, QUATERNION
from steelyard.logs.mapping._source import SignalSource
from steelyard.logs.mapping._tables import Column, is_voltage, named, of_force
from steelyard.logs.mapping._tuning import TUNING
from steelyard.logs.mapping._unit_names import kind_of, multiple_of

_SPEEDS = {"rpm", "erpm", "speed", "speeds", "vel", "velocity", "velocities", "omega", "om", "w", "n", "r", "rad", "hz"}
_SPEED_FACTORS = ("rpm", "krpm", "rad/s", "rotor rad/s", "Hz")
_ROTORS = {"omega", "om", "w", "n", "r"}
"""Symbols that are rotor speeds where four, six or eight columns have them."""
_CORNERS = {"fl": 1, "fr": 2, "rl": 3, "rr": 4, "bl": 3, "br": 4}
_CORNERS |= {"lfront": 1, "rfront": 2, "lrear": 3, "rrear": 4, "lback": 3, "rback": 4}
_SIDES: dict[tuple[str, ...], str] = {
    ("front", "left"): "fl", ("front", "right"): "fr", ("rear", "left"): "rl", ("rear", "right"): "rr",
    ("back", "left"): "bl", ("back", "right"): "br",
}  # fmt: skip
_COMMANDS = {"pwm", "throttle", "thr", "cmd", "command", "output", "u", "servo", "dshot"}


def motor_columns(columns: list[Column], who: Callable[[Column], str]) -> Iterator[SignalSource]:
    """Commands, rotor speeds and thrusts of rotors; of several those with a unit first, of an unknown unit the last."""
    groups: dict[tuple, dict[int, Column]] = {}
    for one in columns:
        number, words = _number(one)
        if number is not None and set(words) & (MOTOR | _ROTORS | _THRUST) and not one.any_of(_NO_MOTOR):
            groups.setdefault((who(one), one.stream.name, words), {})[number] = one
    for (robot, _, words), numbered in sorted(groups.items(), key=_rank):
        live = [k for k in sorted(numbered) if np.isfinite(numbered[k].values).any()]
        if any(k < live[-1] for k in numbered if live and k not in live):
            continue  # outputs after the last motor are spare, but the sum of three rotors of four is not the thrust
        motors = [numbered[k] for k in live]
        if set(words) & _THRUST or (motors and kind_of(motors[0].name.unit or "") == "force"):
            if len(motors) >= TUNING.fewest_motors:
                yield _rotor_thrusts(robot, motors)
            continue
        if not 2 <= len(motors) <= 16 or (not set(words) & MOTOR and not _are_rotors(motors)):
            continue
        source, stated = tuple(one.source for one in motors), motors[0].name.unit
        values = np.concatenate([one.values for one in motors])
        span = f"{np.nanmin(values):g} and {np.nanmax(values):g}"
        known = multiple_of(stated or "")
        if (known is not None and known[1] in _SPEED_FACTORS) or set(words) & _SPEEDS:
            unit = _speed_unit(values, words) if stated is None else re.sub(r"(?<!rotor )rad/s$", "rotor rad/s", stated)
            why = f"{named(motors)} look like rotor speeds; they lie between {span}."
            undecided = stated is None and unit is not None and ("erpm" in words or not set(words) & _SPEED_UNITS)
            yield SignalSource(
                f"{robot}/rpm", source, unit or "?", why, certain=stated is not None, open_unit=undecided
            )
            continue
        unit, sure = (_STATED.get(stated, stated), True) if stated else command_unit(values, set(words))
        why = f"{named(motors)} look like motor commands; they lie between {span}."
        undecided = unit != "?" and not sure
        yield SignalSource(f"{robot}/motor", source, unit, why, certain=stated is not None, open_unit=undecided)
        volts = next((c for c in columns if is_voltage(c) and c.stream.name == motors[0].stream.name), None)
        firmware = any("stateestimate" in c.source.lower() for c in columns if c.stream.name == motors[0].stream.name)
        if unit == "pwm16" and len(motors) == 4 and (firmware or (volts is not None and _one_cell(volts.values))):
            why = f"{named(motors)} lie between 0 and 65535, as a Crazyflie's do. "
            why += thrust_map_sentence(volts is not None)
            source = source if volts is None else (*source, volts.source)
            known = firmware or stated == "pwm16"
            more = {"conversion": "crazyflie-2-thrust", "certain": known, "open_unit": not known}
            yield SignalSource(f"{robot}/thrust", source, "N", why, **more)


def _rank(item: tuple[tuple, dict[int, Column]]) -> tuple[bool, bool]:
    (_, _, words), numbered = item
    return next(iter(numbered.values())).name.unit is None, not set(words) & {"pwm", "rpm"}


def _rotor_thrusts(robot: str, rotors: list[Column]) -> SignalSource:
    stated = of_force(rotors[0].name.unit)
    what = f"state the thrusts of rotors in {stated}" if stated else "look like the thrusts of rotors"
    why = f"{named(rotors)} {what}; the collective is their sum."
    source, certain = tuple(one.source for one in rotors), stated is not None
    return SignalSource(f"{robot}/thrust", source, stated or "N", why, conversion="sum", certain=certain)


_STATED = {"us": "pwm", "1": "of one"}
"""Units of commands as names state them."""
_SPEED_UNITS = {"rpm", "krpm", "rad", "hz"}


def _one_cell(volts: np.ndarray) -> bool:
    """Whether a battery has one cell: 2.8 to 4.4 V, in V or mV."""
    usual = float(np.median(volts[np.isfinite(volts)])) if np.isfinite(volts).any() else np.nan
    return any(2.8 <= scale * usual <= 4.4 for scale in (1.0, 1e-3))


_NO_MOTOR = QUATERNION | {"current", "temp", "volts", "torque"}
_THRUST = {"thrust", "thrusts"}


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
    for word, unit in (("rpm", "rpm"), ("erpm", "rpm"), ("krpm", "krpm"), ("hz", "Hz"), ("rad", "rotor rad/s")):
        if word in words:
            return unit
    most = float(np.nanmax(np.abs(values)))
    by_size = "rotor rad/s" if 50 < most < 3000 and "n" not in words else None
    return "rpm" if most > 5000 else by_size


def command_unit(values: np.ndarray, words: set[str]) -> tuple[str, bool]:
    """What a motor command is in by its range, and whether nothing else has that range.

    "?" where it could be a rotor's speed as well. Below 100 it may be percent or eight bits, above 800 pulses, DShot or
    a speed, above 5000 sixteen bits or thirteen: a log that does not reach the end of its range does not show it.
    """
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    command = bool(words & _COMMANDS)
    positive = values[values > 0]
    lowest = float(np.nanmin(positive)) if positive.size else 0.0
    if most <= 1.0 + 1e-6:
        return "of one", True
    if most <= 100.0:
        return "%", most == 100.0 or bool(words & {"percent", "pct"})
    if lowest >= 800 and most <= 2300:
        return "pwm", bool(words & {"pwm", "servo", "rcout", "us"})
    if lowest >= 48 and most <= 2047 and np.all(np.mod(values[np.isfinite(values)], 1.0) == 0):
        return "dshot", "dshot" in words
    if (5000 if command else TUNING.fastest_rotor) < most <= 65535 and least >= 0:
        return "pwm16", most > 32767
    return "?", False
