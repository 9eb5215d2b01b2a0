"""The fit that all robots share, because all have the same sums; and whether the load has changed."""

import math
from typing import NamedTuple

import numpy as np

from steelyard.estimators import Damping, damped_step, gauss_newton
from steelyard.monitor import JumpScore, generalised_ratio
from steelyard.team._cache import Cache
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._initial_guess import first_guess
from steelyard.team.planar_load._rollouts import normal_equations_of
from steelyard.team.planar_load._sums import rotation_measured
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Fit, Window, inverse

DAMPING = Damping(first=1e-4, least=1e-12, restart=1e-6, most=1e4)


class _Linearised(NamedTuple):
    """The normal equations of rows and prior at `unknowns`."""

    unknowns: np.ndarray
    cost: float
    matrix: np.ndarray
    gradient: np.ndarray


def _linearised(window: Window, unknowns: np.ndarray) -> _Linearised:
    rows = normal_equations_of(window, unknowns)
    off = unknowns - window.prior.mean
    pull = window.prior.information @ off
    cost = float(rows.cost) + 0.5 * float(off @ pull)
    return _Linearised(unknowns, cost, rows.matrix + window.prior.information, rows.gradient + pull)


def solve(cache: Cache, window: Window, starts: list[np.ndarray], iterations: int) -> Fit | None:
    """The best of the fits from each start.

    A load under changing forces can turn so wildly that two rollouts from nearly the same start soon part. Where a
    start does not lead through all rows, the fit is lengthened: to the first rows, to some more, and so on.
    """
    return cache.call(_solve, window, starts, iterations)


def _solve(window: Window, starts: list[np.ndarray], iterations: int) -> Fit | None:
    fits = [_solve_from(window, x, iterations) for x in starts]
    return min((fit for fit in fits if fit is not None), key=lambda fit: fit.chi_square, default=None)


def _solve_from(window: Window, x: np.ndarray, iterations: int) -> Fit | None:
    start, k, length = _linearised(window, x), len(window.rows), TUNING.first_length
    if not math.isfinite(start.cost):
        return None
    if start.cost <= TUNING.astray * 2.0 * k or k <= length:
        return _minimised(window, start, iterations)
    while length < k:
        shorter = window._replace(rows=window.rows[:length])
        x = minimise(shorter, x, iterations).unknowns
        length = math.ceil(TUNING.longer * length)
    return minimise(window, x, iterations)


def minimise(window: Window, start: np.ndarray, iterations: int) -> Fit:
    """Damped Gauss-Newton from a start."""
    return _minimised(window, _linearised(window, start), iterations)


def _minimised(window: Window, start: _Linearised, iterations: int) -> Fit:
    def attempt(now: _Linearised, damping: float) -> _Linearised:
        step = damped_step(now.matrix, -now.gradient, damping)
        return _linearised(window, now.unknowns + np.clip(step, -TUNING.largest_step, TUNING.largest_step))

    def settled(before: _Linearised, after: _Linearised) -> bool:
        return before.cost - after.cost < TUNING.converged

    found, k = gauss_newton(start, attempt, settled, DAMPING, trials=iterations), len(window.rows)
    return Fit(found.unknowns, found.matrix, found.gradient, 2.0 * found.cost / (4.0 * k), k)


def guesses(window: Window) -> list[np.ndarray]:
    """A guess from the rows alone, if they allow one."""
    used, block = rotation_measured(window.rows), TUNING.guess_block
    if used.sum() <= 4 * block:
        return []
    dt = np.full(len(window.rows), window.row_seconds)
    guess = first_guess(window.rows, dt, used, block, window.friction)
    return [] if guess is None else [guess]


class Jump(NamedTuple):
    """A change of the load."""

    row: int
    evidence: float
    """Natural logarithm of the likelihood ratio."""


def find_jump(cache: Cache, window: Window, fit: Fit) -> Jump | None:
    """The likeliest onset of a jump of mass and inertia among the last rows."""
    onsets = [len(window.rows) - onset for onset in TUNING.jump_onsets]
    return None if onsets[-1] < 2 * TUNING.jump_onsets[-1] else cache.call(_find_jump, window, fit, onsets)


def two_loads_evidence(cache: Cache, window: Window, fit: Fit) -> float:
    """Natural logarithm of the likelihood ratio by which two loads, one after the other, explain all rows better."""
    onsets = [round(len(window.rows) * share) for share in TUNING.two_loads_onsets]
    some = range(0, len(onsets), len(TUNING.jump_onsets))  # the number for which there is a program
    found = [cache.call(_find_jump, window, fit, onsets[k : k + len(TUNING.jump_onsets)]) for k in some]
    return max(jump.evidence for jump in found)


def _find_jump(window: Window, fit: Fit, onsets: list[int]) -> Jump:
    normal = normal_equations_of(window, fit.unknowns, onsets)
    M, g, x = np.array(normal.matrix), normal.gradient, slice(0, N_UNKNOWNS)
    M[x, x] += window.prior.information
    P = inverse(M[x, x])  # not `monitor.eliminate`: here some unknowns may have no information
    jumps = []
    for i, onset in enumerate(onsets):
        own = slice(N_UNKNOWNS + 2 * i, N_UNKNOWNS + 2 + 2 * i)
        score = M[own, x] @ P @ fit.gradient[x] - g[own]
        information = M[own, own] - M[own, x] @ P @ M[x, own]
        evidence = generalised_ratio(JumpScore(score, information), np.full(2, 1e-9)).log_ratio
        jumps.append(Jump(onset, float(evidence)))
    return max(jumps, key=lambda jump: jump.evidence)
