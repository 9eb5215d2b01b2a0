"""`steelyard identify LOG --as PROBLEM`: identifies from a log."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated

import tyro

from steelyard._files import check_output
from steelyard.cli._output import print_json
from steelyard.cli._parse import parse
from steelyard.config import Config, load
from steelyard.errors import BadInput


@dataclasses.dataclass(frozen=True)
class Identify:
    """Identifies a robot or what it carries from a log."""

    log: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="LOG")]]
    """A .csv, .csv.gz or .parquet file with the columns that docs/LOGS.md lists."""
    problem: Annotated[str, tyro.conf.arg(name="as", metavar="PROBLEM")]
    """What to identify: jets (thrust of every engine), multirotor, planar-load, spatial-load (a load that robots hold
    together), rigid-body (one that one robot alone holds), or a .py file that
    describes a robot of your own."""
    method: Annotated[str | None, tyro.conf.arg(metavar="METHOD")] = None
    """How; by default the problem's best. For multirotor: adaptive (the default), ekf, ukf, msckf, swls
    or rls; for jets: adaptive (the default), published, centroidal or engines; for a robot of your own: adaptive, ekf,
    ukf, msckf or swls."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Noise, guesses and the robot's own figures; what it does not state is estimated or has a default."""
    report: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Also write a report, one file that opens in any browser."""
    urdf: Annotated[str | None, tyro.conf.arg(metavar="FILE.urdf")] = None
    """Also write the load as a URDF, one link with its <inertial> a robot frame; with --as spatial-load
    or rigid-body."""
    start: float = -math.inf
    """Leave out what is before this time, s: a take-off from the ground, say."""
    end: float = math.inf
    """Leave out what is after this time, s."""
    series: bool = False
    """With --json: every quantity over time, too."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> None:
    """Parses, reads, identifies, prints."""
    command = parse(Identify, arguments, "identify")
    if command.series and not command.json:
        raise BadInput("--series goes with --json; add --json, or ask for a --report instead.")
    for output in (command.report, command.urdf):
        if output is not None:
            check_output(output)
    config = Config() if command.config is None else load(command.config, Config)

    from steelyard import logs

    log = logs.read(command.log)  # before JAX is loaded: a wrong name is told at once
    if (command.start, command.end) != (-math.inf, math.inf):
        log = log.between(command.start, command.end)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import problems, report

    with report.progress("identifying", len(log), quiet=command.json) as advance:
        identification = problems.identify(log, command.problem, config, command.method, advance)
    if command.report is not None:
        report.write_report(identification, command.report)
    if command.urdf is not None:
        report.write_urdf(identification, command.urdf)
    if command.json:
        print_json(identification.as_json(with_series=command.series))
        return
    from rich.console import Console

    report.print_identification(identification, Console())
    if command.report is not None:
        print(f"Report: {command.report}")
    if command.urdf is not None:
        print(f"URDF: {command.urdf}")
