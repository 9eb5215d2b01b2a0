"""Streams that are decoded when they are asked for, as many in one pass over the file as the memory allows."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.logs._recording import LazyFields, Stream
from steelyard.logs.formats._packets import Field, cut, stored_kind, values
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._tuning import TUNING

TIME = ""
"""The name of a stream's time among its decoded columns."""

Columns = dict[str, NDArray]
Decode = Callable[[list[int], bool], Mapping[int, Columns]]
"""Decodes streams by number: their times only, or their fields only."""


class Cache:
    """Decoded streams, the least recently used ones dropped first.

    A pass over the file costs about the same for one stream as for many: what is missing is decoded together with as
    many others as there is memory for.
    """

    def __init__(self, decode: Decode, times: Mapping[int, int], fields: Mapping[int, int], memory: int):
        self._decode, self._budgets = decode, {True: memory // TUNING.times_part, False: memory // TUNING.fields_part}
        self._sizes = {True: times, False: fields}
        self._held: dict[bool, OrderedDict[int, Columns]] = {True: OrderedDict(), False: OrderedDict()}

    def time(self, key: int) -> NDArray:
        """The times of one stream."""
        return self._get(key, True)[TIME]

    def fields(self, key: int) -> Columns:
        """The other columns of one stream."""
        return self._get(key, False)

    def _get(self, key: int, times: bool) -> Columns:
        held, sizes, budget = self._held[times], self._sizes[times], self._budgets[times]
        if key in held:
            held.move_to_end(key)
            return held[key]
        group, total = [key], sizes[key]
        keys = list(sizes)
        first = keys.index(key)
        for other in keys[first + 1 :] + keys[:first]:  # what is asked for next is probably the next one
            if other not in held and total + sizes[other] <= budget:
                group.append(other)
                total += sizes[other]
        used = sum(sizes[one] for one in held)
        while held and used + total > budget:
            used -= sizes[held.popitem(last=False)[0]]
        held.update(self._decode(group, times))
        held.move_to_end(key)
        return held[key]


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
        sizes[key] = counts[key] * sum(stored_kind(field).itemsize for field in layout.fields)
        if sizes[key] + 8 * counts[key] > source.limits.memory:
            raise source.limits.too_large(source.path, f"{layout.name} with its {counts[key]} samples")

    def decode(keys: list[int], times: bool) -> dict[int, Columns]:
        fields = {key: (layouts[key].time,) if times else layouts[key].fields for key in keys}
        found: dict[int, Columns] = {}
        filled = dict.fromkeys(keys, 0)
        for key in keys:
            kinds = {field.path: np.dtype(np.float64) if times else stored_kind(field) for field in fields[key]}
            found[key] = {path: np.empty(counts[key], kind) for path, kind in kinds.items()}
        for batch in batches:
            wanted = [key for key in keys if len(batch.packets.get(key, ()))]
            buffer = source.read(batch.start, batch.length) if wanted else b""
            for key in wanted:
                packets = cut(buffer, batch.packets[key].astype(np.int64), layouts[key].size)
                rows = slice(filled[key], filled[key] + len(packets))
                filled[key] = rows.stop
                for field in fields[key]:
                    found[key][field.path][rows] = values(packets, field)
        if times:
            return {key: {TIME: found[key][layouts[key].time.path] * layouts[key].tick} for key in keys}
        return found

    cache = Cache(decode, {key: 8 * counts[key] for key in layouts}, sizes, source.limits.memory)
    return tuple(_stream(source, cache, key, layout, counts[key]) for key, layout in layouts.items())


def _stream(source: Source, cache: Cache, key: int, layout: Layout, rows: int) -> Stream:
    names = tuple(field.path for field in layout.fields)
    return Stream(
        layout.name, source.path, layout.kind, lambda: cache.time(key), layout.clock,
        LazyFields(names, lambda: cache.fields(key)), layout.units or {}, layout.notes, rows,
    )  # fmt: skip
