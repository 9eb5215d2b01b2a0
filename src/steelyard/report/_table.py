"""What was found, on a terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from steelyard.problems import Identification
from steelyard.report._rows import EVENT_WORDS, Row, event_size, rows, unit_of

_STATUS_STYLES = {
    "known": "green",
    "doubtful": "bold yellow",
    "not-yet-known": "yellow",
    "not-identifiable": "yellow",
    "failed": "bold red",
}
_EVENT_STYLES = {"change": "cyan", "fault": "bold red", "recovered": "green"}


def table(identification: Identification) -> Table:
    """One row a robot and quantity: value and 95 % interval, unit, status, and truth and error where known."""
    found = rows(identification)
    with_truth = any(row.error or row.truth for row in found)
    answer = _table("robot", "quantity", "value (95 %)", "unit", "status", *(("truth", "error") if with_truth else ()))
    for row in found:
        cells = [
            _text(row.robot),
            _text(row.quantity),
            _text(_value(row)),
            _text(row.unit),
            _text(row.words, _STATUS_STYLES[row.status]),
        ]
        answer.add_row(*cells, *((_text(_truth(row)), _text(row.error or "—")) if with_truth else ()))
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


def print_identification(identification: Identification, console: Console) -> None:
    """The table, the events, the verdict and the notes."""
    console.print(_text(f"{identification.problem}, {identification.method}, {identification.origin}", "bold"))
    console.print(table(identification))
    if identification.events:
        console.print(events_table(identification))
    console.print(Text.assemble(("Verdict: ", "bold"), _text(identification.verdict)))
    for note in identification.notes:
        console.print(Text.assemble(("Note: ", "bold"), _text(note)))


def _table(*headings: str) -> Table:
    answer = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        right = heading in ("time", "size")
        answer.add_column(heading, justify="right" if right else "left", overflow="fold")
    return answer


def _value(row: Row) -> str:
    if not row.parts:
        return "—"
    width = max(len(part.label) for part in row.parts)
    return "\n".join(f"{part.label:<{width}} {part.value}".strip() for part in row.parts)


def _truth(row: Row) -> str:
    return "\n".join(part.truth for part in row.parts).rstrip() or row.truth or "—"


def _text(words: str, style: str = "") -> Text:
    """Text from a log as it is: no console markup, and no control characters that a terminal would obey."""
    return Text("".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in words), style)
