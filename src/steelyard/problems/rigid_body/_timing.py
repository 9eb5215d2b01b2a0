"""How late the accelerometer is against the force, from their whole bandwidth.

The force of a load follows the specific force at its sensor, so at the right lag a constant matrix and an offset take
one to the other best. Tools flex and shake above 10 Hz: no rigid motion, but it tells time best.
"""

import dataclasses

import numpy as np

from steelyard.problems.rigid_body._reading import WristRecord
from steelyard.problems.rigid_body._tuning import TUNING, FitTuning


@dataclasses.dataclass(frozen=True)
class Lag:
    """Of the accelerometer behind the force."""

    value: float
    """s."""
    std: float
    """s."""


def lag_of(record: WristRecord, tuning: FitTuning = TUNING) -> Lag | None:
    """The lag with the smallest misfit; None where there is no accelerometer or the misfit hardly depends on it."""
    accelerometer = record.motion.get("specific_force")
    if accelerometer is None:
        return None
    time, A = accelerometer.time, accelerometer.value
    step, reach = float(np.median(np.diff(time))), tuning.longest_lag
    inside = (time > record.start + reach + step) & (time < record.end - reach - step)
    if inside.sum() < 10 * tuning.fewest_rows:
        return None
    regressors = np.concatenate([A[inside], np.ones((int(inside.sum()), 1))], axis=1)
    basis = np.linalg.qr(regressors)[0]
    lags = np.arange(-reach, reach + 0.5 * tuning.lag_step, tuning.lag_step)
    force = _averaged(record.wrench.time, record.wrench.value[:, 3:], (time[inside] - lags[:, None]).ravel(), step)
    force = force.reshape(len(lags), -1, 3)
    left = force - basis @ (basis.T @ force)
    misfit = np.sum(left**2, axis=(1, 2))
    k = int(np.argmin(misfit))
    if k in (0, len(lags) - 1):
        return None
    curvature = (misfit[k - 1] - 2.0 * misfit[k] + misfit[k + 1]) / tuning.lag_step**2
    value = lags[k] - 0.5 * (misfit[k + 1] - misfit[k - 1]) / tuning.lag_step / curvature
    # Curvature is twice the sum of squared rates; residuals are coloured, so each counts as one in `lag_coloured`.
    variance = misfit[k] / (3.0 * inside.sum()) * tuning.lag_coloured
    std = float(np.sqrt(2.0 * variance / max(curvature, 1e-12)))
    return Lag(float(value), std) if std < 0.5 * tuning.lag_known else None


def _averaged(time: np.ndarray, values: np.ndarray, at: np.ndarray, width: float) -> np.ndarray:
    """(n, 3): means over `width` seconds around other times, so that faster sampling does not alias."""
    steps = 0.5 * (values[1:] + values[:-1]) * np.diff(time)[:, None]
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    edges = [np.stack([np.interp(at + side * width, time, total[:, a]) for a in range(3)], 1) for side in (-0.5, 0.5)]
    return (edges[1] - edges[0]) / width
