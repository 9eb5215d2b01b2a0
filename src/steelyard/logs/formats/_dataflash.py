"""ArduPilot DataFlash logs, the binary ones (.bin).

pymavlink reads them message by message, minutes for an hour of flight, and stops at damage that can be passed over;
so the packets are found here by array operations (`follow`). Tests hold the result to pymavlink's.
"""

import struct
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from steelyard.logs._recording import Recording
from steelyard.logs.formats._lazy import Batch, Layout, streams_of
from steelyard.logs.formats._packets import Chain, Field, cut, follow, unique
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._tuning import TUNING

MAGIC = b"\xa3\x95"
_FMT, _FMT_SIZE = 128, 89
_KINDS = {"b": "<i1", "B": "<u1", "h": "<i2", "H": "<u2", "i": "<i4", "I": "<u4", "f": "<f4", "d": "<f8", "M": "<u1"}
_KINDS |= {"c": "<i2", "C": "<u2", "e": "<i4", "E": "<u4", "L": "<i4", "q": "<i8", "Q": "<u8", "g": "<f2"}
_SCALES = {"c": 0.01, "C": 0.01, "e": 0.01, "E": 0.01, "L": 1e-7}
_TEXTS = {"n": 4, "N": 16, "Z": 64, "a": 64}  # and an array of 32 numbers, which no signal of ours is in
TICKS = {"TimeUS": 1e-6, "TimeMS": 1e-3, "T": 1e-3}
INSTANCES = ("I", "Instance", "Inst")
LISTS = ("FMT", "FMTU", "UNIT", "MULT", "PARM", "MSG")


@dataclass(frozen=True)
class Kind:
    """A kind of message: its fields and its texts (offset and length)."""

    name: str
    size: int
    fields: tuple[Field, ...]
    texts: dict[str, tuple[int, int]]


@dataclass
class _Log:
    source: Source
    kinds: dict[int, Kind] = field(default_factory=dict)
    damaged: int = 0

    def known(self) -> int:
        return len(self.kinds)

    def step(self, buffer: bytes, position: int) -> tuple[int, int]:
        if position + 3 > len(buffer):
            return len(buffer) + 1, -1
        number = buffer[position + 2]
        if buffer[position : position + 2] != MAGIC:
            return 0, -1
        if number == _FMT:
            end = position + _FMT_SIZE
            if end <= len(buffer):
                self._describe(buffer[position:end])
            return end, _FMT
        return (position + self.kinds[number].size, number) if number in self.kinds else (0, -1)

    def find(self, buffer: bytes, begin: int) -> tuple[Chain, NDArray]:
        data = np.frombuffer(buffer, np.uint8)
        sizes = np.zeros(256, np.int64)
        for number, kind in self.kinds.items():
            sizes[number] = 0 if number == _FMT else kind.size  # each of those must be taken in
        at = np.flatnonzero(data[begin : len(data) - 2] == MAGIC[0]) + begin
        at = at[data[at + 1] == MAGIC[1]]
        kinds = data[at + 2].astype(np.int64)
        fits = (sizes[kinds] > 0) & (at + sizes[kinds] <= len(data))
        at, kinds = at[fits], kinds[fits]
        return Chain(at, at + sizes[kinds]), kinds

    def resume(self, buffer: bytes, position: int, chain: Chain) -> int:
        del chain
        while (at := buffer.find(MAGIC, position)) >= 0:
            if at + 2 < len(buffer) and (buffer[at + 2] in self.kinds or buffer[at + 2] == _FMT):
                return at
            position = at + 1
        return len(buffer)

    def _describe(self, packet: bytes) -> None:
        number, size, name, kinds, columns = struct.unpack("<BB4s16s64s", packet[3:])
        kind = described(_text(name), _text(kinds), _text(columns))
        if kind is None or kind.size != size:
            return
        if number in self.kinds and self.kinds[number] != kind:
            return  # two descriptions of one kind: the first is believed
        self.kinds[number] = kind


def described(name: str, kinds: str, columns: str) -> Kind | None:
    """A kind of message from its description; None where that is damaged."""
    names = unique(columns.split(","))
    if len(names) != len(kinds) or not name:
        return None
    fields, texts, offset = [], {}, 3
    for column, kind in zip(names, kinds, strict=True):
        if kind in _KINDS:
            fields.append(Field(column, offset, _KINDS[kind], _SCALES.get(kind, 1.0)))
            offset += np.dtype(_KINDS[kind]).itemsize
        elif kind in _TEXTS:
            texts[column] = (offset, _TEXTS[kind])
            offset += _TEXTS[kind]
        else:
            return None
    return Kind(name, offset, tuple(fields), texts)


def read_dataflash(source: Source) -> Recording:
    """Reads a binary log; a kind of message with several instances is a stream each: IMU, IMU#1."""
    log, batches, position = _Log(source), [], 0
    while position < source.size:
        buffer = source.read(position, TUNING.packet_window)
        after, damaged, found = follow(log, buffer)
        log.damaged += damaged
        if found:
            batches.append(Batch(position, after, found))
        if after == 0:
            log.damaged += source.size - position
            break
        position += after
    tables = {kind.name: (number, kind) for number, kind in log.kinds.items()}
    units = _units(source, batches, tables)
    layouts: dict[int, Layout] = {}
    instances: dict[int, int] = {}
    for number, kind in log.kinds.items():
        if kind.name not in LISTS:
            layout, instance = _layout(kind, units.get(number, {}))
            if layout is not None:
                layouts[number] = layout
                if instance is not None:
                    instances[number] = instance
    batches, layouts = _split(source, batches, layouts, instances)
    streams = streams_of(source, batches, layouts)
    if not streams:
        raise source.bad("this DataFlash log holds no data")
    notes = (f"{log.damaged} bytes are damaged or cut off and were left out",) if log.damaged else ()
    parameters = _parameters(source, batches, tables)
    return Recording((source.path,), "ardupilot", streams, parameters, _messages(source, batches, tables), notes)


def _layout(kind: Kind, units: dict[str, tuple[str, float]]) -> tuple[Layout | None, int | None]:
    """The layout of a kind that has times, and the offset of its instance, where there is one."""
    time = next((one for name in TICKS for one in kind.fields if one.path == name), None)
    if time is None:
        return None, None
    scaled, instance = [], None
    for one in kind.fields:
        unit, factor = units.get(one.path, ("", 1.0))
        core = one.path == "C" and kind.name.startswith(("XK", "NK"))  # of the Kalman filter; unmarked in old logs
        marked = unit == "instance" or ((one.path in INSTANCES or core) and not unit)
        if marked and one.kind in ("<u1", "<i1") and instance is None:
            instance = one.offset
        elif one is not time:
            scaled.append(Field(one.path, one.offset, one.kind, one.scale if one.scale != 1.0 else factor))
    stated = {name: unit for name, (unit, _) in units.items() if unit and unit != "instance" and name != time.path}
    plain = Field(time.path, time.offset, time.kind)
    return Layout(kind.name, kind.name, tuple(scaled), plain, TICKS[time.path], kind.size, units=stated), instance


def _split(
    source: Source, batches: list[Batch], layouts: dict[int, Layout], instances: dict[int, int]
) -> tuple[list[Batch], dict[int, Layout]]:
    """Streams of single instances; their numbers are the kind's plus 256 for each instance."""
    split = []
    found: dict[int, Layout] = {number: one for number, one in layouts.items() if number not in instances}
    for batch in batches:
        packets = dict(batch.packets)
        wanted = [number for number in packets if number in instances]
        data = np.frombuffer(source.read(batch.start, batch.length) if wanted else b"", np.uint8)
        for number in wanted:
            starts = packets.pop(number)
            which = data[starts.astype(np.int64) + instances[number]]
            for instance in np.unique(which):
                key = number + 256 * int(instance)
                packets[key] = starts[which == instance]
                layout = layouts[number]
                found[key] = replace(layout, name=f"{layout.name}#{instance}" if instance else layout.name)
        split.append(Batch(batch.start, batch.length, packets))
    return split, found


def _rows(source: Source, batches: list[Batch], number: int, kind: Kind, most: int = 100_000) -> list[bytes]:
    """The packets of a kind, at most so many."""
    found: list[bytes] = []
    for batch in batches:
        starts = batch.packets.get(number)
        if starts is not None and len(found) < most:
            buffer = source.read(batch.start, batch.length)
            found += [bytes(packet) for packet in cut(buffer, starts.astype(np.int64)[: most - len(found)], kind.size)]
    return found


def _value(kind: Kind, packet: bytes, name: str) -> float:
    one = next((one for one in kind.fields if one.path == name), None)
    return float("nan") if one is None else float(np.frombuffer(packet, one.kind, 1, one.offset)[0]) * one.scale


def _string(kind: Kind, packet: bytes, name: str) -> str:
    at, length = kind.texts.get(name, (0, 0))
    return _text(packet[at : at + length])


def _units(source: Source, batches: list[Batch], tables: dict[str, tuple[int, Kind]]) -> dict[int, dict]:
    """By kind of message and field, the unit and what the number is multiplied by."""
    labels, factors, found = {}, {}, {}
    if not {"UNIT", "MULT", "FMTU"} <= set(tables):
        return {}
    for packet in _rows(source, batches, *tables["UNIT"]):
        labels[_mark(tables["UNIT"][1], packet)] = _string(tables["UNIT"][1], packet, "Label")
    for packet in _rows(source, batches, *tables["MULT"]):
        factors[_mark(tables["MULT"][1], packet)] = _value(tables["MULT"][1], packet, "Mult")
    numbers, kind = dict(tables.values()), tables["FMTU"][1]
    for packet in _rows(source, batches, *tables["FMTU"]):
        number = _value(kind, packet, "FmtType")
        if number in numbers:
            marks = zip(_string(kind, packet, "UnitIds"), _string(kind, packet, "MultIds"), strict=False)
            names = _columns(numbers[int(number)])
            found[int(number)] = {
                name: ("instance" if unit == "#" else labels.get(unit, ""), _factor(factors.get(factor)))
                for name, (unit, factor) in zip(names, marks, strict=False)
            }
    return found


def _mark(kind: Kind, packet: bytes) -> str:
    value = _value(kind, packet, "Id")
    return chr(int(value)) if 0 <= value < 256 else ""


def _factor(value: float | None) -> float:
    return value if value is not None and np.isfinite(value) and value > 0 else 1.0


def _columns(kind: Kind) -> list[str]:
    """All names in their order."""
    places = [(one.offset, one.path) for one in kind.fields] + [(at, name) for name, (at, _) in kind.texts.items()]
    return [name for _, name in sorted(places)]


def _parameters(source: Source, batches: list[Batch], tables: dict[str, tuple[int, Kind]]) -> dict[str, float]:
    if "PARM" not in tables:
        return {}
    kind = tables["PARM"][1]
    return {_string(kind, one, "Name"): _value(kind, one, "Value") for one in _rows(source, batches, *tables["PARM"])}


def _messages(source: Source, batches: list[Batch], tables: dict[str, tuple[int, Kind]]) -> dict[str, str]:
    if "MSG" not in tables:
        return {}
    rows = _rows(source, batches, *tables["MSG"], most=20)
    return {f"MSG {k}": _string(tables["MSG"][1], packet, "Message") for k, packet in enumerate(rows)}


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode("utf-8", "replace").strip()
