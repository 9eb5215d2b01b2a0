"""How a text file writes a table: its separator, its decimal sign and its missing values."""

import csv
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from steelyard.logs.formats._tuning import TUNING

_SEPARATORS = (",", ";", "\t", "|", " ")
COMMENTS = ("#", "%", "//")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "on": 1.0, "off": 0.0}
MISSING = {"", "null", "none", "na", "n/a", "-", "--", "nan", "#n/a"}


@dataclass(frozen=True)
class Dialect:
    """A table's separator (a blank: any run of blanks), its decimal sign and its number of columns."""

    separator: str
    comma: bool
    width: int

    def cells(self, line: str) -> list[str]:
        """A line's cells, without an empty one behind a separator at its end."""
        found = self.split(line)
        return found[:-1] if len(found) == self.width + 1 and not found[-1].strip() else found

    def split(self, line: str) -> list[str]:
        """A line between its separators."""
        if self.separator == " ":
            return line.split()
        if '"' not in line:
            return line.split(self.separator)
        try:
            return next(csv.reader([line], delimiter=self.separator, skipinitialspace=True), [])
        except csv.Error:
            return line.split(self.separator)

    def number(self, cell: str) -> float | None:
        """A cell's number; NaN where it is empty, None where it is text."""
        cell = cell.strip()
        if self.comma and _COMMA_NUMBER.fullmatch(cell):
            cell = cell.replace(",", ".")
        if _NUMBER.fullmatch(cell):
            return float(cell.lower().replace("d", "e") if "d" in cell.lower() else cell)
        plain = cell.lower()
        if plain in MISSING:
            return float("nan")
        return _WORDS.get(plain)


_TIME_OF_DAY = re.compile(r"(\d{1,2}):([0-5]\d):([0-5]\d(?:[.,]\d+)?)")


_DURATION = re.compile(r"([+-]?\d+\.?\d*(?:[eE][+-]?\d+)?) (?:sec|s)")  # MATLAB's


def seconds(cell: str) -> float | None:
    """Seconds since 1970 of a date, since midnight of a time of day, or of a duration; None where it is none."""
    if duration := _DURATION.fullmatch(cell.strip()):
        return float(duration[1])
    if clock := _TIME_OF_DAY.fullmatch(cell.strip()):
        return 3600.0 * int(clock[1]) + 60.0 * int(clock[2]) + float(clock[3].replace(",", "."))
    try:
        date = datetime.fromisoformat(cell.strip())
    except ValueError:
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def is_comment(line: str) -> bool:
    """Whether a line is not part of the table."""
    return line.lstrip().startswith(COMMENTS) and not line.lstrip().lower().startswith("%time")


def dialect_of(sample: list[str]) -> Dialect | None:
    """The dialect in which most of the sample is rows of numbers, all of one width; None where there is none."""
    every = [line for line in sample if line.strip() and not is_comment(line)]
    lines = every[-TUNING.dialect_lines :]
    best, found = (0.0, 0), None
    for separator in _SEPARATORS:
        for comma in (False, True) if separator != "," else (False,):
            trial = Dialect(separator, comma, 0)
            rows = [trial.split(line) for line in lines]
            # A single column is a table too, whatever the separator; it wins only where nothing else is one.
            widths = Counter(len(row) for row in rows)
            for width, _ in widths.most_common(2):
                same = [row for row in rows if len(row) == width]
                numbers = sum(sum(_is_number(trial, cell) for cell in row[: TUNING.dialect_cells]) for row in same)
                score = (round(numbers / max(1, min(width, TUNING.dialect_cells) * len(lines)), 2), width)
                if score > best and numbers:
                    best, found = score, Dialect(separator, comma, width - _ends(trial, every, width))
    return found


def _ends(trial: Dialect, lines: list[str], width: int) -> bool:
    """Whether every row of this width, the heading too, ends with a separator and nothing after it."""
    rows = (trial.split(line) for line in lines)
    return width > 1 and trial.separator != " " and not any(len(row) == width and row[-1].strip() for row in rows)


def _is_number(trial: Dialect, cell: str) -> bool:
    value = trial.number(cell)
    return (value is not None and (value == value or len(cell.strip()) != 1)) or seconds(cell) is not None
