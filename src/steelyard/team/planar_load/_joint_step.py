"""The step of all places together, from a sum over the robots: what somebody with everybody's data would do.

Places pull at each other because the fit follows all of them, and because each turns the load by the torque of its
force. The fit has eleven unknowns, and a load turns so slowly that a few numbers say how torques act: one for each of
sixteen patterns over the window. Given those, every place is told by its own robot's velocities alone; so somebody with
everybody's data needs no more than sums over the robots, and one small system [woodbury50].
"""

from typing import NamedTuple

import numpy as np

from steelyard.team.planar_load._fit import LOG_INERTIA, LOG_MASS, LOG_SCALE, N_UNKNOWNS
from steelyard.team.planar_load._window import inverse

PATTERNS, COMMON = 16, 4
_FARTHEST = 10.0  # of a logarithm, in one step
N_SHARED = N_UNKNOWNS + PATTERNS
N_EFFECTS = N_SHARED + PATTERNS + COMMON
_UPPER = np.triu_indices(N_EFFECTS)
N_TOLD = len(_UPPER[0]) + N_EFFECTS
"""Numbers that a robot tells of its place for the team to add up."""
_U, _X = slice(0, N_SHARED), slice(0, N_UNKNOWNS)
_W, _Q = slice(N_UNKNOWNS, N_SHARED), slice(N_SHARED, N_SHARED + PATTERNS)
_C = slice(N_SHARED + PATTERNS, N_EFFECTS)


class Shared(NamedTuple):
    """What all know alike of the unknowns and the patterns' strengths, places held."""

    matrix: np.ndarray
    """Of the normal equations."""
    gradient: np.ndarray
    end: np.ndarray
    """(unknown, shared): what they do to the motion at the end, and to the load."""


def told_of(curvature: np.ndarray, gradient: np.ndarray, effects: np.ndarray) -> np.ndarray:
    """What one robot tells, for the team to add up.

    `effects` (effect, 2): what a step of its place does to the normal equations of all that is shared, by the robot's
    own velocities; to the patterns' strengths; and to the places' common motion.
    """
    K = effects @ np.linalg.solve(curvature, np.column_stack([effects.T, gradient]))
    return np.concatenate([K[:, :-1][_UPPER], K[:, -1]])


class Joint(NamedTuple):
    """What follows from the sum of what all told."""

    pull: np.ndarray
    """On places, by their effects."""
    ahead: np.ndarray
    """Where the steps take the motion at the end and the load."""
    follows: np.ndarray
    """Covariance of motion at the end and load from the places' errors."""

    @property
    def near(self) -> bool:
        """Whether the step leads anywhere: far off it may be large, where nothing is told it is absurd."""
        return bool(np.all(np.abs(self.ahead[[LOG_MASS, LOG_INERTIA, LOG_SCALE]]) < _FARTHEST))

    @staticmethod
    def of(total: np.ndarray, shared: Shared) -> "Joint":
        """From the team's sum of `told_of`, all next to one fit.

        A pull is a step of what is shared, a price for each pattern of doing what the places' torques do not, and the
        places' common motion: translation, turning and stretching of all, which the fit would only follow.
        """
        K = np.zeros((N_EFFECTS, N_EFFECTS))
        K[_UPPER] = total[: len(_UPPER[0])]
        K = K + K.T - np.diag(np.diag(K))
        A = -K
        A[_U, _U] += shared.matrix
        A[_W, _Q] -= np.eye(PATTERNS)
        A[_Q, _W] -= np.eye(PATTERNS)
        A[_C, _C] -= np.eye(COMMON)
        # For the gradient that there is, and for one along each thing whose covariance is wanted.
        right = np.zeros((N_EFFECTS, 1 + N_UNKNOWNS))
        right[:, 0] = total[len(_UPPER[0]) : N_TOLD]
        right[_U, 0] -= shared.gradient
        right[_U, 1:] = -shared.end.T
        scale = 1.0 / np.sqrt(np.abs(np.diag(A)) + 1e-12)
        pulls = scale[:, None] * np.linalg.lstsq(A * np.outer(scale, scale), scale[:, None] * right, rcond=1e-13)[0]
        moved = shared.end @ pulls[_U]
        held = shared.end[:, _X] @ inverse(shared.matrix[_X, _X]) @ shared.end[:, _X].T
        return Joint(pulls[:, 0], moved[:, 0], positive(-moved[:, 1:] - held))


def step_of(curvature: np.ndarray, gradient: np.ndarray, effects: np.ndarray, joint: Joint) -> np.ndarray:
    """(2,), of one place, when all others take theirs."""
    return -np.linalg.solve(curvature, gradient + effects.T @ joint.pull)


def positive(matrix: np.ndarray) -> np.ndarray:
    """The same without what rounding made negative."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return (vectors * np.maximum(values, 0.0)) @ vectors.T
