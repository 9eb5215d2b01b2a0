"""`steelyard trial chaos`: random teams under random disasters, in virtual time."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

from steelyard.cli._output import print_json
from steelyard.cli._parse import Json, Quiet, Scheduler, Workers, check_number, parse
from steelyard.errors import Failed


@dataclasses.dataclass(frozen=True)
class ChaosCommand:
    """Simulates teams under random disasters and checks invariants at every row; a failing seed replays exactly."""

    problem: Literal["planar-load", "spatial-load"] = "spatial-load"
    """What the team does."""
    runs: int = 20
    """How many, of consecutive seeds."""
    seed: int = 1
    """The first."""
    workers: Workers = None
    scheduler: Scheduler = None
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, runs, prints; a violated invariant ends with code 1."""
    command = parse(ChaosCommand, arguments, "trial chaos")
    check_number(command, "runs", 1)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import live
    from steelyard.campaigns import clear_trials, on_workers
    from steelyard.report import progress

    with (
        on_workers(command.workers, command.scheduler, command.json),
        progress("simulating", command.runs, quiet=command.json) as advance,
    ):
        failures = live.run_chaos(command.problem, command.runs, command.seed, advance)
    found = [
        {
            "seed": one.seed,
            "team": one.team,
            **one.violation._asdict(),
            "disasters": [str(disaster) for disaster in one.disasters],
        }
        for one in failures
    ]
    if command.json:
        print_json({"problem": command.problem, "runs": command.runs, "seed": command.seed, "failures": found})
    else:
        for one in found:
            print(
                f"seed {one['seed']} ({one['team']}): {one['invariant']} at {one['time']:.2f} s, {one['robot']}: "
                f"{one['what']}"
            )
            for disaster in one["disasters"]:
                print(f"    {disaster}")
        print(f"{command.runs - len(found)} of {command.runs} runs held every invariant.")
    clear_trials("steelyard.live")  # once all is out
    if found:
        raise Failed(f"{len(found)} of {command.runs} runs violated an invariant.")
