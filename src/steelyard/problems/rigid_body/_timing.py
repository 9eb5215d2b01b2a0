"""How late the accelerometer is against the force, from their whole bandwidth.

The force of a load follows the specific force at its sensor, so at the right lag a constant matrix and an offset take
one to the other best. Tools flex and shake above 10 Hz: no rigid motion, but it tells time best. Shaking at one
frequency alone does not: axes that shake with different phases make any lag out of each other, so the lag of the whole
bandwidth must agree with that of the motion.
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
    """The lag of the whole bandwidth, or of the motion where the two differ; None where neither is known."""
    whole, slow = _best_lag(record, 0.0, tuning), _best_lag(record, tuning.lag_smooth, tuning)
    if whole is None or slow is None:
        return whole or slow
    agrees = abs(whole.value - slow.value) < tuning.lag_deviations * np.hypot(slow.std, tuning.delay_std)
    return whole if agrees else slow


def _best_lag(record: WristRecord, smooth: float, tuning: FitTuning) -> Lag | None:
    """With the smallest misfit, both signals averaged twice over `smooth` seconds; None where the misfit is flat."""
    accelerometer, wrench = record.motion.get("specific_force"), record.wrench
    if accelerometer is None:
        return None
    time, A, force = accelerometer.time, accelerometer.value, wrench.value[:, 3:]
    step, reach, end = float(np.median(np.diff(time))), tuning.longest_lag, smooth
    if smooth:
        A, force = _averaged(time, A, time, smooth), _averaged(wrench.time, force, wrench.time, smooth)
        A, force = _averaged(time, A, time, smooth), _averaged(wrench.time, force, wrench.time, smooth)
    inside = (time > record.start + reach + step + end) & (time < record.end - reach - step - end)
    if inside.sum() < 10 * tuning.fewest_rows:
        return None
    basis = np.linalg.qr(np.concatenate([A[inside], np.ones((int(inside.sum()), 1))], axis=1))[0]
    lags = np.arange(-reach, reach + 0.5 * tuning.lag_step, tuning.lag_step)
    late = _averaged(wrench.time, force, (time[inside] - lags[:, None]).ravel(), step).reshape(len(lags), -1, 3)
    misfit = np.sum((late - basis @ (basis.T @ late)) ** 2, axis=(1, 2))
    k = int(np.argmin(misfit))
    power = float(np.sum((late[k] - late[k].mean(axis=0)) ** 2))
    if not misfit[k] < tuning.lag_explains * power:
        return None  # the force hardly follows the accelerometer: noise alone has a best lag, too
    if k in (0, len(lags) - 1):
        return None
    curvature = (misfit[k - 1] - 2.0 * misfit[k] + misfit[k + 1]) / tuning.lag_step**2
    value = lags[k] - 0.5 * (misfit[k + 1] - misfit[k - 1]) / tuning.lag_step / curvature
    # Curvature is twice the sum of squared rates; residuals are coloured, so each counts as one in `lag_coloured`.
    coloured = max(tuning.lag_coloured, 2.0 * smooth / step)
    variance = misfit[k] / (3.0 * inside.sum()) * coloured
    std = float(np.sqrt(2.0 * variance / max(curvature, 1e-12)))
    return Lag(float(value), std) if std < 0.5 * tuning.lag_known else None


def _averaged(time: np.ndarray, values: np.ndarray, at: np.ndarray, width: float) -> np.ndarray:
    """(n, 3): means over `width` seconds around other times, so that faster sampling does not alias."""
    steps = 0.5 * (values[1:] + values[:-1]) * np.diff(time)[:, None]
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    edges = [np.stack([np.interp(at + side * width, time, total[:, a]) for a in range(3)], 1) for side in (-0.5, 0.5)]
    return (edges[1] - edges[0]) / width
