"""`steelyard simulate SCENARIO -o LOG`: makes a log with truth in it."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Literal

import tyro

from steelyard._face._simulate import check_seed, simulated
from steelyard._files import check_output, whole_file
from steelyard._jax import prepare_program
from steelyard.cli._output import say
from steelyard.cli._parse import check_number, choose, parse
from steelyard.logs import write
from steelyard.papers.sesame import write_data_set
from steelyard.report import progress
from steelyard.worlds import (
    JetsScenario,
    MultirotorScenario,
    PlanarScenario,
    SpatialScenario,
    WristScenario,
    jets_config,
    sesame_flights,
)


@dataclasses.dataclass(frozen=True)
class Multirotor:
    """A multirotor flies a trajectory while its mass changes."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[MultirotorScenario] = dataclasses.field(default_factory=MultirotorScenario)
    seed: int = 0
    """Chooses the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""
    quiet: bool = False
    """Print the result only: no progress, no notes, no names of written files."""


@dataclasses.dataclass(frozen=True)
class Planar:
    """Robots push an unknown load on a plane, and read the velocities of their contacts."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[PlanarScenario] = dataclasses.field(default_factory=PlanarScenario)
    seed: int = 0
    """Chooses the forces, the noise, and on request the contacts."""
    json: bool = False
    """Print one JSON object and nothing else."""
    quiet: bool = False
    """Print the result only: no progress, no notes, no names of written files."""


@dataclasses.dataclass(frozen=True)
class Spatial:
    """Robots hold an unknown rigid load in space and shake it; each reads twist, specific force and its own wrench."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[SpatialScenario] = dataclasses.field(default_factory=SpatialScenario)
    seed: int = 0
    """Chooses where they hold it, how they shake it, and the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""
    quiet: bool = False
    """Print the result only: no progress, no notes, no names of written files."""


@dataclasses.dataclass(frozen=True)
class Wrist:
    """A robot arm moves a load at its wrist, with a force/torque sensor and an inertial sensor that have errors."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[WristScenario] = dataclasses.field(default_factory=WristScenario)
    seed: int = 0
    """Chooses the motion, the directions of the sensor errors, and the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""
    quiet: bool = False
    """Print the result only: no progress, no notes, no names of written files."""


@dataclasses.dataclass(frozen=True)
class Jets:
    """A robot on thrusters stands, takes off, flies forward, turns, flies forward; or stands on scales."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Also write the robot as its owner knows it, URDF and engines, for identify --as jets."""
    scenario: tyro.conf.OmitArgPrefixes[JetsScenario] = dataclasses.field(default_factory=JetsScenario)
    seed: int = 0
    """Chooses the engines' errors and the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""
    quiet: bool = False
    """Print the result only: no progress, no notes, no names of written files."""


@dataclasses.dataclass(frozen=True)
class Sesame:
    """The paper's data set: five trajectories, five mass profiles, fifty repetitions, flown by an MPC."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="DIR")]
    """The folder for the logs; a run that was interrupted goes on where it stopped."""
    repetitions: int = 50
    """Flights of each trajectory and profile."""
    format: Literal["parquet", "csv", "csv.gz"] = "parquet"
    """Of the logs."""
    workers: int | None = None
    """Fly in so many worker processes of dask; by default in a thread a core."""
    scheduler: Annotated[str | None, tyro.conf.arg(metavar="tcp://HOST:PORT")] = None
    """Fly on the workers of this dask scheduler; the logs are written here."""
    seed: int = 0
    """Chooses the trajectories and the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""
    quiet: bool = False
    """Print the result only: no progress, no notes, no names of written files."""


SCENARIOS = {
    "multirotor": "a multirotor flies a trajectory while its mass changes",
    "jets": "a robot on jets or propellers flies, or stands on scales",
    "planar": "robots push an unknown load on a plane",
    "spatial": "robots hold an unknown rigid load in space",
    "wrist": "a robot arm moves a load at its wrist",
    "sesame": "1250 such flights: five trajectories, five mass profiles, an MPC with real bounds",
}


def run(arguments: Sequence[str]) -> None:
    """Parses, flies, writes."""
    scenario, rest = choose(SCENARIOS, arguments, "simulate", "scenario")
    runs = {"jets": _jets, "multirotor": _multirotor, "planar": _planar, "spatial": _spatial, "wrist": _wrist}
    (runs | {"sesame": _sesame})[scenario](rest)


def _multirotor(arguments: Sequence[str]) -> None:
    command = parse(Multirotor, arguments, "simulate multirotor")
    _make(command, "")


def _jets(arguments: Sequence[str]) -> None:
    command = parse(Jets, arguments, "simulate jets")
    if command.config is not None:
        check_output(command.config)
    _make(command, "")
    if command.config is not None:
        with whole_file(command.config) as draft:
            draft.write_text(jets_config(command.scenario), encoding="utf-8")


def _planar(arguments: Sequence[str]) -> None:
    command = parse(Planar, arguments, "simulate planar")
    _make(command, _robots(command.scenario.robots))


def _spatial(arguments: Sequence[str]) -> None:
    command = parse(Spatial, arguments, "simulate spatial")
    _make(command, _robots(command.scenario.robots))


def _robots(number: int) -> str:
    return f" {number} robot{'s' if number > 1 else ''},"


def _wrist(arguments: Sequence[str]) -> None:
    _make(parse(Wrist, arguments, "simulate wrist"), "")


def _make(command: Jets | Multirotor | Planar | Spatial | Wrist, who: str) -> None:
    """Simulates, writes and reports: the same for every scenario that is one log."""
    scenario = type(command).__name__.lower()
    check_output(command.output)
    prepare_program()
    log = simulated(scenario, command.scenario, command.seed)
    write(log, command.output)
    sentence = f"Wrote {command.output}: {len(log)} rows,{who} {log.time[-1]:g} s, truth included."
    facts = {"scenario": scenario, "seed": command.seed, "log": command.output, "rows": len(log)}
    say(command.json, facts, "" if command.quiet else sentence)


def _sesame(arguments: Sequence[str]) -> None:
    command = parse(Sesame, arguments, "simulate sesame")
    check_number(command, "repetitions", 1, 10_000)
    check_seed(command.seed)
    prepare_program()
    flights = list(sesame_flights(command.repetitions))
    from steelyard.campaigns import on_workers

    quiet = command.json
    with on_workers(command.workers, command.scheduler, quiet), progress("flying", len(flights), quiet) as advance:
        written, there = write_data_set(command.output, flights, command.seed, f".{command.format}", advance)
    facts = {"scenario": "sesame", "seed": command.seed, "folder": command.output, "written": written, "there": there}
    already = f", {there} were there already" if there else ""
    sentence = f"Wrote {written} flights of 12 s to {command.output}{already}; truth included."
    say(command.json, facts, "" if command.quiet else sentence)
