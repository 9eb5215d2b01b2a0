"""What the names of a table's columns say: units, and which column is the time."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.logs._recording import Array
from steelyard.logs._vocabulary import describe
from steelyard.logs.formats._tuning import TUNING

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
    "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3, "millis": 1e-3,
    "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "usec": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6,
    "micros": 1e-6,
    "ns": 1e-9, "nsec": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9, "nanos": 1e-9,
}  # fmt: skip

_TIMES = ("time", "t", "timestamp", "stamp", "timestamps", "times", "datetime", "clock", "seconds", "secs", "sec")
_OF_TIME = {"time", "timestamp", "stamp", "elapsed", "ts"}
_COUNTERS = {"tick", "ticks", "count", "counter", "index", "idx", "seq", "sequence", "frame", "sample", "packet", "row",
             "id", "loop", "iteration", "step", "number"}  # fmt: skip
"""Words of columns that rise by no unit of time."""
_XSENS = "sampletimefine"  # Xsens: counts of 0.1 ms
_IN_SECONDS = re.compile(r"(\w+_)?(time|t|timestamp|stamp|elapsed)_s|(seconds|secs)_(since|from)_\w+")
_ROS = ("%time", "rosbagtimestamp", "field.header.stamp", "header.stamp")  # nanoseconds by their tools' convention


@dataclass(frozen=True)
class Named:
    """A column's field and what its name states of its unit."""

    field: str
    unit: str | None


def named(name: str) -> Named:
    """A name without its unit, and the unit; a colon, which stands between stream and field, becomes a point.

    >>> named("acc_x [g]"), named("gyro_z_dps"), named("q[0]")
    (Named(field='acc_x', unit='g'), Named(field='gyro_z_dps', unit='deg/s'), Named(field='q[0]', unit=None))
    """
    name = name.replace(":", ".")
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
    named_so = list(dict.fromkeys(_time_columns(list(columns), dates)))
    column = next((name for name in named_so if _rises(columns[name])), None) or _rising_column(columns, units)
    column = column or next(iter(named_so), None)
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


def _time_columns(names: list[str], dates: frozenset[str]) -> Iterator[str]:
    """Columns that are named as a time, the likelier first."""
    plain = {_plain(name): name for name in reversed(names)}
    yield from (plain[word] for word in (*_ROS, _XSENS, *_TIMES) if word in plain)
    words = {name: _words(name) for name in names}
    for name, parts in words.items():
        if parts and (parts[0] in {"t", *_OF_TIME} or _stamp_unit(parts[0])) and set(parts[1:]) <= {*_SECONDS, "boot"}:
            yield name
    for name in names:
        if name.lower().endswith(("timestamp", "_time", " time", ".time", "time_us", "time_ms")):
            yield name
    yield from (name for name in names if name in dates)
    yield from (name for name, parts in words.items() if set(parts) & _OF_TIME or parts[:1] == ["seconds"])


def _words(name: str) -> list[str]:
    """Its words in lower case: `Clock.offsetTime` has three."""
    return [word for word in re.split(r"[^a-z%]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()) if word]


def _stamp_unit(word: str) -> str | None:
    """The unit of time in a name without a mark before it: `timestampns`."""
    found = re.fullmatch(r"(?:timestamp|stamp|time)(\w+)", word)
    return found[1] if found and found[1] in _SECONDS and found[1] != "s" else None  # `timestamps` is a plural


def _rises(time: Array) -> bool:
    """Whether a column can be a time: it rises in most rows, and hardly ever falls."""
    steps = np.diff(time[np.isfinite(time)])
    return len(steps) < 2 or bool(np.median(steps) > 0 and np.mean(steps < 0) < TUNING.falling_times)


def _rising_column(columns: Mapping[str, Array], units: Mapping[str, str]) -> str | None:
    """A column that only rises and states a unit of time, whatever its name; else the first, if it rises evenly.

    Steps of exactly 1 are a counter, not a time.
    """
    for k, name in enumerate(columns):
        timed = (units.get(name) or "").strip().lower() in _SECONDS
        if not (timed or k == 0) or name.startswith("#") or len(columns[name]) < 3 or set(_words(name)) & _COUNTERS:
            continue
        with np.errstate(invalid="ignore"):
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
            if not name.lower().endswith(whole) or other not in columns or not np.isfinite(columns[other]).any():
                continue
            if np.nanmax(np.abs(columns[other])) <= 1.0 / factor:
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
    if (unit := _stamp_unit(plain)) is not None:
        return _SECONDS[unit]
    return 1.0 if _IN_SECONDS.fullmatch(plain) else None


def is_ours(names: list[str]) -> bool:
    """Whether a table has our own columns: `time` in seconds and names of the vocabulary."""
    others = [name for name in names if name != "time"]
    return "time" in names and bool(others) and 2 * sum(describe(name).known for name in others) > len(others)
