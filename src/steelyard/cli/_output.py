"""What commands write: to standard output, for people or for machines."""

import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from steelyard.cli._tuning import TUNING

if TYPE_CHECKING:
    from rich.console import Console


def print_json(answer: Any) -> None:
    """One object on standard output."""
    print(json.dumps(answer, allow_nan=False))


def say(as_json: bool, facts: dict[str, Any], sentence: str) -> None:
    """The facts for a machine, or the sentence for a person; no sentence, no line."""
    if as_json:
        print_json(facts)
    elif sentence:
        print(sentence)


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None, sentences: Iterable[str] = ()
) -> None:
    """A table for people, and sentences below it. Where it does not fit, cells are folded; nothing is cut."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table, console = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0)), Console()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    if title is not None:
        console.print(f"{title}\n", markup=False, highlight=False, style="bold")
    console.print(table)
    for sentence in sentences:
        print_wrapped(sentence, console)


def print_wrapped(text: str, console: "Console", first: str = "", rest: str = "  ", style: str = "") -> None:
    """A paragraph between words, in lines that can be read, those after the first one indented."""
    width = min(console.width, TUNING.line)
    for line in textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False):
        console.print(line, markup=False, highlight=False, style=style, soft_wrap=True)
