"""Logs as CSV: a header row with `time` in it, then one row a sample."""

import csv
import gzip
import io
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from steelyard._files import whole_file
from steelyard.errors import BadInput
from steelyard.logs._check import check, no_time
from steelyard.logs._log import Log
from steelyard.logs._paths import existing_file
from steelyard.logs._recording import Limits
from steelyard.logs.formats._source import EmptyFile, Source
from steelyard.logs.formats._tuning import TUNING

_DELIMITERS = (",", ";", "\t")


def read_csv(path: str | Path) -> Log:
    """Reads a log from a CSV file, compressed where its name ends with `.gz`.

    The separator may be a comma, a semicolon or a tab; an empty cell or `nan` is a missing sample. What cannot be
    read is a `BadInput` that names the line and the column.
    """
    origin, text = str(path), _text(path)
    start = len(text) - len(text.lstrip())
    header = text[start:].partition("\n")[0] if start else text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=_delimiter(header))
    try:
        names = _header(origin, rows)
        values, lines = _numbers(origin, rows, names, underscores="_" in text[start + len(header) :])
    except csv.Error as error:
        raise BadInput(f"{origin}: line {rows.line_num} is not CSV ({error}); mend or delete it.") from None
    if not lines:
        raise BadInput(f"{origin}: there is a header but no row below it; record at least one sample.")
    table = np.frombuffer(values, dtype=np.float64).reshape(-1, len(names))
    columns = dict(zip(names, table.T, strict=True))
    time = columns.pop("time")
    check(origin, time, columns, lines)
    return Log(time, columns, origin)


def write_csv(log: Log, path: str | Path) -> None:
    """Writes a log as CSV, compressed where the name ends with `.gz`; the file appears whole or not at all.

    Reading it back gives the same numbers to the last bit. Metadata has no place in a CSV file and is left out:
    write Parquet to keep it.
    """
    with whole_file(path) as draft, _opened(draft) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *log.columns])
        writer.writerows(_rows(log))


def _text(path: str | Path) -> str:
    """The file's text, lines ending with a plain newline."""
    existing_file(path)
    try:
        source = Source(path, Limits.from_environment())
    except EmptyFile:
        raise _empty(path) from None
    if source.size > source.limits.memory:
        raise source.limits.too_large(path, "its text")
    try:
        text = source.read(0, source.size).decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise BadInput(f"{path} is not a UTF-8 text file; save it as CSV with UTF-8 encoding.")
    if not text.strip():
        raise _empty(path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _empty(path: str | Path) -> BadInput:
    return BadInput(f"{path} is empty; record a log with a header row and at least one sample.")


def _delimiter(header: str) -> str:
    """The separator under which the header has a `time` column, else the one that gives most columns."""

    def columns(delimiter: str) -> list[str]:
        try:
            return [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
        except csv.Error:  # a cell of more than 131072 characters: not with this separator
            return []

    return max(_DELIMITERS, key=lambda delimiter: ("time" in columns(delimiter), len(columns(delimiter))))


def _header(origin: str, rows: Iterator[list[str]]) -> list[str]:
    names = next([name.strip() for name in row] for row in rows if any(map(str.strip, row)))
    if all(_is_number(name) for name in names):
        raise BadInput(f'{origin}: the first line holds numbers; put a header row above it with "time" in it.')
    if len(names) > Limits.columns:
        raise BadInput(f"{origin}: the header has {len(names)} columns, more than {Limits.columns}; leave some out.")
    seen: set[str] = set()
    for k, name in enumerate(names):
        if not name:
            raise BadInput(f"{origin}: column {k + 1} has no name in the header; name it or delete it.")
        if name in seen:
            raise BadInput(f"{origin}: column {name} appears twice in the header; rename or delete one of them.")
        seen.add(name)
    if "time" not in names:
        raise no_time(origin, names)
    return names


def _numbers(origin: str, rows: Any, names: list[str], underscores: bool) -> tuple[array, array]:
    """All cells, row by row, and the line number of every row; blank lines are skipped."""
    values, lines = array("d"), array("q")
    width, nan, limits = len(names), float("nan"), Limits.from_environment()
    most = limits.memory // 8
    for row in rows:
        if len(row) != width:
            if not row or (len(row) == 1 and not row[0].strip()):
                continue
            raise BadInput(
                f"{origin}: line {rows.line_num} has {_count(len(row), 'cell')} where the header has "
                f"{_count(width, 'column')}; complete or delete the line."
            )
        try:
            if underscores and any("_" in cell for cell in row):  # which float() would take for digits' spacing
                raise ValueError
            values.extend([float(cell) if cell else nan for cell in row])
        except ValueError:
            # The slow road: blank cells that are not quite empty, or text.
            values.extend(_slowly(origin, rows.line_num, names, row))
        lines.append(rows.line_num)
        if len(values) > most:
            raise limits.too_large(origin, "its table")
    return values, lines


def _slowly(origin: str, line: int, names: list[str], row: Sequence[str]) -> list[float]:
    found = []
    for name, cell in zip(names, row, strict=True):
        if cell.strip() and not _is_number(cell):
            comma = ", with a decimal point" if _is_number(cell.replace(",", ".")) else ""
            raise BadInput(
                f'{origin}: line {line}, column {name} holds "{_short(cell)}", which is not a number; '
                f"write a number{comma}, or leave the cell empty where the sample is missing."
            )
        found.append(float(cell) if cell.strip() else float("nan"))
    return found


def _rows(log: Log) -> Iterator[tuple]:
    """Rows of Python floats, which the csv module writes with `repr`; a missing sample is an empty cell."""
    for start in range(0, len(log), TUNING.rows_written):
        part = slice(start, start + TUNING.rows_written)
        columns = [values[part].tolist() for values in (log.time, *log.columns.values())]
        yield from zip(*([v if v == v else "" for v in column] for column in columns), strict=True)


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """A text file to write, through gzip where the name says so."""
    if path.suffix.lower() != ".gz":
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    # Neither name nor time of day inside, so that equal logs make equal files.
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as file,
    ):
        yield file


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _short(cell: str, most: int = 40) -> str:
    cell = " ".join(cell.split())
    return cell if len(cell) <= most else cell[:most] + "…"
