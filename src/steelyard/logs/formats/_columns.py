"""What the names of a table's columns say: units, and which column is the time."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.logs._recording import Array
from steelyard.logs._vocabulary import describe

_BRACKETS = re.compile(r"(.*\S)\s*(?:\[([^\[\]]{1,20})\]|\(([^()]{1,20})\))")
_INDEX = re.compile(r"\d*")
_SUFFIXES = {
    "mps2": "m/s^2", "mss": "m/s^2", "m_s2": "m/s^2", "mps": "m/s", "m_s": "m/s", "radps": "rad/s", "rad_s": "rad/s",
    "rads": "rad/s", "degps": "deg/s", "deg_s": "deg/s", "dps": "deg/s", "deg": "deg", "rad": "rad", "rpm": "rpm",
    "hz": "Hz", "nm": "N m", "us": "us", "ms": "ms", "ns": "ns", "usec": "us", "msec": "ms", "nsec": "ns", "sec": "s",
    "mm": "mm", "kg": "kg", "pct": "%", "percent": "%", "volt": "V", "volts": "V", "amps": "A",
}  # fmt: skip
"""Endings of names that can hardly mean anything else; `_s`, `_g`, `_m`, `_n` can, so they state nothing."""

_SECONDS = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "ms": 1e-3, "msec": 1e-3, "milliseconds": 1e-3, "millis": 1e-3,
    "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "usec": 1e-6, "microseconds": 1e-6, "micros": 1e-6,
    "ns": 1e-9, "nsec": 1e-9, "nanoseconds": 1e-9, "nanos": 1e-9,
}  # fmt: skip

_TIMES = ("time", "t", "timestamp", "stamp", "timestamps", "times", "datetime", "clock", "seconds", "secs", "sec")
_XSENS = "sampletimefine"  # Xsens: counts of 0.1 ms
_ROS = ("%time", "rosbagtimestamp", "field.header.stamp", "header.stamp")  # nanoseconds by their tools' convention


@dataclass(frozen=True)
class Named:
    """A column's field and what its name states of its unit."""

    field: str
    unit: str | None


def named(name: str) -> Named:
    """A name without its unit, and the unit.

    >>> named("acc_x [g]"), named("gyro_z_dps"), named("q[0]")
    (Named(field='acc_x', unit='g'), Named(field='gyro_z_dps', unit='deg/s'), Named(field='q[0]', unit=None))
    """
    found = _BRACKETS.fullmatch(name)
    if found is not None:
        unit = (found[2] or found[3]).strip()
        if not _INDEX.fullmatch(unit):
            return Named(found[1], unit)
    _, mark, ending = name.lower().rpartition("_")
    return Named(name, _SUFFIXES.get(ending) if mark else None)


def is_unit(cell: str) -> bool:
    """Whether a cell below a name can only be its unit."""
    plain = cell.strip().strip("[]()").lower()
    return plain in _UNITS


_UNITS = {
    "", "-", "1", "s", "ms", "us", "µs", "ns", "sec", "m", "mm", "cm", "km", "g", "mg", "kg", "n", "nm", "n m", "n*m",
    "n·m", "deg", "°", "rad", "m/s", "m/s^2", "m/s2", "m/s²", "m/s/s", "rad/s", "deg/s", "°/s", "dps", "rad/s^2",
    "rad/s2", "rad/s²", "hz", "rpm", "%", "v", "mv", "a", "ma", "w", "pa", "hpa", "degc", "°c", "c", "k", "pwm",
}  # fmt: skip


@dataclass(frozen=True)
class Clock:
    """A table's time column, in seconds where its unit is stated."""

    column: str
    time: Array | None
    notes: tuple[str, ...]


def clock_of(columns: Mapping[str, Array], units: Mapping[str, str], dates: frozenset[str] = frozenset()) -> Clock:
    """Finds the time column: by its name, by a unit of time, or because it alone rises evenly.

    `dates` are columns that were dates and are seconds since 1970 now. Seconds and nanoseconds in a column each are
    one time.
    """
    column = _time_column(list(columns), dates) or _rising_column(columns, units)
    pair = _split_stamp(columns)
    if pair is not None and (column is None or _plain(column) not in _ROS):
        seconds, rest, factor = pair
        return Clock(seconds, columns[seconds] + factor * columns[rest], ())
    if column is None:
        return Clock("none", None, ("no column is named as a time",))
    time = columns[column]
    scale = 1.0 if column in dates else _scale(column, units.get(column))
    if scale is None:
        return Clock(column, time, (f"the unit of time ({column}) is not stated; it is left as recorded",))
    if not np.isfinite(time).any():
        return Clock("none", None, (f"the column {column} holds no number",))
    return Clock(column, time if scale == 1.0 else time * scale, ())


def _time_column(names: list[str], dates: frozenset[str]) -> str | None:
    plain = {_plain(name): name for name in reversed(names)}
    for word in (*_ROS, _XSENS, *_TIMES):
        if word in plain:
            return plain[word]
    for name in names:
        words = [word for word in re.split(r"[^a-z%]+", name.lower()) if word]
        if words and words[0] in ("time", "timestamp", "t", "stamp") and set(words[1:]) <= {*_SECONDS, "boot"}:
            return name
    for name in names:
        if name.lower().endswith(("timestamp", "_time", " time", ".time", "time_us", "time_ms")):
            return name
    return next(iter(name for name in names if name in dates), None)


def _rising_column(columns: Mapping[str, Array], units: Mapping[str, str]) -> str | None:
    """A column that only rises and states a unit of time, whatever its name; else the first, if it rises evenly.

    Steps of exactly 1 are a counter, not a time.
    """
    for k, name in enumerate(columns):
        timed = (units.get(name) or "").strip().lower() in _SECONDS
        if not (timed or k == 0) or name.startswith("#") or len(columns[name]) < 3:
            continue
        steps = np.diff(columns[name])
        counts = np.all(steps == 1)
        if np.all(steps > 0) and (timed or (not counts and np.ptp(steps) < 0.1 * steps.mean())):
            return name
    return None


_STAMPS = (("secs", "nsecs", 1e-9), ("sec", "nanosec", 1e-9), ("sec", "nsec", 1e-9), ("tv_sec", "tv_usec", 1e-6))


def _split_stamp(columns: Mapping[str, Array]) -> tuple[str, str, float] | None:
    """A message's stamp in two columns: those of the seconds and of their fraction, and the unit of the latter."""
    for whole, part, factor in _STAMPS:
        for name in columns:
            other = name[: -len(whole)] + part
            if name.lower().endswith(whole) and other in columns and np.nanmax(np.abs(columns[other])) <= 1.0 / factor:
                return name, other, factor
    return None


def _plain(name: str) -> str:
    return name.lower().strip("#_ ")


def _scale(column: str, unit: str | None) -> float | None:
    """Seconds a unit of a time column, where its name states them; our own `time` is in seconds."""
    if unit is not None and unit.strip().lower() in _SECONDS:
        return _SECONDS[unit.strip().lower()]
    plain = _plain(column)
    if plain in _ROS:
        return 1e-9
    if plain == _XSENS:
        return 1e-4
    if plain in ("seconds", "secs", "sec"):
        return 1.0
    return 1.0 if re.fullmatch(r"(time|t|timestamp|stamp)_s", plain) else None


def is_ours(names: list[str]) -> bool:
    """Whether a table has our own columns: `time` in seconds and names of the vocabulary."""
    others = [name for name in names if name != "time"]
    return "time" in names and bool(others) and 2 * sum(describe(name).known for name in others) > len(others)
