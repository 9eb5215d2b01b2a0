"""A window of sums, and what is known beside it."""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team.planar_load._fit import (
    COULOMB,
    CX,
    CY,
    LOG_INERTIA,
    LOG_MASS,
    LOG_SCALE,
    N_UNKNOWNS,
    VISCOUS,
    Averaging,
    Rows,
)
from steelyard.team.planar_load._sums import Sum

SIZES = (128, 640)
"""Rows for which the fit is compiled; a window has at most the last."""
LOAD = (LOG_MASS, LOG_INERTIA, CX, CY, LOG_SCALE, VISCOUS, COULOMB)
"""The unknowns that outlast a change of the team."""
_FARTHEST = 8.0
"""Of the logarithm of the scale: places are given in some metres at first, and loads are not of micrometres."""
_FORCES = [Sum.F, Sum.F + 1, Sum.A, Sum.A + 1]


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
    span: float
    """Of a row, s."""
    means: Averaging
    sigma: float
    """Of one robot's velocity averaged over a row, m/s an axis."""
    prior: Prior
    friction: bool
    """Whether the load rubs on the plane, nobody knows how much."""

    @property
    def whole(self) -> Rows:
        """All rows and no more."""
        return self.filled(len(self.rows))

    @property
    def padded(self) -> Rows:
        """In a length that the fit is compiled for."""
        return self.filled(next((size for size in SIZES if size >= len(self.rows)), SIZES[-1]))

    def filled(self, size: int) -> Rows:
        """Up to a length."""
        k = len(self.rows)
        sums, trend = np.zeros((size, self.rows.shape[1])), np.zeros((size, 4))
        dt, weights = np.zeros((2, size))
        sums[:k], dt[:k], weights[:k] = self.rows, self.span, (self.rows[:, Sum.HEARD] >= 2.0) / self.sigma
        if k >= 3:
            trend[:k] = np.gradient(self.rows[:, _FORCES], self.span, axis=0, edge_order=2)
        return Rows(sums, trend, dt, weights)


class Fit(NamedTuple):
    """The unknowns, and everything about them that the reports need."""

    unknowns: np.ndarray
    matrix: np.ndarray
    """Of the normal equations."""
    gradient: np.ndarray
    fitness: float
    """Mean squared residual in variances: about one if all is well."""
    n_rows: int

    @property
    def lost(self) -> bool:
        """Whether the scale has run away: before a load turns, nothing holds it."""
        return not abs(self.unknowns[LOG_SCALE]) < _FARTHEST

    @property
    def good(self) -> bool:
        """Whether the residuals are what noise makes of them."""
        return not self.lost and self.fitness < 1.03 + 4.0 / math.sqrt(2.0 * self.n_rows)

    @property
    def usable(self) -> bool:
        """Whether places can be refined with it: near enough to go downhill from."""
        return not self.lost and self.fitness < 2.0


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Of a positive matrix with coordinates of any size; what is untold gets a huge variance."""
    scale = np.sqrt(np.diag(matrix)) + 1e-12
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    return (vectors / np.maximum(values, 1e-14)) @ vectors.T / np.outer(scale, scale)
