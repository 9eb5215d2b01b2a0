"""A robot's own place, given the shared fit, and what the places' errors do to it.

Alternating between the two descends on the joint likelihood of everybody's data: a robot's place is told by its own
velocities and, through the torque of its own force, by how the whole load turned.
"""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team._load_fit import CX, CY, LOG_SCALE, N_UNKNOWNS, OwnSlopes, Slopes
from steelyard.team._load_sums import Sum, column, origin_velocity, spread, turning
from steelyard.team._load_window import Fit, Window, inverse, own_slopes_of, slopes_of

_FEWEST = 12  # rows from which a turning can be read off


def place_by_turning(rows: np.ndarray, velocities: np.ndarray) -> complex | None:
    """A robot's place from its own velocities against the team's turning, in the team's own scale and direction.

    A step of power iteration: velocities against the load's are of rank one in time and robot. Noise enters numerator
    and denominator alike, so the right places stay what they are.
    """
    used = (rows[:, Sum.HEARD] >= 2.0) & np.isfinite(velocities) & (spread(rows) > 1e-9)
    if used.sum() < _FEWEST:
        return None
    s = turning(rows[used])
    y = velocities[used] - origin_velocity(rows[used], s)
    return complex(np.sum(s.conj() * y) / np.sum(np.abs(s) ** 2))


class Own(NamedTuple):
    """A robot's own place after a fit, and what its error does to the unknowns."""

    place: complex
    weight: float
    """Information on each coordinate of a place from the robot's own velocities."""
    kappa: float
    """How much stiffer the team's places are together than by each robot's own velocities: at least one."""
    sensitivity: np.ndarray
    """How the fit, the motion at its end in place of that at its start, follows a step of this robot's place."""
    gain: np.ndarray
    """How the unknowns themselves do."""

    def with_momentum(self, before: complex | None) -> complex:
        """The new place carried on in the direction from the one `before` [nesterov83]: the root of the steps."""
        root = math.sqrt(max(self.kappa, 1.0))
        return self.place if before is None else self.place + (root - 1.0) / (root + 1.0) * (self.place - before)


def refine_place(window: Window, fit: Fit, force: np.ndarray, place: complex, velocities: np.ndarray) -> Own:
    """One step towards the place that is most likely given the fit; `force` (time, 2) is the robot's own."""
    shared, own = slopes_of(window, fit.unknowns), own_slopes_of(window, fit.unknowns, force)
    path, x = shared.path[: len(window.rows)], fit.unknowns
    s, c = math.exp(x[LOG_SCALE]) * (path[:, 4] + 1j * path[:, 5]), complex(x[CX], x[CY])
    seen = np.isfinite(velocities) & (window.rows[:, Sum.HEARD] >= 2.0)
    y = (velocities - path[:, 2] - 1j * path[:, 3] - s * (place - c))[seen]
    pull = np.sum(s[seen].conj() * y) / window.sigma**2
    weight = float(np.sum(np.abs(s[seen]) ** 2)) / window.sigma**2
    P, N_xz = inverse(fit.matrix), shared.by_unknowns.T @ own.residuals
    N_zz, g_z = own.residuals.T @ own.residuals, own.residuals.T @ shared.residuals
    gradient = g_z - N_xz.T @ P @ fit.gradient - np.array([pull.real, pull.imag])
    # All robots step at once: the curvature of one, times their number, bounds that of all together.
    team = int(window.rows[-1, Sum.MEMBERS])
    curvature = (weight + 1e-9) * np.eye(2) + team * (N_zz - N_xz.T @ P @ N_xz)
    step = -np.linalg.solve(curvature, gradient)
    kappa = float(np.trace(curvature)) / (2.0 * weight + 2e-9)
    return Own(place + complex(step[0], step[1]), weight, kappa, _follow(shared, own, P), -P @ N_xz)


def _to_end(shared: Slopes) -> np.ndarray:
    """Takes errors of the unknowns to errors at the end: motion there, then the load as before."""
    S = np.eye(N_UNKNOWNS)
    S[:4] = shared.end_by_unknowns
    return S


def _follow(shared: Slopes, own: OwnSlopes, P: np.ndarray) -> np.ndarray:
    # A fit hides most of what a wrong torque does; what it hides must be taken out here, where both are at hand.
    follow = -_to_end(shared) @ P @ (shared.by_unknowns.T @ own.residuals)
    follow[:4] += own.end
    return follow


@by_content(32)
def _common(window: Window, fit: Fit) -> np.ndarray:
    """How the fit would follow all places moving together, and turning and stretching."""
    shared, P = slopes_of(window, fit.unknowns), inverse(fit.matrix)
    sides = [own_slopes_of(window, fit.unknowns, window.rows[:, which : which + 2]) for which in (Sum.F, Sum.A)]
    return np.concatenate([_follow(shared, side, P) for side in sides], axis=1)


def covariance(window: Window, fit: Fit, follows: np.ndarray, weight: float) -> np.ndarray:
    """Of motion at the end and load, the places' errors included.

    `follows` is the team's sum of sensitivities, each times its transpose. Moving all places together, or turning and
    stretching them, is no error: the unknowns hold that already.
    """
    S = _to_end(slopes_of(window, fit.unknowns))
    P_end = S @ inverse(fit.matrix) @ S.T
    if weight <= 0.0:
        return P_end
    last = window.rows[-1]
    n, Z2, B = last[Sum.MEMBERS], last[Sum.Z2], complex(column(last, Sum.B))
    cross = np.array([[B.real, -B.imag], [B.imag, B.real]])
    gram = np.block([[n * np.eye(2), cross], [cross.T, Z2 * np.eye(2)]])
    common = _common(window, fit)
    left = follows - common @ np.linalg.solve(gram + 1e-9 * np.eye(4), common.T)
    values, vectors = np.linalg.eigh(left / weight)
    return P_end + (vectors * np.maximum(values, 0.0)) @ vectors.T
