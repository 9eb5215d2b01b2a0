"""The likelihood of one contact position next to the shared fit.

Alternating between the two descends on the joint likelihood of the team's data: a contact position is measured by its
own robot's velocities and, through the torque of its force, by the rotation of the load. Equations and symbols:
docs/PLANAR_FIT.md, section 4.
"""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team.planar_load._fit import CX, CY, LOG_SCALE, N_UNKNOWNS, Rollout, TorqueJacobians
from steelyard.team.planar_load._joint_step import (
    N_GAUGE,
    N_PATTERNS,
    N_SHARED,
    JointStep,
    SharedEquations,
    contribution_of,
    position_step,
)
from steelyard.team.planar_load._rollouts import rollout_of, torque_jacobians_of
from steelyard.team.planar_load._sums import (
    Sum,
    best_measured,
    column,
    origin_velocity,
    rotation_measured,
    spin,
    spread,
)
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Fit, Window, inverse


def position_from_rotation(rows: np.ndarray, velocities: np.ndarray) -> complex | None:
    """A contact position from its robot's velocities and the team's spin, Eq. (9).

    A step of power iteration: velocities relative to the load's are of rank one in time and robot. Noise enters
    numerator and denominator alike, so the right positions are a fixed point.
    """
    used = rotation_measured(rows) & np.isfinite(velocities) & (spread(rows) > 1e-9)
    if used.sum() < TUNING.rotation_rows:
        return None
    s = spin(rows[used])
    y = velocities[used] - origin_velocity(rows[used], s)
    power = float(np.sum(np.abs(s) ** 2))
    return complex(np.sum(s.conj() * y) / power) if power > 0.0 else None


def rotation_suffices(rows: np.ndarray, sigma: float) -> bool:
    """Whether the rotation gives a position to a fifth of the team's size; `sigma` of a row's velocity, m/s."""
    used = rows[rotation_measured(rows) & (spread(rows) > 1e-9)]
    around = spread(used)
    size = float(np.mean(around / used[:, Sum.MEASURED])) if len(used) else 0.0
    power = float(np.sum(np.abs(spin(used)) ** 2 - 2.0 * sigma**2 / around))  # less that of the velocities' noise
    return size * power > TUNING.rotation_ratio * sigma**2


class ContactPrior(NamedTuple):
    """What earlier windows told of a contact position: no change of load or team moves it."""

    position: complex
    information: float
    """On each coordinate."""


NO_CONTACT_PRIOR = ContactPrior(0j, 0.0)


class ContactLikelihood(NamedTuple):
    """The likelihood of a contact position next to a fit, to second order."""

    information: float
    """On each coordinate, from the robot's own velocities and the prior."""
    H: np.ndarray
    """(2, 2): the position's own curvature."""
    h: np.ndarray
    """(2,): its own gradient."""
    G: np.ndarray
    """(coupling, 2): what couples it to λ, see `JointStep`."""
    shared: SharedEquations
    gain: np.ndarray
    """(unknown, 2): derivative of the fit's unknowns by the position."""

    @property
    def contribution(self) -> np.ndarray:
        """For the team to add up."""
        return contribution_of(self.H, self.h, self.G)

    def step(self, joint: JointStep) -> complex:
        """To the likeliest position, when all others take their steps."""
        return complex(*position_step(self.H, self.h, self.G, joint))

    def fit_change(self, step: complex) -> np.ndarray:
        """Of the fit's unknowns when the position takes a step."""
        return self.gain @ np.array([step.real, step.imag])


def contact_likelihood(
    cache: Cache,
    window: Window,
    fit: Fit,
    force: np.ndarray,
    position: complex,
    velocities: np.ndarray,
    weights: np.ndarray,
    prior: ContactPrior = NO_CONTACT_PRIOR,
) -> ContactLikelihood:
    """Of the contact with this force and these velocities (complex, NaN where there is none), Eqs. (10) to (14).

    `weights` of the velocities are shares of whole rows; see `own_row`.
    """
    rollout = rollout_of(cache, window, fit.unknowns)
    jacobians = cache.call(_shared_jacobians, window, fit, given=(rollout,), keep=TUNING.rollouts_cached)
    path, x = rollout.path[: len(window.rows)], fit.unknowns
    s, c = math.exp(x[LOG_SCALE]) * (path[:, 4] + 1j * path[:, 5]), complex(x[CX], x[CY])
    seen = np.isfinite(velocities) & rotation_measured(window.rows)
    y, w = (velocities - path[:, 2] - 1j * path[:, 3] - s * (position - c))[seen], weights[seen]
    score = np.sum(w * s[seen].conj() * y) / window.sigma**2 + prior.information * (prior.position - position)
    information = float(np.sum(w * np.abs(s[seen]) ** 2)) / window.sigma**2 + prior.information
    whole = float(np.sum(np.abs(s) ** 2)) / window.sigma**2
    # An arm of a unit along y is one along x under a force a quarter turn back.
    R = torque_jacobians_of(window, x, np.stack([force, -1j * force])).residuals
    Q = jacobians.patterns.T @ R
    rest = R - jacobians.patterns @ Q
    # What the patterns leave out: the curvature of one, times the number of robots, bounds that of all together.
    n = int(window.rows[-1, Sum.MEMBERS])
    own = max(information, TUNING.least_information * whole + 1e-9) * np.eye(2)
    E = _velocity_coupling(jacobians.path_by[: len(path)][seen], s[seen], w, position - c, x) / window.sigma**2
    C = math.sqrt(whole + 1e-9) * _gauge(window, position, n)
    return ContactLikelihood(
        information=information,
        H=own + n * rest.T @ rest,
        h=rest.T @ rollout.residuals - np.array([score.real, score.imag]),
        G=np.concatenate([E, Q, C]),
        shared=jacobians.shared,
        gain=-inverse(fit.matrix) @ (rollout.by_unknowns.T @ R + E[:N_UNKNOWNS]),
    )


class _SharedJacobians(NamedTuple):
    """What every robot needs next to a fit, the same for all."""

    shared: SharedEquations
    patterns: np.ndarray
    """(reading, pattern): what the torque patterns do to the residuals, orthonormal."""
    path_by: np.ndarray
    """(time, 6, shared): derivative of the motion by u."""


def _shared_jacobians(window: Window, fit: Fit, rollout: Rollout) -> _SharedJacobians:
    k = len(window.rows)
    across = 1j * np.exp(1j * rollout.path[:k, 0])
    torques = orthogonal_torques(torque_jacobians_of(window, fit.unknowns, across * _patterns(k)))
    N, g = np.zeros((N_SHARED, N_SHARED)), np.zeros(N_SHARED)
    x, w = slice(0, N_UNKNOWNS), slice(N_UNKNOWNS, N_SHARED)
    N[x, x], g[x] = fit.matrix, fit.gradient
    N[w, w], g[w] = torques.residuals.T @ torques.residuals, torques.residuals.T @ rollout.residuals
    N[x, w] = rollout.by_unknowns.T @ torques.residuals
    N[w, x] = N[x, w].T
    L = np.eye(N_UNKNOWNS, N_SHARED)
    L[:4] = np.concatenate([rollout.end_by_unknowns, torques.end], axis=1)
    path_by = np.concatenate([rollout.path_by_unknowns, torques.path], axis=2)
    return _SharedJacobians(SharedEquations(N, g, L), torques.residuals, path_by)


def orthogonal_torques(torques: TorqueJacobians) -> TorqueJacobians:
    """The same span by combinations whose effects on the residuals are orthonormal; redundant ones become zero.

    Where a load turns wildly every torque soon has the same effect, up to 10⁵ times its other effects: those carry most
    of the information on contact positions. In the given order, so that nearly the same torques give nearly the same
    combinations at every robot.
    """
    scale = np.sqrt(np.sum(torques.residuals**2, axis=0)) + 1e-15
    stored = np.abs(np.diag(np.linalg.qr(torques.residuals / scale, "r"))) > TUNING.same_torque
    Q, R = np.linalg.qr(torques.residuals[:, stored] / scale[stored])
    signs = np.where(np.diag(R) < 0.0, -1.0, 1.0)
    combined = np.zeros((len(scale), len(scale)))
    combined[np.ix_(stored, stored)] = np.linalg.solve(R, np.diag(signs)) / scale[stored, None]
    residuals = np.zeros_like(torques.residuals)
    residuals[:, stored] = Q * signs
    return TorqueJacobians(residuals, torques.path @ combined, torques.end @ combined)


def _patterns(k: int) -> np.ndarray:
    """(pattern, time): cosines, from a constant torque on."""
    return np.cos(np.pi * np.arange(N_PATTERNS)[:, None] * (np.arange(k) + 0.5) / k)


def _velocity_coupling(path_by: np.ndarray, s: np.ndarray, w: np.ndarray, arm: complex, x: np.ndarray) -> np.ndarray:
    """E σ² (shared, 2), m²/s²: Re Σ w conj(∂v/∂u) ∂v/∂z of the robot's own velocities v = v_c + s (z − c), Eq. (12)."""
    by_v, by_s = (path_by[:, i] + 1j * path_by[:, i + 1] for i in (2, 4))
    by_s = math.exp(x[LOG_SCALE]) * by_s
    by_s[:, LOG_SCALE] += s
    by_velocity = by_v + arm * by_s
    by_velocity[:, CX] -= s
    by_velocity[:, CY] -= 1j * s
    ways = (w * s)[:, None], (1j * w * s)[:, None]
    return np.stack([(by_velocity.conj() * by_z).sum(axis=0).real for by_z in ways], axis=1)


def _gauge(window: Window, position: complex, n: int) -> np.ndarray:
    """(4, 2): a position's share in translating, scaling and turning all; zero where a prior fixes the gauge."""
    if window.prior.information.any():
        return np.zeros((N_GAUGE, 2))
    last = best_measured(window.rows)
    size = math.sqrt(max(float(spread(last)), 1e-12) / n)
    arm = (position - complex(column(last, Sum.B)) / max(last[Sum.MEASURED], 1.0)) / size
    return np.array([[1.0, 0.0], [0.0, 1.0], [arm.real, arm.imag], [-arm.imag, arm.real]])


def covariance(cache: Cache, window: Window, fit: Fit, joint: JointStep | None) -> np.ndarray:
    """Of motion at the end and load, with the errors of the contact positions where the joint step is known."""
    S = np.eye(N_UNKNOWNS)
    S[:4] = rollout_of(cache, window, fit.unknowns).end_by_unknowns
    P_end = S @ inverse(fit.matrix) @ S.T
    return P_end if joint is None else P_end + joint.covariance
