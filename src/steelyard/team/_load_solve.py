"""The shared fit: the same at every robot, because all have the same sums; and a robot's own place given it.

Alternating between the two descends on the joint likelihood of everybody's data: a robot's place is told by its own
velocities and, through the torque of its own force, by how the whole load turned.
"""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._load_fit import (
    CX,
    CY,
    LOG_INERTIA,
    LOG_MASS,
    LOG_SCALE,
    N_UNKNOWNS,
    End,
    end_of_shot,
    normal_equations,
)
from steelyard.team._load_start import first_guess
from steelyard.team._load_sums import Sum, column, origin_velocity, spread, turning

SIZES = (128, 640)
"""Rows for which the fit is compiled; a window has at most the last."""
ONSETS = (8, 14, 20)
"""Rows before the last at which the load may have changed."""
_START_BLOCK = 4


class Prior(NamedTuple):
    """What earlier rows told: Gaussian, in information form."""

    mean: np.ndarray
    information: np.ndarray

    @staticmethod
    def none() -> "Prior":
        """Nothing at all."""
        return Prior(np.zeros(N_UNKNOWNS), np.zeros((N_UNKNOWNS, N_UNKNOWNS)))


class Window(NamedTuple):
    """Rows of sums that belong together: one version of the places, no row missing."""

    rows: np.ndarray
    own_force: np.ndarray
    """Complex, this robot's own."""
    span: float
    """Of a row, s."""
    back: float
    ripple: float
    sigma: float
    """Of one robot's velocity averaged over a row, m/s an axis."""
    prior: Prior

    @property
    def padded(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows, own force, dt and weights, filled up with rows in which nothing happens."""
        k = len(self.rows)
        size = next((size for size in SIZES if size >= k), SIZES[-1])
        rows, force, dt, weights = np.zeros((size, self.rows.shape[1])), np.zeros((size, 2)), *np.zeros((2, size))
        rows[:k], dt[:k], weights[:k] = self.rows, self.span, (self.rows[:, Sum.HEARD] >= 2.0) / self.sigma
        force[:k] = np.stack([np.real(self.own_force), np.imag(self.own_force)], axis=1)
        return rows, force, dt, weights


class Fit(NamedTuple):
    """The unknowns, and everything about them that the reports need."""

    unknowns: np.ndarray
    matrix: np.ndarray
    """Of the normal equations, own place last."""
    gradient: np.ndarray
    fitness: float
    """Mean squared residual in variances: about one if all is well."""
    n_rows: int

    @property
    def good(self) -> bool:
        """Whether the residuals are what noise makes of them."""
        return self.fitness < 1.03 + 4.0 / math.sqrt(2.0 * self.n_rows)

    @property
    def usable(self) -> bool:
        """Whether places can be refined with it: near enough to go downhill from."""
        return self.fitness < 2.0


def _evaluate(window: Window, arrays, unknowns: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    rows, force, dt, weights = arrays
    nothing = np.zeros((0, len(dt)))
    told = normal_equations(unknowns, rows, force, dt, nothing, weights, window.back, window.ripple, n_extra=2)
    cost, M, g = float(told.cost), np.array(told.matrix), np.array(told.gradient)
    off = unknowns - window.prior.mean
    pull = window.prior.information @ off
    M[:N_UNKNOWNS, :N_UNKNOWNS] += window.prior.information
    g[:N_UNKNOWNS] += pull
    return cost + 0.5 * float(off @ pull), M, g


def solve(window: Window, starts: list[np.ndarray], iterations: int) -> Fit | None:
    """Levenberg-Marquardt from each start; the best end."""
    arrays, best = window.padded, None
    k = len(window.rows)
    for x in starts:
        cost, M, g = _evaluate(window, arrays, x)
        damping = 1e-4
        for _ in range(iterations):
            if not math.isfinite(cost):
                break
            N = M[:N_UNKNOWNS, :N_UNKNOWNS]
            scale = np.sqrt(np.diag(N)) + 1e-9
            step = -np.linalg.solve(N / np.outer(scale, scale) + damping * np.eye(N_UNKNOWNS), g[:N_UNKNOWNS] / scale)
            tried = x + np.clip(step / scale, -3.0, 3.0)
            new_cost, new_M, new_g = _evaluate(window, arrays, tried)
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
    guess = first_guess(window.rows, dt, used, _START_BLOCK) if used.sum() > 4 * _START_BLOCK else None
    return [] if guess is None else [guess]


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Of a positive matrix with coordinates of any size; what is untold gets a huge variance."""
    scale = np.sqrt(np.diag(matrix)) + 1e-12
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    return (vectors / np.maximum(values, 1e-14)) @ vectors.T / np.outer(scale, scale)


def place_by_turning(rows: np.ndarray, velocities: np.ndarray) -> complex | None:
    """A robot's place from its own velocities against the team's turning, in the team's own scale and direction.

    A step of power iteration: velocities against the load's are of rank one in time and robot. Noise enters numerator
    and denominator alike, so the right places stay what they are.
    """
    used = (rows[:, Sum.HEARD] >= 2.0) & np.isfinite(velocities) & (spread(rows) > 1e-9)
    if used.sum() < 3 * _START_BLOCK:
        return None
    s = turning(rows[used])
    y = velocities[used] - origin_velocity(rows[used], s)
    return complex(np.sum(s.conj() * y) / np.sum(np.abs(s) ** 2))


class Own(NamedTuple):
    """A robot's own place after a fit, and what its error does to the unknowns."""

    place: complex
    weight: float
    """Information on each coordinate of a place from the robot's own velocities."""
    sensitivity: np.ndarray
    """How the fit, the motion at its end in place of that at its start, follows an error of this robot's place."""
    shift: np.ndarray
    """Of the unknowns, as the new place will make it."""


def refine_place(window: Window, fit: Fit, place: complex, velocities: np.ndarray, team: int) -> Own:
    """One step towards the place that is most likely given the fit."""
    rows, force, dt, _ = window.padded
    k = len(window.rows)
    end = end_of_shot(fit.unknowns, rows, force, dt, window.back, k - 1)
    path = np.asarray(end.path)[:k]
    x = fit.unknowns
    omega, c = path[:, 1], complex(x[CX], x[CY])
    s = 1j * math.exp(x[LOG_SCALE]) * omega * (1.0 - window.ripple * omega**2) * np.exp(1j * path[:, 0])
    seen = np.isfinite(velocities) & (window.rows[:, Sum.HEARD] >= 2.0)
    y = (velocities - path[:, 2] - 1j * path[:, 3] - s * (place - c))[seen]
    pull = np.sum(s[seen].conj() * y) / window.sigma**2
    weight = float(np.sum(np.abs(s[seen]) ** 2)) / window.sigma**2
    N_xz, N_zz = fit.matrix[:N_UNKNOWNS, N_UNKNOWNS:], fit.matrix[N_UNKNOWNS:, N_UNKNOWNS:]
    P = inverse(fit.matrix[:N_UNKNOWNS, :N_UNKNOWNS])
    gradient = fit.gradient[N_UNKNOWNS:] - N_xz.T @ P @ fit.gradient[:N_UNKNOWNS] - np.array([pull.real, pull.imag])
    # All robots step at once: the curvature of one, times their number, bounds that of all together.
    curvature = (weight + 1e-9) * np.eye(2) + team * (N_zz - N_xz.T @ P @ N_xz)
    step = -np.linalg.solve(curvature, gradient)
    return Own(place + complex(step[0], step[1]), weight, _follow(end, P, N_xz), -P @ N_xz @ step)


def _to_end(end: End) -> np.ndarray:
    """Takes errors of the unknowns to errors at the end: motion there, then the load as before."""
    S = np.eye(N_UNKNOWNS)
    S[:4] = np.asarray(end.slope)[:, :N_UNKNOWNS]
    return S


def _follow(end: End, P: np.ndarray, N_xz: np.ndarray) -> np.ndarray:
    # A fit hides most of what a wrong torque does; what it hides must be taken out here, where both are at hand.
    follow = -_to_end(end) @ P @ N_xz
    follow[:4] += np.asarray(end.slope)[:, N_UNKNOWNS:]
    return follow


def covariance(window: Window, fit: Fit, follows: np.ndarray, weight: float) -> np.ndarray:
    """Of motion at the end and load, the places' errors included.

    `follows` is the team's sum of sensitivities, each times its transpose. Moving all places together, or turning and
    stretching them, is no error: the unknowns hold that already.
    """
    P = inverse(fit.matrix[:N_UNKNOWNS, :N_UNKNOWNS])
    rows, _, dt, weights = window.padded
    none, x = np.zeros((0, len(dt))), fit.unknowns
    sides = []
    for which in (Sum.F, Sum.A):
        force = rows[:, which : which + 2]
        told = normal_equations(x, rows, force, dt, none, weights, window.back, window.ripple, n_extra=2)
        end = end_of_shot(x, rows, force, dt, window.back, len(window.rows) - 1)
        sides.append(_follow(end, P, np.asarray(told.matrix)[:N_UNKNOWNS, N_UNKNOWNS:]))
    S = _to_end(end)
    P_end = S @ P @ S.T
    if weight <= 0.0:
        return P_end
    last = window.rows[-1]
    n, Z2, B = last[Sum.MEMBERS], last[Sum.Z2], complex(column(last, Sum.B))
    cross = np.array([[B.real, -B.imag], [B.imag, B.real]])
    gram = np.block([[n * np.eye(2), cross], [cross.T, Z2 * np.eye(2)]])
    common = np.concatenate(sides, axis=1)
    left = follows - common @ np.linalg.solve(gram + 1e-9 * np.eye(4), common.T)
    values, vectors = np.linalg.eigh(left / weight)
    return P_end + (vectors * np.maximum(values, 0.0)) @ vectors.T


class Jump(NamedTuple):
    """A change of the load that the rows speak for."""

    row: int
    evidence: float
    """Logarithm of the likelihood ratio."""


def find_jump(window: Window, fit: Fit) -> Jump | None:
    """The likeliest onset of a jump of mass and inertia among the last rows."""
    k = len(window.rows)
    onsets = [k - onset for onset in ONSETS]
    if onsets[-1] < 2 * ONSETS[-1]:
        return None
    rows, force, dt, weights = window.padded
    after = (np.arange(len(dt)) >= np.array(onsets)[:, None]).astype(float)
    told = normal_equations(
        fit.unknowns, rows, force, dt, after, weights, window.back, window.ripple, n_extra=2 + 2 * len(onsets)
    )
    M, g = np.array(told.matrix), np.asarray(told.gradient)
    x = slice(0, N_UNKNOWNS)
    M[x, x] += window.prior.information
    P = inverse(M[x, x])
    best = None
    for i, onset in enumerate(onsets):
        own = slice(N_UNKNOWNS + 2 + 2 * i, N_UNKNOWNS + 4 + 2 * i)
        S = M[own, own] - M[own, x] @ P @ M[x, own]
        r = g[own] - M[own, x] @ P @ fit.gradient[x]
        evidence = 0.5 * float(r @ inverse(S + 1e-9 * np.eye(2)) @ r)
        if best is None or evidence > best.evidence:
            best = Jump(onset, evidence)
    return best


LOAD = (LOG_MASS, LOG_INERTIA, CX, CY, LOG_SCALE)
"""The unknowns that outlast a change of the team."""


def carried_on(fit: Fit, P: np.ndarray, keep: tuple[int, ...], slack: float) -> Prior:
    """What a fit says about some unknowns, as the prior of the next window; `slack` widens it."""
    information = np.zeros((N_UNKNOWNS, N_UNKNOWNS))
    information[np.ix_(keep, keep)] = inverse(P[np.ix_(keep, keep)]) / (1.0 + slack) ** 2
    return Prior(fit.unknowns.copy(), information)
