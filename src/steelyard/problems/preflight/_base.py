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
    R = matrices(q / np.linalg.norm(q, axis=1, keepdims=True))
    turn = np.einsum("nji,njk->nik", R[:-2], R[2:])
    turning = 0.5 * np.stack([turn[:, k - 1, k - 2] - turn[:, k - 2, k - 1] for k in range(3)], axis=1)
    moves, turns = TUNING.drift_limits
    found += _line(v[1:-1] - (x[2:] - x[:-2]) / span, robot, "linear_velocity", "position", "m/s", moves)
    return found + _line(w[1:-1] - turning / span, robot, "rates", "attitude", "rad/s", turns)


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
