"""What commands write: to standard output, for people or for machines."""

import json
from collections.abc import Iterable, Sequence
from typing import Any


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
    """A table for people, and sentences below it."""
    from rich.console import Console
    from rich.table import Table

    table, console = Table(*headings, title=title), Console()
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for sentence in sentences:
        console.print(sentence, markup=False, highlight=False)
