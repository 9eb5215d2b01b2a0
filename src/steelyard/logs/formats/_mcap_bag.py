"""MCAP files: where the messages of each topic are."""

import struct
from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from steelyard.logs.formats._chunks import Chunk, ChunkedBag
from steelyard.logs.formats._packets import Field, Positions, cut, values
from steelyard.logs.formats._ros_topic import Topic
from steelyard.logs.formats._ros_types import Definitions, definitions_of
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._tuning import TUNING

MAGIC = b"\x89MCAP0\r\n"
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _INDEX = 2, 3, 4, 5, 6, 7
_RECORD = 9  # bytes of a record's operation and length
_HEAD = _RECORD + 22  # bytes before a message's data
_HEADING = struct.Struct("<BQ")


class McapBag(ChunkedBag):
    """An MCAP file, also one that a killed process left unfinished."""

    entry_size = 16

    def __init__(self, source: Source):
        self._schemas: dict[int, tuple[str, str, bytes]] = {}
        self._parsed: dict[int, Definitions] = {}
        self._begin, self._window = 0, b""
        super().__init__(source)

    def scan(self) -> None:
        """Goes through the file's records without a look into the chunks."""
        ended = False
        loose = array("q")  # messages outside chunks
        loose_end = 0
        for operation, at, length in self._records():
            if operation == _CHUNK:
                self._chunk(at, length)
            elif operation == _INDEX and self.chunks:
                self._index(at, length)
            elif operation == _MESSAGE:
                if loose and (at - _RECORD != loose_end or loose_end - loose[0] > 1 << 24):
                    self._loose(loose, loose_end)
                    loose = array("q")
                loose.append(at - _RECORD)
                loose_end = at + length
            elif operation in (_SCHEMA, _CHANNEL) and length <= TUNING.longest_definition:
                self._define(operation, self.source.read(at, length))
            elif operation == _FOOTER:
                ended = True
                break
        if loose:
            self._loose(loose, loose_end)
        if not ended:
            self.notes.append("the file was not closed: it is read up to its last whole chunk")
            for chunk in self.chunks[-1:]:
                chunk.index = {}

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Operation, position of the content and its length, of every whole record."""
        source, position = self.source, len(MAGIC)
        while position + _RECORD <= source.size:
            operation, length = _HEADING.unpack(self._near(position, _RECORD))
            if position + _RECORD + length > source.size:
                return
            yield operation, position + _RECORD, length
            position += _RECORD + length

    def _near(self, at: int, length: int) -> bytes:
        """A few bytes, from a part of the file that is held because its neighbours will be asked for."""
        if not self._begin <= at <= self._begin + len(self._window) - length:
            self._begin, self._window = at, self.source.read(at, TUNING.record_window)
        return self._window[at - self._begin : at - self._begin + length]

    def _chunk(self, at: int, length: int) -> None:
        head = self._near(at, min(length, 128))
        if len(head) < 40:
            raise self.source.bad(f"the chunk at byte {at} is damaged")
        size, crc, name = struct.unpack_from("<QII", head, 16)
        if name > 32 or 32 + name + 8 > length:
            raise self.source.bad(f"the chunk at byte {at} is damaged")
        compression = head[32 : 32 + name].decode("latin-1")
        (stored,) = struct.unpack_from("<Q", head, 32 + name)
        if 32 + name + 8 + stored > length:
            raise self.source.bad(f"the chunk at byte {at} is damaged")
        self.chunks.append(Chunk(at + 32 + name + 8, stored, size, compression, crc))

    def _index(self, at: int, length: int) -> None:
        head = self._near(at, 6)
        if length >= 6:
            number, size = struct.unpack("<HI", head)
            if size:
                self.chunks[-1].index.setdefault(number, []).append((at + 6, min(size, length - 6) // self.entry_size))

    def _loose(self, starts: array, end: int) -> None:
        """Messages outside chunks, as if a chunk that is not compressed held them."""
        first = starts[0]
        chunk = Chunk(first, end - first, end - first, "")
        self.index(chunk, self.source.read(first, end - first))
        self.chunks.append(chunk)

    def walk(self, data: bytes) -> dict[int, NDArray[np.int64]]:
        """Goes through a chunk's records."""
        found: dict[int, array] = {}
        position, size = 0, len(data)
        while position + _RECORD <= size:
            operation, length = data[position], int.from_bytes(data[position + 1 : position + _RECORD], "little")
            after = position + _RECORD + length
            if after > size:
                break
            if operation == _MESSAGE and length >= 22:
                found.setdefault(data[position + 9] | data[position + 10] << 8, array("q")).append(position)
            elif operation in (_SCHEMA, _CHANNEL) and length <= TUNING.longest_definition:
                self._define(operation, data[position + _RECORD : after])
            position = after
        return {number: np.frombuffer(starts, np.int64) for number, starts in found.items()}

    def as_entries(self, starts: NDArray[np.int64]) -> bytes:
        """Entries without times."""
        return np.stack([np.zeros_like(starts), starts], axis=1).astype("<u8").tobytes()

    def entries(self, data: bytes) -> Positions:
        """The second number of each entry."""
        at = np.frombuffer(data, "<u8").reshape(-1, 2)[:, 1]
        return np.minimum(at, np.uint64(1 << 62)).astype(np.int64)

    def messages(self, buffer: bytes, number: int, starts: Positions, ends: Positions) -> tuple:
        """What the heads of the records say, of those that are messages of this topic."""
        starts, ends = (one[starts + _HEAD <= ends] for one in (starts, ends))
        heads = cut(buffer, starts, _HEAD)
        size = values(heads, Field("", 1, "<u8"))
        right = (values(heads, Field("", 0, "u1")) == _MESSAGE) & (values(heads, Field("", 9, "<u2")) == number)
        right &= (size >= 22) & (size <= (ends - starts - _RECORD).astype(np.uint64))
        received = values(heads, Field("", 15, "<u8"))[right].astype(np.int64)
        return starts[right] + _HEAD, size[right].astype(np.int64) - 22, received

    def _define(self, operation: int, data: bytes) -> None:
        try:
            number, position = struct.unpack_from("<H", data)[0], 2
            if operation == _SCHEMA:
                name, position = _text(data, position)
                encoding, position = _text(data, position)
                (length,) = struct.unpack_from("<I", data, position)
                self._schemas[number] = (name, encoding, data[position + 4 : position + 4 + length])
                return
            (schema,) = struct.unpack_from("<H", data, position)
            topic, position = _text(data, position + 2)
            encoding, position = _text(data, position)
        except struct.error:
            return
        if number in self.topics:
            return
        if encoding not in ("cdr", "ros1"):
            self._leave_out(topic, f'encoding "{encoding[:20]}"')
            return
        name, kind, text = self._schemas.get(schema, ("", "", b""))
        if schema not in self._parsed:
            self._parsed[schema] = definitions_of(self.source.path, name, kind, text.decode("utf-8", "replace"))
        self.topics[number] = Topic(topic, ros2_name(name), self._parsed[schema], encoding == "ros1")

    def _leave_out(self, topic: str, why: str) -> None:
        note = f"{topic[:60]} was left out ({why})"
        if note not in self.notes and len(self.notes) < 20:
            self.notes.append(note)


def ros2_name(name: str) -> str:
    """`sensor_msgs/Imu` as ROS 2 writes it."""
    package, _, rest = name.partition("/")
    return name if "/" in rest or not rest else f"{package}/msg/{rest}"


def _text(data: bytes, position: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<I", data, position)
    if position + 4 + length > len(data):
        raise struct.error
    return data[position + 4 : position + 4 + length].decode("utf-8", "replace"), position + 4 + length
