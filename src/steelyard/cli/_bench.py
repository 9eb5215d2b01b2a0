"""`steelyard bench`: speed against peers, and accuracy, in one run; `bench peers`, a scoreboard; `bench gpu`."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, check_number, parse
from steelyard.errors import BadInput

if TYPE_CHECKING:
    from steelyard.bench.peers import PeerRow


@dataclasses.dataclass(frozen=True)
class Bench:
    """Measures a filter's step next to filterpy, the window's next to Ceres, and their accuracy."""

    json: Json = False
    quiet: Quiet = False


@dataclasses.dataclass(frozen=True)
class Peers:
    """Weighs the same drones and the same loads at a wrist by our methods, other libraries and the field's methods."""

    files: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="[FILE ...]")]] = ()
    """A recording whose mass is known, in any format: of a drone, or of a wrist; without, simulated ones of both."""
    problem: Annotated[Literal["multirotor", "rigid-body"] | None, tyro.conf.arg(name="as")] = None
    """What is weighed; by default a drone where files are named, and both where they are simulated."""
    mass: float | None = None
    """Of the recorded drone or load, kg."""
    com: tuple[float, float, float] | None = None
    """Centre of the recorded load from the force sensor's origin, sensor axes, m, where it is known."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Of the recording, as for identify."""
    logs: int = 20
    """Simulated ones, of each kind."""
    seed: int = 0
    """Chooses the flights; the loads are always the same."""
    json: Json = False
    quiet: Quiet = False


@dataclasses.dataclass(frozen=True)
class Gpu:
    """Measures the mass filter's campaign on an NVIDIA GPU."""

    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> None:
    """Parses, measures, prints."""
    if arguments and arguments[0] in ("peers", "gpu"):
        {"peers": _peers, "gpu": _gpu}[arguments[0]](arguments[1:])
        return
    command = parse(Bench, arguments, "bench")
    try:
        import filterpy as filterpy
        import pyceres as pyceres
    except ImportError as error:
        raise BadInput(f'The peer {error.name} is not installed; pip install "steelyard[bench]".') from None

    from steelyard._jax import prepare_program

    prepare_program(remember=False)  # compile times are measured, so none may come from the cache

    from steelyard import bench, report

    races = bench.RACES + bench.NATIVE_RACES + bench.FILTER_RACES + bench.WINDOW_RACES + bench.TEAM_RACES
    total = races + bench.JETS_RACES + 3 + len(bench.SEEDS)
    with report.progress("measuring", total, quiet=command.json or command.quiet) as advance:
        rows = bench.measure_speed(advance)
        rows += bench.measure_native(advance)
        rows += bench.measure_filters(advance)
        rows += bench.measure_window(advance)
        rows += bench.measure_team(advance)
        rows += bench.measure_spatial()
        advance(1)
        rows += bench.measure_jets(advance)
        rows += bench.measure_memory()
        advance(1)
        rows += bench.measure_start()
        advance(1)
        rows += bench.measure_accuracy(advance)
    if command.json:
        print_json({"rows": [row.as_json() for row in rows]})
        return
    cells = [(row.key, _short(row.value), row.unit, _short(row.peer), _short(row.ratio)) for row in rows]
    print_table(("key", "value", "unit", "peer", "ratio"), cells, "Ours, the peer's, and ours over the peer's")


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _peers(arguments: Sequence[str]) -> None:
    command = parse(Peers, arguments, "bench peers")
    check_number(command, "logs", 1, 10_000)

    from steelyard._jax import prepare_program

    prepare_program()

    rows = _recorded_rows(command) if command.files else _simulated_rows(command)

    from steelyard.bench.peers import peers_json

    if command.json:
        print_json(peers_json(rows))
    else:
        _print_peers(rows)


def _simulated_rows(command: Peers) -> "list[PeerRow]":
    from steelyard import report
    from steelyard.bench import peers

    if command.mass is not None or command.com is not None or command.config is not None:
        raise BadInput("--mass, --com and --config belong to a recording; name its files, or leave them out.")
    wild = max(1, command.logs // 2)
    drone, wrist = (command.problem in (None, one) for one in ("multirotor", "rigid-body"))
    total = drone * command.logs * len(peers.MASS_METHODS) * len(peers.SCENARIOS)
    total += wrist * (command.logs + wild) * len(peers.WRIST_METHODS)
    rows: list[PeerRow] = []
    with report.progress("weighing", total, quiet=command.json or command.quiet) as advance:
        if drone:
            rows += peers.compare_on_flights(command.logs, command.seed, advance)
        if wrist:
            for motion, logs in (("gentle", command.logs), ("wild", wild)):
                loads = peers.wave(motion, logs)
                rows += peers.compare(peers.WRIST_METHODS, f"{motion} motion of a wrist", loads, advance)
    return rows


def _recorded_rows(command: Peers) -> "list[PeerRow]":
    from steelyard import report
    from steelyard.bench import peers
    from steelyard.config import Config, load

    if command.mass is None or not command.mass > 0:
        raise BadInput("a recording needs the mass to compare with; give --mass in kg.")
    config = Config() if command.config is None else load(command.config, Config)
    if command.problem == "rigid-body":
        case, methods = peers.recorded_wrist(command.files, command.mass, command.com, config), peers.WRIST_METHODS
    elif command.com is not None:
        raise BadInput("--com belongs to a load at a wrist; say --as rigid-body, or leave it out.")
    else:
        case, methods = peers.recorded(command.files, command.mass, config), peers.drone_methods()
    with report.progress("weighing", len(methods), quiet=command.json or command.quiet) as advance:
        return peers.compare(methods, Path(command.files[0]).name, [case], advance)


def _print_peers(rows: "Sequence[PeerRow]") -> None:
    for scenario, quantity in dict.fromkeys((row.scenario, row.quantity) for row in rows):
        group = [row for row in rows if (row.scenario, row.quantity) == (scenario, quantity)]
        unit = next((row.unit for row in group if row.unit), "")
        headings = ("method", f"error, {unit}", "interval holds %", "can be 95 %", "us a row", "")
        print_table(headings, [_peer_cells(row) for row in group], f"{scenario}: {quantity}")


def _peer_cells(row: "PeerRow") -> list[str]:
    held = "" if row.coverage is None else f"{100 * row.coverage:.0f} ({row.answered} of {row.logs})"
    consistent = "yes" if row.consistent else "no"
    return [row.method, _short(row.rms), held, consistent, _short(row.microseconds), row.reason]


def _gpu(arguments: Sequence[str]) -> None:
    command = parse(Gpu, arguments, "bench gpu")

    from steelyard import report
    from steelyard.campaigns._gpu import measure_gpu

    with report.progress("measuring", 4, quiet=command.json or command.quiet) as advance:
        rows = measure_gpu(advance)
    if command.json:
        listed = [{"key": key, "value": value, "unit": unit, "peer": None, "ratio": None} for key, value, unit in rows]
        print_json({"rows": listed})
        return
    for key, value, unit in rows:
        print(f"{key:<40}{value:>14.4g} {unit}")
