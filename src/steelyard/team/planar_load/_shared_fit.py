"""The shared fit: the same at every robot, because all have the same sums; and whether the load has changed."""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._initial_guess import first_guess
from steelyard.team.planar_load._rollouts import normal_of
from steelyard.team.planar_load._sums import Sum
from steelyard.team.planar_load._window import Fit, Window, inverse

ONSETS = (8, 14, 20)
"""Rows before the last at which the load may have changed."""
_START_BLOCK = 4
_FIRST, _LONGER = 96, 1.25
"""Rows that a fit is led through at first, and by how much there are more of them each time."""
_ASTRAY = 1.5
"""Mean squared residual, in variances, of a shot from which the fit cannot just go downhill."""


class _Told(NamedTuple):
    """By rows and from before."""

    cost: float
    matrix: np.ndarray
    gradient: np.ndarray


def _evaluate(window: Window, unknowns: np.ndarray) -> _Told:
    told = normal_of(window, unknowns)
    off = unknowns - window.prior.mean
    pull = window.prior.information @ off
    cost = float(told.cost) + 0.5 * float(off @ pull)
    return _Told(cost, told.matrix + window.prior.information, told.gradient + pull)


@by_content(32)
def solve(window: Window, starts: list[np.ndarray], iterations: int) -> Fit | None:
    """Levenberg-Marquardt from each start; the best end.

    Loads under changing forces can turn so wildly that of two shots nearly alike one is soon nowhere near the other.
    Where a start does not lead through all rows, it is led there: by a fit to the first rows, to some more, and so on.
    """
    fits = [_led(window, x, iterations) for x in starts]
    return min((fit for fit in fits if fit is not None), key=lambda fit: fit.fitness, default=None)


def _led(window: Window, x: np.ndarray, iterations: int) -> Fit | None:
    told, k, length = _evaluate(window, x), len(window.rows), _FIRST
    if not math.isfinite(told.cost):
        return None
    if told.cost <= _ASTRAY * 2.0 * k or k <= length:
        return descend(window, x, told, iterations)
    while length < k:
        x = descend(window._replace(rows=window.rows[:length]), x, None, iterations).unknowns
        length = math.ceil(_LONGER * length)
    return descend(window, x, None, iterations)


def descend(window: Window, x: np.ndarray, told: "_Told | None", iterations: int) -> Fit:
    """Levenberg-Marquardt from a start; `told` is what is told there, if it is known."""
    now, damping = _evaluate(window, x) if told is None else told, 1e-4
    for _ in range(iterations):
        scale = np.sqrt(np.diag(now.matrix)) + 1e-9
        step = -np.linalg.solve(
            now.matrix / np.outer(scale, scale) + damping * np.eye(N_UNKNOWNS), now.gradient / scale
        )
        tried = x + np.clip(step / scale, -3.0, 3.0)
        then = _evaluate(window, tried)
        if then.cost < now.cost:
            gained, damping = now.cost - then.cost, max(0.1 * damping, 1e-12)
            x, now = tried, then
            if gained < 1e-3:
                break
        else:
            damping = min(max(10.0 * damping, 1e-6), 1e4)
    k = len(window.rows)
    return Fit(x, now.matrix, now.gradient, 2.0 * now.cost / (4.0 * k), k)


def start_over(window: Window) -> list[np.ndarray]:
    """A guess from the rows alone, if they allow one."""
    used = window.rows[:, Sum.HEARD] >= 2.0
    dt = np.full(len(window.rows), window.span)
    guess = first_guess(window.rows, dt, used, _START_BLOCK, window.friction) if used.sum() > 4 * _START_BLOCK else None
    return [] if guess is None else [guess]


class Jump(NamedTuple):
    """A change of the load that the rows speak for."""

    row: int
    evidence: float
    """Logarithm of the likelihood ratio."""


@by_content(32)
def find_jump(window: Window, fit: Fit) -> Jump | None:
    """The likeliest onset of a jump of mass and inertia among the last rows."""
    k = len(window.rows)
    onsets = [k - onset for onset in ONSETS]
    if onsets[-1] < 2 * ONSETS[-1]:
        return None
    told = normal_of(window, fit.unknowns, onsets)
    M, g = np.array(told.matrix), told.gradient
    x = slice(0, N_UNKNOWNS)
    M[x, x] += window.prior.information
    P = inverse(M[x, x])
    best = None
    for i, onset in enumerate(onsets):
        own = slice(N_UNKNOWNS + 2 * i, N_UNKNOWNS + 2 + 2 * i)
        S = M[own, own] - M[own, x] @ P @ M[x, own]
        r = g[own] - M[own, x] @ P @ fit.gradient[x]
        evidence = 0.5 * float(r @ inverse(S + 1e-9 * np.eye(2)) @ r)
        if best is None or evidence > best.evidence:
            best = Jump(onset, evidence)
    return best
