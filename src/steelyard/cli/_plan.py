"""`steelyard plan SCENARIO`: what a motion can and cannot identify, and a better one."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

import tyro

from steelyard._face._simulate import planned
from steelyard._files import check_output
from steelyard._jax import prepare_program
from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, choose, parse
from steelyard.logs import Log, write
from steelyard.report import progress
from steelyard.worlds import PlanarScenario, SpatialScenario

if TYPE_CHECKING:
    from steelyard.planning import PlannedMotion, PlannedSpatialMotion

SCENARIOS = {
    "planar": "robots push an unknown load on a plane",
    "spatial": "robots hold an unknown load in space",
}


@dataclasses.dataclass(frozen=True)
class Planar:
    """Reports what a motion of a planar load can identify, and looks for better forces within the same limit."""

    output: Annotated[str | None, tyro.conf.arg(aliases=["-o"], metavar="FORCES")] = None
    """Where the better forces go, as a log with the robots' force columns: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[PlanarScenario] = dataclasses.field(default_factory=PlanarScenario)
    seed: int = 0
    """Chooses the scenario's forces, on request the contacts, and where the search begins."""
    json: Json = False
    quiet: Quiet = False


@dataclasses.dataclass(frozen=True)
class Spatial:
    """Reports what a motion of a load that robots hold can identify, and looks for a more informative one."""

    output: Annotated[str | None, tyro.conf.arg(aliases=["-o"], metavar="WRENCHES")] = None
    """Where the better wrenches go, as a log with the robots' wrench columns: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[SpatialScenario] = dataclasses.field(
        default_factory=lambda: SpatialScenario(robots=5)
    )
    seed: int = 0
    """Chooses grips and wrenches, and among which motions a better one is looked for."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, plans, prints."""
    scenario, rest = choose(SCENARIOS, arguments, "plan", "scenario")
    command = parse({"planar": Planar, "spatial": Spatial}[scenario], rest, f"plan {scenario}")
    if command.output is not None:
        check_output(command.output)
    prepare_program()

    from steelyard.planning import TUNING

    steps = TUNING.candidates + 1 if isinstance(command, Spatial) else 3
    with progress("planning", steps, quiet=command.json or command.quiet) as progressed:
        motions = planned(scenario, command.scenario, command.seed, progressed)
    better = motions[-1]
    if command.output is not None:
        settings = {name: str(value) for name, value in dataclasses.asdict(command.scenario).items()}
        write(Log(better.time, better.columns(), "plan", {"scenario": scenario, **settings}), command.output)
    if command.json:
        print_json({"scenario": scenario, "motions": [motion.as_json() for motion in motions]})
        return
    if isinstance(command, Spatial):
        _print_holds(cast("Sequence[PlannedSpatialMotion]", motions))
    else:
        _print(cast("Sequence[PlannedMotion]", motions))
    if command.output is not None and not command.quiet:
        inputs = "wrenches" if isinstance(command, Spatial) else "forces"
        print(f"Wrote {command.output}: the better {inputs}, {len(better.time)} rows.")


def _print_holds(motions: "Sequence[PlannedSpatialMotion]") -> None:
    shown = list(motions[0].std)
    looks = {"mass": _share, "inertia": _share, "com": _length, "position": _length, "rotation": _angle}
    rows = [[motion.name, *[looks[quantity](motion.std[quantity]) for quantity in shown]] for motion in motions]
    verdicts = [f"{motion.name}: {motion.verdict}" for motion in motions]
    print_table(["motion", *shown], rows, "Attainable standard deviations at the worst robot", verdicts)


def _print(motions: "Sequence[PlannedMotion]") -> None:
    rows = [
        (motion.name, _share(motion.mass), _share(motion.inertia), _length(motion.z_c), _length(motion.com))
        for motion in motions
    ]
    legend = "z_c: from the middle of the contacts to the centre of mass; com: from a robot's own contact, at worst."
    sentences = [legend, *[f"{motion.name}: {motion.verdict}" for motion in motions]]
    print_table(("forces", "mass", "inertia", "z_c", "com"), rows, "Attainable standard deviations", sentences)


def _share(std: float | None) -> str:
    return "not identifiable" if std is None else f"{100 * std:.3g} %"


def _length(std: float | None) -> str:
    return "not identifiable" if std is None else f"{1e3 * std:.3g} mm"


def _angle(std: float | None) -> str:
    return "not identifiable" if std is None else f"{1e3 * std:.3g} mrad"
