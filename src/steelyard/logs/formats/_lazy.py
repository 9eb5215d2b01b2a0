"""Streams that are decoded when they are asked for, as many in one pass over the file as the memory allows."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.logs._recording import LazyFields, Stream
from steelyard.logs.formats._packets import Field, cut, stored_kind, values
from steelyard.logs.formats._source import Source

TIME = ""
"""The key of a stream's time among its decoded columns."""

Columns = dict[str, NDArray]
_SHARE = 3  # of the memory that the limits allow, one part in so many holds decoded streams


class Cache:
    """Decoded streams, the least recently used ones dropped first."""

    def __init__(self, decode: Callable[[list[int]], Mapping[int, Columns]], sizes: Mapping[int, int], budget: int):
        self._decode, self._sizes, self._budget = decode, sizes, budget
        self._held: OrderedDict[int, Columns] = OrderedDict()

    def get(self, key: int) -> Columns:
        """The columns of one stream."""
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key]
        group, total = [key], self._sizes[key]
        keys = list(self._sizes)
        first = keys.index(key)
        for other in keys[first + 1 :] + keys[:first]:  # what is asked for next is probably the next one
            if other not in self._held and total + self._sizes[other] <= self._budget:
                group.append(other)
                total += self._sizes[other]
        held = sum(self._sizes[one] for one in self._held)
        while self._held and held + total > self._budget:
            held -= self._sizes[self._held.popitem(last=False)[0]]
        found = self._decode(group)
        self._held.update(found)
        self._held.move_to_end(key)
        return self._held[key]


@dataclass(frozen=True)
class Batch:
    """A part of a file with the positions of the packets in it."""

    start: int
    length: int
    packets: Mapping[int, NDArray[np.uint32]]
    """By the stream's number, relative to `start`."""


@dataclass(frozen=True)
class Layout:
    """A stream whose packets all have one layout."""

    name: str
    kind: str
    fields: tuple[Field, ...]
    time: Field
    tick: float
    """Seconds a unit of the time field."""
    size: int
    clock: str = "boot"
    units: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()


def streams_of(source: Source, batches: Sequence[Batch], layouts: Mapping[int, Layout]) -> tuple[Stream, ...]:
    """One stream a layout that has packets."""
    counts = {key: sum(len(batch.packets.get(key, ())) for batch in batches) for key in layouts}
    layouts = {key: layout for key, layout in layouts.items() if counts[key]}
    sizes = {}
    for key, layout in layouts.items():
        sizes[key] = counts[key] * (8 + sum(stored_kind(field).itemsize for field in layout.fields))
        if sizes[key] > source.limits.memory:
            raise source.limits.too_large(source.path, f"{layout.name} with its {counts[key]} samples")

    def decode(keys: list[int]) -> dict[int, Columns]:
        found: dict[int, Columns] = {}
        filled = dict.fromkeys(keys, 0)
        for key in keys:
            found[key] = {field.path: np.empty(counts[key], stored_kind(field)) for field in layouts[key].fields}
            found[key][TIME] = np.empty(counts[key])
        for batch in batches:
            wanted = [key for key in keys if len(batch.packets.get(key, ()))]
            if not wanted:
                continue
            buffer = source.read(batch.start, batch.length)
            for key in wanted:
                packets = cut(buffer, batch.packets[key].astype(np.int64), layouts[key].size)
                rows = slice(filled[key], filled[key] + len(packets))
                filled[key] = rows.stop
                for field in layouts[key].fields:
                    found[key][field.path][rows] = values(packets, field)
                found[key][TIME][rows] = values(packets, layouts[key].time)
        for key in keys:
            found[key][TIME] *= layouts[key].tick
        return found

    cache = Cache(decode, sizes, source.limits.memory // _SHARE)
    return tuple(_stream(source, cache, key, layout, counts[key]) for key, layout in layouts.items())


def _stream(source: Source, cache: Cache, key: int, layout: Layout, rows: int) -> Stream:
    names = tuple(field.path for field in layout.fields)
    return Stream(
        layout.name, source.path, layout.kind, lambda: cache.get(key)[TIME], layout.clock,
        LazyFields(names, lambda: cache.get(key)), layout.units or {}, layout.notes, rows,
    )  # fmt: skip
