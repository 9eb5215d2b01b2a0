"""`steelyard team TEAM.toml`: a whole team on this machine; `steelyard team keys TEAM.toml`: its keys."""

import contextlib
import dataclasses
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import tyro

from steelyard.cli._output import print_json, say
from steelyard.cli._parse import Json, Quiet, parse
from steelyard.config import Away, Config, CutLinks, Faults, WrongMotion, load
from steelyard.errors import BadInput, Failed

if TYPE_CHECKING:
    from steelyard.live.page import LivePage


@dataclasses.dataclass(frozen=True)
class TeamCommand:
    """Starts every robot of a team as a process of its own, and a world in which MuJoCo plays the load."""

    team: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="TEAM.toml")]]
    """The team file, as docs/TEAMS.md has it. (steelyard team keys TEAM.toml makes keys for its robots.)"""
    duration: float | None = None
    """Length of the run, s; as [world] says by default."""
    pace: Literal["real", "fast"] | None = None
    """Real time, or as fast as it goes; as [world] says by default."""
    seed: int | None = None
    """Chooses forces, noise and what is lost; as [world] and [faults] say by default."""
    loss: float | None = None
    """Share of messages that are lost."""
    jitter: float | None = None
    """By how much messages may be late, s."""
    kill: Annotated[str | None, tyro.conf.arg(metavar="ROBOT@START[-END]")] = None
    """Kill (-9) a robot's process, and start it again at the end: r3@20-25."""
    cut: Annotated[str | None, tyro.conf.arg(metavar="A-B[,C-D]@START-END")] = None
    """Cut links: r1-r2@30-33."""
    lie: Annotated[str | None, tyro.conf.arg(metavar="ROBOT@START")] = None
    """Let a robot measure a false motion (a faulty member): r2@10."""
    fuzz: int = 0
    """Send so many malformed messages to the first robot over a link of their own (a team without keys only)."""
    measure: bool = False
    """Estimate the same load in one process, too, and print how the two compare and what this run cost; with --json."""
    page: Annotated[int | None, tyro.conf.arg(metavar="PORT")] = None
    """Also show the team live in a browser on this machine, at http://127.0.0.1:PORT; 0 takes any free port."""
    report: Annotated[str | None, tyro.conf.arg(metavar="FILE.html")] = None
    """Write the report of the recordings here; by default report.html in the run's folder."""
    json: Json = False
    quiet: Quiet = False


@dataclasses.dataclass(frozen=True)
class KeysCommand:
    """Makes an authority for a team and one certificate a robot; what is there is kept."""

    team: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="TEAM.toml")]]
    """The team file; [live] keys names the folder, "keys" beside the file by default."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, runs, prints."""
    if arguments and arguments[0] == "keys":
        _keys(parse(KeysCommand, arguments[1:], "team keys"))
        return
    command = parse(TeamCommand, arguments, "team")
    if command.measure and not command.json:
        raise BadInput("--measure goes with --json; add --json.")
    config = _config(load(command.team, Config), command)

    from rich.console import Console
    from rich.live import Live

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import live

    plan = live.plan_team(config, Path(command.team))
    folder = live.next_folder(plan.folder)
    place = msgspec.structs.replace(config.live, folder=str(folder.resolve()))
    plan = live.plan_team(msgspec.structs.replace(config, live=place), Path(command.team))
    settings = folder / "settings.json"
    live.write_settings(plan.config, settings)
    page = None if command.page is None else _page(plan.name, plan.graph.names, command.page)
    team, stopped = live.TeamRunner(plan, settings), []
    before = {one: signal.signal(one, lambda *_: stopped.append(True)) for one in (signal.SIGINT, signal.SIGTERM)}
    console = Console(stderr=True, quiet=command.json or command.quiet)
    try:
        with contextlib.ExitStack() as stack:
            shows: list[Callable[[live.WatchedTeam], None]] = []
            if page is not None:
                stack.callback(page.close)
                shows.append(page.show)
                print(f"Live page: {page.address}", file=sys.stderr, flush=True)
            if console.is_terminal and not (command.json or command.quiet):
                first = live.live_table(team.view, plan.graph.names)
                shown = stack.enter_context(Live(first, console=console, auto_refresh=False))
                shows.append(lambda view: shown.update(live.live_table(view, plan.graph.names), refresh=True))

            def show(view: live.WatchedTeam) -> None:
                for one in shows:
                    one(view)

            outcome = team.run(show, lambda: bool(stopped), command.fuzz)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    try:
        report = live.write_run_report(
            plan, outcome, Path(command.report) if command.report else folder / "report.html"
        )
    except Exception as error:  # whatever a recording does to its report: the outcome is printed
        print(f"steelyard: no report could be made: {type(error).__name__}: {error}", file=sys.stderr)
        report = None
    if command.json:
        measured = {"measured": live.measure(plan, outcome)} if command.measure else {}
        print_json({**measured, **outcome.as_json(), "report": None if report is None else str(report)})
        _raise_failure(team.failure)
        return
    Console().print(live.outcome_table(outcome))
    if not command.quiet:
        print(f"Recordings, checkpoints and logs: {folder}")
        if report is not None:
            print(f"Report: {report}")
    _raise_failure(team.failure)


def _page(team: str, robots: tuple[str, ...], port: int) -> "LivePage":
    from steelyard.live.page import LivePage  # robots, which import `live` too, start sooner without its reports

    return LivePage(team, robots, port)


def _raise_failure(failure: str | None) -> None:
    if failure is not None:
        raise Failed(failure)


def _keys(command: KeysCommand) -> None:
    config = load(command.team, Config)

    from steelyard import live
    from steelyard.team.transport import make_keys

    plan = live.plan_team(config, Path(command.team))
    folder = plan.keys_folder or plan.path.parent / "keys"
    hosts = {name: endpoint.rpartition(":")[0] for name, endpoint in plan.endpoints.links.items()}
    made = make_keys(folder, plan.name, hosts)
    hint = "" if config.live.keys else f' Write keys = "{folder.name}" in [live] of {command.team} to use them.'
    say(
        command.json,
        {"folder": str(folder), "made": [path.name for path in made]},
        ""
        if command.quiet
        else f"{len(made)} files made in {folder}: give each robot authority.crt and its own .crt and .key, keep "
        f"authority.key to yourself.{hint}",
    )


def _config(config: Config, command: TeamCommand) -> Config:
    """The team file with what the command line states instead."""
    world, faults = {}, {}
    for key in ("duration", "pace", "seed"):
        if getattr(command, key) is not None:
            world[key] = getattr(command, key)
    for key in ("loss", "jitter", "seed"):
        if getattr(command, key) is not None:
            faults[key] = getattr(command, key)
    if command.kill is not None:
        robot, start, end = _at("--kill", command.kill, "r3@20-25")
        faults["kill"] = (*config.faults.kill, Away(robot, start, end))
    if command.lie is not None:
        robot, start, _ = _at("--lie", command.lie, "r2@10")
        faults["lie"] = (*config.faults.lie, WrongMotion(robot, start))
    if command.cut is not None:
        which, start, end = _at("--cut", command.cut, "r1-r2@30-33")
        pairs = tuple((one, other) for one, _, other in (link.partition("-") for link in which.split(",")))
        faults["cut"] = (*config.faults.cut, CutLinks(start, end if end is not None else 1e9, pairs))
    changed = msgspec.convert({**msgspec.to_builtins(config.faults), **msgspec.to_builtins(faults)}, Faults)
    return msgspec.structs.replace(config, world=msgspec.structs.replace(config.world, **world), faults=changed)


def _at(option: str, text: str, example: str) -> tuple[str, float, float | None]:
    what, at, times = text.rpartition("@")
    start, _, end = times.partition("-")
    try:
        if not (what and at):
            raise ValueError
        return what, float(start), float(end) if end else None
    except ValueError:
        raise BadInput(f'{option} is "{text}"; write it like {example}, times in s of the run.') from None
