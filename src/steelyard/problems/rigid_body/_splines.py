"""Uniform B-splines: a smooth function of time with local coefficients, and its derivatives."""

import dataclasses
import functools
import math

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import solveh_banded

from steelyard.problems.rigid_body._tuning import SPLINE

DEGREE = SPLINE.degree
"""Of every spline here."""


@dataclasses.dataclass(frozen=True)
class Spline:
    """The basis: `intervals` equal pieces from `start` on, `DEGREE` + `intervals` coefficients."""

    start: float
    """s."""
    spacing: float
    """s, between knots."""
    intervals: int

    @staticmethod
    def covering(start: float, end: float, spacing: float) -> "Spline":
        """Knots at most `spacing` seconds apart over a span of time."""
        intervals = max(1, math.ceil((end - start) / spacing - 1e-9))
        return Spline(start, max(end - start, 1e-9) / intervals, intervals)

    @property
    def size(self) -> int:
        """How many coefficients it has."""
        return self.intervals + DEGREE

    def interval_of(self, time: np.ndarray) -> np.ndarray:
        """(n,): the piece in which each time lies; it is also the first coefficient that acts there."""
        passed = ((time - self.start) / self.spacing).astype(int)  # towards zero, and what is below becomes zero
        return np.maximum(np.minimum(passed, self.intervals - 1), 0)

    def weights(self, time: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(n, DEGREE + 1): what each of the coefficients from `interval_of` on adds to a derivative."""
        return self._powers(time)[:, : DEGREE + 1 - derivative] @ (
            _derivatives()[derivative] / self.spacing**derivative
        )

    def basis(self, time: np.ndarray) -> np.ndarray:
        """(n, 3, DEGREE + 1): the weights of the function itself and of its first and second derivative."""
        pieces = np.zeros((DEGREE + 1, 3, DEGREE + 1))
        for k in range(3):
            pieces[: DEGREE + 1 - k, k] = _derivatives()[k] / self.spacing**k
        return (self._powers(time) @ pieces.reshape(DEGREE + 1, -1)).reshape(len(time), 3, DEGREE + 1)

    def _powers(self, time: np.ndarray) -> np.ndarray:
        """(n, DEGREE + 1): powers of the share of its interval that has passed at each time."""
        u = (time - self.start) / self.spacing - self.interval_of(time)
        powers = np.ones((len(u), DEGREE + 1))
        for k in range(DEGREE):
            powers[:, k + 1] = powers[:, k] * u
        return powers

    def evaluate(self, coefficients: np.ndarray, time: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(n, k) from coefficients (size, k)."""
        return np.matmul(self.weights(time, derivative)[:, None], self.around(coefficients, time))[:, 0]

    def around(self, coefficients: np.ndarray, time: np.ndarray) -> np.ndarray:
        """(n, DEGREE + 1, k): the coefficients that act at each time."""
        return coefficients.take(self.interval_of(time)[:, None] + np.arange(DEGREE + 1), axis=0)

    def fit(self, time: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(size, k): least squares; where nothing was measured, as short as possible."""
        weights, first = self.weights(time), self.interval_of(time)
        band, right = np.zeros((DEGREE + 1, self.size)), np.zeros((self.size, values.shape[1]))
        columns = values.shape[1]
        places = first[:, None] * columns + np.arange(columns)
        for i in range(DEGREE + 1):
            summed = np.bincount((places + columns * i).ravel(), (weights[:, i : i + 1] * values).ravel(), right.size)
            right += summed.reshape(right.shape)
            for j in range(i, DEGREE + 1):
                band[DEGREE - (j - i)] += np.bincount(first + j, weights[:, i] * weights[:, j], self.size)
        band[DEGREE] += 1e-10 * max(float(band[DEGREE].mean()), 1e-9)
        return solveh_banded(band, right)


@functools.cache
def _derivatives() -> tuple[np.ndarray, ...]:
    """Of the basis functions on one interval of unit length, by order: (power, function)."""
    orders = (np.arange(k, DEGREE + 1) for k in range(DEGREE + 1))
    return tuple(
        np.array([math.perm(int(p), k) for p in powers], float)[:, None] * _pieces()[powers]
        for k, powers in enumerate(orders)
    )


@functools.cache
def _pieces() -> np.ndarray:
    """(power, function): the polynomials of the basis functions on one interval of unit length."""
    u = np.linspace(0.0, 1.0, DEGREE + 1)
    inside = np.clip(u, 1e-12, 1.0 - 1e-12)
    values = np.stack(
        [BSpline.basis_element(np.arange(j - DEGREE, j + 2), extrapolate=False)(inside) for j in range(DEGREE + 1)],
        axis=1,
    )
    return np.linalg.solve(np.vander(u, increasing=True), values)
