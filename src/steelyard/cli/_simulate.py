"""`steelyard simulate SCENARIO -o LOG`: makes a log with truth in it."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import tyro

from steelyard._files import check_output
from steelyard._jax import prepare_program
from steelyard.cli._output import say
from steelyard.cli._parse import choose, parse
from steelyard.logs import Log, write
from steelyard.worlds import MultirotorFlight, check_flight, simulate


@dataclasses.dataclass(frozen=True)
class Multirotor:
    """A multirotor flies a trajectory while its mass changes."""

    output: Annotated[str, tyro.conf.arg(aliases=["-o"], metavar="LOG")]
    """Where the log goes: .csv, .csv.gz or .parquet."""
    flight: tyro.conf.OmitArgPrefixes[MultirotorFlight] = dataclasses.field(default_factory=MultirotorFlight)
    seed: int = 0
    """Chooses the noise."""
    json: bool = False
    """Print one JSON object and nothing else."""


SCENARIOS = {"multirotor": "a multirotor flies a trajectory while its mass changes"}


def run(arguments: Sequence[str]) -> None:
    """Parses, flies, writes."""
    scenario, rest = choose(SCENARIOS, arguments, "simulate", "scenario")
    command = parse(Multirotor, rest, f"simulate {scenario}")
    check_output(command.output)
    check_flight(command.flight)
    prepare_program()
    columns = simulate(command.flight, command.seed)
    settings = {name: str(value) for name, value in dataclasses.asdict(command.flight).items()}
    log = Log(
        columns.pop("time"), columns, "simulation", {"scenario": "multirotor", "seed": str(command.seed), **settings}
    )
    write(log, command.output)
    facts = {"scenario": "multirotor", "seed": command.seed, "log": command.output, "rows": len(log)}
    say(command.json, facts, f"Wrote {command.output}: {len(log)} rows, {log.time[-1]:g} s, truth included.")
