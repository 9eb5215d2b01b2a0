"""Tables of numbers as text, in whatever dialect somebody wrote them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.logs._recording import Array, Recording, Stream
from steelyard.logs.formats._columns import clock_of, is_ours, is_unit, named
from steelyard.logs.formats._dialect import Dialect, dialect_of, is_comment, seconds
from steelyard.logs.formats._packets import unique
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._table_body import TableBody
from steelyard.logs.formats._text import blocks_of
from steelyard.logs.formats._tuning import TUNING


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
    blocks = blocks_of(source)
    above: list[str] = []
    for block in blocks:
        above += block.lines()
        if len(above) >= TUNING.table_sample:
            break
    sample = above[: TUNING.table_sample]
    dialect = dialect_of(sample)
    if dialect is None:
        if any("<robot" in line for line in sample):
            raise source.bad("it is a model of a robot (URDF), not a recording", "name the logs alone")
        raise source.bad("no table of numbers was found in it", "see docs/LOGS.md for the formats that are read")
    if dialect.width > source.limits.columns:
        raise source.bad(f"it has {dialect.width} columns, more than {source.limits.columns}", "leave some out")
    heading = _heading(sample, dialect)
    body = TableBody(source, dialect)
    body.read(above[heading.rows :], blocks)
    if not body.rows:
        raise source.bad("there is a heading but no row of numbers below it", "record at least one sample")
    return _recording(source, heading, body)


def _recording(source: Source, heading: Heading, body: TableBody) -> Recording:
    found = [named(name) for name in heading.names]
    short = [one.field for one in found]
    names = short if len(set(short)) == len(short) else unique(heading.names)
    units = {names[k]: one.unit for k, one in enumerate(found) if one.unit is not None}
    units |= {names[k]: unit for k, unit in heading.units.items()}
    columns = body.columns()
    notes = [*heading.notes]
    if body.other:
        notes.append(f"{body.other} lines with another number of cells were left out")
    text = [k for k in body.text if not np.isfinite(columns[k]).any()]
    for k, cell in list(body.text.items())[:4]:
        if k not in text:
            notes.append(f'{names[k]} holds text such as "{cell[:20]}", taken as missing')
    if text:
        shown = ", ".join(names[k] for k in sorted(text)[:8])
        notes.append(f"columns of text were left out: {shown}{' …' if len(text) > 8 else ''}")
    fields = _Fields({name: k for k, name in enumerate(names) if k not in text}, columns)
    ours = is_ours(names)
    clock = clock_of(fields, {"time": "s", **units} if ours else units, frozenset(names[k] for k in body.dates))
    fields = fields.without(clock.column)
    stream = Stream(
        source.stem, source.path, "csv", clock.time, "none" if clock.time is None else f"column {clock.column}",
        fields, {name: unit for name, unit in units.items() if name in fields}, (*notes, *clock.notes), body.rows,
    )  # fmt: skip
    return Recording((source.path,), "steelyard" if ours else "table", (stream,))


class _Fields(Mapping[str, Array]):
    """Columns by their names."""

    def __init__(self, numbers: Mapping[str, int], columns: Mapping[int, Array]):
        self._numbers, self._columns = numbers, columns

    def __getitem__(self, name: str) -> Array:
        return self._columns[self._numbers[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def without(self, name: str) -> "_Fields":
        """All but one."""
        return _Fields({other: k for other, k in self._numbers.items() if other != name}, self._columns)


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
        if len(rows) > TUNING.header_rows:
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
