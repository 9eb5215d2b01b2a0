"""`steelyard plan SCENARIO`: what a motion can and cannot identify, and a better one."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_output
from steelyard._jax import prepare_program
from steelyard.cli._output import print_json
from steelyard.cli._parse import choose, parse
from steelyard.errors import BadInput
from steelyard.logs import Log, write
from steelyard.report import progress
from steelyard.worlds import PlanarPush, check_push

if TYPE_CHECKING:
    from steelyard.problems import PlannedMotion

SCENARIOS = {"planar": "robots push an unknown load on a plane"}


@dataclasses.dataclass(frozen=True)
class Planar:
    """Tells what a push of a planar load can identify, and looks for forces within the same limit that tell more."""

    output: Annotated[str | None, tyro.conf.arg(aliases=["-o"], metavar="FORCES")] = None
    """Where the better forces go, as a log with the robots' force columns: .csv, .csv.gz or .parquet."""
    push: tyro.conf.OmitArgPrefixes[PlanarPush] = dataclasses.field(default_factory=PlanarPush)
    seed: int = 0
    """Chooses the scenario's forces, on request the contacts, and where the search begins."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> None:
    """Parses, plans, prints."""
    _, rest = choose(SCENARIOS, arguments, "plan", "scenario")
    command = parse(Planar, rest, "plan planar")
    if command.output is not None:
        check_output(command.output)
    check_push(command.push)
    if command.seed < 0:
        raise BadInput(f"--seed is {command.seed}; give a number from 0 up.")
    prepare_program()

    from steelyard.problems import plan_planar

    with progress("planning", 3, quiet=command.json) as advance:
        motions = plan_planar(command.push, command.seed, advance)
    if command.output is not None:
        better = motions[-1]
        settings = {name: str(value) for name, value in dataclasses.asdict(command.push).items()}
        write(Log(better.time, better.columns(), "plan", {"scenario": "planar", **settings}), command.output)
    if command.json:
        print_json({"scenario": "planar", "motions": [motion.as_json() for motion in motions]})
        return
    _print(motions)
    if command.output is not None:
        print(f"Wrote {command.output}: the better forces, {len(motions[-1].time)} rows.")


def _print(motions: "Sequence[PlannedMotion]") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("forces", "mass", "inertia", "z_c", "com", title="Attainable standard deviations")
    for motion in motions:
        table.add_row(
            motion.name, _share(motion.mass), _share(motion.inertia), _length(motion.z_c), _length(motion.com)
        )
    console = Console()
    console.print(table)
    console.print(
        "z_c: from the middle of the contacts to the centre of mass; com: from a robot's own contact, at worst."
    )
    for motion in motions:
        console.print(f"{motion.name}: {motion.verdict}", markup=False, highlight=False)


def _share(std: float | None) -> str:
    return "cannot be told" if std is None else f"{100 * std:.3g} %"


def _length(std: float | None) -> str:
    return "cannot be told" if std is None else f"{1e3 * std:.3g} mm"
