"""The nearest load that can exist: a pseudo-inertia that is positive definite, in the metric of the information."""

import dataclasses

import numpy as np

from steelyard.estimators import Damping, damped_step, gauss_newton

LEAST = 1e-6
"""Smallest eigenvalue of a pseudo-inertia over its trace that counts as possible."""
_DAMPING = Damping(first=1e-3, shrink=0.2, grow=5.0, least=1e-12, most=1e12)


def pseudo_inertia(load: np.ndarray) -> np.ndarray:
    """(4, 4) from m, m c, and moments about the origin: its upper block is the second moment of mass."""
    m, first, (xx, yy, zz, xy, xz, yz) = load[0], load[1:4], load[4:]
    moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    second = 0.5 * np.trace(moments) * np.eye(3) - moments
    return np.block([[second, first[:, None]], [first[None], np.array([[m]])]])


def load_of(pseudo: np.ndarray) -> np.ndarray:
    """The ten parameters of a pseudo-inertia."""
    second = pseudo[:3, :3]
    moments = np.trace(second) * np.eye(3) - second
    return np.concatenate(
        [[pseudo[3, 3]], pseudo[:3, 3], np.diag(moments), [moments[0, 1], moments[0, 2], moments[1, 2]]]
    )


def is_possible(load: np.ndarray) -> bool:
    """Whether some distribution of positive mass has these parameters."""
    sizes = np.linalg.eigvalsh(pseudo_inertia(load))
    return bool(np.isfinite(load).all() and sizes[0] > 0.5 * LEAST * max(float(sizes.sum()), 1e-12) and load[0] > 0)


def nearest_possible(load: np.ndarray, information: np.ndarray) -> np.ndarray:
    """The possible load with the smallest (x - load)' information (x - load).

    Dykstra's projections would need the plain metric; a factor L of the pseudo-inertia L L', its diagonal bounded
    from below, turns the problem into ten free unknowns, and a few damped Gauss-Newton steps solve it.
    """
    if is_possible(load):
        return load
    weights, directions = np.linalg.eigh(0.5 * (information + information.T))
    root = np.sqrt(np.maximum(weights, 1e-12 * weights[-1]))[:, None] * directions.T
    m = max(float(load[0]), 1e-3)
    start = pseudo_inertia(load)
    start[3, 3] = m
    sizes, axes = np.linalg.eigh(start)
    floor = 2.0 * LEAST * float(np.abs(sizes).sum())
    L = np.linalg.cholesky((axes * np.maximum(sizes, floor)) @ axes.T)
    rows = np.tril_indices(4)

    def made(x: np.ndarray) -> np.ndarray:
        factor = np.zeros((4, 4))
        factor[rows] = x
        return load_of(factor @ factor.T + floor * np.diag([1.0, 1.0, 1.0, 0.0]))

    def at(x: np.ndarray) -> _Candidate:
        here = made(x)
        return _Candidate(x, here, root @ (here - load))

    def attempt(now: _Candidate, damping: float) -> _Candidate:
        J = root @ np.stack([(made(now.x + 1e-6 * e) - made(now.x - 1e-6 * e)) / 2e-6 for e in np.eye(10)], axis=1)
        return at(now.x - damped_step(J.T @ J, J.T @ now.residual, damping))

    def settled(before: _Candidate, after: _Candidate) -> bool:
        return before.cost - after.cost < 1e-9 * max(before.cost, 1e-9)

    return gauss_newton(at(L[rows]), attempt, settled, _DAMPING, trials=200).load


@dataclasses.dataclass(frozen=True)
class _Candidate:
    """A possible load, by the factor of its pseudo-inertia."""

    x: np.ndarray
    load: np.ndarray
    residual: np.ndarray

    @property
    def cost(self) -> float:
        """Squared distance from the load that was asked for."""
        return float(self.residual @ self.residual)
