"""Parquet files with any columns, as recordings. Needs pyarrow, imported when called."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.logs._recording import Array, Recording, Stream
from steelyard.logs.formats._columns import clock_of, is_ours, named
from steelyard.logs.formats._packets import unique
from steelyard.logs.formats._parquet import Opened, open_parquet
from steelyard.logs.formats._source import Source

MAGIC = b"PAR1"
_TICKS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def read_parquet_table(source: Source) -> Recording:
    """Reads every column of numbers, nested ones by dotted path."""
    opened = open_parquet(source)
    types = opened.arrow.types
    names, chosen, left = [], [], []
    for path, kind in _leaves(opened.schema, ""):
        simple = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
        (chosen if simple or types.is_timestamp(kind) else left).append((path, kind))
    opened.check_size([path for path, _ in chosen])
    found = [named(path) for path, _ in chosen]
    short = [one.field for one in found]
    names = short if len(set(short)) == len(short) else unique([path for path, _ in chosen])
    columns: Mapping[str, Array] = _Columns(source, opened, dict(zip(names, chosen, strict=True)))
    if 8 * len(chosen) * opened.rows <= source.limits.memory // 3:
        columns = dict(columns)
    units = {name: one.unit for name, one in zip(names, found, strict=True) if one.unit is not None}
    for field in opened.schema:
        stated = (field.metadata or {}).get(b"unit")
        if stated is not None and field.name in columns:
            units[field.name] = stated.decode("utf-8", "replace")
    dates = frozenset(name for name, (_, kind) in zip(names, chosen, strict=True) if types.is_timestamp(kind))
    ours = is_ours(list(columns))
    clock = clock_of(columns, {"time": "s", **units} if ours else units, dates)
    if isinstance(columns, _Columns):
        columns = columns.without(clock.column)
    else:
        columns = {name: values for name, values in columns.items() if name != clock.column}
    notes = list(clock.notes)
    if left:
        notes.append(f"columns that hold no numbers were left out: {', '.join(path for path, _ in left[:8])}")
    stream = Stream(
        source.stem, source.path, "parquet", clock.time, "none" if clock.time is None else f"column {clock.column}",
        columns, {name: unit for name, unit in units.items() if name in columns}, tuple(notes), opened.rows,
    )  # fmt: skip
    return Recording((source.path,), "steelyard" if ours else "table", (stream,))


class _Columns(Mapping[str, Array]):
    """Columns of a large file, each read when it is asked for; the last few are kept."""

    def __init__(self, source: Source, opened: Opened, chosen: dict[str, tuple[str, Any]]):
        self._source, self._opened, self._chosen = source, opened, chosen
        self._read = functools.lru_cache(maxsize=16)(lambda name: _values(source, opened, *chosen[name]))

    def __getitem__(self, name: str) -> Array:
        if name not in self._chosen:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._chosen)

    def __len__(self) -> int:
        return len(self._chosen)

    def without(self, name: str) -> "_Columns":
        """All but one."""
        others = {other: one for other, one in self._chosen.items() if other != name}
        return _Columns(self._source, self._opened, others)


def _leaves(fields: Any, prefix: str) -> Any:
    for field in fields:
        path = f"{prefix}{field.name}"
        if hasattr(field.type, "fields") and str(field.type).startswith("struct"):
            yield from _leaves(list(field.type), f"{path}.")
        else:
            yield path, field.type


def _values(source: Source, opened: Opened, path: str, kind: Any) -> Array:
    table = opened.read([path])
    while any(str(field.type).startswith("struct") for field in table.schema):
        table = table.flatten()
    if table.num_columns != 1 or table.num_rows != opened.rows:
        raise source.bad(f"its column {path[:60]} is damaged")
    column = table.column(0)
    pa = opened.arrow
    if pa.types.is_timestamp(kind):
        return _floats(pa, column.cast(pa.int64())) * _TICKS[kind.unit]
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    return _floats(pa, column)


def _floats(pa: Any, column: Any) -> NDArray[np.float64]:
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), np.float64)
