"""`steelyard bench`: speed against peers, and accuracy, in one run."""

import dataclasses
from collections.abc import Sequence

from steelyard.cli._output import print_json
from steelyard.cli._parse import parse
from steelyard.errors import BadInput


@dataclasses.dataclass(frozen=True)
class Bench:
    """Measures a filter's step next to filterpy, the window's next to Ceres, and their accuracy."""

    json: bool = False
    """Print one JSON object and nothing else."""


def run(arguments: Sequence[str]) -> None:
    """Parses, measures, prints."""
    command = parse(Bench, arguments, "bench")
    try:
        import filterpy as filterpy
        import pyceres as pyceres
    except ImportError as error:
        raise BadInput(f'The peer {error.name} is not installed; pip install "steelyard[bench]".') from None

    from steelyard._jax import prepare_program

    prepare_program(remember=False)  # compile times are measured, so none may come from the cache

    from rich.console import Console
    from rich.table import Table

    from steelyard import bench, report

    races = bench.RACES + bench.NATIVE_RACES + bench.FILTER_RACES + bench.WINDOW_RACES + bench.TEAM_RACES
    total = races + bench.JETS_RACES + 3 + len(bench.SEEDS)
    with report.progress("measuring", total, quiet=command.json) as advance:
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
    table = Table("key", "value", "unit", "peer", "ratio", title="Ours, the peer's, and ours over the peer's")
    for row in rows:
        peer, ratio = ("" if value is None else f"{value:.3g}" for value in (row.peer, row.ratio))
        table.add_row(row.key, f"{row.value:.3g}", row.unit, peer, ratio)
    Console().print(table)
