"""The white noise of a channel, estimated from the log where nobody stated it.

Each sample is compared with the cubic through its four neighbours, whatever their spacing; the median of what is
left, scaled to what white noise would leave, is the answer: robust against jumps and outliers. Noise that is not white
from row to row (a filter's output, say) is not seen here; the innovations tell.
"""

import numpy as np


def vector_noise(time: np.ndarray, values: np.ndarray) -> float:
    """Standard deviation an axis of the white noise on a smooth signal (n, k); NaN where too little is there."""
    if len(time) < 5:
        return float("nan")
    expected, spread = _from_neighbours(time, values)
    return _robust_std((values[2:-2] - expected) / spread)


def attitude_noise(time: np.ndarray, attitude: np.ndarray) -> float:
    """Standard deviation, rad an axis, of the white noise on smooth attitudes (n, 4); NaN where too little is there."""
    if len(time) < 5:
        return float("nan")
    flips = np.sign(np.nan_to_num(np.sum(attitude[1:] * attitude[:-1], axis=1), nan=1.0))
    q = attitude * np.cumprod(np.concatenate([[1.0], np.where(flips == 0, 1.0, flips)]))[:, None]
    expected, spread = _from_neighbours(time, q)
    # Twice the vector part of conj(expected) * measured is the small rotation between the two.
    w, v = expected[:, :1], expected[:, 1:]
    left = 2.0 * (w * q[2:-2, 1:] - q[2:-2, :1] * v - np.cross(v, q[2:-2, 1:]))
    return _robust_std(left / spread)


def _from_neighbours(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the cubic through two samples on each side predicts, and the noise of the difference (1 = one sample)."""
    rows, neighbours = np.arange(2, len(time) - 2)[:, None], np.array([-2, -1, 1, 2])
    t = time[rows + neighbours] - time[rows]
    weights = np.ones_like(t)
    for i in range(4):
        for j in range(4):
            if i != j:
                weights[:, i] *= t[:, j] / (t[:, j] - t[:, i])  # Lagrange's polynomials at zero
    expected = np.einsum("nj,njk->nk", weights, values[rows + neighbours])
    return expected, np.sqrt(1.0 + np.sum(weights**2, axis=1))[:, None]


def _robust_std(left: np.ndarray) -> float:
    left = np.abs(left[np.isfinite(left)])
    return 1.4826 * float(np.median(left)) if left.size else float("nan")
