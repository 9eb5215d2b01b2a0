"""Sudden changes of a load: where a log has to be cut so that each piece has one load."""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._initial_guess import first_load
from steelyard.problems.rigid_body._method import PRIOR, Fit, fit_load, run_filter
from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._tuning import TUNING


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
    bounds = _cut(record, mass, 0, TUNING.most_changes)
    pieces = [_piece(record, begin, end, mass) for begin, end in bounds]
    merged = pieces[:1]
    for piece in pieces[1:]:
        if _differ(merged[-1].fit, piece.fit):
            merged.append(piece)
        else:
            merged[-1] = _piece(record, merged[-1].begin, piece.end, mass)
    return merged


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
        parts = record.between(0, cut - TUNING.change_margin), record.between(cut + TUNING.change_margin, rows)
        cut = _moment(record, cut, *(first_load(part, mass) for part in parts))
    time = record.time
    if min(time[cut] - time[0], time[-1] - time[cut]) < TUNING.shortest_piece:
        return [(begin, begin + rows)]  # the estimate ran to an end: no change of the load explains these rows
    before = _cut(record.between(0, cut - TUNING.change_margin), mass, begin, depth - 1)
    after = _cut(record.between(cut + TUNING.change_margin, rows), mass, begin + cut + TUNING.change_margin, depth - 1)
    return [*before, *after]


def _suspect(record: WristRecord, load: np.ndarray) -> int | None:
    """The row from which on another load would explain the log much better; None where none would."""
    time, innovations = record.time, run_filter(record, load)
    Z, r = run_filter(record.smoothed(), load).jacobian, innovations.value
    present = r[innovations.present]
    inflation = max(1.0, float(np.median(present**2)) / 0.455) if present.size else 1.0  # where noise is understated
    scores = np.cumsum(np.einsum("tmp,tm->tp", Z, r)[::-1], axis=0)[::-1]
    gram = np.cumsum(np.einsum("tmp,tmq->tpq", Z, Z)[::-1], axis=0)[::-1]
    precision = np.diag(PRIOR**-2.0)
    whole = gram[0] + precision
    best, row = 0.0, None
    for k in range(0, len(time), max(len(time) // 200, 1)):
        if time[k] - time[0] < TUNING.shortest_piece or time[-1] - time[k] < TUNING.shortest_piece:
            continue
        score = scores[k] - gram[k] @ np.linalg.solve(whole, scores[0])  # what one load for all leaves over
        free = gram[k] - gram[k] @ np.linalg.solve(whole, gram[k])
        evidence = 0.5 * score @ np.linalg.solve(free + precision, score) / inflation
        if evidence > best:
            best, row = evidence, k
    return row if best > TUNING.change_threshold else None


def _differ(before: Fit, after: Fit) -> bool:
    """Whether two fitted loads differ significantly."""
    off = after.load - before.load
    return bool(0.5 * off @ np.linalg.solve(before.covariance + after.covariance, off) > TUNING.change_threshold)


def _moment(record: WristRecord, cut: int, before: np.ndarray, after: np.ndarray) -> int:
    """The row at which filters given either load change places as the better one."""
    time = record.time
    near = np.flatnonzero(np.abs(time - time[cut]) <= TUNING.change_search)
    first, last = int(near[0]), int(near[-1]) + 1
    window = record.between(first, last)
    costs = [
        np.sum(0.5 * innovations.value**2 + np.log(innovations.scale), axis=1)
        for innovations in (run_filter(window, before, drift=1.0), run_filter(window, after, drift=1.0))
    ]
    gain = np.concatenate([[0.0], np.cumsum(costs[1] - costs[0])])
    moment = first + int(np.argmax(gain))
    edges = np.searchsorted(time, [time[0] + 0.5 * TUNING.shortest_piece, time[-1] - 0.5 * TUNING.shortest_piece])
    return int(np.clip(moment, *edges))
