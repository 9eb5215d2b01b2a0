"""What comparisons of signals share: averages over blocks, robust sums, and exchanges of axes."""

import itertools

import numpy as np

Axes = tuple[tuple[int, ...], tuple[float, ...]]
"""Order and signs: ours are signs * recorded[order]."""

PERMUTATIONS: list[Axes] = [
    (order, signs) for order in itertools.permutations(range(3)) for signs in itertools.product((1.0, -1.0), repeat=3)
][1:]
"""All exchanges of axes and signs, mirror images included, but for the one that changes nothing."""


def averages(time: np.ndarray, values: np.ndarray, h: float, count: int) -> np.ndarray:
    """Means (count, k) over blocks of h seconds; NaN where a block has no sample."""
    index = np.floor(time / h).astype(int)
    good = np.isfinite(values).all(axis=1) & (index >= 0) & (index < count)
    if good.any():  # a single outlier must not stand for its block
        low, middle_, high = np.quantile(values[good], (0.05, 0.5, 0.95), axis=0)
        good &= (np.abs(np.nan_to_num(values) - middle_) <= 20.0 * (high - low) + 1e-9).all(axis=1) | (
            high == low
        ).any()
    index, values = index[good], values[good]
    number = np.bincount(index, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack([np.bincount(index, column, count) / number for column in values.T], axis=1)


def middle(x: np.ndarray) -> np.ndarray:
    """Half-way between neighbours."""
    return 0.5 * (x[1:] + x[:-1])


def means_between(x: np.ndarray) -> np.ndarray:
    """Mean of a smooth signal from each sample to the next: of the cubic through the four around it.

    The mean of two samples is too small by the share (w h)²/12 at w rad/s; a coarse h then looks like a fast clock.
    """
    mean, bend = middle(x), np.diff(x, 2, axis=0)
    mean[1:-1] -= np.nan_to_num(bend[1:] + bend[:-1]) / 24.0
    return mean


def finite(rows: np.ndarray) -> np.ndarray:
    """The rows without a missing value."""
    return rows[np.isfinite(rows).all(axis=1)]


def robust_sum(residual: np.ndarray) -> float:
    """The sum of squares, single blocks far beyond the others at their limit."""
    if not len(residual):
        return 0.0
    squares = np.sum(residual**2, axis=1)
    return float(np.sum(np.minimum(squares, 25.0 * np.median(squares))))


def best_axes(measured: np.ndarray, derived: np.ndarray, most: int = 3) -> list[Axes]:
    """The exchanges of axes of one signal that go best with another."""
    good = np.isfinite(measured).all(1) & np.isfinite(derived).all(1)
    if good.sum() < 20:
        return []
    C = derived[good].T @ measured[good]
    ranked = sorted(
        PERMUTATIONS, key=lambda one: -sum(s * C[row, k] for row, (k, s) in enumerate(zip(*one, strict=True)))
    )
    return ranked[:most]
