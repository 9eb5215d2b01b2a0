"""Logs as Parquet: the same columns, with units and metadata. Needs pyarrow, imported when called."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard._files import whole_file
from steelyard.errors import BadInput
from steelyard.logs._check import no_time
from steelyard.logs._log import Log
from steelyard.logs._paths import existing_file

_OURS = b"steelyard:"  # opens our keys among those that Arrow and pandas keep in a schema


def read_parquet(path: str | Path) -> Log:
    """Reads a log from a Parquet file; null and NaN are missing samples.

    A column that states a unit other than the vocabulary's is a `BadInput`: numbers are never converted in silence.
    """
    pa, pq = _pyarrow(path)
    origin, file = str(path), existing_file(path)
    try:
        # A ParquetFile, not read_table, which would take `year=2024` in a folder's name for a column.
        with pq.ParquetFile(file) as opened:
            table = opened.read()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise BadInput(f"{origin} is not a readable Parquet file; copy or export it again.") from None
    names = table.column_names
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise BadInput(f"{origin}: column {twice} appears twice; rename or delete one of them.")
    if "time" not in names:
        raise no_time(origin, names)
    columns = {name: _values(pa, origin, table.field(name), table.column(name)) for name in names}
    time = columns.pop("time")
    log = Log(time, columns, origin, _metadata(table.schema.metadata))
    _check_units(log, table.schema)
    return log


def write_parquet(log: Log, path: str | Path) -> None:
    """Writes a log as Parquet, units and metadata included; the file appears whole or not at all."""
    pa, pq = _pyarrow(path)
    named = {"time": log.time, **log.columns}
    fields = [pa.field(name, pa.float64(), metadata=_unit_of(log, name)) for name in named]
    metadata = {_OURS + key.encode(): value.encode() for key, value in log.metadata.items()}
    table = pa.table(list(named.values()), schema=pa.schema(fields, metadata=metadata))
    with whole_file(path) as draft:
        pq.write_table(table, draft)


def _pyarrow(path: str | Path) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise BadInput(f'{path}: Parquet needs pyarrow; install it with pip install "steelyard[logs]".') from None
    return pyarrow, pyarrow.parquet


def _values(pa: Any, origin: str, field: Any, column: Any) -> NDArray[np.float64]:
    kind, types = field.type, pa.types
    numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind)
    if not numeric:
        remedy = "convert it to seconds" if field.name == "time" else "convert it to numbers or leave it out"
        raise BadInput(f"{origin}: column {field.name} holds {kind}, which is not a number; {remedy}.")
    return column.cast(pa.float64(), safe=False).to_numpy()


def _unit_of(log: Log, name: str) -> dict[str, str] | None:
    unit = log.unit(name)
    return None if unit is None else {"unit": unit}


def _check_units(log: Log, schema: Any) -> None:
    for field in schema:
        found, ours = (field.metadata or {}).get(b"unit"), log.unit(field.name)
        if found is None or ours in (None, "1"):  # pure numbers go by many names
            continue
        stated = found.decode(errors="replace")
        if _plain(stated) != _plain(ours):
            raise BadInput(
                f"{log.origin}: column {field.name} states the unit {stated!r} where {ours} is meant; "
                "convert the column, or correct its unit."
            )


def _plain(unit: str) -> str:
    """A unit without the freedom of its spelling: m/s², m/s^2 and m/s**2 are one."""
    for spelling, plain in (("²", "2"), ("**", ""), ("^", ""), ("·", ""), ("*", ""), (" ", "")):
        unit = unit.replace(spelling, plain)
    unit = unit.strip("[]")
    return {"sec": "s", "seconds": "s", "percent": "%", "1/min": "rpm"}.get(unit, unit)


def _metadata(found: dict[bytes, bytes] | None) -> dict[str, str]:
    return {
        key.removeprefix(_OURS).decode(errors="replace"): value.decode(errors="replace")
        for key, value in (found or {}).items()
        if key.startswith(_OURS)
    }
