"""`steelyard trial faults PROBLEM`: what becomes of the answers when a log is faulty."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_output
from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, Scheduler, Workers, check_number, parse
from steelyard.errors import BadInput, nearest

if TYPE_CHECKING:
    from steelyard.bench.faults import FaultRow

_HEADINGS = ("fault", "strength", "runs", "right %", "doubted %", "wrong %", "named %", "worst σ")


@dataclasses.dataclass(frozen=True)
class TrialFaults:
    """Tries a problem on simulated logs with faults, each mild and strong, and on clean ones.

    What an interrupted trial has done is kept until the code changes.
    """

    problem: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="PROBLEM")]] = "all"
    """multirotor, rigid-body, planar-load, spatial-load, jets or own."""
    seen: bool = False
    """Instead, make again what once came out confidently wrong, of one problem or of all."""
    runs: int = 5
    """Logs a fault and strength."""
    clean: int | None = None
    """Clean logs; by default ten times as many."""
    only: str | None = None
    """Only the faults whose names hold this text; "clean" for the clean logs alone."""
    seed: int = 0
    """Chooses the logs."""
    workers: Workers = None
    scheduler: Scheduler = None
    json: Json = False
    quiet: Quiet = False
    page: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Also write the table as a page."""


def run(arguments: Sequence[str]) -> None:
    """Parses, tries, prints."""
    command = parse(TrialFaults, arguments, "trial faults")
    if command.page is not None:
        check_output(command.page)
    check_number(command, "runs", 1, 10_000)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import report
    from steelyard.bench.faults import TRIED, rounds, run_faults, table_of, totals
    from steelyard.campaigns import on_workers

    if command.seen and command.problem in ("all", *TRIED):
        return _run_seen(command)
    if command.problem not in TRIED:
        raise BadInput(f'There are no faults for "{command.problem}"; {nearest(command.problem, list(TRIED))}')
    problem = TRIED[command.problem]
    clean = 10 * command.runs if command.clean is None else command.clean
    jobs, quiet = rounds(problem, command.runs, command.seed, clean, command.only), command.json or command.quiet
    if not jobs:
        raise BadInput(
            f'No fault has "{command.only}" in its name; there are {", ".join(f.name for f in problem.faults)}.'
        )
    with (
        on_workers(command.workers, command.scheduler, quiet),
        report.progress("trying faults", len(jobs), quiet=quiet) as advance,
    ):
        found = run_faults(problem, jobs, advance)
    rows, summary = table_of(found), totals(found)
    if command.page is not None:
        _write_page(command, rows, summary)
    if command.json:
        runs = [dataclasses.asdict(one) for one in found]
        print_json(
            {"problem": problem.name, **summary, "rows": [dataclasses.asdict(row) for row in rows], "each": runs}
        )
        return
    print_table(_HEADINGS, map(_cells, rows))
    for name, value in summary.items():
        print(f"{name}: {value if not isinstance(value, float) else f'{100 * value:.2f} %'}")
    if command.page is not None and not command.quiet:
        print(f"Page: {command.page}")


def _run_seen(command: TrialFaults) -> None:
    from steelyard.bench.faults import SEEN
    from steelyard.report import progress

    cases = [case for case in SEEN if command.problem in ("all", case.problem.name)]
    rows = []
    with progress("trying what was seen", len(cases), quiet=command.json or command.quiet) as advance:
        for case in cases:
            run = case.run()
            off = f", {run.what} {run.worst:.1f} σ off" if run.what else ""
            rows.append((case.problem.name, case.what, case.before, f"{run.verdict}{off}", run.sentence))
            advance(1)
    headings = ("problem", "what was done", "then", "now", "sentence")
    if command.json:
        print_json({"seen": [dict(zip(headings, row, strict=True)) for row in rows]})
        return
    print_table(headings, [(*row[:4], row[4][:100]) for row in rows])


def _cells(row: "FaultRow") -> list[str]:
    named = "" if row.named is None else f"{100 * row.named:.0f}"
    shares = [f"{100 * share:.0f}" for share in (row.right, row.doubted, row.wrong + row.crashed)]
    return [row.fault, row.strength, str(row.runs), *shares, named, f"{row.worst:.1f}"]


def _write_page(command: TrialFaults, rows: "Sequence[FaultRow]", summary) -> None:
    from steelyard.report import Section, fill, value_table, write_page

    body = value_table("faults", _HEADINGS, [_cells(row) for row in rows])
    lines = [fill("<li>$name: $value</li>", name=name.replace("_", " "), value=str(v)) for name, v in summary.items()]
    write_page(
        f"Faults: {command.problem}",
        [Section("Figures", fill("<ul>$lines</ul>", lines=lines)), Section("Fault by fault", body)],
        command.page or "",
    )
