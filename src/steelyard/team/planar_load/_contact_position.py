"""A robot's own place, given the shared fit, and what the places' errors do to it.

Alternating between the two descends on the joint likelihood of everybody's data: a robot's place is told by its own
velocities and, through the torque of its own force, by how the whole load turned.
"""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._by_content import by_content
from steelyard.team.planar_load._fit import CX, CY, LOG_SCALE, N_UNKNOWNS, TorqueSlopes
from steelyard.team.planar_load._joint_step import COMMON, N_SHARED, PATTERNS, Joint, Shared, step_of, told_of
from steelyard.team.planar_load._rollouts import KEPT_SHOTS, slopes_of, torque_slopes_of
from steelyard.team.planar_load._sums import Sum, column, origin_velocity, spread, turning
from steelyard.team.planar_load._window import Fit, Window, inverse

_FEWEST = 12  # rows from which a turning can be read off
_LEAST = 1e-2  # share of a whole window's weight that the place of a robot without velocities is held by
_ALIKE = 1e-9  # relative: patterns of torques whose effects differ by less from those before count as none


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


def turning_tells(rows: np.ndarray, sigma: float) -> bool:
    """Whether the turning tells a place to a fifth of the team's size or better; `sigma` of a row's velocity, m/s."""
    used = rows[(rows[:, Sum.HEARD] >= 2.0) & (spread(rows) > 1e-9)]
    around = spread(used)
    size = float(np.mean(around / used[:, Sum.HEARD])) if len(used) else 0.0
    # Noise of all robots' velocities makes a turning too.
    return size * float(np.sum(np.abs(turning(used)) ** 2 - 2.0 * sigma**2 / around)) > 25.0 * sigma**2


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
    """What a step of the place does to all that the team shares: see `told_of`."""
    shared: Shared
    gain: np.ndarray
    """(unknown, 2): how the unknowns of the fit follow a step of the place."""

    @property
    def told(self) -> np.ndarray:
        """For the team to add up."""
        return told_of(self.curvature, self.gradient, self.effects)

    def step(self, joint: Joint) -> complex:
        """To the likeliest place, when all others take theirs."""
        return complex(*step_of(self.curvature, self.gradient, self.effects, joint))

    def followed(self, step: complex) -> np.ndarray:
        """How the unknowns of the fit follow a step of the place."""
        return self.gain @ np.array([step.real, step.imag])


def own_part(
    window: Window, fit: Fit, force: np.ndarray, place: complex, velocities: np.ndarray, held: Held = NOTHING_HELD
) -> Own:
    """Of the robot with this force and these velocities (complex, NaN where there is none)."""
    beside = _beside(window, fit)
    shot = slopes_of(window, fit.unknowns)
    path, x = shot.path[: len(window.rows)], fit.unknowns
    s, c = math.exp(x[LOG_SCALE]) * (path[:, 4] + 1j * path[:, 5]), complex(x[CX], x[CY])
    seen = np.isfinite(velocities) & (window.rows[:, Sum.HEARD] >= 2.0)
    y = (velocities - path[:, 2] - 1j * path[:, 3] - s * (place - c))[seen]
    pull = np.sum(s[seen].conj() * y) / window.sigma**2 + held.weight * (held.place - place)
    weight = float(np.sum(np.abs(s[seen]) ** 2)) / window.sigma**2 + held.weight
    whole = float(np.sum(np.abs(s) ** 2)) / window.sigma**2
    # A place a unit along y is one along x under a force a quarter turn back.
    R = torque_slopes_of(window, x, np.stack([force, -1j * force])).residuals
    strengths = beside.patterns.T @ R
    left = R - beside.patterns @ strengths
    # What the patterns leave out: the curvature of one, times their number, bounds that of all together.
    team = int(window.rows[-1, Sum.MEMBERS])
    hold = max(weight, _LEAST * whole + 1e-9) * np.eye(2)
    own_gradient = -np.array([pull.real, pull.imag])
    explained = _explained(beside.path_by[: len(path)][seen], s[seen], place - c, x) / window.sigma**2
    common = math.sqrt(whole + 1e-9) * _common(window, place, team)
    gain = -inverse(fit.matrix) @ (shot.by_unknowns.T @ R + explained[:N_UNKNOWNS])
    return Own(
        weight,
        hold + team * left.T @ left,
        own_gradient + left.T @ shot.residuals,
        np.concatenate([explained, strengths, common]),
        beside.shared,
        gain,
    )


class _Beside(NamedTuple):
    """What all robots need beside a fit for their own places, alike."""

    shared: Shared
    patterns: np.ndarray
    """(reading, pattern): what torques do to the residuals, made orthogonal, each of length one."""
    path_by: np.ndarray
    """(time, 6, shared): what unknowns and patterns do to the motion."""


@by_content(KEPT_SHOTS)
def _beside(window: Window, fit: Fit) -> _Beside:
    shot, k = slopes_of(window, fit.unknowns), len(window.rows)
    across = 1j * np.exp(1j * shot.path[:k, 0])
    by = torques_apart(torque_slopes_of(window, fit.unknowns, across * _patterns(k)))
    N, g = np.zeros((N_SHARED, N_SHARED)), np.zeros(N_SHARED)
    x, w = slice(0, N_UNKNOWNS), slice(N_UNKNOWNS, N_SHARED)
    N[x, x], g[x] = fit.matrix, fit.gradient
    N[w, w], g[w] = by.residuals.T @ by.residuals, by.residuals.T @ shot.residuals
    N[x, w] = shot.by_unknowns.T @ by.residuals
    N[w, x] = N[x, w].T
    end = np.eye(N_UNKNOWNS, N_SHARED)
    end[:4] = np.concatenate([shot.end_by_unknowns, by.end], axis=1)
    path_by = np.concatenate([shot.path_by_unknowns, by.path], axis=2)
    return _Beside(Shared(N, g, end), by.residuals, path_by)


def torques_apart(by: TorqueSlopes) -> TorqueSlopes:
    """The same span by combinations that do different things; what the others do already is left out.

    Where a load turns wildly every torque soon does the same, up to 10⁵ times what else it does: in what is left lies
    most of what places can be told by. Each comes after those before it, so that nearly the same torques give nearly
    the same combinations at every robot.
    """
    scale = np.sqrt(np.sum(by.residuals**2, axis=0)) + 1e-15
    told = np.abs(np.diag(np.linalg.qr(by.residuals / scale, "r"))) > _ALIKE
    Q, R = np.linalg.qr(by.residuals[:, told] / scale[told])
    signs = np.where(np.diag(R) < 0.0, -1.0, 1.0)
    combined = np.zeros((len(scale), len(scale)))
    combined[np.ix_(told, told)] = np.linalg.solve(R, np.diag(signs)) / scale[told, None]
    residuals = np.zeros_like(by.residuals)
    residuals[:, told] = Q * signs
    return TorqueSlopes(residuals, by.path @ combined, by.end @ combined)


def _patterns(k: int) -> np.ndarray:
    """(pattern, time): cosines, from a steady torque on."""
    return np.cos(np.pi * np.arange(PATTERNS)[:, None] * (np.arange(k) + 0.5) / k)


def _explained(path_by: np.ndarray, s: np.ndarray, arm: complex, x: np.ndarray) -> np.ndarray:
    """(shared, 2), m²/s²: how the normal equations feel a step of the place, by the robot's own velocities.

    A velocity is v_c + s (ẑ − c), of which all but the place is shared.
    """
    by_v, by_s = (path_by[:, i] + 1j * path_by[:, i + 1] for i in (2, 4))
    by_s = math.exp(x[LOG_SCALE]) * by_s
    by_s[:, LOG_SCALE] += s
    by_velocity = by_v + arm * by_s
    by_velocity[:, CX] -= s
    by_velocity[:, CY] -= 1j * s
    return np.stack([(by_velocity.conj() * way).sum(axis=0).real for way in (s[:, None], 1j * s[:, None])], axis=1)


def _common(window: Window, place: complex, team: int) -> np.ndarray:
    """(4, 2): a place's share in moving, stretching and turning all; none where it can be told from before."""
    if window.prior.information.any():
        return np.zeros((COMMON, 2))
    last = window.rows[-1]
    size = math.sqrt(max(float(spread(last)), 1e-12) / team)
    arm = (place - complex(column(last, Sum.B)) / max(last[Sum.HEARD], 1.0)) / size
    return np.array([[1.0, 0.0], [0.0, 1.0], [arm.real, arm.imag], [-arm.imag, arm.real]])


def covariance(window: Window, fit: Fit, joint: Joint | None) -> np.ndarray:
    """Of motion at the end and load, the places' errors included where the team has told them."""
    S = np.eye(N_UNKNOWNS)
    S[:4] = slopes_of(window, fit.unknowns).end_by_unknowns
    P_end = S @ inverse(fit.matrix) @ S.T
    return P_end if joint is None else P_end + joint.follows
