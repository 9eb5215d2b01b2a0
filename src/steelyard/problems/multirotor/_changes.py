"""Which pieces a flight's mass is made of: steps and changes of slope are added while the flight demands them."""

import dataclasses

import numpy as np

from steelyard.problems.multirotor._blocks import Piece, integrals, mass_column
from steelyard.problems.multirotor._change_scan import Scan, scan_changes
from steelyard.problems.multirotor._coloured import whitened
from steelyard.problems.multirotor._evidence import evidence
from steelyard.problems.multirotor._piecewise import Fit, fit, fit_all
from steelyard.problems.multirotor._placing import (
    KINDS,
    allowed,
    beside,
    mass_of,
    ordered,
    placed_again,
    ratios,
    without_piece,
)
from steelyard.problems.multirotor._tuning import TUNING


def with_changes(found: Fit) -> Fit:
    """The fit with every change that counts.

    Changes are added while one is worth a trial, since each that is missing makes the error model too wide for the
    others; then those that do not count are taken out. One that looks weak is added if all count together with it.
    """
    for _ in range(TUNING.most_changes):
        candidates = _best(found, scan(found))
        if not candidates:
            break
        piece, ratio = candidates[0]
        grown = placed_again(placed_again(refit(found, (*found.unknowns.pieces, piece))))
        if len(grown.unknowns.pieces) <= len(found.unknowns.pieces):
            break
        if ratio < TUNING.tentative_change:
            grown = refit(grown, grown.unknowns.pieces)
            if not all(believed(grown, one) for one in grown.unknowns.pieces if one[0] != "level"):
                break
        found = grown
    return _in_likelier_places(_steps_or_ramps(_with_hidden_steps(_without_weak(found))))


def _steps_or_ramps(found: Fit) -> Fit:
    """The fit, or one in which steps are looked for in the place of its slopes: two of them enclose a step."""
    begin = found.motion.time[0]
    others = tuple(piece for piece in found.unknowns.pieces if piece[0] != "slope" or piece[1] <= begin)
    if len(others) == len(found.unknowns.pieces):
        return found
    return max(found, _with_hidden_steps(_without_weak(refit(found, others))), key=evidence)


def _with_hidden_steps(found: Fit) -> Fit:
    """With steps that look like an error of seconds to the error model: looked for with one of half a second.

    A missing step makes the likeliest error large and slow, and beside such an error every step looks weak. The data
    tell the ratio of size² and time of an error best, so the shorter one has the same ratio.
    """
    error, weight = found.error, float(np.linalg.norm(found.motion.gravity)) or 1.0
    if error.time_along < TUNING.short_correlation:
        return found
    largest = TUNING.usual_error * weight
    size = error.coloured_along * float(np.sqrt(TUNING.short_correlation / error.time_along))
    narrow = dataclasses.replace(error, time_along=TUNING.short_correlation, coloured_along=min(size, largest))
    bare = fit(found.motion, found.blocks, found.unknowns, narrow, mass_of(found))
    best, most = found, evidence(found) + TUNING.clearer
    several = _with_steps(bare, TUNING.hidden_steps if error.coloured_along > largest else 1)
    for tried in (several, _with_lasting(bare)):
        if len(tried.unknowns.pieces) > len(found.unknowns.pieces):
            grown = _without_weak(placed_again(refit(tried, tried.unknowns.pieces)))
            if evidence(grown) > most:
                best, most = grown, evidence(grown)
    return best if best is found else _with_hidden_steps(best)


def _with_steps(found: Fit, most: int) -> Fit:
    """With the steps that show within some seconds, several together since each would hide behind the others."""
    for _ in range(most):
        steps = scan(found)
        ratio = np.where(allowed(found, "step", steps.begin), steps.statistic[0], 0.0)
        best = int(np.argmax(ratio))
        if ratio[best] < TUNING.tentative_change:
            break
        pieces = (*found.unknowns.pieces, ("step", float(steps.begin[best])))
        found = fit(found.motion, found.blocks, ordered(pieces, found), found.error, mass_of(found))
    return found


def _with_lasting(found: Fit) -> Fit:
    """With the step that explains most of the whole flight: in a gust of some seconds others explain more of these."""
    begins = found.blocks.time - 0.5 * found.blocks.span
    piece, ratio = _most_lasting(found, begins[allowed(found, "step", begins)])
    if piece is None or ratio < TUNING.tentative_change:
        return found
    return fit(found.motion, found.blocks, ordered((*found.unknowns.pieces, piece), found), found.error, mass_of(found))


def _most_lasting(found: Fit, places: np.ndarray) -> tuple[Piece | None, float]:
    """The step at one of these places that explains most of the whole flight, and its likelihood ratio."""
    if not len(places):
        return None, 0.0
    every = -(-len(places) // TUNING.lasting_places)
    coarse = places[::every]
    best = coarse[np.argsort(_step_ratios(found, coarse))[-TUNING.finer_places :]]
    reach = every * found.blocks.step
    near = places[np.min(np.abs(places[:, None] - best), axis=1) <= reach]  # a sharp step's peak is a block or two wide
    ratio = _step_ratios(found, near)
    return ("step", float(near[np.argmax(ratio)])), float(ratio.max())


def _step_ratios(found: Fit, times: np.ndarray) -> np.ndarray:
    """Likelihood ratio of a step at each time, in parts: a long flight's columns would fill the memory."""
    parts = np.array_split(times, -(-len(times) // TUNING.placing_grid))
    return np.concatenate([ratios(found, [("step", float(t)) for t in part]) for part in parts])


def _in_likelier_places(found: Fit) -> Fit:
    """Each step elsewhere, if it explains nearly as much there and more with the error model estimated anew."""
    for piece in [one for one in found.unknowns.pieces if one[0] == "step"]:
        rest = without_piece(found, piece)
        begins = rest.blocks.time - 0.5 * rest.blocks.span
        away = allowed(rest, "step", begins) & (np.abs(begins - piece[1]) > 2 * TUNING.step_margin)
        rival, ratio = _most_lasting(rest, begins[away])
        if rival is not None and ratio > ratios(rest, [piece])[0] - TUNING.tentative_change:
            tried = refit(found, (*rest.unknowns.pieces, rival))
            if evidence(tried) > evidence(found) + TUNING.clearer:
                return _in_likelier_places(tried)
    return found


def scan(found: Fit) -> Scan:
    """Every block as the begin of a change."""
    begin = float(found.motion.time[0])
    columns = [mass_column(found.motion, found.linearised, (kind, begin)) for kind in ("level", "slope")]
    columns[1] = columns[1] + begin * columns[0]  # the scan's slope column is the time itself
    return scan_changes(found.blocks, np.stack(columns, axis=2), found.left, found.white, found.covariance, found.error)


def believed(found: Fit, piece: Piece) -> bool:
    """Whether a change is beyond noise, and beyond what the model lacks."""
    value, std = found.of(piece)
    ratio = TUNING.believed_change if piece[1] > found.motion.time[0] else TUNING.believed_drift[0]
    if value**2 < ratio * std**2 or abs(change_of(found, piece)) < smallest_change(found):
        return False
    return piece[0] != "step" or _lasting(found, piece) > TUNING.lasting_change


def _lasting(found: Fit, piece: Piece) -> float:
    """Likelihood ratio of a step beside a push along the thrust axis that begins with it and fades."""
    k, late = found.unknowns.pieces.index(piece), found.motion.time - piece[1]
    fading = np.where(late >= 0, np.exp(-np.maximum(late, 0.0) / TUNING.passing), 0.0)
    push = integrals(found.motion, found.motion.R[:, :, 2] * fading[:, None])
    g = whitened(found.blocks, push[:, :, None], found.error).reshape(-1, 1)
    W = np.concatenate([found.white.reshape(len(g), -1), g], axis=1)
    y = found.left.ravel() + W[:, :-1] @ found.values
    covariance = np.linalg.inv(W.T @ W + np.diag([*found.unknowns.prior, 1e-9]))
    return float((covariance @ (W.T @ y))[k] ** 2 / covariance[k, k])


def change_of(found: Fit, piece: Piece) -> float:
    """What a piece changes in the mass, kg: a slope until the next change of slope, or the end."""
    kind, begin = piece
    value, _ = found.of(piece)
    if kind != "slope":
        return value
    later = [t for k, t in found.unknowns.pieces if k == "slope" and t > begin]
    return value * (min(later, default=float(found.motion.time[-1])) - begin)


def smallest_change(found: Fit) -> float:
    """kg: what the coloured error looks like for seconds."""
    slow = slow_error(found)
    share = max(TUNING.change_over_error * slow, TUNING.least_change[slow > 0])
    return share * float(np.mean(found.mass(found.motion.time)))


def persistent_error(found: Fit) -> float:
    """Relative standard deviation of the error that lasts for the whole flight."""
    real = found.motion.by_speeds or found.motion.height is not None
    least = TUNING.least_persistent if real else 0.0
    return max(TUNING.persistent_share * slow_error(found), least)


def slow_error(found: Fit) -> float:
    """Size of the coloured error along the thrust axis as a share of the weight; 0 where the flight shows none.

    One that is gone after a block is noise of the motors or the velocity: it says nothing of what lasts for seconds.
    From there on it counts in part until two blocks.
    """
    weight = float(np.linalg.norm(found.motion.gravity)) or 1.0
    lasts = float(np.clip(found.error.time_along / found.blocks.step - 1.0, 0.0, 1.0))
    return lasts * found.error.coloured_along / weight if found.coloured else 0.0


def time_interval(found: Fit, piece: Piece) -> tuple[float, float]:
    """When it happened, 95 %: where the likelihood ratio of a change elsewhere is at most 4 below."""
    begins = found.blocks.time - 0.5 * found.blocks.span
    reach = 0.5 * TUNING.placing_grid * found.blocks.step
    near = begins[np.abs(begins - piece[1]) < reach]
    every = max(1, -(-len(near) // TUNING.placing_grid))
    near = np.union1d(near[::every], [piece[1]])
    ratio = ratios(without_piece(found, piece), [(piece[0], float(t)) for t in near])
    likely = near[ratio > ratio.max() - 4.0]
    half = 0.5 * found.blocks.step
    return float(min(likely.min(), piece[1]) - half), float(max(likely.max(), piece[1]) + half)


def noticed(found: Fit, piece: Piece) -> float:
    """When the evidence for a change, gathered from its begin on, was enough, s."""
    k = found.unknowns.pieces.index(piece)
    column = whitened(found.blocks, mass_column(found.motion, found.linearised, piece)[:, :, None], found.error)[
        :, :, 0
    ]
    with_it = found.left + column * found.values[k]
    evidence = np.cumsum(np.sum(column * with_it, axis=1)) ** 2 / np.maximum(
        np.cumsum(np.sum(column**2, axis=1)), 1e-12
    )
    late = np.flatnonzero((evidence > TUNING.believed_change) & (found.blocks.time >= piece[1]))
    return float(found.blocks.time[late[0]] + 0.5 * found.blocks.step) if late.size else float(found.blocks.time[-1])


def _best(found: Fit, whole: Scan) -> list[tuple[Piece, float]]:
    """The best step and the best change of slope that are worth a trial, the better one first, and their ratios."""
    ratio = np.where([allowed(found, kind, whole.begin) for kind in KINDS], whole.statistic, 0.0)
    best = np.argmax(ratio, axis=1)
    ranked = sorted(range(2), key=lambda k: -ratio[k, best[k]])
    every = [((KINDS[k], float(whole.begin[best[k]])), float(ratio[k, best[k]])) for k in ranked]
    return [one for one in every if one[1] > TUNING.doubtful_change]


def smallest_seen(found: Fit) -> tuple[float, float] | None:
    """Smallest step, as a share of the mass, that this flight would show in 39 of 40 cases; its scatter over moments.

    A step counts beyond six deviations, of which a coloured error's wander leaves four, and if it is larger than that
    error; two more deviations are for its own error.
    """
    flown = found.blocks.time[found.blocks.used]
    if not flown.size:
        return None
    begins = found.blocks.time - 0.5 * found.blocks.span
    inner = found.blocks.used & (begins > flown[0] + TUNING.end_margin) & (begins < flown[-1] - TUNING.end_margin)
    places = np.flatnonzero(inner & allowed(found, "step", begins))
    if not places.size:
        return None
    moments = begins[places[:: max(1, -(-len(places) // TUNING.seen_moments))]]
    _, information = beside(found, [("step", float(t)) for t in moments])
    std = 1.0 / np.sqrt(information)
    needed = TUNING.lasting_change if slow_error(found) > 0 else TUNING.believed_change
    least = np.maximum(np.sqrt(needed) * std, smallest_change(found)) + 2.0 * std
    share = least / found.mass(moments)
    return float(np.median(share)), float(max(np.std(share), 1e-4))


def _without_weak(found: Fit) -> Fit:
    """The weakest changes taken out, one after the other, and what is random estimated again each time."""
    found, before = refit(found, found.unknowns.pieces), len(found.unknowns.pieces)
    while True:
        weak = [one for one in found.unknowns.pieces if one[0] != "level" and not believed(found, one)]
        if not weak and len(found.unknowns.pieces) == before:
            return found
        if not weak:  # each was placed beside what has gone since
            found = placed_again(found)
            found, before = refit(found, found.unknowns.pieces), len(found.unknowns.pieces)
            continue
        weakest = min(weak, key=lambda one: abs(found.of(one)[0]) / found.of(one)[1])
        found = refit(found, tuple(one for one in found.unknowns.pieces if one != weakest))


def refit(found: Fit, pieces: tuple[Piece, ...]) -> Fit:
    """With these pieces, and what is random estimated again."""
    return fit_all(found.motion, found.blocks, ordered(pieces, found), found.error, mass_of(found), near=True)
