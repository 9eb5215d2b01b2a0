"""Where changes of a flight's mass may be, and the likelihood ratio of one at any place beside all that a fit has."""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._blocks import Piece, mass_column
from steelyard.problems.multirotor._coloured import whitened
from steelyard.problems.multirotor._piecewise import Fit, Unknowns, fit
from steelyard.problems.multirotor._tuning import TUNING

KINDS = ("step", "slope")


def allowed(found: Fit, kind: str, begin: np.ndarray) -> np.ndarray:
    """Whether a change of this kind may begin at each of these times: beside no other, at no end, and cruising."""
    flown, (climbed, descends) = found.blocks.time[found.blocks.heard > 0], found.motion.cruise
    ends, margin = (
        (TUNING.end_margin, TUNING.step_margin) if kind == "step" else (TUNING.ramp_margin, TUNING.ramp_margin)
    )
    first = max(flown[0] + ends, climbed + TUNING.ground_margin)
    last = min(flown[-1] - ends, descends - TUNING.ground_margin)
    free = (begin > first) & (begin < last)
    for other, moment in found.unknowns.pieces:
        if other == kind:
            free &= np.abs(begin - moment) > 2 * margin
    return free


def placed_again(found: Fit) -> Fit:
    """Each change at its best place, of the better kind, given the others; what finds no place goes."""
    for piece in [one for one in found.unknowns.pieces if one[0] != "level"]:
        rest = without_piece(found, piece)
        better = max((placed(rest, kind, piece[1]) for kind in KINDS), key=lambda one: one[1])[0]
        pieces = (*rest.unknowns.pieces, *(() if better is None else (better,)))
        if better != piece:
            found = fit(found.motion, found.blocks, ordered(pieces, found), found.error, mass_of(found))
    return found


def without_piece(found: Fit, piece: Piece) -> Fit:
    """The fit less one piece, linearised at the mass of the whole fit."""
    k = found.unknowns.pieces.index(piece)
    W = found.white.reshape(-1, found.white.shape[2])
    y = found.left.ravel() + W @ found.values
    pieces = tuple(one for one in found.unknowns.pieces if one != piece)
    unknowns = dataclasses.replace(found.unknowns, pieces=pieces)
    W = np.delete(W, k, axis=1)
    covariance = np.linalg.inv(W.T @ W + np.diag(unknowns.prior))
    values = covariance @ (W.T @ y)
    left = (y - W @ values).reshape(-1, 3)
    return dataclasses.replace(
        found,
        unknowns=unknowns,
        values=values,
        covariance=covariance,
        white=np.delete(found.white, k, axis=2),
        left=left,
    )


def placed(rest: Fit, kind: str, near: float) -> tuple[Piece | None, float]:
    """The best place for a change between its neighbours, and its likelihood ratio over the whole flight.

    Where it is now is tried, too: a step's peak is narrower than the first grid.
    """
    moments = [float(rest.motion.time[0]), *(t for _, t in rest.unknowns.pieces[1:]), float(rest.motion.time[-1])]
    low, high = max(t for t in moments if t <= near), min(t for t in moments if t >= near)
    best, value = None, 0.0
    begins = rest.blocks.time - 0.5 * rest.blocks.span
    while True:
        grid = begins[(begins >= low) & (begins <= high)]
        every = max(1, -(-len(grid) // TUNING.placing_grid))
        grid = np.union1d(grid[::every], grid[np.argmin(np.abs(grid - near))]) if grid.size else grid
        grid = grid[allowed(rest, kind, grid)]
        if not grid.size:
            return best, value
        ratio = ratios(rest, [(kind, float(t)) for t in grid])
        k = int(np.argmax(ratio))
        if ratio[k] > value or best is None:
            best, value = (kind, float(grid[k])), float(ratio[k])
        if every == 1:
            return best, value
        low, high = best[1] - every * rest.blocks.step, best[1] + every * rest.blocks.step


def ratios(rest: Fit, pieces: list[Piece]) -> np.ndarray:
    """Likelihood ratio of each piece, to the end of the flight."""
    g, information = beside(rest, pieces)
    return np.einsum("bic,bi->c", g, rest.left) ** 2 / information


def beside(rest: Fit, pieces: list[Piece]) -> tuple[np.ndarray, np.ndarray]:
    """Whitened columns of pieces that a fit lacks, and the information of each beside all that the fit has."""
    columns = np.stack([mass_column(rest.motion, rest.linearised, piece) for piece in pieces], axis=2)
    g = whitened(rest.blocks, columns, rest.error)
    gB = np.einsum("bic,bip->cp", g, rest.white)
    spread = np.einsum("bic,bic->c", g, g) - np.einsum("cp,pq,cq->c", gB, rest.covariance, gB)
    return g, np.maximum(spread, 1e-12)


def ordered(pieces: tuple[Piece, ...], found: Fit) -> Unknowns:
    """The unknowns of a fit with these pieces."""
    sorted_pieces = tuple(sorted(pieces, key=lambda one: (one[0] != "level", one[1])))
    return dataclasses.replace(found.unknowns, pieces=sorted_pieces)


def mass_of(found: Fit) -> np.ndarray:
    """(rows,), kg, about which the next fit begins."""
    return found.mass(found.motion.time)
