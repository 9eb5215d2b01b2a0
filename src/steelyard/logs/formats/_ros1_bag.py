"""ROS 1 bags: where the messages of each topic are."""

import struct
from array import array

import numpy as np
from numpy.typing import NDArray

from steelyard.logs.formats._chunks import Chunk, ChunkedBag
from steelyard.logs.formats._mcap_bag import ros2_name
from steelyard.logs.formats._packets import Positions
from steelyard.logs.formats._ros_topic import Topic
from steelyard.logs.formats._ros_types import definitions_of
from steelyard.logs.formats._tuning import TUNING

MAGIC = b"#ROSBAG V2.0\n"
_MESSAGE, _INDEX, _CHUNK, _CONNECTION = 2, 4, 5, 7


class Ros1Bag(ChunkedBag):
    """A ROS 1 bag, also one that was never closed."""

    entry_size = 12

    def scan(self) -> None:
        """Goes through the file's records without a look into the chunks."""
        source, position = self.source, len(MAGIC)
        while position + 8 <= source.size:
            header, after = self._header(source.read(position, 4), position)
            if header is None:
                break
            (length,) = struct.unpack("<I", source.read(after, 4).ljust(4, b"\0"))
            data = after + 4
            if data + length > source.size:
                self.notes.append("the bag is cut off: it is read up to its last whole chunk")
                break
            operation = header.get("op", b"\0")[0]
            if operation == _CHUNK:
                size = int.from_bytes(header.get("size", b"")[:4], "little")
                compression = header.get("compression", b"").decode("latin-1")
                self.chunks.append(Chunk(data, length, size, compression))
            elif operation == _INDEX and self.chunks:
                number = int.from_bytes(header.get("conn", b"")[:4], "little")
                self.chunks[-1].index.setdefault(number, []).append((data, length // self.entry_size))
            elif operation == _CONNECTION and length <= TUNING.longest_header:
                self._connect(header, source.read(data, length))
            position = data + length

    def _header(self, head: bytes, position: int) -> tuple[dict[str, bytes] | None, int]:
        (size,) = struct.unpack("<I", head)
        if size > TUNING.longest_header or position + 4 + size > self.source.size:
            return None, position
        return _fields(self.source.read(position + 4, size)), position + 4 + size

    def walk(self, data: bytes) -> dict[int, NDArray[np.int64]]:
        """Goes through a chunk's records."""
        found: dict[int, array] = {}
        position = 0
        while position + 8 <= len(data):
            (size,) = struct.unpack_from("<I", data, position)
            after = position + 4 + size
            if after + 4 > len(data):
                break
            header = _fields(data[position + 4 : after])
            (length,) = struct.unpack_from("<I", data, after)
            operation = header.get("op", b"\0")[:1]
            if operation == b"\2":
                number = int.from_bytes(header.get("conn", b"")[:4], "little")
                found.setdefault(number, array("q")).append(position)
            elif operation == b"\7":
                self._connect(header, data[after + 4 : after + 4 + length])
            position = after + 4 + length
        return {number: np.frombuffer(starts, np.int64) for number, starts in found.items()}

    def as_entries(self, starts: NDArray[np.int64]) -> bytes:
        """Entries without times."""
        none = np.zeros_like(starts)
        return np.stack([none, none, starts], axis=1).astype("<u4").tobytes()

    def entries(self, data: bytes) -> Positions:
        """The third number of each entry."""
        return np.frombuffer(data, "<u4").reshape(-1, 3)[:, 2].astype(np.int64)

    def messages(self, buffer: bytes, number: int, starts: Positions, ends: Positions) -> tuple:
        """Data, sizes and times of records whose header is that of this topic's first one, but for the time."""
        empty = np.zeros(0, np.int64)
        starts, ends = (one[starts + 8 <= ends] for one in (starts, ends))
        if not len(starts):
            return empty, empty, empty
        numbers = np.ndarray((len(buffer) - 3,), "<u4", buffer, 0, (1,))
        head = numbers[starts].astype(np.int64)
        right = starts + 8 + head <= ends
        starts, ends, head = starts[right], ends[right], head[right]
        size = numbers[starts + 4 + head].astype(np.int64)
        right = starts + 8 + head + size <= ends
        starts, head, size = starts[right], head[right], size[right]
        received = np.zeros(len(starts), np.int64)
        chosen = np.zeros(len(starts), bool)
        for length in np.unique(head):  # one length, unless the bag was written by several tools
            these = np.flatnonzero(head == length)
            first = int(starts[these[0]])
            header = _fields(buffer[first + 4 : first + 4 + int(length)])
            offset = buffer.find(b"time=", first, first + 4 + int(length)) - first + 5
            if offset < 5 or int.from_bytes(header.get("conn", b"")[:4], "little") != number:
                continue
            chosen[these] = True
            at = starts[these] + offset
            received[these] = numbers[at].astype(np.int64) * 10**9 + numbers[at + 4]
        return (starts + 8 + head)[chosen], size[chosen], received[chosen]

    def _connect(self, header: dict[str, bytes], data: bytes) -> None:
        number = int.from_bytes(header.get("conn", b"")[:4], "little")
        if number in self.topics or "topic" not in header:
            return
        about = _fields(data)
        name = about.get("type", b"").decode("utf-8", "replace")
        text = about.get("message_definition", b"").decode("utf-8", "replace")
        topic = header["topic"].decode("utf-8", "replace")
        self.topics[number] = Topic(
            topic, ros2_name(name), definitions_of(self.source.path, name, "ros1msg", text), True
        )


def _fields(data: bytes) -> dict[str, bytes]:
    """`name=value` pairs, each with its length before it."""
    found, position = {}, 0
    while position + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, position)
        name, mark, value = data[position + 4 : position + 4 + size].partition(b"=")
        if not mark or position + 4 + size > len(data):
            break
        found[name.decode("latin-1")] = value
        position += 4 + size
    return found
