"""Crazyflie micro-SD logs: events with a time stamp and numbers, described at the beginning of the file."""

import re
import struct
import zlib
from array import array
from dataclasses import dataclass

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.formats._packets import Field, cut, unique
from steelyard.logs.formats._source import Source

MAGIC = 0xBC
_TYPES = {"c": "i1", "b": "i1", "B": "u1", "?": "u1", "h": "<i2", "H": "<u2", "i": "<i4", "I": "<u4", "l": "<i4"}
_TYPES |= {"L": "<u4", "q": "<i8", "Q": "<u8", "e": "<f2", "f": "<f4", "d": "<f8"}
_VARIABLE = re.compile(r"(.*)\(([" + re.escape("".join(_TYPES)) + r"])\)", re.DOTALL)
_STAMPS = {1: (6, "<u4", 1e-3), 2: (10, "<u8", 1e-6)}  # version: bytes before an event's numbers, type, seconds a tick


@dataclass(frozen=True)
class Event:
    """One kind of event: its number, its name and its fields."""

    number: int
    name: str
    fields: tuple[Field, ...]
    size: int


def is_crazyflie(head: bytes) -> bool:
    """Whether a file begins like one."""
    return len(head) >= 5 and head[0] == MAGIC and head[1:3] in (b"\1\0", b"\2\0")


def read_crazyflie(source: Source) -> Recording:
    """Reads a log of format version 1 (times in ms) or 2 (in µs)."""
    data = source.read(0, source.size)
    version, count = struct.unpack_from("<HH", data, 1)
    before, stamp, tick = _STAMPS[version]
    events, position = _events(source, data, count, before)
    notes = []
    end = len(data) - 4
    if end < position or zlib.crc32(memoryview(data)[:end]) != int.from_bytes(data[end:], "little"):
        notes.append("the checksum at the end is missing or wrong: the log may be incomplete")
        end = len(data)
    starts, position = _walk(data, events, position, end)
    if position < end and not (end == len(data) and end - position <= 4):
        notes.append(f"{end - position} bytes at the end belong to no known event and were left out")
    streams = []
    for event in events.values():
        rows = _rows(data, starts[event.number], event, before, stamp)
        if len(rows):
            with np.errstate(invalid="ignore"):  # a damaged number may be a signalling NaN
                columns = {field.path: rows[f"f{k}"].astype(np.float64) for k, field in enumerate(event.fields)}
            streams.append(Stream(event.name, source.path, event.name, rows["t"] * tick, "boot", columns))
    if not streams:
        raise source.bad("this Crazyflie log holds no event", "check that the log was started before the flight")
    return Recording((source.path,), "crazyflie", tuple(streams), {}, {"format version": str(version)}, tuple(notes))


def _events(source: Source, data: bytes, count: int, before: int) -> tuple[dict[int, Event], int]:
    position, events, total = 5, {}, 0
    try:
        for _ in range(count):
            (number,) = struct.unpack_from("<H", data, position)
            name, position = _text(data, position + 2)
            (variables,) = struct.unpack_from("<H", data, position)
            position += 2
            fields, offset = [], before
            for _ in range(variables):
                text, position = _text(data, position)
                found = _VARIABLE.fullmatch(text)
                if found is None:
                    raise ValueError
                kind = _TYPES[found[2]]
                fields.append(Field(found[1], offset, kind))
                offset += np.dtype(kind).itemsize
            total += variables
            names = unique([field.path for field in fields])
            fields = [Field(name, field.offset, field.kind) for name, field in zip(names, fields, strict=True)]
            events[number] = Event(number, name, tuple(fields), offset)
    except (ValueError, struct.error):
        raise source.bad("its description of the events is damaged") from None
    if total > source.limits.columns:
        raise source.bad(f"it describes {total} variables, more than {source.limits.columns}")
    return events, position


def _text(data: bytes, position: int) -> tuple[str, int]:
    end = data.index(b"\0", position, position + 4096)
    return data[position:end].decode("utf-8", "replace"), end + 1


def _walk(data: bytes, events: dict[int, Event], position: int, end: int) -> tuple[dict[int, array], int]:
    """Where the events of each kind start, and where the known ones end."""
    starts = {number: array("q") for number in events}
    sizes = {number.to_bytes(2, "little"): (event.size, starts[number].append) for number, event in events.items()}
    while position < end:
        size, append = sizes.get(data[position : position + 2], (0, None))
        if append is None or position + size > end:
            break
        append(position)
        position += size
    return starts, position


def _rows(data: bytes, starts: array, event: Event, before: int, stamp: str) -> np.ndarray:
    names = ["t", *(f"f{k}" for k in range(len(event.fields)))]
    kinds, offsets = [stamp, *(field.kind for field in event.fields)], [2, *(field.offset for field in event.fields)]
    packed = cut(data, np.frombuffer(starts, np.int64), event.size)
    return packed.view(np.dtype({"names": names, "formats": kinds, "offsets": offsets, "itemsize": event.size}))
