"""The linearisation point: the load, the vertical, and everybody's grip; and the load's moments, in NumPy.

All of it is in the frame of one robot of the team, the first. A point moves by a vector: ten coordinates of the load, a
small rotation of the vertical at the first row, and position and rotation of every other robot. The load's coordinates
are half the logarithm of its mass, the six second moments of its mass about its centre as shares of the mass (m²), and
its centre. Moments are moved so that they stay those of a possible body. Road not taken: log-Cholesky coordinates, in
which a load that was once taken for flat stays flat, because nothing depends on the logarithm of next to nothing.
Numbers are NumPy's: a robot takes a hundred such steps a second, and a call into JAX costs more than all of one. The
source of the moments is `geometry`; a test holds these to it.
"""

import dataclasses
from types import ModuleType
from typing import Any

import numpy as np

from steelyard._rotations import exp_so3, log_so3

LOAD = slice(0, 10)
TILT = slice(10, 13)
_FIRST_POSE = 13
UPPER = (np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2]))
"""Where the moments xx, yy, zz, xy, xz, yz are in a matrix."""


def pose_of(robot: int) -> slice:
    """Where position and rotation of a robot, counted from 1, are in a vector."""
    start = _FIRST_POSE + 6 * (robot - 1)
    return slice(start, start + 6)


@dataclasses.dataclass(frozen=True, eq=False)
class LinearisationPoint:
    """A load, the vertical at the first row, and everybody's frame, in the first robot's frame."""

    load: np.ndarray
    """(10,): half the logarithm of the mass, second moments xx, yy, zz, xy, xz, yz a mass (m²), centre (m)."""
    down: np.ndarray
    """(3,), gravity at the first row, m/s²."""
    R: np.ndarray
    """(robot, 3, 3), R_1j; the first is the identity."""
    t: np.ndarray
    """(robot, 3), t_1j in m; the first is zero."""

    @staticmethod
    def of(
        mass: float, com: np.ndarray, inertia: np.ndarray, down: np.ndarray, R: np.ndarray, t: np.ndarray
    ) -> "LinearisationPoint":
        """From mass (kg), centre of mass (m) and the inertia about it (kg m²)."""
        return LinearisationPoint(load_coordinates(mass, com, inertia), down, R, t)

    @property
    def robots(self) -> int:
        """How many hold the load."""
        return len(self.t)

    @property
    def size(self) -> int:
        """How many coordinates there are."""
        return _FIRST_POSE + 6 * (self.robots - 1)

    def retract(self, step: np.ndarray) -> "LinearisationPoint":
        """The point a step further on."""
        R, t = self.R.copy(), self.t.copy()
        for j in range(1, self.robots):
            part = step[pose_of(j)]
            t[j] = t[j] + part[:3]
            R[j] = R[j] @ exp_so3(part[3:])
        return LinearisationPoint(retract_load(self.load, step[LOAD]), exp_so3(step[TILT]) @ self.down, R, t)

    def local(self, other: "LinearisationPoint") -> np.ndarray:
        """The step from here to another point."""
        step = np.zeros(self.size)
        step[LOAD] = other.load - self.load
        a, b = self.down, other.down
        sine, cosine = np.cross(a, b), float(a @ b)
        size = float(np.linalg.norm(sine))
        step[TILT] = sine * (np.arctan2(size, cosine) / size if size > 1e-12 else 0.0)
        for j in range(1, self.robots):
            step[pose_of(j)] = [*(other.t[j] - self.t[j]), *log_so3(self.R[j].T @ other.R[j])]
        return step


def retract_load(load: np.ndarray, step: np.ndarray) -> np.ndarray:
    """A load's coordinates a step further on; second moments stay positive definite.

    Along the axes in which the moments are one and the step is a number x, they become 1 + x, and from x = -1/2 down
    exp(2 x + 1) / 2: to first order the step itself, never zero, and not too far for a large step up.
    """
    S = matrix_from_moments(load[1:7])
    A = np.linalg.cholesky(S)
    A_inv = np.linalg.inv(A)
    sizes, axes = np.linalg.eigh(A_inv @ matrix_from_moments(step[1:7]) @ A_inv.T)
    sizes = np.where(sizes > -0.5, 1.0 + sizes, 0.5 * np.exp(np.clip(2.0 * sizes + 1.0, -8.0, 0.0)))
    B = A @ axes
    moved = load + step
    sizes, axes = np.linalg.eigh((B * sizes) @ B.T)
    sizes = np.maximum(sizes, 1e-6 * sizes[-1])  # or rounding would make a very flat load impossible
    moved[1:7] = ((axes * sizes) @ axes.T)[UPPER]
    return moved


_ENTRIES = np.block([[1.0 - np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), -np.eye(3)]])
"""(6, 6): inertia xx, yy, zz, xy, xz, yz by second moments."""


def load_parameters(load: Any, xp: ModuleType = np) -> Any:
    """Mass, centre of mass and the moments of inertia about it (xx, yy, zz, xy, xz, yz) of a load's coordinates."""
    m = xp.exp(2.0 * load[:1])
    return xp.concatenate([m, load[7:], m * (_ENTRIES @ load[1:7])])


def load_jacobian(load: Any, xp: ModuleType = np) -> Any:
    """(10, 10): how `load_parameters` follow the coordinates."""
    numbers = load_parameters(load, xp)
    by_mass = xp.concatenate([2.0 * numbers[:1], xp.zeros(3), 2.0 * numbers[4:]])[:, None]
    by_moments = xp.concatenate([xp.zeros((4, 6)), numbers[0] * _ENTRIES])
    return xp.concatenate([by_mass, by_moments, xp.eye(10, 3, -1)], axis=1)


def matrix_from_moments(moments: Any, xp: ModuleType = np) -> Any:
    """The symmetric matrix of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = moments
    return xp.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def load_coordinates(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """A possible load's coordinates; `inertia` about the centre of mass."""
    S = (0.5 * np.trace(inertia) * np.eye(3) - inertia) / mass
    return np.concatenate([[0.5 * np.log(mass)], S[UPPER], com])


def moments_times(v: np.ndarray) -> np.ndarray:
    """(…, 3, 6): the matrix by which moments xx, yy, zz, xy, xz, yz make I v."""
    out = np.zeros((*v.shape[:-1], 3, 6))
    for k, (a, b) in enumerate(zip(*UPPER, strict=True)):
        out[..., a, k] += v[..., b]
        if a != b:
            out[..., b, k] += v[..., a]
    return out
