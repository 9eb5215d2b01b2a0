"""`steelyard look FILE…`: what is in these files, and which problems they can answer."""

import dataclasses
import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_output, write_text
from steelyard.cli._output import print_json
from steelyard.cli._parse import Json, Quiet, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from steelyard.logs.mapping import Look, SignalSource


@dataclasses.dataclass(frozen=True)
class LookAt:
    """Shows what is in log files: streams, rates, clocks; which problems they can answer, with which mapping."""

    files: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="FILE")]]
    """Files of one run, in any known format."""
    map: Annotated[str | None, tyro.conf.arg(metavar="MAP.toml")] = None
    """Take this mapping instead of guessing one."""
    output: Annotated[str | None, tyro.conf.arg(aliases=["-o"], metavar="MAP.toml")] = None
    """Also write the mapping, to be edited and given as --map."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, reads, examines, prints."""
    command = parse(LookAt, arguments, "look")
    if command.output is not None:
        check_output(command.output)
    from steelyard.logs.mapping import look_at

    looked = look_at(command.files, command.map)
    if command.output is not None:
        from steelyard.logs.mapping import to_toml

        write_text(command.output, to_toml(looked.mapping))
    if command.json:
        print_json(looked.as_json())
        return
    from rich.console import Console

    print_look(looked, Console())
    if command.output is not None and not command.quiet:
        print(f"Mapping: {command.output}")


def print_look(looked: "Look", console: "Console") -> None:
    """Streams, mapping, findings, questions and problems, for people."""
    from rich.table import Table

    table = Table(title=", ".join(looked.recording.files), title_justify="left")
    for heading in ("stream", "rate", "rows", "from", "to", "fields"):
        table.add_column(heading, justify="right" if heading in ("rate", "rows") else "left")
    for one in sorted(looked.streams, key=lambda stream: -stream.rows)[:40]:
        shown = ", ".join(one.fields[:4]) + (f" and {len(one.fields) - 4} more" if len(one.fields) > 4 else "")
        rate = "-" if one.rate is None else f"{one.rate:.4g} Hz"
        table.add_row(one.name, rate, str(one.rows), when(one.start), when(one.end), shown)
    console.print(table)
    if len(looked.streams) > 40:
        console.print(f"{len(looked.streams) - 40} more streams have fewer rows.")
    print_mapping(looked.mapping.signals, console)
    for finding in looked.mapping.remarks(("found", "undecided", "refused")):
        console.print(f"{finding.verdict}: {finding.subject}: {finding.sentence}", highlight=False, markup=False)
    for question in looked.mapping.questions:
        console.print(f"question: {question}", highlight=False, markup=False)
    for problem in sorted(looked.problems, key=lambda one: len(one.missing)):
        if problem.possible:
            console.print(f"[green]{problem.problem}[/]: possible with {', '.join(problem.reads)}", highlight=False)
            for one in problem.without:
                console.print(f"  a smaller answer only, without {one}", highlight=False, markup=False)
            for need in problem.configuration:
                console.print(f"  needs in the configuration: {need}", highlight=False, markup=False)
        else:
            lacks = "; ".join(text.partition(": no field of")[0] for text in problem.missing)
            console.print(f"{problem.problem}: missing {lacks}", highlight=False, markup=False)


def print_mapping(signals: "Mapping[str, SignalSource]", console: "Console") -> None:
    """Which field is which signal, and why."""
    console.print("[bold]Mapping[/]")
    for signal, one in signals.items():
        stream = f"{one.streams[0]}: {', '.join(source.rpartition(':')[2] for source in one.source)}"
        axes = one.frame or (" ".join(one.axes) if one.axes else "") or ("rotated" if one.rotation else "")
        parts = [one.unit, f"axes {axes}" if axes else "", f"delay {1e3 * one.delay:.1f} ms" if one.delay else ""]
        text = f"  {signal} = {stream} ({', '.join(part for part in parts if part)})"
        console.print(text, highlight=False, markup=False, style="bold")
        console.print(f"      {one.why}", highlight=False, markup=False)


def when(seconds: float | None) -> str:
    """A time as people write it: a date where it counts from 1970, else seconds."""
    if seconds is None:
        return "-"
    if 1e9 <= seconds < 4e9:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"{seconds:.3f} s"
