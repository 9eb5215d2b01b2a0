"""`steelyard cover PROBLEM`: how often the stated intervals hold the truth, over many simulated logs."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_output
from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, Scheduler, Workers, check_number, parse
from steelyard.errors import BadInput

if TYPE_CHECKING:
    from steelyard.bench import CoverRow

FILTER = "mass-filter"
_HEADS = ("robot", "quantity", "known", "coverage, %", "NEES", "RMS error", "")
_BRACKETS = "In brackets: the 95 % interval of the coverage; the range of NEES where stated deviations are right."


@dataclasses.dataclass(frozen=True)
class Cover:
    """Identifies many simulated logs, and counts how often the stated 95 % intervals hold the truth."""

    problem: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="PROBLEM")]]
    """multirotor, rigid-body, planar-load, spatial-load or jets; or mass-filter: a Kalman filter on its own model, its
    flights simulated and filtered in one loop, a million of them in minutes on a processor, in seconds on a GPU."""
    method: str | None = None
    """Of the problem; by default its own best one."""
    seeds: int = 100
    """Logs, or flights of the mass filter."""
    engine: str = "auto"
    """Of the mass filter's flights: native, cuda or auto."""
    workers: Workers = None
    scheduler: Scheduler = None
    seed: int = 0
    """The first of the seeds."""
    json: Json = False
    quiet: Quiet = False
    page: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Also write the table as a page."""


def run(arguments: Sequence[str]) -> None:
    """Parses, identifies, counts, prints."""
    command = parse(Cover, arguments, "cover")
    if command.page is not None:
        check_output(command.page)
    check_number(command, "seeds", 1, 100_000_000)
    check_number(command, "seed", 0)

    from steelyard._jax import prepare_program

    prepare_program()
    rows, failures = _filter_rows(command) if command.problem == FILTER else _problem_rows(command)

    from steelyard.bench import cover_json
    from steelyard.campaigns import clear_trials

    facts = cover_json(command.problem, command.method, rows, failures)
    if command.page is not None:
        _write_page(command, rows, failures)
    if command.json:
        print_json(facts)
    else:
        _print(command, rows, failures)
    clear_trials("steelyard.bench._cover")  # once all is out


def _problem_rows(command: Cover) -> "tuple[list[CoverRow], list[str]]":
    from steelyard.bench import cover
    from steelyard.campaigns import on_workers
    from steelyard.report import progress

    with (
        on_workers(command.workers, command.scheduler, command.json),
        progress("identifying", command.seeds, quiet=command.json or command.quiet) as advance,
    ):
        return cover(command.problem, command.method, command.seeds, command.seed, advance)


def _filter_rows(command: Cover) -> "tuple[list[CoverRow], list[str]]":
    from steelyard.bench import filter_rows

    if command.method is not None or command.workers is not None or command.scheduler is not None:
        raise BadInput("the mass filter's flights take --seeds, --seed and --engine only; leave the others out.")
    return filter_rows(command.seeds, command.seed, command.engine), []


def _cells(row: "CoverRow") -> list[str]:
    if row.coverage is None or row.low is None or row.high is None or row.nees is None:
        return [row.robot, row.quantity, f"{row.known}/{row.logs}", "", "", "", "never known"]
    verdict = "" if row.fits else ("too narrow" if row.coverage < 0.95 else "too wide")
    coverage = f"{100 * row.coverage:.1f} ({100 * row.low:.1f} - {100 * row.high:.1f})"
    nees = f"{row.nees:.2f} ({row.nees_low:.2f} - {row.nees_high:.2f})"
    return [row.robot, row.quantity, f"{row.known}/{row.logs}", coverage, nees, f"{row.rms:.3g} {row.unit}", verdict]


def _print(command: Cover, rows: "Sequence[CoverRow]", failures: Sequence[str]) -> None:
    title = f"{command.problem}: coverage of the stated 95 % intervals"
    print_table(_HEADS, map(_cells, rows), title, [_BRACKETS, *(f"- failed: {failure}" for failure in failures)])
    if command.page is not None and not command.quiet:
        print(f"Page: {command.page}")


def _write_page(command: Cover, rows: "Sequence[CoverRow]", failures: Sequence[str]) -> None:
    from steelyard.report import Section, fill, value_table, write_page

    body = fill(
        "<p>$logs simulated logs, seeds from $seed on, method $method. In brackets: Clopper and Pearson's 95 % interval"
        " of the coverage, and the range of NEES where the stated deviations are right. NEES is the squared error over "
        "the stated variance, 1 where the deviation is right.</p>$table",
        logs=str(command.seeds),
        seed=str(command.seed),
        method=command.method or "of the problem's own choice",
        table=value_table("coverage", _HEADS, [_cells(row) for row in rows]),
    )
    sections = [Section("Coverage", body)]
    if failures:
        lines = [fill("<li>$line</li>", line=line) for line in failures]
        sections.append(Section("Logs that failed", fill("<ul>$lines</ul>", lines=lines)))
    write_page(f"Coverage: {command.problem}", sections, command.page or "")
