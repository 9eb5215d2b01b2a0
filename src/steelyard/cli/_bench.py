"""`steelyard bench`: speed against peers, and accuracy, in one run; `bench peers`, a scoreboard; `bench gpu`."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    """Weighs the same flights by our methods, by other libraries and by the field's methods."""

    files: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="[FILE ...]")]] = ()
    """A recorded flight of a drone whose mass is known, in any format; without, simulated flights."""
    mass: float | None = None
    """Of the recorded drone, kg."""
    config: Annotated[str | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Of the recorded drone, as for identify."""
    flights: int = 20
    """Simulated ones, of each kind."""
    seed: int = 0
    """Chooses the flights."""
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
    check_number(command, "flights", 1, 10_000)

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
    from steelyard.bench.peers import PEERS, SCENARIOS, measure_peers

    if command.mass is not None or command.config is not None:
        raise BadInput("--mass and --config belong to a recorded flight; name its files, or leave them out.")
    total = command.flights * len(PEERS) * len(SCENARIOS)
    with report.progress("weighing", total, quiet=command.json or command.quiet) as advance:
        return measure_peers(command.flights, command.seed, advance)


def _recorded_rows(command: Peers) -> "list[PeerRow]":
    from steelyard import report
    from steelyard.bench.peers import PEERS, compare_methods, recorded
    from steelyard.config import Config, load

    if command.mass is None or not command.mass > 0:
        raise BadInput("a recorded flight needs the drone's mass to compare with; give --mass in kg.")
    config = Config() if command.config is None else load(command.config, Config)
    flight = recorded(command.files, command.mass, config)
    with report.progress("weighing", len(PEERS), quiet=command.json or command.quiet) as advance:
        return compare_methods(Path(command.files[0]).name, [flight], advance)


def _print_peers(rows: "Sequence[PeerRow]") -> None:
    headings = ("method", "error %", "interval holds %", "can be 95 %", "us a row", "")
    for scenario in dict.fromkeys(row.scenario for row in rows):
        print_table(headings, [_peer_cells(row) for row in rows if row.scenario == scenario], scenario)


def _peer_cells(row: "PeerRow") -> list[str]:
    held = "" if row.coverage is None else f"{100 * row.coverage:.0f} ({row.answered} of {row.flights})"
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
