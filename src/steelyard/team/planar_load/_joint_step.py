"""The joint Gauss-Newton step of all contact positions, from sums over the robots: the step of a centralised estimator.

Contact positions depend on each other through the shared fit and through the torques of their forces. Torques act
through 16 patterns over the window. Given the patterns' amplitudes, a position depends on its own robot's data alone,
so sums over the robots and one small system are enough [woodbury50]. Equations: docs/PLANAR_FIT.md, section 5.
"""

from typing import NamedTuple

import numpy as np

from steelyard.team.planar_load._fit import LOG_INERTIA, LOG_MASS, LOG_SCALE, N_UNKNOWNS
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import inverse

N_PATTERNS = TUNING.torque_patterns
N_GAUGE = 4
N_SHARED = N_UNKNOWNS + N_PATTERNS
"""Of u = (x, w): unknowns, and amplitudes of the torque patterns."""
N_COUPLING = N_SHARED + N_PATTERNS + N_GAUGE
"""Of λ = (u, μ, γ)."""
_UPPER = np.triu_indices(N_COUPLING)
CONTRIBUTION_SIZE = len(_UPPER[0]) + N_COUPLING
"""Numbers that a robot contributes for a contact position: the upper triangle of its K_j, then its k_j."""
_U, _X = slice(0, N_SHARED), slice(0, N_UNKNOWNS)
_W, _MU = slice(N_UNKNOWNS, N_SHARED), slice(N_SHARED, N_SHARED + N_PATTERNS)
_GAMMA = slice(N_SHARED + N_PATTERNS, N_COUPLING)


class SharedEquations(NamedTuple):
    """Normal equations of u with all contact positions fixed: the same at every robot."""

    matrix: np.ndarray
    """N."""
    gradient: np.ndarray
    """g."""
    end: np.ndarray
    """L (unknown, shared): derivative of the motion at the end and the load by u."""


def contribution_of(H: np.ndarray, h: np.ndarray, G: np.ndarray) -> np.ndarray:
    """Upper triangle of K_j = G H⁻¹ Gᵀ, and k_j = G H⁻¹ h, for the team to add up.

    H (2, 2) and h (2,) are the position's own normal equations, G (coupling, 2) couples it to λ.
    """
    K = G @ np.linalg.solve(H, np.column_stack([G.T, h]))
    return np.concatenate([K[:, :-1][_UPPER], K[:, -1]])


class JointStep(NamedTuple):
    """The solution of the KKT system."""

    multipliers: np.ndarray
    """λ = (u, μ, γ)."""
    shift: np.ndarray
    """By which the step moves the motion at the end and the load: L u."""
    covariance: np.ndarray
    """Of motion at the end and load, from the errors of the contact positions alone."""

    @property
    def bounded(self) -> bool:
        """Whether the step is a possible one: where nothing is known of a position, rounding makes it huge."""
        return bool(np.all(np.abs(self.shift[[LOG_MASS, LOG_INERTIA, LOG_SCALE]]) < TUNING.largest_log_step))

    @staticmethod
    def of(total: np.ndarray, shared: SharedEquations) -> "JointStep":
        """From the team's sum of contributions, all made with the same fit: solves (M − K) λ = k − (g, 0, 0)."""
        K = np.zeros((N_COUPLING, N_COUPLING))
        K[_UPPER] = total[: len(_UPPER[0])]
        K = K + K.T - np.diag(np.diag(K))
        A = -K
        A[_U, _U] += shared.matrix
        A[_W, _MU] -= np.eye(N_PATTERNS)
        A[_MU, _W] -= np.eye(N_PATTERNS)
        A[_GAMMA, _GAMMA] -= np.eye(N_GAUGE)
        # One right-hand side for the step, and one along each row of L for the covariance.
        right = np.zeros((N_COUPLING, 1 + N_UNKNOWNS))
        right[:, 0] = total[len(_UPPER[0]) : CONTRIBUTION_SIZE]
        right[_U, 0] -= shared.gradient
        right[_U, 1:] = -shared.end.T
        scale = 1.0 / np.sqrt(np.abs(np.diag(A)) + 1e-12)
        lambdas = scale[:, None] * np.linalg.lstsq(A * np.outer(scale, scale), scale[:, None] * right, rcond=1e-13)[0]
        moved = shared.end @ lambdas[_U]
        fixed = shared.end[:, _X] @ inverse(shared.matrix[_X, _X]) @ shared.end[:, _X].T
        return JointStep(lambdas[:, 0], moved[:, 0], _positive(-moved[:, 1:] - fixed))


def position_step(H: np.ndarray, h: np.ndarray, G: np.ndarray, joint: JointStep) -> np.ndarray:
    """(2,): δ_j = −H⁻¹ (h + Gᵀ λ), of one position when all others take theirs."""
    return -np.linalg.solve(H, h + G.T @ joint.multipliers)


def _positive(matrix: np.ndarray) -> np.ndarray:
    """Without the negative eigenvalues that rounding makes."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return (vectors * np.maximum(values, 0.0)) @ vectors.T
