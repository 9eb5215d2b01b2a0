"""What was found, on a terminal."""

import dataclasses
import re
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from steelyard.problems import Identification
from steelyard.report._headline import headline
from steelyard.report._rows import EVENT_WORDS, QuantityRow, event_size, rows, unit_of
from steelyard.report._tuning import LAYOUT

_STATUS_STYLES = {
    "known": "green",
    "doubtful": "bold yellow",
    "not-yet-known": "yellow",
    "not-identifiable": "yellow",
    "failed": "bold red",
}
_EVENT_STYLES = {"change": "cyan", "contact": "yellow", "fault": "bold red", "recovered": "green"}


def tables(identification: Identification, whole: bool = True) -> list[Table]:
    """What was asked for, and what the log tells of its sensors; see `table`."""
    every = rows(identification)
    asked = [row for row in every if not _of_sensor(row.quantity)]
    sensors = [row for row in every if _of_sensor(row.quantity)]
    return [table(found, whole, dim=found is sensors) for found in (asked, sensors) if found]


def table(found: Sequence[QuantityRow], whole: bool = True, dim: bool = False) -> Table:
    """One row a robot and quantity: value and 95 % interval, unit, status, and truth and error where known.

    The robot has a column where there are several. With `whole`, names and numbers are not broken, which a narrow
    terminal would cut.
    """
    several = len({row.robot for row in found}) > 1
    with_truth = any(row.error or row.truth for row in found)
    names = (*(("robot",) if several else ()), "sensor error" if dim else "quantity", "value (95 %)", "unit", "status")
    status_width = max((len(word) for row in found for word in row.words.split()), default=0)
    answer = _table(*names, *(("truth", "error") if with_truth else ()), whole=whole, status_width=status_width)
    for row in found:
        cells = [_text(row.quantity), _text(_value(row)), _text(row.unit), _text(row.words, _STATUS_STYLES[row.status])]
        cells += [_text(_truth(row)), _text(_error(row, several))] if with_truth else []
        answer.add_row(*([_text(row.robot)] if several else []), *cells, style="dim" if dim else None)
    return answer


def events_table(identification: Identification) -> Table:
    """What happened, and when."""
    answer = _table("time", "event", "robot", "quantity", "size", "what happened")
    for event in identification.events:
        unit = unit_of(identification, event.robot, event.quantity)
        answer.add_row(
            _text(f"{event.time:.2f} s"),
            _text(EVENT_WORDS[event.kind], _EVENT_STYLES[event.kind]),
            _text(event.robot),
            _text(event.quantity),
            _text(event_size(event, unit) or "—"),
            _text(event.message),
        )
    return answer


def print_identification(identification: Identification, console: Console, notes: bool = True) -> None:
    """The answer in one sentence, the table, the events, the verdict in paragraphs, and the notes."""
    console.print(_text(headline(identification), "bold"), width=_paragraph_width(console))
    console.print(_text(f"{identification.problem}, {identification.method}, {identification.origin}\n", "dim"))
    identification, folded = _without_poses(identification)
    for k, (whole, broken) in enumerate(zip(tables(identification), tables(identification, whole=False), strict=True)):
        if k:
            console.print()
        least = Measurement.get(console, console.options.update(max_width=1000), whole).minimum
        console.print(whole if least <= console.width else broken)
    if folded:
        console.print(_text(f"{folded} poses of neighbours are not shown; --report and --json have them.", "dim"))
    if identification.events:
        console.print()
        console.print(events_table(identification))
    _print_paragraphs("Verdict", paragraphs(identification.verdict, list(identification.robots)), console)
    if notes and identification.notes:
        _print_paragraphs("Notes", list(identification.notes), console)


def _without_poses(identification: Identification) -> tuple[Identification, int]:
    """Without the neighbours' poses where other quantities are left, and how many those were."""
    rest = {
        robot: {name: one for name, one in found.items() if not name.startswith("pose/")}
        for robot, found in identification.robots.items()
    }
    if not all(rest.values()):
        return identification, 0
    folded = sum(len(identification.robots[robot]) - len(found) for robot, found in rest.items())
    return dataclasses.replace(identification, robots=rest), folded


def paragraphs(verdict: str, robots: Sequence[str]) -> list[str]:
    """A verdict a robot; what is said of all of them stands with the robot before it.

    >>> paragraphs("r1: the mass is 2 kg. r2: it is not known.", ["r1", "r2"])
    ['r1: the mass is 2 kg.', 'r2: it is not known.']
    """
    starts = "|".join(re.escape(robot) for robot in robots)
    return [part.strip() for part in re.split(rf"\s+(?=(?:{starts}): )", verdict)] if starts else [verdict]


def _print_paragraphs(title: str, texts: Sequence[str], console: Console) -> None:
    """Each wrapped between words, indented below its title, in lines that can be read."""
    console.print(Text(f"\n{title}", "bold"))
    for text in texts:
        for line in _text(text).wrap(console, _paragraph_width(console) - 2):
            console.print(Text("  ") + line, soft_wrap=True)


def _paragraph_width(console: Console) -> int:
    return min(console.width, LAYOUT.line)


def _table(*headings: str, whole: bool = False, status_width: int = 0) -> Table:
    answer = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        right = heading in ("time", "size")
        unbroken = whole and heading not in ("status", "what happened")
        side = "right" if right else "left"
        least = status_width if whole and heading == "status" else None
        answer.add_column(heading, justify=side, overflow="fold", no_wrap=unbroken, min_width=least)
    return answer


def _value(row: QuantityRow) -> str:
    if not row.parts:
        return "—"
    width = max(len(part.label) for part in row.parts)
    return "\n".join(f"{part.label:<{width}} {part.value}".strip() for part in row.parts)


def _of_sensor(quantity: str) -> bool:
    return quantity.startswith(("offset/", "bias/", "delay/"))


def _truth(row: QuantityRow) -> str:
    return "\n".join(part.truth for part in row.parts).rstrip() or row.truth or "—"


def _error(row: QuantityRow, narrow: bool) -> str:
    """In two lines for a vector, which has as many, and where the table has a column for the robot, too."""
    return (row.error.replace(", ", ",\n", 1) if narrow or len(row.parts) > 1 else row.error) or "—"


def _text(words: str, style: str = "") -> Text:
    """Text from a log as it is: no console markup, and no control characters that a terminal would obey."""
    return Text("".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in words), style)
