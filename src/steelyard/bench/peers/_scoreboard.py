"""The scoreboard: the same flights and truths for everybody; accuracy beside speed and whether intervals hold."""

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.bench._cover import HALF, clopper_pearson
from steelyard.bench.peers import _filters, _ours, _textbook_methods
from steelyard.bench.peers._flight import SCENARIOS, Flight, MassEstimate, fly

MassMethod = Callable[[Flight], MassEstimate | None]
PEERS: dict[str, MassMethod] = {
    "steelyard, identify": _ours.by_identify,
    "steelyard, the same filter": _ours.by_our_filter,
    "filterpy": _filters.by_filterpy,
    "pykalman": _filters.by_pykalman,
    "kalman-py": _filters.by_kalman_py,
    "gtsam": _filters.by_gtsam,
    "cuthbert": _filters.by_cuthbert,
    "pyceres, batch fit": _filters.by_ceres,
    "PX4's hover-thrust filter": _textbook_methods.by_hover_thrust_filter,
    "least squares, Savitzky-Golay": _textbook_methods.by_least_squares,
    "regression on the thrust axis": _textbook_methods.by_body_axis_regression,
    "recursive least squares": _textbook_methods.by_recursive_least_squares,
    "TAG-K (Kaczmarz)": _textbook_methods.by_tail_averaged_kaczmarz,
}
OURS = "steelyard"


@dataclasses.dataclass(frozen=True)
class PeerRow:
    """One method on one kind of flight."""

    method: str
    scenario: str
    flights: int
    answered: int
    """Flights in which it stated a mass."""
    rms: float | None
    """Root mean square of the relative error, %."""
    coverage: float | None
    """Share of the stated 95 % intervals that hold the truth, with Clopper and Pearson's interval; None for a method
    that states no interval."""
    low: float | None
    high: float | None
    microseconds: float | None
    """A row of the flight, of processor time; what it takes to compile is not in it."""
    reason: str = ""
    """Why it did not run, or where it is ahead of ours."""

    @property
    def consistent(self) -> bool:
        """Whether the coverage can be 95 %; one interval that misses speaks against it where there is no other."""
        if self.coverage is None or self.low is None or self.high is None:
            return False
        return self.low <= 0.95 <= self.high and not (self.answered == 1 and self.coverage == 0.0)


def measure_peers(
    flights: int = 20, seed: int = 0, advance: Callable[[int], None] = lambda steps: None
) -> list[PeerRow]:
    """All methods on simulated flights; each kind of flight has rows of its own."""
    rows = []
    for scenario in SCENARIOS:
        rows += compare_methods(scenario, [fly(scenario, seed + k) for k in range(flights)], advance)
    return rows


def compare_methods(
    name: str, flown: list[Flight], advance: Callable[[int], None] = lambda steps: None
) -> list[PeerRow]:
    """A row for each method on these flights."""
    return _compared([_row(method, name, flown, advance) for method in PEERS])


def _row(name: str, scenario: str, flown: list[Flight], advance: Callable[[int], None]) -> PeerRow:
    estimate = PEERS[name]
    try:
        estimate(flown[0])  # compiles, imports
        answers, taken = [], []
        for flight in flown:
            begin = time.process_time()
            answers.append(estimate(flight))
            taken.append((time.process_time() - begin) / len(flight.time))
            advance(1)
    except ImportError as error:
        advance(len(flown))
        return PeerRow(name, scenario, len(flown), 0, None, None, None, None, None, f"not installed: {error.name}")
    stated = [(one, flight.mass) for one, flight in zip(answers, flown, strict=True) if one is not None]
    cost = 1e6 * float(np.median(taken))
    if not stated:
        return PeerRow(name, scenario, len(flown), 0, None, None, None, None, cost, "stated no mass")
    mass, truth = np.array([(one.mass, true) for one, true in stated]).T
    rms = 100.0 * float(np.sqrt(np.mean((mass / truth - 1.0) ** 2)))
    if any(one.std is None for one, _ in stated):
        return PeerRow(name, scenario, len(flown), len(stated), rms, None, None, None, cost)
    inside = sum(abs(one.mass - true) <= HALF * (one.std or 0.0) for one, true in stated)
    low, high = clopper_pearson(inside, len(stated))
    return PeerRow(name, scenario, len(flown), len(stated), rms, inside / len(stated), low, high, cost)


def _compared(rows: list[PeerRow]) -> list[PeerRow]:
    """Says where a peer is ahead of `identify`, in accuracy at equal consistency, or of the same filter, in speed."""
    best, same = rows[0], rows[1]
    return [row if row.method.startswith(OURS) or row.rms is None else _against(row, best, same) for row in rows]


def _against(row: PeerRow, best: PeerRow, same: PeerRow) -> PeerRow:
    ahead = []
    if best.rms is None or (row.rms is not None and row.rms < best.rms):
        why = "its interval does not hold" if row.coverage is not None else "it states no interval"
        ahead.append("more accurate" if row.consistent else f"more accurate, but {why}")
    if row.microseconds is not None and same.microseconds is not None and row.microseconds < same.microseconds:
        ahead.append("faster")
    return dataclasses.replace(row, reason=", ".join(ahead))


def peers_json(rows: list[PeerRow]) -> dict[str, Any]:
    """The object that `steelyard bench peers --json` prints."""
    return {"rows": [dataclasses.asdict(row) | {"consistent": row.consistent} for row in rows]}
