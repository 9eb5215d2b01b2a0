"""`steelyard reproduce PAPER`: published, the paper's method, ours, the bound."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import tyro

from steelyard._files import check_output
from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, Scheduler, Workers, check_number, choose, parse
from steelyard.errors import BadInput
from steelyard.papers.sesame import Settings

if TYPE_CHECKING:
    from steelyard.papers._reproduction import Reproduction

PAPERS = {
    "cdc14": "a team identifies a plate that it pushes on a plane, without noise",
    "icra15": "the same with noisy velocities",
    "fan17": "a team identifies a rigid load in space, each robot in its own frame",
    "ironcub": "the thrust of every jet of a flying humanoid, failures included",
    "sesame": "seven online methods on a drone of varying mass",
}


@dataclasses.dataclass(frozen=True)
class _Shared:
    report: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Where the page with the figures goes; by default the paper's name, and none with --json."""
    seed: int = 0
    """Chooses whatever is left to chance."""
    workers: Workers = None
    scheduler: Scheduler = None
    json: Json = False
    quiet: Quiet = False


@dataclasses.dataclass(frozen=True)
class Cdc14(_Shared):
    """Four robots identify a plate they push on a plane: the paper's seven steps on MuJoCo, every robot's errors."""


@dataclasses.dataclass(frozen=True)
class Icra15(_Shared):
    """The same with noisy velocities: the paper's method in closed loop, ours, and the Cramér-Rao bound."""

    trials: int = 20
    """Runs of the paper's method and of ours, each with its own noise and forces; about 17 s a run and core."""
    observer_trials: int = 50
    """Motions on which the paper's observer is tried alone, each with every noise level; the paper has 1000."""
    team_trials: int = 0
    """Runs of ours in teams of other sizes and graphs, with bad radios, with robots that come and go, and with a load
    that loses a part."""
    team_sizes: tuple[int, ...] = (3, 8)
    """How many robots those other teams have; a run takes some 3 s a robot and core."""


@dataclasses.dataclass(frozen=True)
class Fan17(_Shared):
    """Five robots identify a rigid load in space, each in its own frame: the paper's method, ours, and the bound."""

    trials: int = 20
    """Runs of both methods, each with its own grips, wrenches and noise; about half a minute a run and core."""
    brief_trials: int = 0
    """Short runs of ours, two robots and much noise, in which every reported load is checked to be physically
    possible."""
    team_trials: int = 0
    """Runs of ours in teams of other sizes on lines, rings and random graphs, and of five robots with bad radios."""
    team_sizes: tuple[int, ...] = (2, 10)
    """How many robots those other teams have; the work grows faster than the team: thirty take minutes."""


@dataclasses.dataclass(frozen=True)
class Ironcub(_Shared):
    """A humanoid on four jets flies, stands on scales and loses engines: the paper's filter, its halves, and ours."""

    trials: int = 20
    """Flights, each with its own engines and noise; about 10 s a flight and core, and some three minutes besides."""


@dataclasses.dataclass(frozen=True)
class Sesame(_Shared):
    """Seven online methods on a drone of varying mass: the paper's tables and figures, and ours beside them."""

    trials: int = 125
    """Flights, a multiple of 25: five trajectories by five mass profiles. The paper has 1250."""
    settings: tyro.conf.OmitArgPrefixes[Settings] = dataclasses.field(default_factory=Settings)


def run(arguments: Sequence[str]) -> None:
    """Parses, reproduces, prints."""
    paper, rest = choose(PAPERS, arguments, "reproduce", "paper")
    kinds = {"cdc14": Cdc14, "icra15": Icra15, "fan17": Fan17, "ironcub": Ironcub, "sesame": Sesame}
    command = parse(kinds[paper], rest, f"reproduce {paper}")
    _check(command)
    page = command.report or (None if command.json else f"{paper}.html")
    if page is not None:
        check_output(page)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import report
    from steelyard.campaigns import clear_trials, on_workers

    with on_workers(command.workers, command.scheduler, command.json):
        found = _reproduce(command)
    if page is not None:
        report.write_page(f"{paper}, reproduced", found.sections, page)
    if command.json:
        print_json(found.as_json())
    else:
        _print(found)
        if not command.quiet:
            print(f"Report: {page}")
    clear_trials(f"steelyard.papers.{'planar' if paper == 'icra15' else paper}")  # once all is out


def _check(command: _Shared) -> None:
    check_number(command, "seed", 0)
    if isinstance(command, Sesame) and (command.trials % 25 or not 25 <= command.trials <= 1250):
        raise BadInput(f"--trials is {command.trials}; give a multiple of 25 up to 1250.")
    if isinstance(command, Fan17 | Icra15 | Ironcub):
        check_number(command, "trials", 1, 100_000)
    if isinstance(command, Fan17):
        check_number(command, "brief_trials", 0, 100_000)
        _check_teams(command, 2, 100)
    if isinstance(command, Icra15):
        check_number(command, "observer_trials", 1, 100_000)
        _check_teams(command, 3, 1000)


def _check_teams(command: Fan17 | Icra15, least: int, most: int) -> None:
    check_number(command, "team_trials", 0, 100_000)
    wrong = [size for size in command.team_sizes if not least <= size <= most]
    if wrong:
        raise BadInput(f"--team-sizes has {wrong[0]}; give numbers from {least} to {most}.")


def _reproduce(command: _Shared) -> "Reproduction":
    """With a bar for those who wait."""
    from steelyard.papers import fan17, ironcub, planar, sesame
    from steelyard.report import progress

    if isinstance(command, Sesame):
        repetitions = command.trials // 25
        work, how = sesame.work(repetitions), functools.partial(sesame.reproduce, repetitions, command.settings)
    elif isinstance(command, Icra15):
        how_much = (command.trials, command.observer_trials, command.team_trials, command.team_sizes)
        work, how = planar.icra15_work(*how_much), functools.partial(planar.reproduce_icra15, *how_much)
    elif isinstance(command, Ironcub):
        work, how = ironcub.work(command.trials), functools.partial(ironcub.reproduce, command.trials)
    elif isinstance(command, Fan17):
        how_many = (command.trials, command.brief_trials, command.team_trials, command.team_sizes)
        work, how = fan17.fan17_work(*how_many), functools.partial(fan17.reproduce_fan17, *how_many)
    else:
        work, how = planar.CDC14_WORK, planar.reproduce_cdc14
    with progress("reproducing", work, quiet=command.json or command.quiet) as advance:
        return how(command.seed, advance)


def _print(found: "Reproduction") -> None:
    headings = ("quantity", "unit", "published", "the paper's method", "ours", "attainable")
    rows = []
    for row in found.rows:
        values = (row.published, row.paper_method, row.steelyard, row.bound)
        rows.append((row.quantity, row.unit, *["" if value is None else f"{value:.3g}" for value in values]))
    print_table(headings, rows, sentences=[f"- {finding}" for finding in found.findings])
