"""Mappings as TOML: written by `look -o`, read by `--map`."""

import dataclasses
import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steelyard.errors import BadInput, nearest
from steelyard.logs._recording import Recording
from steelyard.logs._vocabulary import find_signal
from steelyard.logs.mapping._conversions import CONVERSIONS
from steelyard.logs.mapping._rotations import FRAMES, axes_matrix
from steelyard.logs.mapping._samples import column, field_of, stream_of
from steelyard.logs.mapping._source import SignalMapping, SignalSource, TimeSource
from steelyard.logs.mapping._unit_names import StatedUnit, factor_of

_KEYS = (
    "source", "unit", "axes", "frame", "delay", "order", "rows", "drift", "body", "rotation", "inverse", "held",
    "conversion", "why",
)  # fmt: skip
_TIME_KEYS = ("source", "unit", "rate", "offset")


def to_toml(mapping: SignalMapping) -> str:
    """The mapping as a file that `--map` reads back."""
    lines = ["# Which field is which signal; written by steelyard look. Edit what is wrong and give it as --map."]
    lines += [f"# Question: {question}" for question in mapping.questions]
    streams = dict.fromkeys(stream for one in mapping.signals.values() for stream in one.streams)
    for stream in streams:
        time = mapping.times.get(stream)
        if time is None or (time.unit == "s" and time.known and not time.offset and time.rate is None):
            continue
        entries = {"unit": time.unit} | ({"offset": time.offset} if time.offset else {})
        if time.rate is not None:
            entries = {"rate": time.rate}
        if not time.known:
            lines += [
                "",
                f"[{json.dumps(stream)}]",
                "# time = {rate = 100.0}  # Hz: the rows have no time of their own",
            ]
        else:
            inner = ", ".join(f"{key} = {_value(value)}" for key, value in entries.items())
            lines += ["", f"[{json.dumps(stream)}]", f"time = {{{inner}}}  # {time.why}"]
    for signal, one in mapping.signals.items():
        lines += ["", f"[{json.dumps(signal)}]"]
        for key in _KEYS:
            value = getattr(one, key)
            if value is None or value is False or (key in ("delay", "drift") and value == 0.0):
                continue
            if key == "unit" and one.open_unit:
                lines.append(f"unit = {_value(f'{value}?')}  # nothing states it: correct it, or take the ? away")
                continue
            lines.append(f"{key} = {_value(value)}")
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(float(value))
    return "[" + ", ".join(_value(one) for one in value) + "]"


def with_stated_units(path: str | Path, recording: Recording) -> Recording:
    """The recording with the units that a mapping's file states for columns: `"flight".units = {thrust = "N"}`."""
    streams = {stream.name: stream for stream in recording.streams}
    for name, table in _tables(path).items():
        units = table.get("units") if isinstance(table, dict) else None
        if units is None:
            continue
        stream = stream_of(recording, name)
        if not isinstance(units, dict) or not all(isinstance(unit, str) for unit in units.values()):
            raise BadInput(f'{path}: units of "{name}" is no table; write units = {{thrust = "N"}}.')
        found = {}
        for field, unit in units.items():
            factor_of(unit)
            found[field_of(recording, f"{stream.name}:{field}")] = StatedUnit(unit)
        streams[stream.name] = stream.with_units(found)
    return dataclasses.replace(recording, streams=tuple(streams.values()))


def _tables(path: str | Path) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; steelyard look FILE -o {path} writes it.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is no TOML: {error}.") from None


def read_mapping(path: str | Path, recording: Recording, found: SignalMapping) -> SignalMapping:
    """The mapping of a TOML file; times that it does not state are those that were found. Mistakes are a `BadInput`."""
    tables = _tables(path)
    signals: dict[str, SignalSource] = {}
    times, stated = dict(found.times), []
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise BadInput(f'{path}: "{name}" is no table; write ["{name}"] with source = [...] below it.')
        if "source" not in table and {"time", "units"} & set(table):
            stream = stream_of(recording, name)
            if "time" in table:
                times[stream.name] = _time(path, stream.name, table["time"])
            stated += ["units"] * ("units" in table)
            table = {key: value for key, value in table.items() if key not in ("time", "units")}
            if not table:
                continue
        signals[name] = _signal(path, name, table, recording)
    if signals and stated:
        raise BadInput(f"{path} maps signals and states units of columns; write unit = … below each signal instead.")
    if not signals and not stated and times == found.times:
        raise BadInput(f'{path} maps no signal; write ["r1/attitude"] with source = ["topic:field", …].')
    return dataclasses.replace(found, signals=signals, times=times, questions=(), unit_questions=(), stated=str(path))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_three(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(fits(one) for one in value)


_ORDERS = ("wxyz", "xyzw", "rpy", "rotvec")
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "axes": (lambda v: _are_three(v, lambda one: isinstance(one, str)), 'three axes, such as ["x", "-y", "-z"]'),
    "body": (lambda v: _are_three(v, lambda one: isinstance(one, str)), 'three axes, such as ["x", "-y", "-z"]'),
    "rotation": (lambda v: _are_three(v, lambda row: _are_three(row, _is_number)), "three rows of three numbers"),
    "delay": (_is_number, "a number of seconds"),
    "drift": (_is_number, "a number of seconds a second"),
    "order": (lambda v: v in _ORDERS, f"one of {', '.join(_ORDERS)}"),
    "rows": (lambda v: v == "R", '"R" for a rotation matrix, row by row'),
    "inverse": (lambda v: isinstance(v, bool), "true or false"),
    "held": (lambda v: isinstance(v, bool), "true or false"),
}
"""What the value of a key must be, and how a sentence says so."""


def _check_count(path: str | Path, name: str, table: dict[str, Any], given: int) -> None:
    """A signal needs as many fields as it has axes; conversions have their own."""
    word = find_signal(*name.split("/", 1))
    if word is None or not word.axes or "conversion" in table:
        return
    counts = {len(axes) for axes in word.axes}
    if name.endswith("/attitude"):
        counts = {9} if "rows" in table else {3} if table.get("order") in ("rpy", "rotvec") else {4}
    if given not in counts:
        wanted = " or ".join(str(one) for one in sorted(counts))
        raise BadInput(f'{path}: ["{name}"] has {given} field{"s" * (given != 1)} in source; it needs {wanted}.')


def _time(path: str | Path, stream: str, table: dict[str, Any]) -> TimeSource:
    if not isinstance(table, dict):
        raise BadInput(f'{path}: time of "{stream}" is no table; write time = {{unit = "us"}}.')
    for key in table:
        if key not in _TIME_KEYS:
            raise BadInput(f'{path}: unknown key "{key}" in time of "{stream}"; {nearest(key, list(_TIME_KEYS))}')
    unit = table.get("unit", "s")
    if not isinstance(unit, str):
        raise BadInput(f'{path}: unit of "{stream}" is {unit}; write a unit of time in quotes, such as "us".')
    factor_of(unit)
    rate, offset = (table.get(key) for key in ("rate", "offset"))
    if rate is not None and not (_is_number(rate) and rate > 0):
        raise BadInput(f'{path}: rate of "{stream}" is {rate}; give a number of Hz above 0.')
    if offset is not None and not _is_number(offset):
        raise BadInput(f'{path}: offset of "{stream}" is {offset}; give a number of seconds.')
    return TimeSource(stream, unit, f"{path} states it.", None if rate is None else float(rate), float(offset or 0.0))


def _signal(path: str | Path, name: str, table: dict[str, Any], recording: Recording) -> SignalSource:
    who, _, signal = name.partition("/")
    if find_signal(who, signal) is None:
        raise BadInput(f'{path}: "{name}" is no signal of ours; docs/LOGS.md lists them, such as r1/attitude.')
    for key in table:
        if key not in _KEYS:
            raise BadInput(f'{path}: unknown key "{key}" in ["{name}"]; {nearest(key, list(_KEYS))}')
    source = table.get("source")
    source = [source] if isinstance(source, str) else source
    if not isinstance(source, list) or not source or not all(isinstance(one, str) for one in source):
        raise BadInput(f'{path}: ["{name}"] has no source; write source = ["topic:field", …], one an axis.')
    for one in source:
        column(recording, one)
    if "conversion" in table and table["conversion"] not in CONVERSIONS:
        raise BadInput(
            f'{path}: unknown conversion "{table["conversion"]}"; {nearest(table["conversion"], list(CONVERSIONS))}'
        )
    for key, (fits, what) in _VALUES.items():
        if key in table and not fits(table[key]):
            raise BadInput(f'{path}: {key} of ["{name}"] is {table[key]}; give {what}.')
    for key in ("axes", "body"):
        if key in table:
            axes_matrix(table[key])
    for part in str(table.get("frame", "ours")).split("/"):
        if part not in FRAMES:
            raise BadInput(f'{path}: unknown frame "{part}" in ["{name}"]; {nearest(part, list(FRAMES))}')
    unit = str(table.get("unit", "1"))
    open_unit, unit = unit.endswith("?"), unit.removesuffix("?")
    factor_of(unit)
    _check_count(path, name, table, len(source))
    more = {key: table[key] for key in _KEYS if key in table and key not in ("source", "unit", "why")}
    for key in ("axes", "body"):
        if key in more:
            more[key] = tuple(more[key])
    if "rotation" in more:
        more["rotation"] = tuple(tuple(float(x) for x in row) for row in more["rotation"])
    for key in ("delay", "drift"):
        if key in more:
            more[key] = float(more[key])
    return SignalSource(
        name, tuple(source), unit, f"{path} states it.", certain=not open_unit, open_unit=open_unit, **more
    )
