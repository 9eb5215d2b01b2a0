"""The shared fit: the same at every robot, because all have the same sums; and whether the load has changed."""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.load._fit import N_UNKNOWNS, Rows, normal_equations
from steelyard.team.load._start import first_guess
from steelyard.team.load._sums import Sum
from steelyard.team.load._window import SIZES, Fit, Window, inverse

ONSETS = (8, 14, 20)
"""Rows before the last at which the load may have changed."""
_START_BLOCK = 4


def _evaluate(window: Window, rows: Rows, unknowns: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    told = normal_equations(unknowns, rows, np.zeros((0, len(rows.dt))), window.means, window.friction)
    off = unknowns - window.prior.mean
    pull = window.prior.information @ off
    cost = float(told.cost) + 0.5 * float(off @ pull)
    return cost, np.asarray(told.matrix) + window.prior.information, np.asarray(told.gradient) + pull


@by_content(32)
def solve(window: Window, starts: list[np.ndarray], iterations: int) -> Fit | None:
    """Levenberg-Marquardt from each start; the best end."""
    rows, best = window.padded, None
    k = len(window.rows)
    for x in starts:
        cost, M, g = _evaluate(window, rows, x)
        damping = 1e-4
        for _ in range(iterations):
            if not math.isfinite(cost):
                break
            scale = np.sqrt(np.diag(M)) + 1e-9
            step = -np.linalg.solve(M / np.outer(scale, scale) + damping * np.eye(N_UNKNOWNS), g / scale)
            tried = x + np.clip(step / scale, -3.0, 3.0)
            new_cost, new_M, new_g = _evaluate(window, rows, tried)
            if new_cost < cost:
                gained, damping = cost - new_cost, max(0.1 * damping, 1e-12)
                x, cost, M, g = tried, new_cost, new_M, new_g
                if gained < 1e-3:
                    break
            else:
                damping = min(max(10.0 * damping, 1e-6), 1e4)
        if math.isfinite(cost) and (best is None or cost < best[0]):
            best = cost, Fit(x, M, g, 2.0 * cost / (4.0 * k), k)
    return None if best is None else best[1]


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
    rows = window.filled(SIZES[-1])  # one program, of which a robot on its way is not to be surprised by a second
    after = (np.arange(len(rows.dt)) >= np.array(onsets)[:, None]).astype(float)
    told = normal_equations(fit.unknowns, rows, after, window.means, window.friction)
    M, g = np.array(told.matrix), np.asarray(told.gradient)
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
