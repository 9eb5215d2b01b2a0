"""`steelyard identify FILE… --as PROBLEM`: identifies from a log of any known format."""

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from steelyard._files import check_output
from steelyard.cli._output import print_json
from steelyard.cli._parse import parse
from steelyard.config import Config, load
from steelyard.errors import BadInput

if TYPE_CHECKING:
    from steelyard.logs import Log
    from steelyard.logs.mapping import Assessment
    from steelyard.problems import Identification


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
    """How; by default the problem's best. For multirotor: adaptive (the default), ekf, ukf, msckf, swls
    or rls; for jets: adaptive (the default), published, centroidal or engines; for a robot of your own: adaptive, ekf,
    ukf, msckf or swls."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Noise, guesses and the robot's own parameters; what it does not state is estimated or has a default."""
    report: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Also write a report, one file that opens in any browser."""
    urdf: Annotated[str | None, tyro.conf.arg(metavar="FILE.urdf")] = None
    """Also write the load as a URDF, one link with its <inertial> a robot frame; with --as spatial-load
    or rigid-body."""
    start: float = -math.inf
    """Leave out what is before this time, s: a take-off from the ground, for example."""
    end: float = math.inf
    """Leave out what is after this time, s."""
    series: bool = False
    """With --json: every quantity over time, too."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> int:
    """Parses, reads, identifies, prints; 3 where nothing that was asked for is known."""
    command = parse(Identify, arguments, "identify")
    if command.series and not command.json:
        raise BadInput("--series goes with --json; add --json, or ask for a --report instead.")
    for output in (command.report, command.urdf):
        if output is not None:
            check_output(output)
    config = Config() if command.config is None else load(command.config, Config)

    source = _source(command)
    problem, log = source.log_for(command.problem, config)
    if (command.start, command.end) != (-math.inf, math.inf):
        log = log.between(command.start, command.end)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import problems, report

    with report.progress("identifying", len(log), quiet=command.json) as advance:
        identification = problems.identify(log, problem, config, command.method, advance)
    identification = dataclasses.replace(identification, notes=[*source.notes, *identification.notes])
    if command.report is not None:
        report.write_report(identification, command.report)
    if command.urdf is not None:
        report.write_urdf(identification, command.urdf)
    if command.json:
        print_json(identification.to_dict(command.series) | source.as_json())
        return _code(identification)
    from rich.console import Console

    report.print_identification(identification, Console())
    if command.report is not None:
        print(f"Report: {command.report}")
    if command.urdf is not None:
        print(f"URDF: {command.urdf}")
    return _code(identification)


def _code(identification: "Identification") -> int:
    return 0 if identification.knows_something else 3


def _source(command: Identify) -> "_OwnLog | _Foreign":
    """A log in our own columns, or somebody's recording that is mapped to them."""
    from steelyard.logs.mapping import is_own

    if not command.files:
        raise BadInput(
            "Missing is LOG: name the files, and the problem with --as PROBLEM where they can answer several "
            "(steelyard identify --help tells the options)."
        )
    if command.map is None and len(command.files) == 1 and is_own(command.files[0]):
        return _OwnLog(command.files[0])
    return _Foreign(command.files, command.map, quiet=command.json)


@dataclasses.dataclass(frozen=True)
class _OwnLog:
    path: str
    notes: tuple[str, ...] = ()

    def log_for(self, problem: str | None, config: Config) -> "tuple[str, Log]":
        from steelyard.logs import read
        from steelyard.logs.mapping import assess_own

        log = read(self.path)  # before JAX is loaded: a wrong name is reported at once
        return (problem or _only(assess_own(log), log.origin)), log

    def as_json(self) -> dict[str, Any]:
        return {}


class _Foreign:
    def __init__(self, files: Sequence[str], stated: str | None, quiet: bool):
        from steelyard.cli._look import look_at

        self.looked, self.quiet = look_at(files, stated), quiet
        self.used: dict[str, Any] = {}
        self.notes: tuple[str, ...] = ()

    def log_for(self, problem: str | None, config: Config) -> "tuple[str, Log]":
        """The problem, and its rows; the mapping is shown before it is used."""
        from steelyard.logs.mapping import REQUIREMENTS, rows_for, table_of

        looked, origin = self.looked, ", ".join(self.looked.recording.files)
        if looked.mapping.questions and not any(one.possible for one in looked.problems):
            raise BadInput(f"{origin}: {looked.mapping.questions[0]}")
        problem = problem or _only(looked.problems, origin)
        if problem not in REQUIREMENTS:  # a robot of the user's own, or a name that nobody knows
            self.used = looked.mapping.as_json()
            return problem, table_of(looked.recording, looked.mapping)
        assessment = looked[problem]
        if not assessment.possible:
            raise BadInput(f"{origin} cannot answer {problem}: missing {'; '.join(assessment.missing)}.")
        for need in assessment.configuration:
            if "throttle_map" in need and config.multirotor.throttle_map is None:
                raise BadInput(f"{origin}: {need}.")
        self.used = {signal: one.as_json() for signal, one in assessment.mapping.items()}
        if not self.quiet:
            from rich.console import Console

            from steelyard.cli._look import print_mapping

            print_mapping(assessment.mapping, Console())
        log, notes = rows_for(looked.recording, looked.mapping, assessment)
        undecided = [f"{f.subject}: {f.sentence}" for f in looked.mapping.findings if f.verdict == "undecided"]
        self.notes = (*notes, *undecided, *looked.mapping.questions)
        return problem, log

    def as_json(self) -> dict[str, Any]:
        return {"mapping": self.used}


def _only(assessments: "Sequence[Assessment]", origin: str) -> str:
    """The one problem that can be answered; `BadInput` with what is missing where there are several or none."""
    from steelyard.problems import PROBLEMS

    known = [one for one in assessments if one.problem in PROBLEMS]
    possible = [one.problem for one in known if one.possible]
    if len(possible) == 1:
        return possible[0]
    if possible:
        raise BadInput(f"{origin} can answer {' and '.join(possible)}; choose one with --as.")
    nearest_first = sorted(known, key=lambda one: len(one.missing))
    first, *others = nearest_first
    lacks = f"{first.problem} lacks {' and '.join(first.missing[:3])}"
    for one in others[:2]:
        lacks += f"; {one.problem} lacks {' and '.join(text.partition(': no field')[0] for text in one.missing[:3])}"
    raise BadInput(f"{origin} can answer no problem: {lacks}.")
