"""`steelyard trial disguises`: simulated logs as other people would have written them, read and identified."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

from steelyard.cli._output import print_json, print_table
from steelyard.cli._parse import Json, Quiet, check_number, parse


@dataclasses.dataclass(frozen=True)
class TrialDisguises:
    """Writes a simulated flight and a simulated hold in twelve disguises, and identifies from each."""

    seeds: int = 5
    """Flights and holds; each is written in every disguise."""
    kind: Literal["both", "flight", "hold"] = "both"
    """Which of the two."""
    only: str | None = None
    """Only the disguises whose names hold this text, and none at all."""
    rate: float = 100.0
    """Rows a second, Hz."""
    json: Json = False
    quiet: Quiet = False


def run(arguments: Sequence[str]) -> int:
    """Parses, tries, prints; 1 where a number that is said to be known is wrong."""
    command = parse(TrialDisguises, arguments, "trial disguises")
    check_number(command, "seeds", 1, 10_000)
    check_number(command, "rate", 20, 1000)

    from steelyard._jax import prepare_program

    prepare_program()

    from steelyard import report
    from steelyard.bench.disguises import disguises_of, run_disguises, table_of

    kinds = ("flight", "hold") if command.kind == "both" else (command.kind,)
    total = command.seeds * sum(len(disguises_of(kind)) for kind in kinds)
    with report.progress("identifying", total, quiet=command.json or command.quiet) as advance:
        runs = run_disguises(command.seeds, command.only, kinds, advance, command.rate)
    rows = table_of(runs)
    wrong = sum(row.wrong for row in rows)
    if command.json:
        print_json({"rows": [dataclasses.asdict(row) for row in rows], "runs": [dataclasses.asdict(r) for r in runs]})
        return int(wrong > 0)
    headings = ("disguise", "right", "doubted", "asked", "wrong", "worst σ", "delay: ms rms, error/σ, bound")
    cells = []
    for row in rows:
        counts = [str(count) for count in (row.right, row.doubted, row.asked, row.wrong)]
        late = "" if row.delay_rms is None or row.delay_z is None else f"{1e3 * row.delay_rms:.1f}, {row.delay_z:.2f}"
        late += "" if row.delay_bound is None else f", {1e3 * row.delay_bound:.1f}"
        cells.append((f"{row.kind}, {row.disguise}", *counts, f"{row.worst:.1f}", late))
    how = [f"{row.kind}, {row.disguise}: {row.how or 'nothing to find'}" for row in rows]
    print_table(headings, cells, sentences=how)
    print(f"{wrong} of {len(runs)} logs gave a number beyond 4 standard deviations that was said to be known.")
    return int(wrong > 0)
