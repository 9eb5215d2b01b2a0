"""Sudden changes of a load: where a log has to be cut so that each piece has one load."""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._initial_guess import first_load
from steelyard.problems.rigid_body._method import PRIOR, Fit, fit_load, follow
from steelyard.problems.rigid_body._reading import WristRecord

_THRESHOLD = 30.0
"""Evidence asked for, as a natural logarithm: ten parameters reach it by chance once in 10^8 tries."""
_SHORTEST = 1.5
"""Of a piece, s."""
_AROUND = 1.5
"""Seconds on either side of a change in which its moment is looked for."""
_MARGIN = 2
"""Rows that are left out beside a change: when exactly it was is known to about a row."""
_MOST = 8
"""Changes that are looked for."""


@dataclasses.dataclass(frozen=True, eq=False)
class Piece:
    """Rows with one load."""

    begin: int
    end: int
    """The row after the last."""
    record: WristRecord
    fit: Fit


def pieces_of(record: WristRecord, mass: float | None) -> list[Piece]:
    """The log cut at every sudden change of the load; `mass` is a stated guess."""
    bounds = _cut(record, mass, 0, _MOST)
    pieces = [_piece(record, begin, end, mass) for begin, end in bounds]
    kept = pieces[:1]
    for piece in pieces[1:]:
        if _differ(kept[-1].fit, piece.fit):
            kept.append(piece)
        else:
            kept[-1] = _piece(record, kept[-1].begin, piece.end, mass)
    return kept


def _piece(record: WristRecord, begin: int, end: int, mass: float | None) -> Piece:
    part = record.between(begin, end)
    return Piece(begin, end, part, fit_load(part, first_load(part, mass)))


def _cut(record: WristRecord, mass: float | None, begin: int, depth: int) -> list[tuple[int, int]]:
    """First and last row, in the log, of every piece of this record, which begins there at row `begin`."""
    rows = len(record.time)
    cut = _suspect(record, first_load(record, mass)) if depth > 0 else None
    if cut is None:
        return [(begin, begin + rows)]
    for _ in range(3):
        parts = record.between(0, cut - _MARGIN), record.between(cut + _MARGIN, rows)
        cut = _moment(record, cut, *(first_load(part, mass) for part in parts))
    time = record.time
    if min(time[cut] - time[0], time[-1] - time[cut]) < _SHORTEST:
        return [
            (begin, begin + rows)
        ]  # it fled to an end: no change, but something else that the load does not explain
    before = _cut(record.between(0, cut - _MARGIN), mass, begin, depth - 1)
    after = _cut(record.between(cut + _MARGIN, rows), mass, begin + cut + _MARGIN, depth - 1)
    return [*before, *after]


def _suspect(record: WristRecord, load: np.ndarray) -> int | None:
    """The row from which on another load would explain the log much better; None where none would."""
    time, told = record.time, follow(record, load)
    Z, r = follow(record.smoothed(), load).slope, told.value
    heard = r[told.present]
    doubt = max(1.0, float(np.median(heard**2)) / 0.455) if heard.size else 1.0  # where noise is understated
    scores = np.cumsum(np.einsum("tmp,tm->tp", Z, r)[::-1], axis=0)[::-1]
    known = np.cumsum(np.einsum("tmp,tmq->tpq", Z, Z)[::-1], axis=0)[::-1]
    precision = np.diag(PRIOR**-2.0)
    whole = known[0] + precision
    best, row = 0.0, None
    for k in range(0, len(time), max(len(time) // 200, 1)):
        if time[k] - time[0] < _SHORTEST or time[-1] - time[k] < _SHORTEST:
            continue
        score = scores[k] - known[k] @ np.linalg.solve(whole, scores[0])  # what one load for all leaves over
        free = known[k] - known[k] @ np.linalg.solve(whole, known[k])
        evidence = 0.5 * score @ np.linalg.solve(free + precision, score) / doubt
        if evidence > best:
            best, row = evidence, k
    return row if best > _THRESHOLD else None


def _differ(before: Fit, after: Fit) -> bool:
    """Whether two loads are two."""
    off = after.load - before.load
    return bool(0.5 * off @ np.linalg.solve(before.covariance + after.covariance, off) > _THRESHOLD)


def _moment(record: WristRecord, cut: int, before: np.ndarray, after: np.ndarray) -> int:
    """The row at which filters told of either load change places as the better one."""
    time = record.time
    near = np.flatnonzero(np.abs(time - time[cut]) <= _AROUND)
    first, last = int(near[0]), int(near[-1]) + 1
    window = record.between(first, last)
    costs = [
        np.sum(0.5 * told.value**2 + np.log(told.scale), axis=1)
        for told in (follow(window, before, drift=1.0), follow(window, after, drift=1.0))
    ]
    gain = np.concatenate([[0.0], np.cumsum(costs[1] - costs[0])])
    moment = first + int(np.argmax(gain))
    edges = np.searchsorted(time, [time[0] + 0.5 * _SHORTEST, time[-1] - 0.5 * _SHORTEST])
    return int(np.clip(moment, *edges))
