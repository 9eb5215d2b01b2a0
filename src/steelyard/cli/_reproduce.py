"""`steelyard reproduce PAPER`: published, the paper's method, ours, the bound."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import tyro

from steelyard._files import check_output
from steelyard.cli._output import print_json
from steelyard.cli._parse import choose, parse
from steelyard.errors import BadInput
from steelyard.papers.sesame import Settings

PAPERS = {"sesame": "seven online methods on a drone of varying mass"}


@dataclasses.dataclass(frozen=True)
class Sesame:
    """Seven online methods on a drone of varying mass: the paper's tables and figures, and ours beside them."""

    trials: int = 125
    """Flights, a multiple of 25: five trajectories by five mass profiles. The paper has 1250."""
    settings: tyro.conf.OmitArgPrefixes[Settings] = dataclasses.field(default_factory=Settings)
    report: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Where the page with the figures goes; by default sesame.html, and none with --json."""
    seed: int = 0
    """Chooses the courses and the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> None:
    """Parses, reproduces, prints."""
    paper, rest = choose(PAPERS, arguments, "reproduce", "paper")
    command = parse(Sesame, rest, f"reproduce {paper}")
    if command.trials < 25 or command.trials % 25 or command.trials > 1250:
        raise BadInput(f"--trials is {command.trials}; give a multiple of 25 up to 1250.")
    if command.seed < 0:
        raise BadInput(f"--seed is {command.seed}; give a number from 0 up.")
    page = command.report or (None if command.json else "sesame.html")
    if page is not None:
        check_output(page)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import report
    from steelyard.papers import sesame

    repetitions = command.trials // 25
    with report.progress("reproducing", sesame.work(repetitions), quiet=command.json) as advance:
        found = sesame.reproduce(repetitions, command.settings, command.seed, advance)
    if page is not None:
        report.write_page("sesame, reproduced", found.sections, page)
    if command.json:
        print_json(found.as_json())
        return
    _print(found)
    print(f"Report: {page}")


def _print(found) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("quantity", "unit", "published", "the paper's method", "ours", "attainable")
    for row in found.rows:
        figures = (row.published, row.paper_method, row.steelyard, row.bound)
        table.add_row(row.quantity, row.unit, *["" if figure is None else f"{figure:.3g}" for figure in figures])
    console = Console()
    console.print(table)
    for finding in found.findings:
        console.print(f"- {finding}", markup=False, highlight=False)
