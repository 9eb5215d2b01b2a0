"""`steelyard agent TEAM.toml --robot r3`: one robot, in production."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import tyro

from steelyard.cli._parse import parse


@dataclasses.dataclass(frozen=True)
class AgentCommand:
    """Runs one robot of a team: its sensors come on a local key of its own, its estimate leaves on another."""

    team: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="TEAM.toml")]]
    """The team file: [team], [noise] and [live], as docs/TEAMS.md has them."""
    robot: Annotated[str, tyro.conf.arg(metavar="NAME")]
    """Which robot this is."""
    replay: Annotated[str | None, tyro.conf.arg(metavar="LOG")] = None
    """Take the robot's samples from a log, at their own pace, instead of from its sensors."""
    anew: bool = False
    """Forget the checkpoint of an earlier process."""
    settings: Annotated[str | None, tyro.conf.arg(metavar="FILE.json")] = None
    """Settings that take the place of the team file's; steelyard team writes them."""


def run(arguments: Sequence[str]) -> None:
    """Parses and runs until it is stopped."""
    command = parse(AgentCommand, arguments, "agent")
    # Checks that need neither JAX nor a network come first, so that a wrong name is reported at once.
    from steelyard.config import Config, Faults, load

    if command.settings is None:
        load(command.team, Config)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import live

    plan = live.read_settings(command.team, command.settings)
    run = live.run_robot if plan.config.faults == Faults() else live.run_disturbed_robot
    run(plan, command.robot, command.anew, command.replay)
