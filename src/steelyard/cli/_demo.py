"""`steelyard demo`: the main job on embedded defaults."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from steelyard.cli._output import print_json
from steelyard.cli._parse import parse
from steelyard.errors import BadInput


@dataclasses.dataclass(frozen=True)
class Demo:
    """Flies a drone whose mass jumps four times, weighs it from its log alone, and shows how close it came."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="FOLDER")] = "steelyard-demo"
    """Where the log and the report go; made if it is not there."""
    seed: int = 1
    """Chooses the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> None:
    """Simulate, identify, report."""
    command = parse(Demo, arguments, "demo")
    folder = Path(command.output)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another folder with --output.")
    folder.mkdir(parents=True, exist_ok=True)

    from steelyard._jax import prepare_program

    prepare_program()

    from rich.console import Console

    from steelyard import logs, problems, report, worlds

    said = Console(stderr=True, quiet=command.json)
    said.print("A 1 kg drone flies a loop for 25 s; its mass jumps four times.")
    columns = worlds.simulate(worlds.MultirotorFlight(), command.seed)
    logs.write(logs.Log(columns.pop("time"), columns, "simulation"), folder / "flight.csv")
    said.print("Now its log is read back, and the drone weighed from it.")
    log = logs.read(folder / "flight.csv")
    with report.progress("identifying", len(log), quiet=command.json) as advance:
        identification = problems.identify(log, "multirotor", advance=advance)
    report.write_report(identification, folder / "report.html")
    if command.json:
        print_json(identification.as_json())
        return
    report.print_identification(identification, Console())
    print(f"\nLog:    {folder / 'flight.csv'}\nReport: {folder / 'report.html'}")
