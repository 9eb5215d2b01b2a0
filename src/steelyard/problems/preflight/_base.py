"""A robot with a base: does its position move as its velocity says, and its attitude turn as its rates say?"""

import numpy as np

from steelyard._rotations import matrices
from steelyard.logs import Log
from steelyard.problems.preflight._finding import PreflightFinding
from steelyard.problems.preflight._readings import averages
from steelyard.problems.preflight._tuning import TUNING


def base_findings(log: Log, robot: str) -> list[PreflightFinding]:
    """Differences that are constant, or grow evenly: a line through them, with what is left as its noise."""
    found, time = [], np.asarray(log.time) - log.time[0]
    count = int(time[-1] / TUNING.block) if len(time) else 0
    names = ("base/position", "base/linear_velocity", "base/attitude", "base/rates")
    if count < 20 or not all(log.has(robot, name) for name in names):
        return []
    x, v, q, w = (averages(time, log.require(robot, name), TUNING.block, count) for name in names)
    span = 2.0 * TUNING.block
    size = np.linalg.norm(q, axis=1, keepdims=True)
    R = matrices(q / np.where(size > TUNING.least_quaternion, size, np.nan))
    turn = np.einsum("nji,njk->nik", R[:-2], R[2:])
    turning = 0.5 * np.stack([turn[:, k - 1, k - 2] - turn[:, k - 2, k - 1] for k in range(3)], axis=1)
    moves, turns = TUNING.drift_limits
    found += _line(v[1:-1] - (x[2:] - x[:-2]) / span, robot, "linear_velocity", "position", "m/s", moves)
    if (one := _reading(w[1:-1], turning / span, robot)) is not None:
        return [*found, one]
    return found + _line(w[1:-1] - turning / span, robot, "rates", "attitude", "rad/s", turns)


def _reading(w: np.ndarray, turning: np.ndarray, robot: str) -> PreflightFinding | None:
    """Rates (block, 3) that follow how the attitude turns with another sign or scale, or at another time."""
    what = f"{robot}/base/rates and {robot}/base/attitude"
    now, scale = _alike(w, turning)
    if now < -TUNING.same_motion:
        remedy = "Look at the order and the direction of the quaternion, and at the axes of the rates."
        return PreflightFinding("rates-sign", f"{what} turn in opposite directions.", remedy, robot)
    if now > TUNING.same_motion and not 1.0 / TUNING.rates_scale < scale < TUNING.rates_scale:
        remedy = "Are the rates in degrees a second? rad/s is ours."
        return PreflightFinding(
            "rates-scale", f"{what} differ in size: the rates are {scale:.3g} times as large.", remedy, robot
        )
    if now > 0.5 * TUNING.same_motion:
        return None
    shifts = {k: _alike(w[: len(w) - k], turning[k:])[0] for k in range(1, TUNING.late_blocks + 1)}
    shifts |= {-k: _alike(w[k:], turning[: len(w) - k])[0] for k in range(1, TUNING.late_blocks + 1)}
    best = max(shifts, key=lambda k: shifts[k])
    if shifts[best] < TUNING.same_motion:
        return None
    late, other = ("attitude", "rates") if best > 0 else ("rates", "attitude")
    sentence = f"{robot}/base/{late} is late against {robot}/base/{other}, by about {abs(best) * TUNING.block:.1f} s."
    return PreflightFinding("late", sentence, "State its delay in a mapping (--map).", robot)


def _alike(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The correlation of two signals (block, 3) about their means, and how much larger the first is."""
    good = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
    if good.sum() < 20:
        return 0.0, 1.0
    a, b = a[good] - a[good].mean(axis=0), b[good] - b[good].mean(axis=0)
    sizes = float(np.sqrt(np.sum(a**2))), float(np.sqrt(np.sum(b**2)))
    return float(np.sum(a * b)) / max(sizes[0] * sizes[1], 1e-30), sizes[0] / max(sizes[1], 1e-30)


def _line(
    off: np.ndarray, robot: str, signal: str, other: str, unit: str, limits: tuple[float, float]
) -> list[PreflightFinding]:
    """What a line through the differences (block, 3) says; `limits`: of a constant one, and of its growth a second."""
    t = TUNING.block * np.arange(len(off), dtype=float)
    good = np.isfinite(off).all(axis=1)
    if good.sum() < 20:
        return []
    A = np.stack([np.ones(good.sum()), t[good] - t[good].mean()], axis=1)
    fit, *_ = np.linalg.lstsq(A, off[good], rcond=None)
    noise = 1.4826 * np.median(np.abs(off[good] - A @ fit), axis=0) + 1e-12
    std = noise * np.sqrt(np.diag(np.linalg.inv(A.T @ A)))[:, None]
    sizes, certain = np.linalg.norm(fit, axis=1), np.max(np.abs(fit) / std, axis=1)
    if certain[1] > TUNING.difference_certain and sizes[1] > limits[1]:
        sentence = f"{robot}/base/{signal} drifts against {robot}/base/{other}, by {sizes[1]:.2g} {unit} a second."
        return [PreflightFinding(f"{signal.split('_')[-1]}-drift", sentence, "Look at how it is estimated.", robot)]
    if certain[0] > TUNING.difference_certain and sizes[0] > limits[0]:
        sentence = f"{robot}/base/{signal} differs from how {robot}/base/{other} changes by {sizes[0]:.2g} {unit}."
        remedy = "Look for an offset, other axes or another unit."
        return [PreflightFinding(f"{signal.split('_')[-1]}-offset", sentence, remedy, robot, kind="hint")]
    return []
