"""`steelyard trial drone`: a drone's mass in flights with what models lack, and near the bound without."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from steelyard.cli._output import print_json
from steelyard.cli._parse import Json, Quiet, parse
from steelyard.errors import BadInput


@dataclasses.dataclass(frozen=True)
class TrialDrone:
    """Identifies the mass in simulated flights with what models lack, and in flights with white noise only.

    What models lack: gusts, ground effect, battery sag, swinging loads, delays, thrust that changes with the speed.
    """

    part: Literal["all", "disturbed", "perfect"] = "all"
    """Which flights."""
    flights: int = 300
    """Disturbed ones, and a third as many perfect ones."""
    duration: float = 60.0
    """Of a disturbed flight, s; a perfect one lasts 25 s."""
    every: int = 3
    """Each of so many disturbed flights has a change of 10 % of the mass; 0 for none."""
    seed: int = 0
    """Of the first flight; the others follow."""
    each: bool = False
    """With --json: every flight, too."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, flies, prints."""
    command = parse(TrialDrone, arguments, "trial drone")
    if not 1 <= command.flights <= 100_000:
        raise BadInput(f"--flights is {command.flights}; give a number from 1 to 100000.")
    if not 8.0 <= command.duration <= 600.0:
        raise BadInput(f"--duration is {command.duration:g}; give 8 to 600 s.")

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import report
    from steelyard.bench import drone

    perfect = max(1, command.flights // 3) if command.part != "disturbed" else 0
    disturbed = command.flights if command.part != "perfect" else 0
    groups: dict[str, list[dict[str, Any]]] = {}
    with report.progress("flying", perfect + disturbed, quiet=command.json or command.quiet) as advance:
        if disturbed:
            groups["disturbed"] = drone.run_campaign(disturbed, command.duration, command.every, command.seed, advance)
        if perfect:
            groups["perfect"] = drone.run_perfect(perfect, 25.0, command.seed, advance)
    rows = [drone.summary_of(kind, flights).as_json() for kind, flights in groups.items()]
    if command.json:
        print_json({"rows": rows, "aims": drone.AIMS} | ({"each": groups} if command.each else {}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", *(row["kind"] for row in rows), "aim", title="A drone's mass")
    for name in rows[0]:
        if name != "kind":
            aim = drone.AIMS.get(name)
            table.add_row(name, *(_cell(row[name]) for row in rows), "" if aim is None else f"{aim[0]:g} to {aim[1]:g}")
    Console().print(table)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)
