"""A window of sums with its prior, and the fit to it."""

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
from steelyard.team.planar_load._sum_keys import SumKey, row_key
from steelyard.team.planar_load._sums import Sum, rotation_measured
from steelyard.team.planar_load._tuning import TUNING

LOAD = (LOG_MASS, LOG_INERTIA, CX, CY, LOG_SCALE, VISCOUS, COULOMB)
"""The unknowns that a change of the team leaves as they are."""
LONGEST = TUNING.window_sizes[-1]
"""Rows of a window, at most."""
_FORCES = [Sum.F, Sum.F + 1, Sum.A, Sum.A + 1]


class Span(NamedTuple):
    """Consecutive rows, with the contact positions of one outer iteration."""

    iteration: int
    start: int
    """First row."""
    end: int
    """Last row."""

    @property
    def keys(self) -> list[SumKey]:
        """Of its sums."""
        return [row_key(row, self.iteration) for row in range(self.start, self.end + 1)]


class Prior(NamedTuple):
    """What earlier rows told of the unknowns: Gaussian, in information form."""

    mean: np.ndarray
    information: np.ndarray

    @staticmethod
    def none() -> "Prior":
        """Nothing at all."""
        return Prior(np.zeros(N_UNKNOWNS), np.zeros((N_UNKNOWNS, N_UNKNOWNS)))


class Window(NamedTuple):
    """Rows of sums without a gap, all with the contact positions of one outer iteration."""

    rows: np.ndarray
    row_seconds: float
    means: Averaging
    sigma: float
    """Standard deviation of one robot's velocity averaged over a row, m/s an axis."""
    prior: Prior
    friction: bool
    """Whether friction is estimated; else there is none."""

    @property
    def whole(self) -> Rows:
        """All rows and no more."""
        return self._padded_to(len(self.rows))

    @property
    def padded(self) -> Rows:
        """In a length that the fit is compiled for."""
        return self._padded_to(next((size for size in TUNING.window_sizes if size >= len(self.rows)), LONGEST))

    @property
    def longest(self) -> Rows:
        """In the length of the longest window."""
        return self._padded_to(LONGEST)

    def _padded_to(self, size: int) -> Rows:
        k = len(self.rows)
        sums, trend = np.zeros((size, self.rows.shape[1])), np.zeros((size, 4))
        dt, weights = np.zeros((2, size))
        sums[:k], dt[:k] = self.rows, self.row_seconds
        weights[:k] = rotation_measured(self.rows) / self.sigma
        if k >= 3:
            trend[:k] = np.gradient(self.rows[:, _FORCES], self.row_seconds, axis=0, edge_order=2)
        return Rows(sums, trend, dt, weights)


class Fit(NamedTuple):
    """The unknowns at the minimum, and the normal equations there."""

    unknowns: np.ndarray
    matrix: np.ndarray
    gradient: np.ndarray
    chi_square: float
    """Mean squared residual in variances: about one where the model holds."""
    n_rows: int

    @property
    def diverged(self) -> bool:
        """Whether the scale has run away: before a load turns, nothing determines it."""
        return not abs(self.unknowns[LOG_SCALE]) < TUNING.largest_log_scale

    @property
    def consistent(self) -> bool:
        """Whether the residuals are as large as the noise makes them."""
        return not self.diverged and self.chi_square < TUNING.consistent + 4.0 / math.sqrt(2.0 * self.n_rows)

    def usable(self, most: float) -> bool:
        """Whether contact positions can be improved with it: near enough for a Gauss-Newton step."""
        return not self.diverged and self.chi_square < most


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Of a positive matrix with coordinates of any size; what has no information gets a huge variance."""
    scale = np.sqrt(np.diag(matrix)) + 1e-12
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    return (vectors / np.maximum(values, 1e-14)) @ vectors.T / np.outer(scale, scale)
