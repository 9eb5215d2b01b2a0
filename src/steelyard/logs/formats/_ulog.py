"""PX4 ULog files.

pyulog takes a step in Python for every message, a minute and more for an hour of flight, and holds all of it; so the
messages are found here by array operations (`Chain`) and decoded stream by stream. Tests hold the result to pyulog's.
"""

import re
import struct
from dataclasses import dataclass, field

import numpy as np

from steelyard.logs._recording import Recording
from steelyard.logs.formats._lazy import Batch, Layout, streams_of
from steelyard.logs.formats._packets import Chain, Field, follow
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._tuning import TUNING

MAGIC = b"ULog\x01\x12\x35"
_SYNC = b"\x2f\x73\x13\x20\x25\x0c\xbb\x12"
_D = ord("D")
_HEADER, _DATA = 3, 5  # bytes before a message's content, and before the numbers of a data message
_KINDS = {"int8_t": "<i1", "uint8_t": "<u1", "int16_t": "<i2", "uint16_t": "<u2", "int32_t": "<i4", "uint32_t": "<u4"}
_KINDS |= {"int64_t": "<i8", "uint64_t": "<u8", "float": "<f4", "double": "<f8", "bool": "<u1", "char": "<i1"}
_FIELD = re.compile(r"\s*(\w+)(?:\[(\d+)\])?\s+(\w+)\s*")
_KNOWN = frozenset(b"FDIMPQARSOLCB")


@dataclass
class _Log:
    """What the messages that are not data said."""

    source: Source
    formats: dict[str, str] = field(default_factory=dict)
    layouts: dict[int, Layout] = field(default_factory=dict)
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By subscription, the smallest and largest size of a data message's content."""
    parameters: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    dropouts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """Where data was appended after a crash: a message before such a place may be cut off there."""
    damaged: int = 0
    unknown: int = 0


def read_ulog(source: Source) -> Recording:
    """Reads a ULog, all instances of all topics; also one that was cut off, or that has data appended."""
    log = _Log(source)
    if source.size < 16:
        raise source.bad("this ULog is cut off within its header")
    batches: list[Batch] = []
    position = 16
    for end in [*_segments(log), source.size]:
        position = max(position, _walk(log, position, end, batches))
        if end > position:
            log.damaged += (end - position) if end == source.size else 0
            position = end
    streams = streams_of(source, batches, log.layouts)
    if not streams:
        raise source.bad("this ULog holds no data")
    notes = []
    if log.ends:
        notes.append("data was appended to the log after a crash or a restart")
    if log.dropouts:
        notes.append(
            f"{len(log.dropouts)} dropouts, {sum(log.dropouts) / 1e3:g} s together, in which nothing was logged"
        )
    if log.damaged:
        notes.append(f"{log.damaged} bytes are damaged or cut off and were left out")
    if log.unknown:
        notes.append(f"{log.unknown} messages belong to no known topic and were left out")
    return Recording((source.path,), "px4", streams, log.parameters, log.texts, tuple(notes))


def _segments(log: _Log) -> list[int]:
    """The flags, which come first where there are any: whether and where data was appended."""
    head = log.source.read(16, 3 + 40)
    if len(head) < 43 or head[2:3] != b"B" or int.from_bytes(head[:2], "little") < 40:
        return []
    incompatible = head[3 + 8 : 3 + 16]
    if incompatible[0] & ~1 or any(incompatible[1:]):
        raise log.source.bad("this ULog uses features that are not known here", "convert it with PX4's own tools")
    ends = sorted(end for end in struct.unpack_from("<3Q", head, 3 + 16) if 16 < end < log.source.size)
    log.ends = ends if incompatible[0] & 1 else []
    return log.ends


def _walk(log: _Log, position: int, end: int, batches: list[Batch]) -> int:
    """Follows the messages from `position` to `end`; returns where the last whole one ends."""
    form = _Messages(log)
    while position < end:
        buffer = log.source.read(position, min(TUNING.packet_window, end - position))
        after, damaged, found = follow(form, buffer)
        log.damaged += damaged
        if found:
            batches.append(Batch(position, after, found))
        if after == 0:
            break
        position += after
    return position


class _Messages:
    """How messages follow one another; see `follow`."""

    def __init__(self, log: _Log):
        self._log = log

    def known(self) -> int:
        return len(self._log.sizes)

    def step(self, buffer: bytes, position: int) -> tuple[int, int]:
        if position + _HEADER > len(buffer):
            return len(buffer) + 1, -1
        size, kind = buffer[position] | buffer[position + 1] << 8, buffer[position + 2]
        end = position + _HEADER + size
        if kind not in _KNOWN or size == 0:
            return 0, -1
        if end > len(buffer):
            return end, -1
        if kind != _D:
            _message(self._log, kind, buffer[position + _HEADER : end])
            return end, -1
        number = buffer[position + 3] | buffer[position + 4] << 8 if size >= 2 else -1
        low, high = self._log.sizes.get(number, (1, 0))
        if low <= size <= high:
            return end, number
        self._log.unknown += 1
        return end, -1

    def find(self, buffer: bytes, begin: int) -> tuple[Chain, np.ndarray]:
        data = np.frombuffer(buffer, np.uint8)
        low, high = np.ones(1 << 16, np.uint16), np.zeros(1 << 16, np.uint16)
        for number, (least, most) in self._log.sizes.items():
            low[number], high[number] = least, most
        at = np.flatnonzero(data[begin + 2 : len(data) - 2] == _D) + begin
        pairs = np.ndarray((len(data) - 1,), "<u2", buffer, 0, (1,))  # two bytes from every place
        number, size = pairs[at + 3], pairs[at]
        fits = np.flatnonzero((low[number] <= size) & (size <= high[number]) & (at + size + _HEADER <= len(data)))
        at, number, size = at[fits], number[fits], size[fits]
        return Chain(at, at + size + _HEADER), number

    def resume(self, buffer: bytes, position: int, chain: Chain) -> int:
        """At the next mark that the logger writes for this purpose, or at two data messages in a row."""
        mark = buffer.find(_SYNC, position)
        places = [mark - _HEADER] if mark >= position + _HEADER else []
        return min([*places, chain.pair(position)], default=len(buffer))


def _message(log: _Log, kind: int, content: bytes) -> None:
    """Takes in a message that is not data; one that is damaged is left out."""
    try:
        match chr(kind):
            case "F":
                name, _, fields = content.decode("utf-8", "replace").partition(":")
                log.formats[name.strip()] = fields
            case "A":
                _subscribe(log, content)
            case "P":
                key, value = _keyed(content)
                if isinstance(value, float):
                    log.parameters.setdefault(key, value)
            case "I":
                key, value = _keyed(content)
                if len(log.texts) < 1000:
                    log.texts[key] = value if isinstance(value, str) else f"{value:g}"
            case "O":
                log.dropouts.append(int.from_bytes(content[:2], "little"))
            case _:
                pass
    except (ValueError, KeyError, IndexError, struct.error):
        log.damaged += len(content) + _HEADER


def _keyed(content: bytes) -> tuple[str, float | str]:
    length = content[0]
    kind, _, key = content[1 : 1 + length].decode("utf-8", "replace").partition(" ")
    value = content[1 + length :]
    if kind.startswith("char"):
        return key, value.decode("utf-8", "replace").rstrip("\0")[:1000]
    if kind not in _KINDS:
        raise ValueError(kind)
    return key, float(np.frombuffer(value, _KINDS[kind], 1)[0])


def _subscribe(log: _Log, content: bytes) -> None:
    instance, number = struct.unpack_from("<BH", content)
    name = content[3:].decode("utf-8", "replace").strip()
    if number in log.layouts and log.layouts[number].kind != name:
        raise ValueError(name)
    fields: list[Field] = []
    size = _fields(log, name, "", _DATA, fields, 0)
    least = size
    while fields and fields[-1].path.rpartition(".")[2].startswith("_padding"):
        least = fields.pop().offset
    stamp = next((one for one in fields if one.path == "timestamp"), None)
    if stamp is None:
        raise ValueError(name)
    if len(log.layouts) >= log.source.limits.streams:
        raise log.source.bad(f"it has more than {log.source.limits.streams} topics")
    chosen = tuple(one for one in fields if one is not stamp and "_padding" not in one.path and one.kind != "char")
    label = name if instance == 0 else f"{name}#{instance}"
    while any(layout.name == label for key, layout in log.layouts.items() if key != number):
        label += "'"
    log.layouts[number] = Layout(label, name, chosen, stamp, 1e-6, least)
    log.sizes[number] = (least - _HEADER, size - _HEADER)


def _fields(log: _Log, kind: str, prefix: str, offset: int, found: list[Field], depth: int) -> int:
    """Appends a format's fields, nested ones by dotted path; returns the offset after the last of them."""
    if depth > TUNING.ulog_deepest or len(found) > log.source.limits.columns:
        raise ValueError(kind)
    for text in log.formats[kind].split(";"):
        match = _FIELD.fullmatch(text)
        if match is None:
            if text.strip("\0 "):
                raise ValueError(text)
            continue
        inner, length, name = match[1], match[2], match[3]
        count = int(length) if length else 1
        if inner in _KINDS:
            width = np.dtype(_KINDS[inner]).itemsize
            padding = name.startswith("_padding")
            if padding or (inner != "char" and count <= TUNING.ulog_longest_array):
                shown = 1 if padding else count
                for k in range(shown):
                    path = f"{prefix}{name}[{k}]" if length else prefix + name
                    found.append(Field(path, offset + k * width, _KINDS[inner]))
            offset += count * width
        else:
            for k in range(count):
                path = f"{prefix}{name}[{k}]." if length else f"{prefix}{name}."
                offset = _fields(log, inner, path, offset, found, depth + 1)
        if offset > 1 << 16:
            raise ValueError(kind)
    return offset
