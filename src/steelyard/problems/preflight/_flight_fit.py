"""How well a multirotor's signals explain each other, on averages over blocks: three comparisons and a least squares.

The attitude turns as the rates say, the position moves as the velocity says, and the velocity changes as thrust along
the body's z, drag and gravity say.
"""

import dataclasses

import numpy as np

from steelyard.logs.mapping._rotations import body_rates, matrices
from steelyard.problems.preflight._readings import finite, means_between, robust_sum
from steelyard.problems.preflight._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class Signals:
    """Of one multirotor, row by row or averaged over blocks."""

    q: np.ndarray
    rates: np.ndarray
    v: np.ndarray
    p: np.ndarray
    thrust: np.ndarray
    """(n, 1), N."""
    stretch: float = 1.0
    """By which time intervals are longer than logged."""


@dataclasses.dataclass(frozen=True, eq=False)
class Fit:
    """How well a reading explains a flight, on blocks."""

    signals: Signals
    rates: np.ndarray
    """Measured, means from block to block."""
    turning: np.ndarray
    """Rates as the attitude turns."""
    velocity: np.ndarray
    moving: np.ndarray
    """Velocity as the position moves."""
    residual: np.ndarray
    """Of the acceleration, (n, 3), NaN where it cannot be told."""
    pull: np.ndarray
    """(n, body axis, world axis): what a thrust along each body axis would push, N."""
    inverse_mass: np.ndarray
    """1/kg, of every segment."""
    inverse_mass_std: np.ndarray
    squares: tuple[float, ...]
    numbers: tuple[int, ...]

    def gain_over(self, other: "Fit") -> float:
        """Twice the log-likelihood by which this reading is better; 0 where no comparison is clearly better."""
        gain, clear = 0.0, False
        for k, floor in enumerate(TUNING.floors):
            n = min(self.numbers[k], other.numbers[k])
            if n >= 60:
                a, b = (one.squares[k] / max(one.numbers[k], 1) + floor**2 for one in (self, other))
                gain += 0.5 * n * np.log(b / a)
                clear |= a < TUNING.improved * b
        carries, carried = (float(np.median(one.inverse_mass)) > 0.0 for one in (self, other))
        if not carries:  # a thrust that pulls down carries nothing
            return -np.inf
        return float(gain) + (0.0 if carried else 1e3) if clear or not carried else 0.0

    @staticmethod
    def of(signals: Signals, h: float, like: "Fit | None" = None) -> "Fit":
        """`like` has the comparisons that need not be made again."""

        def same(*names: str) -> bool:
            return (
                like is not None
                and signals.stretch == 1.0
                and all(getattr(signals, name) is getattr(like.signals, name) for name in names)
            )

        h = h * signals.stretch
        if like is not None and same("q", "rates"):
            rates, turning = like.rates, like.turning
        else:
            q = signals.q / np.linalg.norm(signals.q, axis=1, keepdims=True)
            rates, turning = means_between(signals.rates), body_rates(h * np.arange(len(q)), q)[1]
        if like is not None and same("v", "p"):
            velocity, moving = like.velocity, like.moving
        else:
            velocity, moving = means_between(signals.v), np.diff(signals.p, axis=0) / h
        if like is not None and same("q", "v", "thrust"):
            pull, residual = like.pull, like.residual
            inverse_mass, std = like.inverse_mass, like.inverse_mass_std
        else:
            q = signals.q / np.linalg.norm(signals.q, axis=1, keepdims=True)
            pull = np.swapaxes(means_between(matrices(q) * signals.thrust[:, :, None]), 1, 2)
            residual, inverse_mass, std = _accelerate(
                np.diff(signals.v, axis=0) / h, means_between(signals.v), pull[:, 2], h
            )
        misfits = [finite(one) for one in (rates - turning, velocity - moving, residual)]
        return Fit(
            signals,
            rates,
            turning,
            velocity,
            moving,
            residual,
            pull,
            inverse_mass,
            std,
            tuple(robust_sum(one) for one in misfits),
            tuple(3 * len(one) for one in misfits),
        )


def _accelerate(
    dv: np.ndarray, v: np.ndarray, along: np.ndarray, h: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Residual of dv + g = along / m - drag v / m by least squares; 1/m and its deviation, of segments with data."""
    n = len(dv)
    parts = max(1, round(n * h / TUNING.segment))
    y = dv + np.array([0.0, 0.0, TUNING.g])
    good = np.isfinite(y).all(1) & np.isfinite(along).all(1)
    if good.sum() < 20:
        return np.full((n, 3), np.nan), np.ones(parts), np.full(parts, np.inf)
    segment = np.arange(n) * parts // n
    spoken = np.unique(segment[good])  # a segment within a gap tells nothing
    columns = [np.where((segment == k)[:, None], along, 0.0) for k in spoken]
    parts = len(spoken)
    A = np.stack([column[good].ravel() for column in (*columns, v)], axis=1)
    G = A.T @ A
    G[np.diag_indices_from(G)] += 1e-9 * np.trace(G) / len(G)
    inverse = np.linalg.inv(G)
    theta = inverse @ (A.T @ y[good].ravel())
    residual = np.full((n, 3), np.nan)
    residual[good] = y[good] - (A @ theta).reshape(-1, 3)
    # Neighbouring residuals share half of their samples, and wind and drag are coloured: twice the white deviation.
    sigma = 2.0 * float(np.sqrt(np.nanmean(residual**2)))
    return residual, theta[:parts], sigma * np.sqrt(np.maximum(np.diag(inverse)[:parts], 0.0))
