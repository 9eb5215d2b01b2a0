"""Logs as Parquet: the same columns, with units and metadata. Needs pyarrow, imported when called."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard._files import whole_file
from steelyard.errors import BadInput
from steelyard.logs._check import no_time
from steelyard.logs._log import Log
from steelyard.logs._paths import existing_file
from steelyard.logs._recording import Limits
from steelyard.logs.formats._source import EmptyFile, Source

_OURS = b"steelyard:"  # opens our keys among those that Arrow and pandas keep in a schema


@dataclass(frozen=True)
class Opened:
    """A Parquet file whose description has been read."""

    source: Source
    arrow: Any
    file: Any
    schema: Any
    rows: int

    def read(self, columns: list[str] | None = None) -> Any:
        """A table of these columns, or of all."""
        try:
            return self.file.read(columns=columns, use_threads=False)
        except (
            self.arrow.ArrowException,
            OSError,
            UnicodeDecodeError,
            ValueError,
            KeyError,
            OverflowError,
            MemoryError,
        ):
            raise _unreadable(self.source.path) from None

    def check_size(self, columns: list[str]) -> None:
        """Refuses a file that would need more memory than the limits allow, before anything is read."""
        limits = self.source.limits
        if len(columns) > limits.columns:
            raise self.source.bad(f"it has {len(columns)} columns, more than {limits.columns}", "leave some out")
        if self.rows > limits.rows:
            raise self.source.bad(f"it has {self.rows} rows, more than {limits.rows}", "split it")
        if 8 * self.rows * len(columns) > limits.memory:
            raise limits.too_large(self.source.path, f"its table of {len(columns)} columns and {self.rows} rows")


def open_parquet(source: Source) -> Opened:
    """Reads a file's description, and nothing else."""
    pa, pq = _pyarrow(source.path)
    try:
        # A ParquetFile, not read_table, which would take `year=2024` in a folder's name for a column.
        where = source.path if source.held is None else pa.BufferReader(source.held)
        file = pq.ParquetFile(where, thrift_string_size_limit=1 << 26, thrift_container_size_limit=1 << 20)
        schema, rows = file.schema_arrow, int(file.metadata.num_rows)
        str(schema)  # whose names must be text
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError, KeyError, OverflowError, MemoryError):
        raise _unreadable(source.path) from None
    if rows < 0:
        raise _unreadable(source.path)
    return Opened(source, pa, file, schema, rows)


def _unreadable(path: str | Path) -> BadInput:
    return BadInput(f"{path} is not a readable Parquet file; copy or export it again.")


def read_parquet(path: str | Path) -> Log:
    """Reads a log from a Parquet file; null and NaN are missing samples.

    A column that states a unit other than the vocabulary's is a `BadInput`: numbers are never converted in silence.
    """
    pa, _ = _pyarrow(path)
    try:
        source = Source(existing_file(path), Limits.from_environment())
    except EmptyFile:
        raise _unreadable(path) from None
    origin, opened = str(path), open_parquet(source)
    names = opened.schema.names
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise BadInput(f"{origin}: column {twice} appears twice; rename or delete one of them.")
    if "time" not in names:
        raise no_time(origin, names)
    for field in opened.schema:
        _check_kind(pa, origin, field)
    opened.check_size(names)
    table = opened.read()
    columns = {name: table.column(name).cast(pa.float64(), safe=False).to_numpy() for name in names}
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


def _check_kind(pa: Any, origin: str, field: Any) -> None:
    kind, types = field.type, pa.types
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind)):
        remedy = "convert it to seconds" if field.name == "time" else "convert it to numbers or leave it out"
        raise BadInput(f"{origin}: column {field.name} holds {kind}, which is not a number; {remedy}.")


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
