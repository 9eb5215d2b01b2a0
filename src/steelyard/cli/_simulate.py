"""`steelyard simulate SCENARIO -o LOG`: makes a log with truth in it."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

import tyro

from steelyard._face._simulate import check_seed, simulated
from steelyard._files import check_output, write_text
from steelyard._jax import prepare_program
from steelyard.cli._output import say
from steelyard.cli._parse import Json, Quiet, check_number, choose, parse
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

Scenario = TypeVar("Scenario")


@dataclasses.dataclass(frozen=True)
class Simulate(Generic[Scenario]):
    """Options of a scenario that is one log."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    scenario: tyro.conf.OmitArgPrefixes[Scenario]
    seed: int = 0
    """Chooses all that is left to chance."""
    json: Json = False
    quiet: Quiet = False


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
    json: Json = False
    quiet: Quiet = False


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
    json: Json = False
    quiet: Quiet = False


SCENARIOS = {
    "multirotor": "a multirotor flies a trajectory while its mass changes",
    "jets": "a robot on jets or propellers flies, or stands on scales",
    "planar": "robots push an unknown load on a plane",
    "spatial": "robots hold an unknown rigid load in space",
    "wrist": "a robot arm moves a load at its wrist",
    "sesame": "1250 such flights: five trajectories, five mass profiles, an MPC with real bounds",
}
_OF_ONE_LOG = {
    "multirotor": Simulate[MultirotorScenario],
    "jets": Jets,
    "planar": Simulate[PlanarScenario],
    "spatial": Simulate[SpatialScenario],
    "wrist": Simulate[WristScenario],
}


def run(arguments: Sequence[str]) -> None:
    """Parses, flies, writes."""
    scenario, rest = choose(SCENARIOS, arguments, "simulate", "scenario")
    if scenario == "sesame":
        _sesame(rest)
    else:
        about = f"{SCENARIOS[scenario][0].upper()}{SCENARIOS[scenario][1:]}."
        _one_log(scenario, parse(_OF_ONE_LOG[scenario], rest, f"simulate {scenario}", about))


def _one_log(scenario: str, command: "Jets | Simulate[Any]") -> None:
    config = command.config if isinstance(command, Jets) else None
    for path in (command.output, config):
        if path is not None:
            check_output(path)
    prepare_program()
    log = simulated(scenario, command.scenario, command.seed)
    write(log, command.output)
    if config is not None:
        write_text(config, jets_config(command.scenario))
    number = getattr(command.scenario, "robots", 0)
    robots = f" {number} robot{'s' if number > 1 else ''}," if number else ""
    sentence = f"Wrote {command.output}: {len(log)} rows,{robots} {log.time[-1]:g} s, truth included."
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
