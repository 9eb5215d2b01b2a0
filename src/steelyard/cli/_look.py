"""`steelyard look FILE…`: what is in these files, and which problems they can answer."""

import dataclasses
import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_outputs, write_text
from steelyard.cli._output import print_json, print_wrapped
from steelyard.cli._parse import Json, Quiet, parse
from steelyard.cli._tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.table import Table

    from steelyard.logs.mapping import Look, SignalSource
    from steelyard.logs.mapping._look import StreamSummary


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
    check_outputs((command.output,), command.files)
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
    for file in looked.recording.files:
        console.print(file, highlight=False, markup=False, style="bold")
    console.print(streams_table(sorted(looked.streams, key=lambda one: -one.rows)[:40], console.width))
    if len(looked.streams) > 40:
        console.print(f"{len(looked.streams) - 40} more streams have fewer rows.")
    print_mapping(looked.mapping.signals, console)
    for finding in looked.mapping.remarks(("found", "undecided", "refused")):
        print_wrapped(f"{finding.verdict}: {finding.subject}: {finding.sentence}", console)
    for question in looked.mapping.questions:
        print_wrapped(f"question: {question}", console)
    console.print("[bold]Problems[/]")
    for problem in sorted(looked.problems, key=lambda one: len(one.missing)):
        if problem.possible:
            possible = f"{problem.problem}: possible with {', '.join(problem.reads)}"
            print_wrapped(possible, console, "  ", "    ", "green")
            for one in problem.without:
                print_wrapped(f"a smaller answer only, without {one}", console, "    ", "    ")
            for need in problem.configuration:
                print_wrapped(f"needs in the configuration: {need}", console, "    ", "    ")
        else:
            lacks = "; ".join(text.partition(": no field of")[0] for text in problem.missing)
            print_wrapped(f"{problem.problem}: missing {lacks}", console, "  ", "    ")


def streams_table(streams: "Sequence[StreamSummary]", width: int) -> "Table":
    """One row a stream; names are never cut. On a narrow terminal fields are counted and not named."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    narrow = width < TUNING.room_for_fields
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("stream", "rate", "rows", "from", "to", "fields"):
        right = heading in ("rate", "rows", "from", "to") or (narrow and heading == "fields")
        whole = heading in ("stream", "rate", "rows") or (narrow and heading == "fields")
        table.add_column(heading, justify="right" if right else "left", no_wrap=whole, overflow="fold")
    for one in streams:
        shown = ", ".join(one.fields[:3]) + (f", {len(one.fields) - 3} more" if len(one.fields) > 3 else "")
        shown = str(len(one.fields)) if narrow else shown
        rate = "-" if one.rate is None else f"{one.rate:.3g} Hz"
        table.add_row(one.name, rate, str(one.rows), when(one.start), when(one.end), shown)
    return table


def print_mapping(signals: "Mapping[str, SignalSource]", console: "Console") -> None:
    """Which field is which signal, and why."""
    console.print("[bold]Mapping[/]")
    for signal, one in signals.items():
        stream = f"{one.streams[0]}: {', '.join(source.rpartition(':')[2] for source in one.source)}"
        axes = one.frame or (" ".join(one.axes) if one.axes else "") or ("rotated" if one.rotation else "")
        parts = [one.unit, f"axes {axes}" if axes else "", f"delay {1e3 * one.delay:.1f} ms" if one.delay else ""]
        text = f"{signal} = {stream} ({', '.join(part for part in parts if part)})"
        print_wrapped(text, console, "  ", "    ", "bold")
        print_wrapped(one.why, console, "      ", "      ")


def when(seconds: float | None) -> str:
    """A time as people write it: a date where it counts from 1970, else seconds."""
    if seconds is None:
        return "-"
    if 1e9 <= seconds < 4e9:
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"{seconds:.2f} s"
