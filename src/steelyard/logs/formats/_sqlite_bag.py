"""ROS 2 bags in SQLite."""

import sqlite3
import weakref
from collections.abc import Container
from urllib.parse import quote

import numpy as np

from steelyard.logs.formats._chunks import Bag, Found
from steelyard.logs.formats._ros_topic import Topic
from steelyard.logs.formats._ros_types import definitions_of
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._tuning import TUNING

MAGIC = b"SQLite format 3\0"


class SqliteBag(Bag):
    """A `.db3` file."""

    def __init__(self, source: Source):
        self.source, self.topics, self.texts, self.notes = source, {}, {}, []
        try:
            self._open()
        except (sqlite3.Error, ValueError, OverflowError, TypeError, MemoryError) as error:
            raise source.bad(f"it is no readable ROS 2 bag ({_line(error)})") from None

    def _open(self) -> None:
        if self.source.held is None:
            self._base = sqlite3.connect(f"file:{quote(self.source.path)}?immutable=1", uri=True)
        else:
            self._base = sqlite3.connect(":memory:")
            self._base.deserialize(self.source.held)
        weakref.finalize(self, self._base.close)
        self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(self.source.limits.memory // 4, 10**9))
        self._base.execute("PRAGMA query_only = ON")
        self._base.execute("PRAGMA trusted_schema = OFF")
        tables = {row[0] for row in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"messages", "topics"} <= tables:
            raise ValueError("it has no tables of messages and topics")
        texts = {}
        if "message_definitions" in tables:
            query = "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions LIMIT 10000"
            texts = {str(kind): (str(encoding), str(text)) for kind, encoding, text in self._base.execute(query)}
        counts = dict(self._base.execute("SELECT topic_id, count(*) FROM messages GROUP BY topic_id"))
        for number, name, kind, encoding in self._base.execute(
            "SELECT id, name, type, serialization_format FROM topics"
        ):
            if len(self.topics) >= self.source.limits.streams:
                raise ValueError(f"it has more than {self.source.limits.streams} topics")
            if encoding != "cdr":
                self.notes.append(f'{str(name)[:60]} was left out (encoding "{str(encoding)[:20]}")')
                continue
            definitions = definitions_of(self.source.path, str(kind), *texts.get(str(kind), ("", "")))
            self.topics[int(number)] = Topic(str(name), str(kind), definitions, False, int(counts.get(number, 0)))
        last = self._base.execute("SELECT min(rowid), max(rowid) FROM messages").fetchone()
        self._first, self._last = (int(one or 0) for one in last)
        if (self._last - self._first) // TUNING.sqlite_rows > 10**6:
            raise ValueError("its messages are numbered without order")

    def __len__(self) -> int:
        return (self._last - self._first) // TUNING.sqlite_rows + 1

    def load(self, batch: int, wanted: Container[int]) -> tuple[bytes, Found]:
        low = self._first + batch * TUNING.sqlite_rows
        query = "SELECT topic_id, timestamp, data FROM messages WHERE rowid >= ? AND rowid < ? ORDER BY rowid"
        parts, numbers, times, total = [], [], [], 0
        try:
            for number, time, data in self._base.execute(query, (low, low + TUNING.sqlite_rows)):
                if isinstance(data, bytes) and isinstance(time, int) and number in wanted:
                    parts.append(data)
                    numbers.append(number)
                    times.append(time)
                    total += len(data)
                    if total > self.source.limits.memory:
                        raise self.source.limits.too_large(
                            self.source.path, f"a batch of {TUNING.sqlite_rows} messages"
                        )
            sizes = np.array([len(part) for part in parts], np.int64)
            starts = np.cumsum(sizes) - sizes
            kinds, received = np.array(numbers, np.int64), np.array(times, np.int64)
        except (sqlite3.Error, OverflowError, MemoryError) as error:
            raise self.source.bad(f"it is no readable ROS 2 bag ({_line(error)})") from None
        found: Found = {}
        for number in np.unique(kinds):
            these = kinds == number
            found[int(number)] = (starts[these], sizes[these], received[these])
        return b"".join(parts), found


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0][:100] or "it asks for too much memory"
