"""`steelyard identify FILE… --as PROBLEM`: identifies from a log of any known format."""

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
import tyro

from steelyard._files import check_outputs
from steelyard.cli._output import print_json
from steelyard.cli._parse import Json, Quiet, parse
from steelyard.config import Config, load
from steelyard.errors import BadInput

if TYPE_CHECKING:
    from steelyard.logs.mapping import Prepared
    from steelyard.problems import Identification
    from steelyard.report import RequestedFile


@dataclasses.dataclass(frozen=True)
class Identify:
    """Identifies a robot or what it carries from a log."""

    files: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="LOG")]]
    """A log with the columns that docs/LOGS.md lists, or the files of one run in any known format."""
    problem: Annotated[str | None, tyro.conf.arg(name="as", metavar="PROBLEM")] = None
    """What to identify, by default the one problem that the files can answer: jets (thrust of every engine),
    multirotor, planar-load, spatial-load (a load that robots hold together), rigid-body (one that one robot alone
    holds), or a .py file that describes a robot of your own."""
    map: Annotated[str | None, tyro.conf.arg(metavar="MAP.toml")] = None
    """Which field is which signal, as steelyard look -o writes it; by default it is found and shown."""
    method: Annotated[str | None, tyro.conf.arg(metavar="METHOD")] = None
    """How; by default the problem's best. For multirotor: smoothed (the default: the log as a whole), causal (the
    same, from each row's past), adaptive (an online filter), ekf, ukf, msckf, swls or rls; for jets: adaptive (the
    default), published, centroidal or engines; for a robot of your own: adaptive, ekf, ukf, msckf or swls."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Noise, guesses and the robot's own parameters; what it does not state is estimated or has a default."""
    known: Annotated[str | None, tyro.conf.arg(metavar="TOOL.urdf")] = None
    """With --as rigid-body: a tool that the sensor carries beside the load, one link in the sensor's frame; what is
    identified comes on top. The same as known in [wrist]."""
    mend: bool = False
    """Mend what is certainly wrong with the log (units, orders, axes, signs, repeated samples), and list it."""
    report: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Also write a report, one file that opens in any browser."""
    urdf: Annotated[str | None, tyro.conf.arg(metavar="FILE.urdf")] = None
    """Also write the load as a URDF, one link with its <inertial> a robot frame; with --as spatial-load
    or rigid-body."""
    payload: Annotated[str | None, tyro.conf.arg(metavar="FORMAT=FILE")] = None
    """Also write the load as mjcf (an <inertial>), ur (a set_target_payload line) or franka (an end-effector JSON), in
    the axes and about the origin of the force sensor; with --as rigid-body."""
    vehicle: Annotated[str | None, tyro.conf.arg(metavar="FORMAT=FILE")] = None
    """Also write the multirotor as px4 or ardupilot (parameters), sdf or mjcf (a model); with --as multirotor."""
    causal: bool = False
    """With --as multirotor: each row's mass from the rows before it, as a robot would have known it then."""
    start: float = -math.inf
    """Leave out what is before this time, s: a take-off from the ground, for example."""
    end: float = math.inf
    """Leave out what is after this time, s."""
    series: bool = False
    """With --json: every quantity over time, too."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> int:
    """Parses, reads, identifies, prints; 3 where nothing that was asked for is known."""
    command = parse(Identify, arguments, "identify")
    if command.series and not command.json:
        raise BadInput("--series goes with --json; add --json, or ask for a --report instead.")
    files = _requested_files(command)
    if command.causal and command.method not in (None, "causal"):
        raise BadInput("--causal is a method of its own; leave --method out.")
    read = (*command.files, command.map, command.config, command.known, command.problem)
    check_outputs((command.report, command.urdf, *(file.path for file in files)), read)
    config = Config() if command.config is None else load(command.config, Config)
    if command.known is not None:
        config = msgspec.structs.replace(config, wrist=msgspec.structs.replace(config.wrist, known=command.known))

    prepared = _prepared(command, config)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import problems, report

    with report.progress("identifying", len(prepared.log), quiet=command.json or command.quiet) as advance:
        method = "causal" if command.causal else command.method
        identification = problems.answer(prepared, config, method, advance, command.mend)
    if command.report is not None:
        report.write_report(identification, command.report)
    if command.urdf is not None:
        report.write_urdf(identification, command.urdf)
    for file in files:
        file.write(identification)
    if command.json:
        mapping = {signal: one.as_json() for signal, one in prepared.mapping.items()}
        print_json(identification.to_dict(command.series) | ({"mapping": mapping} if mapping else {}))
        return _code(identification)
    from rich.console import Console

    report.print_identification(identification, Console(), notes=not command.quiet)
    written = {"Report": command.report, "URDF": command.urdf, **{file.kind.capitalize(): file.path for file in files}}
    for what, path in written.items():
        if path is not None and not command.quiet:
            print(f"{what}: {path}")
    return _code(identification)


def _requested_files(command: Identify) -> "list[RequestedFile]":
    if command.payload is None and command.vehicle is None:
        return []
    from steelyard.report import requested_file

    payload = [] if command.payload is None else [requested_file("payload", command.payload)]
    return payload + ([] if command.vehicle is None else [requested_file("vehicle", command.vehicle)])


def _prepared(command: Identify, config: Config) -> "Prepared":
    """The problem and its rows; the mapping of somebody's files is shown before it is used."""
    from steelyard.logs.mapping import open_log, prepare

    if not command.files:
        raise BadInput(
            "Missing is LOG: name the files, and the problem with --as PROBLEM where they can answer several "
            "(steelyard identify --help tells the options)."
        )
    # Read before JAX is loaded: a wrong name is reported at once.
    prepared = prepare(open_log(command.files, command.map), command.problem, config)
    if prepared.mapping and not (command.json or command.quiet):
        from rich.console import Console

        from steelyard.cli._look import print_mapping

        print_mapping(prepared.mapping, Console())
    if (command.start, command.end) == (-math.inf, math.inf):
        return prepared
    return dataclasses.replace(prepared, log=prepared.log.between(command.start, command.end))


def _code(identification: "Identification") -> int:
    return 0 if identification.knows_something else 3
