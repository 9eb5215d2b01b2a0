"""The rows of a table: block by block through pyarrow where that can, else cell by cell.

A large table is not held: which of its blocks are plain rows of numbers is known after the first pass, and columns are
decoded again when they are asked for, as many in one pass as there is memory for.
"""

import csv
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from steelyard.logs._recording import Array
from steelyard.logs.formats._arrow_csv import decoded
from steelyard.logs.formats._dialect import Dialect, is_comment, seconds
from steelyard.logs.formats._lazy import Cache
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._text import Block
from steelyard.logs.formats._tuning import TUNING


@dataclass
class _Part:
    """Rows of consecutive lines: their columns, or where to decode them again."""

    rows: int
    columns: list[np.ndarray] | None
    start: int | None = None
    length: int = 0


class TableBody:
    """The rows of numbers below a heading."""

    def __init__(self, source: Source, dialect: Dialect):
        self.source, self.dialect = source, dialect
        self.rows = 0
        self.text: dict[int, str] = {}
        """The first cell of text, by the column's number."""
        self.dates: set[int] = set()
        self.other = 0
        """Rows of another width, left out."""
        self._parts: list[_Part] = []
        self._held = 0

    def read(self, first: Iterable[str], blocks: Iterator[Block]) -> None:
        """Reads lines, then blocks, to the end of the file."""
        self._add_lines(first)
        every = range(self.dialect.width)
        for block in blocks:
            if b'"' in block.raw:  # what is quoted may go on behind the block's end
                self._add_lines(chain(block.lines(), (line for later in blocks for line in later.lines())))
                return
            columns = decoded(block, self.dialect, every) if self.source.size >= TUNING.arrow_from else None
            if columns is None:
                self._add_lines(block.lines())
            else:
                self._add(_Part(len(columns[0]), columns, block.start, len(block.raw)))

    def columns(self) -> Mapping[int, Array]:
        """Every column by its number."""
        width = self.dialect.width
        if all(part.columns is not None for part in self._parts):
            return {k: np.concatenate([part.columns[k] for part in self._parts if part.columns]) for k in range(width)}
        sizes = dict.fromkeys(range(width), 8 * self.rows)
        return _DecodedColumns(Cache(self._decode, {}, sizes, self.source.limits.memory), width)

    def _add(self, part: _Part) -> None:
        limits, size = self.source.limits, 8 * self.dialect.width
        self._parts.append(part)
        self.rows += part.rows
        self._held += part.rows * size
        if self.rows * size > limits.memory:
            raise limits.too_large(self.source.path, "its table")
        if self.rows > limits.rows:
            raise self.source.bad(f"it has more than {limits.rows} rows", "split it")
        if self._held > limits.memory // TUNING.columns_part:
            for one in self._parts:
                if one.columns is not None and one.start is not None:
                    one.columns = None
                    self._held -= one.rows * size

    def _decode(self, keys: list[int], _: bool) -> dict[int, dict[str, np.ndarray]]:
        found = {key: np.empty(self.rows) for key in keys}
        begin = 0
        for part in self._parts:
            columns = self._again(part, keys) if part.columns is None else [part.columns[key] for key in keys]
            for key, values in zip(keys, columns, strict=True):
                found[key][begin : begin + part.rows] = values
            begin += part.rows
        return {key: {"": values} for key, values in found.items()}

    def _again(self, part: _Part, keys: list[int]) -> list[np.ndarray]:
        raw = self.source.read(part.start or 0, part.length)
        columns = decoded(Block(raw, "utf-8", part.start), self.dialect, keys)
        if columns is None or len(columns[0]) != part.rows:
            raise self.source.bad("it changed while it was read", "read it again when nobody writes to it")
        return columns

    def _add_lines(self, lines: Iterable[str]) -> None:
        width, values, rows = self.dialect.width, array("d"), 0
        most = self.source.limits.memory // 8 - self.rows * width
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
            values.extend(row)
            rows += 1
            if len(values) > most:
                raise self.source.limits.too_large(self.source.path, "its table")
        if rows:
            self._add(_Part(rows, list(np.frombuffer(values, np.float64).reshape(rows, width).T)))

    def _cells(self, lines: Iterable[str]) -> Iterator[list[str]]:
        lines = (line for line in lines if not is_comment(line))
        if self.dialect.separator == " ":
            yield from map(str.split, lines)
            return
        reader = csv.reader(lines, delimiter=self.dialect.separator, skipinitialspace=True)
        try:
            yield from reader
        except csv.Error as error:
            row = self.rows + reader.line_num
            raise self.source.bad(f"row {row} of its table is not CSV ({error})", "mend it") from None

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


class _DecodedColumns(Mapping[int, Array]):
    """Columns that are decoded when they are asked for."""

    def __init__(self, cache: Cache, width: int):
        self._cache, self._width = cache, width

    def __getitem__(self, column: int) -> Array:
        return self._cache.fields(column)[""]

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._width))

    def __len__(self) -> int:
        return self._width
