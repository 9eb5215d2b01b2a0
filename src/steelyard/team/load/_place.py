"""A robot's own place, given the shared fit, and what the places' errors do to it.

Alternating between the two descends on the joint likelihood of everybody's data: a robot's place is told by its own
velocities and, through the torque of its own force, by how the whole load turned.
"""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.load._fit import CX, CY, LOG_SCALE, N_UNKNOWNS, OwnSlopes, Slopes, torque_slopes
from steelyard.team.load._sums import Sum, column, origin_velocity, spread, turning
from steelyard.team.load._window import Fit, Window, inverse, own_slopes_of, slopes_of

_FEWEST = 12  # rows from which a turning can be read off
_PARTS, _COMMON = 16, 4
_COUPLED = _PARTS + _COMMON
_SHARED = _COUPLED + N_UNKNOWNS
_UPPER = np.triu_indices(_SHARED)
_LEAST = 1e-2  # share of a whole window's weight that the place of a robot without velocities is held by
_ALIKE = 1e-9  # squared, relative: torques whose effects differ by less count as one
N_TOLD = len(_UPPER[0]) + _SHARED
"""Numbers that a robot tells of its place for the team to add up."""


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


class Held(NamedTuple):
    """What earlier windows told of a robot's place: contacts outlast what the load loses and who leaves."""

    place: complex
    weight: float
    """Information on each coordinate."""


NOTHING_HELD = Held(0j, 0.0)


class Own(NamedTuple):
    """What a robot knows of the likelihood of its own place, next to a fit."""

    weight: float
    """Information on each coordinate of the place from the robot's own velocities and from before."""
    curvature: np.ndarray
    """All of it that the robot has for itself."""
    gradient: np.ndarray
    effects: np.ndarray
    """What a step of the place does to all that the team shares: see `Joint`."""
    gain: np.ndarray
    """How the unknowns of the fit follow a step of the place."""
    team: int
    """Robots."""
    even: bool
    """Whether the window is one for a joint step: places then pull at each other by torques alone."""

    @property
    def told(self) -> np.ndarray:
        """For the team to add up."""
        eased = np.linalg.solve(self.curvature, np.column_stack([self.effects.T, self.gradient]))
        K = self.effects @ eased
        return np.concatenate([K[:, :-1][_UPPER], K[:, -1]])

    def step(self, joint: "Joint") -> complex:
        """To the likeliest place, when all others take theirs."""
        x, y = -np.linalg.solve(self.curvature, self.gradient + self.effects[:_COUPLED].T @ joint.pull)
        return complex(x, y)

    @property
    def alone(self) -> tuple[complex, float]:
        """A step without the others', and the share of its change that it may be carried on by [nesterov83].

        All robots step at once: the curvature of one, times their number, bounds that of all together.
        """
        by_torque = self.effects[:_PARTS]
        stiff = self.curvature + self.team * by_torque.T @ by_torque
        x, y = -np.linalg.solve(stiff, self.gradient)
        root = math.sqrt(max(float(np.trace(stiff)) / (2.0 * self.weight + 2e-9), 1.0))
        return complex(x, y), (root - 1.0) / (root + 1.0)


class Joint(NamedTuple):
    """The step of all places together, from the sum of what the robots told.

    Places pull at each other only by the torques of their forces, and a load turns so slowly that a few numbers say
    how: a torque in each of sixteen parts of the window. With them, the inverse of everybody's curvature is a sum over
    the robots and one small system [woodbury50]. Four more numbers keep the places from wandering together, turning
    and stretching, which the fit holds already. Where robots came or went, or know the load from before, each steps
    alone, damped by their number: twenty of them would take a minute.
    """

    pull: np.ndarray
    """On places, by the torques' parts and the common motion."""
    ahead: np.ndarray
    """Where the steps take the motion at the end and the load."""
    follows: np.ndarray
    """Covariance of motion at the end and load from the places' errors, where all were heard all the time."""
    at_most: np.ndarray
    """The same without what the torques tell of the places: no less in any window."""

    @staticmethod
    def of(total: np.ndarray) -> "Joint":
        """From the team's sum of `Own.told`."""
        K = np.zeros((_SHARED, _SHARED))
        K[_UPPER] = total[: len(_UPPER[0])]
        K = K + K.T - np.diag(np.diag(K))
        h = total[len(_UPPER[0]) :]
        c, x = slice(0, _COUPLED), slice(_COUPLED, _SHARED)
        A = K[c, c] + np.diag(np.repeat([1.0, 0.0], [_PARTS, _COMMON]))
        solved = np.linalg.lstsq(A, np.column_stack([h[c], K[c, x]]), rcond=1e-12)[0]
        follows = _positive(K[x, x] - K[x, c] @ solved[:, 1:])
        o = slice(_PARTS, _COUPLED)
        at_most = _positive(K[x, x] - K[x, o] @ np.linalg.lstsq(K[o, o], K[o, x], rcond=1e-12)[0])
        return Joint(-solved[:, 0], K[x, c] @ solved[:, 0] - h[x], follows, at_most)


def own_part(
    window: Window, fit: Fit, force: np.ndarray, place: complex, velocities: np.ndarray, held: Held = NOTHING_HELD
) -> Own:
    """Of the robot with this `force` (time, 2) and these velocities (complex, NaN where there is none)."""
    shared, own = slopes_of(window, fit.unknowns), own_slopes_of(window, fit.unknowns, force)
    path, x = shared.path[: len(window.rows)], fit.unknowns
    s, c = math.exp(x[LOG_SCALE]) * (path[:, 4] + 1j * path[:, 5]), complex(x[CX], x[CY])
    seen = np.isfinite(velocities) & (window.rows[:, Sum.HEARD] >= 2.0)
    y = (velocities - path[:, 2] - 1j * path[:, 3] - s * (place - c))[seen]
    pull = np.sum(s[seen].conj() * y) / window.sigma**2 + held.weight * (held.place - place)
    weight = float(np.sum(np.abs(s[seen]) ** 2)) / window.sigma**2 + held.weight
    whole = float(np.sum(np.abs(s) ** 2)) / window.sigma**2
    P, N_xz = inverse(fit.matrix), shared.by_unknowns.T @ own.residuals
    g_z = own.residuals.T @ shared.residuals - N_xz.T @ P @ fit.gradient
    by_torque = _torques(window, fit).T @ own.residuals
    # What sixteen parts leave out: the curvature of one, times their number, bounds that of all together.
    team = int(window.rows[-1, Sum.MEMBERS])
    left = own.residuals.T @ own.residuals - N_xz.T @ P @ N_xz - by_torque.T @ by_torque
    curvature = max(weight, _LEAST * whole + 1e-9) * np.eye(2) + team * _positive(left)
    arm = (place - complex(column(window.rows[-1], Sum.B)) / max(window.rows[-1, Sum.HEARD], 1.0)) / (
        math.sqrt(max(float(spread(window.rows[-1])), 1e-12) / team)
    )
    common = math.sqrt(whole + 1e-9) * np.array([[1.0, 0.0], [0.0, 1.0], [arm.real, arm.imag], [-arm.imag, arm.real]])
    effects = np.concatenate([by_torque, common, _follow(shared, own, P)])
    gradient = g_z - np.array([pull.real, pull.imag])
    return Own(weight, curvature, gradient, effects, -P @ N_xz, team, _even(window))


def _even(window: Window) -> bool:
    """Whether all were heard all the time, and nothing is known of the centre and the scale from before."""
    return bool(np.ptp(window.rows[:, Sum.HEARD]) == 0.0 and not window.prior.information.any())


@by_content(32)
def _torques(window: Window, fit: Fit) -> np.ndarray:
    """What torques do to the residuals that the fit does not hide, orthonormal (reading, part)."""
    shared, P = slopes_of(window, fit.unknowns), inverse(fit.matrix)
    k, X = len(window.rows), shared.by_unknowns
    forces = np.zeros((_PARTS, len(window.padded.dt), 2))
    across = 1j * np.exp(1j * shared.path[:k, 0])
    for part in range(_PARTS):
        rows = slice(part * k // _PARTS, (part + 1) * k // _PARTS)
        forces[part, rows, 0], forces[part, rows, 1] = across[rows].real, across[rows].imag
    M = np.asarray(torque_slopes(fit.unknowns, window.padded, forces, window.means, window.friction))
    hidden = M - X @ (P @ (X.T @ M))
    scale = np.sqrt(np.maximum(np.sum(M**2, axis=0), 1e-30))
    values, vectors = np.linalg.eigh(0.5 * (M.T @ hidden + hidden.T @ M) / np.outer(scale, scale))
    # The symmetric root is the same on every machine, whatever signs its eigenvectors have.
    return (hidden / scale) @ (vectors / np.sqrt(np.maximum(values, _ALIKE))) @ vectors.T


def _positive(matrix: np.ndarray) -> np.ndarray:
    """The same without what rounding made negative."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


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


def covariance(window: Window, fit: Fit, joint: Joint | None) -> np.ndarray:
    """Of motion at the end and load, the places' errors included where the team has told them."""
    S = _to_end(slopes_of(window, fit.unknowns))
    P_end = S @ inverse(fit.matrix) @ S.T
    if joint is None:
        return P_end
    return P_end + (joint.follows if _even(window) else joint.at_most)
