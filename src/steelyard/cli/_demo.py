"""`steelyard demo`: the main job on embedded defaults."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_output_folder, make_folder, write_text
from steelyard.cli._output import print_json
from steelyard.cli._parse import Json, Quiet, check_number, parse
from steelyard.errors import BadInput

if TYPE_CHECKING:
    from steelyard.worlds import SpatialScenario

_TEAM = """# Who hears whom: a ring. Also the team file of `steelyard team`, which runs every robot as a process.
[team]
robots = {robots}
links = {links}

[noise]                        # of the robots' sensors, one standard deviation an axis, SI units
{noise}

[live]
problem = "spatial-load"

[world]
duration = {duration}
options = {{ sensors = "{sensors}", drop_share = {drop_share}, drop_time = {drop_time} }}
"""


@dataclasses.dataclass(frozen=True)
class Demo:
    """Five robots hold an unknown load; each identifies it in its own frame, with messages from two neighbours."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="FOLDER")] = "steelyard-demo"
    """Where the log and the report go; made if it is not there."""
    seed: int = 1
    """Chooses grips, wrenches and noise."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Simulate, identify, report."""
    command = parse(Demo, arguments, "demo")
    check_number(command, "seed", 0)
    folder = Path(command.output)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another folder with --output.")
    check_output_folder(make_folder(folder))

    from steelyard._jax import prepare_program

    prepare_program()

    from rich.console import Console

    from steelyard import config, logs, problems, report, worlds
    from steelyard.team import Graph

    console = Console(stderr=True, quiet=command.json or command.quiet)
    hold = worlds.SpatialScenario(robots=5, duration=12.0, sensors="realistic", drop_share=0.4, drop_time=7.0)
    console.print(
        f"Five robots shake a load of {hold.mass:g} kg for {hold.duration:g} s; at {hold.drop_time:g} s "
        f"{100 * hold.drop_share:.0f} % of it breaks off."
    )
    columns = worlds.simulate_spatial(hold, command.seed)
    log_path, team_path, report_path = (folder / name for name in ("hold.csv", "team.toml", "report.html"))
    logs.write(logs.Log(columns.pop("time"), columns, "simulation"), log_path)
    ring = Graph.ring([f"r{i + 1}" for i in range(hold.robots)])
    links = [list(pair) for pair in ring.links]
    write_text(team_path, _team_file(hold, list(ring.names), links))
    console.print(
        "Now the log is read back. No robot knows the load, nor where the others hold it; each hears two others."
    )
    log = logs.read(log_path)
    with report.progress("identifying", len(log), quiet=command.json or command.quiet) as advance:
        found = problems.identify(log, "spatial-load", config.load(team_path, config.Config), progress=advance)
    report.write_report(found, report_path)
    if command.json:
        print_json(found.to_dict())
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=110)  # in a file nothing has to wrap
    report.print_identification(found, console, notes=not command.quiet)
    if command.quiet:
        return
    print(
        f"\nLog:    {log_path}\nTeam:   {team_path}\nReport: {report_path}, with the load in 3D and neighbours' poses"
    )
    print(f"Again:  steelyard identify {log_path} --as spatial-load --config {team_path}")
    print(f"Live:   steelyard team {team_path}")


def _team_file(hold: "SpatialScenario", robots: list[str], links: list[list[str]]) -> str:
    """The team and its sensors' noise; JSON's notation of lists of names is TOML's."""
    import json

    from steelyard.models import WRIST_SIGNALS

    noise = (f"{name.replace('/', '_')} = {std:g}" for name, std in zip(WRIST_SIGNALS, hold.noises, strict=True))
    return _TEAM.format(
        robots=json.dumps(robots),
        links=json.dumps(links),
        noise="\n".join(noise),
        duration=hold.duration,
        sensors=hold.sensors,
        drop_share=hold.drop_share,
        drop_time=hold.drop_time,
    )
