"""The scoreboard: the same data and truths for everybody; accuracy beside speed and whether intervals hold."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from steelyard.bench._cover import HALF, clopper_pearson

OURS = "steelyard"


@dataclasses.dataclass(frozen=True)
class Stated:
    """What a method says of one quantity."""

    value: np.ndarray
    std: np.ndarray | None
    """None where a method states none."""


Answer = Mapping[str, Stated]
"""By quantity; a quantity that a method cannot tell is left out."""


class PeerCase(Protocol):
    """One log with its truth."""

    @property
    def rows(self) -> int:
        """Of the log."""
        ...

    @property
    def truth(self) -> Mapping[str, np.ndarray]:
        """By quantity."""
        ...

    @property
    def unit(self) -> Mapping[str, tuple[str, np.ndarray]]:
        """By quantity: in what its error is printed, and how much one of it is."""
        ...


PeerMethod = Callable[[Any], Answer | None]


@dataclasses.dataclass(frozen=True)
class PeerRow:
    """One method, one kind of log, one quantity."""

    method: str
    scenario: str
    quantity: str
    logs: int
    answered: int
    """Logs of which it stated the quantity."""
    rms: float | None
    """Root mean square of the error, in `unit`."""
    unit: str
    coverage: float | None
    """Share of the stated 95 % intervals that hold the truth, with Clopper and Pearson's interval; None for a method
    that states no interval."""
    low: float | None
    high: float | None
    microseconds: float | None
    """A row of the log, of processor time; what it takes to compile is not in it."""
    reason: str = ""
    """Why it did not run, or where it is ahead of ours."""

    @property
    def consistent(self) -> bool:
        """Whether the coverage can be 95 %; one interval that misses speaks against it where there is no other."""
        if self.coverage is None or self.low is None or self.high is None:
            return False
        return self.low <= 0.95 <= self.high and not (self.answered == 1 and self.coverage == 0.0)


def compare(
    methods: Mapping[str, PeerMethod],
    scenario: str,
    cases: Sequence[PeerCase],
    advance: Callable[[int], None] = lambda steps: None,
) -> list[PeerRow]:
    """Rows by quantity; the first method is ours, and the second is ours that others are held to in speed."""
    quantities = list(cases[0].truth)
    found = [_rows(name, method, scenario, cases, advance) for name, method in methods.items()]
    return [row for k in range(len(quantities)) for row in _compared([rows[k] for rows in found])]


def _rows(
    name: str, method: PeerMethod, scenario: str, cases: Sequence[PeerCase], advance: Callable[[int], None]
) -> list[PeerRow]:
    answers: list[Answer] = []
    taken: list[float] = []
    try:
        method(cases[0])  # compiles, imports
        for case in cases:
            begin = time.process_time()
            answers.append(method(case) or {})
            taken.append((time.process_time() - begin) / case.rows)
            advance(1)
        reason = ""
    except Exception as error:
        if name.startswith(OURS):
            raise
        advance(len(cases) - len(taken))
        first = next(iter(str(error).splitlines()), type(error).__name__)
        reason = f"not installed: {error.name}" if isinstance(error, ImportError) else f"failed: {first}"
        answers, taken = [{} for _ in cases], []
    cost = 1e6 * float(np.median(taken)) if taken else None
    return [
        _scored(PeerRow(name, scenario, q, len(cases), 0, None, "", None, None, None, cost, reason), cases, answers)
        for q in cases[0].truth
    ]


def _scored(row: PeerRow, cases: Sequence[PeerCase], answers: Sequence[Answer]) -> PeerRow:
    q = row.quantity
    answered = [(case, answer[q]) for case, answer in zip(cases, answers, strict=True) if q in answer]
    if not answered:
        return dataclasses.replace(row, reason=row.reason or "stated none")
    errors = [(one.value - case.truth[q]) / case.unit[q][1] for case, one in answered]
    rms = float(np.sqrt(np.mean(np.square(errors))))
    row = dataclasses.replace(row, answered=len(answered), rms=rms, unit=answered[0][0].unit[q][0])
    stds = [one.std for _, one in answered]
    if any(std is None for std in stds):
        return row
    off = np.abs([one.value - case.truth[q] for case, one in answered])
    held = off <= HALF * np.array(stds, float)
    low, high = clopper_pearson(int(held.sum()), held.size)
    return dataclasses.replace(row, coverage=float(held.mean()), low=low, high=high)


def _compared(rows: list[PeerRow]) -> list[PeerRow]:
    """Says where a peer is ahead of ours, in accuracy at equal consistency or in speed."""
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
