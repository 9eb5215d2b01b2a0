"""Bags: files of compressed chunks with the messages of many topics, and an index of each."""

import bz2
import zlib
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput
from steelyard.logs.formats._packets import Positions
from steelyard.logs.formats._ros_topic import Topic
from steelyard.logs.formats._source import Source, zstd
from steelyard.logs.formats._tuning import TUNING

Found = dict[int, tuple[Positions, Positions, NDArray[np.int64]]]
"""By topic: where the messages start in the buffer, their sizes, and when they were received, ns."""


@dataclass
class Chunk:
    """A part of the file, once it is decompressed a sequence of records."""

    position: int
    stored: int
    size: int
    compression: str
    crc: int = 0
    index: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """By topic, position in the file and number of its entries."""
    walked: dict[int, bytes] | None = None
    """By topic, the entries of an index made here, where the file has none that can be used."""
    checked: bool = False
    """Whether the checksum was found right."""


class Bag(ABC):
    """Topics of a bag and its messages, batch by batch."""

    topics: dict[int, Topic]
    texts: dict[str, str]
    notes: list[str]

    @abstractmethod
    def __len__(self) -> int:
        """The number of batches."""

    @abstractmethod
    def load(self, batch: int, wanted: Container[int]) -> tuple[bytes, Found]:
        """The messages of the wanted topics in one batch."""

    def first_batch(self, topic: int) -> int | None:
        """Some batch that holds a message of this topic, where that is known without a look at the messages."""
        return None


class ChunkedBag(Bag):
    """What MCAP files and ROS 1 bags have in common."""

    def __init__(self, source: Source):
        self.source = source
        self.topics, self.texts, self.notes, self.chunks = {}, {}, [], []
        self.chunks: list[Chunk]
        self.scan()
        self._check_totals()
        for chunk in self.chunks:
            unknown = any(number not in self.topics for number in chunk.index)
            if chunk.walked is None and (not chunk.index or unknown):
                self.index(chunk, self.expand(chunk))
        for chunk in self.chunks:
            for number in chunk.walked if chunk.walked is not None else chunk.index:
                if number in self.topics:
                    self.topics[number].count += self._count(chunk, number)
        self._groups = self._grouped()

    @abstractmethod
    def scan(self) -> None:
        """Finds chunks and topics."""

    @abstractmethod
    def walk(self, data: bytes) -> dict[int, NDArray[np.int64]]:
        """Goes through a chunk's records: topics are added, the starts of messages returned."""

    @abstractmethod
    def as_entries(self, starts: NDArray[np.int64]) -> bytes:
        """Index entries for messages at these positions."""

    @abstractmethod
    def entries(self, data: bytes) -> Positions:
        """Positions in the chunk from index entries."""

    @abstractmethod
    def messages(self, buffer: bytes, number: int, starts: Positions, ends: Positions) -> Any:
        """Data starts, sizes and times of the records at `starts` that are whole by `ends` and of this topic."""

    entry_size: int

    def __len__(self) -> int:
        return len(self._groups)

    def first_batch(self, topic: int) -> int | None:
        for k, group in enumerate(self._groups):
            if any(topic in (chunk.walked if chunk.walked is not None else chunk.index) for chunk in group):
                return k
        return None

    def load(self, batch: int, wanted: Container[int]) -> tuple[bytes, Found]:
        parts: list[bytes] = []
        entries: dict[int, list[bytes]] = {}
        owners: dict[int, list[int]] = {}
        bases, base = [], 0
        for chunk in self._groups[batch]:
            here = self._entries(chunk, wanted)
            if not here:
                continue
            parts.append(self.expand(chunk))
            for number, data in here.items():
                entries.setdefault(number, []).append(data)
                owners.setdefault(number, []).append(len(bases))
            bases.append(base)
            base += len(parts[-1])
        begins, buffer = np.array(bases, np.int64), b"".join(parts)
        stops = np.append(begins[1:], base)
        found: Found = {}
        for number, several in entries.items():
            owner = np.repeat(owners[number], [len(data) // self.entry_size for data in several])
            starts = self.entries(b"".join(several)) + begins[owner]
            found[number] = self.messages(buffer, number, starts, stops[owner])
        return buffer, found

    def index(self, chunk: Chunk, data: bytes) -> None:
        """Gives a chunk an index that was made from its records."""
        chunk.walked = {number: self.as_entries(starts) for number, starts in self.walk(data).items()}

    def expand(self, chunk: Chunk) -> bytes:
        """A chunk's records."""
        stored = self.source.read(chunk.position, chunk.stored)
        try:
            data = _EXPAND[chunk.compression](stored, chunk.size, self.source.path)
        except KeyError:
            raise self.source.bad(
                f'its chunks are compressed with "{chunk.compression[:20]}", which is not known'
            ) from None
        except (ValueError, RuntimeError, EOFError, OSError, *_zstd_errors()):
            raise self._damaged(chunk) from None
        if len(data) != chunk.size or (chunk.crc and not chunk.checked and zlib.crc32(data) != chunk.crc):
            raise self._damaged(chunk)
        chunk.checked = True
        return data

    def _damaged(self, chunk: Chunk) -> BadInput:
        return self.source.bad(f"the chunk at byte {chunk.position} is damaged")

    def _check_totals(self) -> None:
        limits, total = self.source.limits, 0
        for chunk in self.chunks:
            total += chunk.size
            if chunk.size > limits.memory // 4:
                raise limits.too_large(self.source.path, "four times one of its chunks")
        if total > TUNING.free_expansion and total > limits.ratio * self.source.size:
            raise limits.too_large(self.source.path, f"its content, which expands more than {limits.ratio} times,")
        if len(self.topics) > limits.streams:
            raise self.source.bad(f"it has more than {limits.streams} topics")

    def _count(self, chunk: Chunk, number: int) -> int:
        if chunk.walked is not None:
            return len(chunk.walked[number]) // self.entry_size
        return sum(count for _, count in chunk.index[number])

    def _entries(self, chunk: Chunk, wanted: Container[int]) -> Mapping[int, bytes]:
        """Index entries by topic, as bytes: they are cheaper to join than arrays."""
        if chunk.walked is not None:
            return {number: data for number, data in chunk.walked.items() if number in wanted}
        pieces = {number: some for number, some in chunk.index.items() if number in wanted}
        if not pieces:
            return {}
        first = min(at for some in pieces.values() for at, _ in some)
        last = max(at + count * self.entry_size for some in pieces.values() for at, count in some)
        region = self.source.read(first, last - first)  # the entries of all topics stand together
        found = {}
        for number, some in pieces.items():
            parts = [region[at - first : at - first + count * self.entry_size] for at, count in some]
            found[number] = parts[0] if len(parts) == 1 else b"".join(parts)
        return found

    def _grouped(self) -> list[list[Chunk]]:
        groups: list[list[Chunk]] = []
        size = 0
        for chunk in self.chunks:
            if not groups or size + chunk.size > TUNING.chunk_group:
                groups.append([])
                size = 0
            groups[-1].append(chunk)
            size += chunk.size
        return groups


def _plain(data: bytes, size: int, path: str) -> bytes:
    del size, path
    return data


def _zstd(data: bytes, size: int, path: str) -> bytes:
    return _expand(zstd(path).ZstdDecompressor(), data, size)


def _lz4(data: bytes, size: int, path: str) -> bytes:
    try:
        import lz4.frame
    except ImportError:
        raise BadInput(f'{path}: lz4 is missing; install it with pip install "steelyard[logs]".') from None
    frame: Any = lz4.frame
    return _expand(frame.LZ4FrameDecompressor(), data, size)


def _bz2(data: bytes, size: int, path: str) -> bytes:
    del path
    return _expand(bz2.BZ2Decompressor(), data, size)


def _expand(tool: Any, data: bytes, size: int) -> bytes:
    """At most one byte more than `size`: a chunk that holds more than it says is not expanded to its end."""
    out = tool.decompress(data, max_length=size + 1)
    while len(out) <= size and not tool.eof and not tool.needs_input:
        more = tool.decompress(b"", max_length=size + 1 - len(out))
        if not more:
            break
        out += more
    return out


_EXPAND = {"": _plain, "none": _plain, "zstd": _zstd, "lz4": _lz4, "bz2": _bz2}


def _zstd_errors() -> tuple:
    try:
        return (zstd("").ZstdError,)
    except BadInput:
        return ()
