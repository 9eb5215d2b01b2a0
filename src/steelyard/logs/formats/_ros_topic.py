"""Messages of one ROS topic, decoded many at a time."""

from collections.abc import Callable, Container
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput
from steelyard.logs.formats._packets import Field, Positions, cut, stored_kind, values
from steelyard.logs.formats._ros_layout import NoLayout, RosLayout, layout_of, layout_order
from steelyard.logs.formats._ros_types import Definitions
from steelyard.logs.formats._tuning import TUNING

_STAMP_END = 12  # after CDR's first four bytes, or after a ROS 1 header's sequence number


@dataclass
class Topic:
    """What is known of a topic before its messages are decoded."""

    name: str
    kind: str
    definitions: Definitions
    ros1: bool
    count: int = 0
    received: list[NDArray[np.int64]] = field(default_factory=list)


@dataclass
class Decoded:
    """A topic's numbers."""

    columns: dict[str, NDArray]
    time: NDArray[np.int64]
    """ns: a message's stamp, or where it has none, when it was received."""
    stamped: int
    """How many have a stamp."""
    texts: dict[str, str]
    missed: int
    """Messages that could not be decoded."""
    notes: tuple[str, ...]


class TopicDecoder:
    """Takes in a topic's messages, batch by batch."""

    def __init__(
        self,
        topic: Topic,
        most: int,
        too_large: Callable[[str], BadInput],
        columns: int,
        only: Container[str] | None = None,
    ):
        """`only` names the fields that are wanted, where not all are."""
        self._topic, self._most, self._too_large, self._widest = topic, most, too_large, columns
        self._only, rows = only, topic.count
        self._columns: dict[str, NDArray] = {}
        self._time, self._stamped = np.zeros(rows, np.int64), 0
        self._taken = np.zeros(rows, bool)
        self._layouts: dict[int, list[RosLayout]] = {}
        self._layout_count = 0
        self._bytes = 9 * rows
        self._texts: dict[str, str] = {}
        self._skipped: set[str] = set()
        self._problem = ""
        self._row = 0
        self._stamp_is_first: bool | None = None

    def add(self, buffer: bytes, starts: Positions, sizes: Positions, received: NDArray[np.int64]) -> None:
        """Messages in a buffer, in their order."""
        rows = np.arange(self._row, self._row + len(starts))
        self._row += len(starts)
        self._time[rows] = received
        if self._only is not None and self._stamps_alone(buffer, starts, sizes, rows):
            return
        for size in sizes[:1] if (sizes == sizes[0]).all() else np.unique(sizes):
            if size <= 0:
                self._problem = "it is empty"
                continue
            ours = np.flatnonzero(sizes == size) if (sizes != size).any() else slice(None)
            self._same_size(buffer, starts[ours], int(size), rows[ours])

    def _stamps_alone(self, buffer: bytes, starts: Positions, sizes: Positions, rows: NDArray) -> bool:
        """Where nothing else is wanted: a header that comes first has its stamp in one place in every message."""
        if int(sizes.min()) < _STAMP_END or not self._stamp_first(buffer, starts, sizes):
            return False
        packets = cut(buffer, starts, _STAMP_END)
        order = layout_order(bytes(packets[0]), self._topic.ros1)
        if not self._topic.ros1 and (values(packets, Field("", 1, "u1")) != packets[0].tobytes()[1]).any():
            return False
        layout = RosLayout(_STAMP_END, stamp=(_STAMP_END - 8, _STAMP_END - 4, order))
        self._take(packets, layout, rows)
        return True

    def _stamp_first(self, buffer: bytes, starts: Positions, sizes: Positions) -> bool:
        if self._stamp_is_first is None:
            data = buffer[int(starts[0]) : int(starts[0] + sizes[0])]
            try:
                layout = layout_of(self._topic.definitions, self._topic.kind, data, self._topic.ros1)
            except NoLayout:
                return False
            wanted = any(one.path in (self._only or ()) for one in layout.fields)
            self._stamp_is_first = not wanted and layout.stamp is not None and layout.stamp[0] == _STAMP_END - 8
        return self._stamp_is_first

    def _same_size(self, buffer: bytes, starts: Positions, size: int, rows: NDArray) -> None:
        packets = cut(buffer, starts, size)
        layouts = self._layouts.setdefault(size, [])
        k = 0
        while len(rows):
            if k == len(layouts) and not self._new_layout(layouts, size, bytes(packets[0])):
                # Nothing of this one; the others of its kind may be readable.
                packets, rows = packets[1:], rows[1:]
                if self._layout_count >= TUNING.ros_layouts:
                    return
                continue
            layout = layouts[k]
            fits = _fits(packets, layout)
            if fits.all():
                self._take(packets, layout, rows)
                return
            if fits.any():
                self._take(packets[fits], layout, rows[fits])
                packets, rows = packets[~fits], rows[~fits]
            k += 1

    def _new_layout(self, layouts: list[RosLayout], size: int, data: bytes) -> bool:
        if self._layout_count >= TUNING.ros_layouts:
            self._problem = "its messages change their lengths too often"
            return False
        self._layout_count += 1
        topic = self._topic
        try:
            layout = layout_of(topic.definitions, topic.kind, data, topic.ros1)
        except NoLayout as error:
            self._problem = str(error)
            return False
        if self._only is not None:
            layout.fields = [one for one in layout.fields if one.path in self._only]
        layouts.append(layout)
        self._texts.update(layout.texts)
        self._skipped |= layout.skipped
        return True

    def _take(self, packets: NDArray, layout: RosLayout, rows: NDArray) -> None:
        where = slice(int(rows[0]), int(rows[-1]) + 1) if len(rows) == rows[-1] - rows[0] + 1 else rows
        self._taken[where] = True
        if layout.stamp is not None:
            sec, nanosec, order = layout.stamp
            seconds = values(packets, Field("", sec, f"{order}{'u4' if self._topic.ros1 else 'i4'}")).astype(np.int64)
            stamp = seconds * 10**9 + values(packets, Field("", nanosec, f"{order}u4"))
            self._stamped += int(np.count_nonzero(stamp))
            self._time[where] = np.where(stamp == 0, self._time[where], stamp)
        for one in layout.fields:
            column = self._columns.get(one.path)
            if column is None:
                column = self._new_column(one)
            elif stored_kind(one).itemsize > column.itemsize:
                column = self._columns[one.path] = column.astype(np.float64)
            column[where] = values(packets, one)

    def _new_column(self, one: Field) -> NDArray:
        kind = stored_kind(one)
        self._bytes += len(self._time) * kind.itemsize
        if self._bytes > self._most or len(self._columns) >= self._widest:
            raise self._too_large(f"topic {self._topic.name} with {len(self._columns) + 1} columns")
        self._columns[one.path] = np.full(len(self._time), np.nan, kind)
        return self._columns[one.path]

    def finish(self, every: bool = False) -> Decoded:
        """What was decoded; rows that could not be are left out, or are NaN where `every` row is asked for."""
        notes = []
        keep: slice | NDArray = slice(0, self._row)
        missed = self._row - int(self._taken[: self._row].sum())
        if missed and not every:
            notes.append(f"{missed} messages could not be decoded ({self._problem}) and were left out")
            keep = np.flatnonzero(self._taken)
        if self._skipped:
            notes.append(f"long arrays were left out: {', '.join(sorted(self._skipped)[:4])}")
        columns = {name: column[keep] for name, column in self._columns.items()}
        return Decoded(columns, self._time[keep], self._stamped, self._texts, missed, tuple(notes))


def _fits(packets: NDArray, layout: RosLayout) -> NDArray[np.bool_]:
    """Which packets have the bytes that this layout asks for."""
    fits = np.ones(len(packets), bool)
    for offset, same in layout.same:
        kind = f"u{len(same)}" if len(same) in (1, 2, 4, 8) else f"V{len(same)}"
        found = np.ndarray(packets.shape, kind, packets, offset, packets.strides)
        if kind[0] == "u":
            fits &= found == np.frombuffer(same, kind)[0]
        else:
            plain = np.ascontiguousarray(found).view(np.uint8).reshape(len(packets), len(same))
            fits &= (plain == np.frombuffer(same, np.uint8)).all(axis=1)
    return fits
