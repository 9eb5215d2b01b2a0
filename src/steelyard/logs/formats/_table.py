"""Tables of numbers as text, in whatever dialect somebody wrote them."""

import csv
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.formats._columns import clock_of, is_ours, is_unit, named
from steelyard.logs.formats._dialect import Dialect, dialect_of, is_comment, lines_of, seconds
from steelyard.logs.formats._packets import unique
from steelyard.logs.formats._source import Source

_SAMPLE = 400
_HEADER_ROWS = 60


@dataclass(frozen=True)
class Heading:
    """What stands above the numbers."""

    names: list[str]
    units: dict[int, str]
    notes: list[str]
    rows: int
    """Lines before the first row of numbers."""


def read_table(source: Source) -> Recording:
    """Reads a text table as one stream."""
    lines = lines_of(source)
    sample = list(islice(lines, _SAMPLE))
    dialect = dialect_of(sample)
    if dialect is None:
        raise source.bad("no table of numbers was found in it", "see docs/LOGS.md for the formats that are read")
    if dialect.width > source.limits.columns:
        raise source.bad(f"it has {dialect.width} columns, more than {source.limits.columns}", "leave some out")
    heading = _heading(sample, dialect)
    body = _Body(source, dialect)
    body.read(chain(sample[heading.rows :], lines))
    if not body.rows:
        raise source.bad("there is a heading but no row of numbers below it", "record at least one sample")
    return _recording(source, heading, body)


def _recording(source: Source, heading: Heading, body: "_Body") -> Recording:
    found = [named(name) for name in heading.names]
    short = [one.field for one in found]
    names = short if len(set(short)) == len(short) else unique(heading.names)
    units = {names[k]: one.unit for k, one in enumerate(found) if one.unit is not None}
    units |= {names[k]: unit for k, unit in heading.units.items()}
    table = np.frombuffer(body.values, np.float64).reshape(body.rows, -1)
    columns = {name: table[:, k] for k, name in enumerate(names)}
    text = [name for k, name in enumerate(names) if k in body.text and not np.isfinite(columns[name]).any()]
    dates = frozenset(names[k] for k in body.dates)
    notes = [*heading.notes, *body.notes(names)]
    for name in text:
        del columns[name]
    if text:
        notes.append(f"columns of text were left out: {', '.join(text[:8])}{' …' if len(text) > 8 else ''}")
    ours = is_ours(names)
    clock = clock_of(columns, {"time": "s", **units} if ours else units, dates)
    columns.pop(clock.column, None)
    stream = Stream(
        source.stem, source.path, "csv", clock.time, "none" if clock.time is None else f"column {clock.column}",
        columns, {name: unit for name, unit in units.items() if name in columns}, (*notes, *clock.notes), body.rows,
    )  # fmt: skip
    return Recording((source.path,), "steelyard" if ours else "table", (stream,))


def _heading(sample: list[str], dialect: Dialect) -> Heading:
    """Names and units from the rows above the first row of numbers, or from the comment above that."""
    rows: list[list[str]] = []
    comment: list[str] | None = None
    notes, first = [], len(sample)
    for k, line in enumerate(sample):
        if not line.strip():
            continue
        if is_comment(line):
            cells = dialect.cells(line.lstrip("#%/ \t"))
            comment = cells if len(cells) == dialect.width else comment
            continue
        cells = dialect.cells(line)
        if len(cells) == dialect.width:
            following = next((other for other in sample[k + 1 :] if other.strip() and not is_comment(other)), line)
            if _of_numbers(cells, dialect) and _of_numbers(dialect.cells(following), dialect):
                first = k
                break
            rows.append([cell.strip() for cell in cells])
        elif len(notes) < 5:
            notes.append(f'above the table: "{line.strip()[:60]}"')
        if len(rows) > _HEADER_ROWS:
            first = k + 1
            break
    if not rows and comment is not None:
        rows = [[cell.strip() for cell in comment]]
    if not rows:
        return Heading([f"#{k + 1}" for k in range(dialect.width)], {}, [*notes, "there is no header"], first)
    units: dict[int, str] = {}
    if len(rows) > 1 and sum(map(is_unit, rows[-1])) > 0.5 * dialect.width:
        units = {k: cell.strip("[]() ") for k, cell in enumerate(rows.pop()) if cell.strip("[]() -")}
    names = [".".join(dict.fromkeys(cell for cell in cells if cell)) for cells in zip(*rows[-4:], strict=True)]
    names = [name or f"#{k + 1}" for k, name in enumerate(names)]
    return Heading(unique(names), units, notes, first)


def _of_numbers(cells: list[str], dialect: Dialect) -> bool:
    """Whether at least half of the cells that hold anything hold numbers or dates."""
    filled = [cell for cell in cells if cell.strip()]
    known = [cell for cell in filled if dialect.number(cell) is not None or seconds(cell) is not None]
    return bool(filled) and 2 * len(known) >= len(filled)


@dataclass
class _Body:
    """The rows of numbers, read one after another."""

    source: Source
    dialect: Dialect
    values: array = field(default_factory=lambda: array("d"))
    rows: int = 0
    text: dict[int, str] = field(default_factory=dict)
    dates: set[int] = field(default_factory=set)
    other: int = 0

    def read(self, lines: Iterator[str]) -> None:
        width, most = self.dialect.width, self.source.limits.memory // 8
        for cells in self._cells(lines):
            if len(cells) != width:
                if len(cells) == width + 1 and not cells[-1].strip():
                    cells = cells[:width]  # a separator at the end of the line
                elif not any(cell.strip() for cell in cells):
                    continue
                else:
                    self.other += 1
                    continue
            try:
                row = list(map(float, cells))
            except ValueError:
                row = [self._number(k, cell) for k, cell in enumerate(cells)]
            self.values.extend(row)
            self.rows += 1
            if len(self.values) > most:
                raise self.source.limits.too_large(self.source.path, "its table")
            if self.rows > self.source.limits.rows:
                raise self.source.bad(f"it has more than {self.source.limits.rows} rows", "split it")

    def _cells(self, lines: Iterator[str]) -> Iterator[list[str]]:
        lines = (line for line in lines if not is_comment(line))
        if self.dialect.separator == " ":
            yield from map(str.split, lines)
            return
        try:
            yield from csv.reader(lines, delimiter=self.dialect.separator, skipinitialspace=True)
        except csv.Error as error:
            raise self.source.bad(f"row {self.rows + 1} of its table is not CSV ({error})", "mend it") from None

    def _number(self, column: int, cell: str) -> float:
        value = self.dialect.number(cell)
        if value is None and (column in self.dates or column not in self.text):
            value = seconds(cell)
            if value is not None:
                self.dates.add(column)
        if value is None:
            self.text.setdefault(column, cell.strip())
            return float("nan")
        return value

    def notes(self, names: list[str]) -> list[str]:
        """What a reader should know of the rows."""
        found = []
        if self.other:
            found.append(f"{self.other} lines with another number of cells were left out")
        table = np.frombuffer(self.values, np.float64).reshape(self.rows, -1)
        for column, cell in list(self.text.items())[:4]:
            if np.isfinite(table[:, column]).any():
                found.append(f'{names[column]} holds text such as "{cell[:20]}", taken as missing')
        return found
