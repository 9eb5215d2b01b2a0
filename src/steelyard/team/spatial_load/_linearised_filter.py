"""A Kalman filter at given load and grips, and the derivative of its innovations by them.

It follows the motion of the first robot's frame: angular velocity, velocity, gravity, and the error of the row's total
wrench, which is white. Everything is linearised along a given path, for all rows at once; what is left to do one row
after the other is a linear recursion.
"""

import dataclasses

import numpy as np

from steelyard._rotations import skew
from steelyard.team.spatial_load._equations_of_motion import (
    DOWN,
    EquationsOfMotion,
    Linearised,
    ProperAccelerationJacobians,
)
from steelyard.team.spatial_load._excitation import excitation, spurious_information
from steelyard.team.spatial_load._filter_state import FilterResult, FilterState
from steelyard.team.spatial_load._linearisation_point import LOAD, TILT, LinearisationPoint
from steelyard.team.spatial_load._measured_rows import MeasuredRows


def initial_filter_state(point: LinearisationPoint, rows: MeasuredRows, noise: np.ndarray) -> FilterState:
    """Before the first row is taken in: its own twists for a mean, and gravity as the point has it."""
    equations = EquationsOfMotion(point, noise)
    H = np.zeros((point.robots, 6, 6))
    H[:, :3, :3] = H[:, 3:, 3:] = equations.R_t
    H[:, 3:, :3] = equations.lever[:, :, :3]
    weight, reading = rows.weight[0, :, :6], rows.reading[0, :, :6]
    information = np.einsum("jab,ja,jac->bc", H, weight, H) + 1e-4 * np.eye(6)
    P = np.zeros((15, 15))
    P[:6, :6] = np.linalg.inv(information)
    P[9:, 9:] = np.eye(6)
    mean = np.concatenate([P[:6, :6] @ np.einsum("jab,ja,ja->b", H, weight, reading), point.down])
    columns = np.zeros((15, 1 + point.size))
    columns[DOWN, 1:][:, TILT] = -skew(point.down)
    return FilterState(mean, columns, P)


def filter_rows(
    point: LinearisationPoint, motion: FilterState, path: np.ndarray, rows: MeasuredRows, noise: np.ndarray, first: bool
) -> tuple[FilterState, FilterResult]:
    """Takes rows in: all of them where `first`, else the first row is the one that `motion` has taken in already.

    `path` (time, 9) is where the rows are linearised. At the very first row the twists made the mean already, and only
    its accelerometers are new.
    """
    task = _prepare(point, motion, path, rows, noise, first)
    take, size = task.take, point.size
    H, D = task.equations.reading_jacobians(
        task.path[take], task.felt.between(take.start), task.rows.noise_inflation[take]
    )
    F, added, by_point = task.transitions()
    n = len(H)
    H, D, w, y = H.reshape(n, -1, 15), D.reshape(n, -1, size), task.weight, task.y
    HtW = np.swapaxes(H * w[:, :, None], 1, 2)
    V = np.empty((n, 15, 1 + size))
    V[:, :, :1], V[:, :, 1:] = HtW @ y[:, :, None], -(HtW @ D)
    F, inputs = _tangent(task.path, F, np.concatenate([task.drift[:, :, None], by_point], axis=2))
    run = _recursion(motion.covariance, task.columns, HtW @ H, V, F, added, inputs, first)
    e = y - (H @ run.before[:, :, :1])[:, :, 0]
    G = H @ run.before[:, :, 1:] + D  # the Jacobian of the expectation
    M, q = -run.new[:, :, 1:], run.new[:, :, 0]
    PM, Gw = run.gains @ M, G * w[:, :, None]
    # Row by row: one large product would be spread over all cores, which costs more than it brings.
    information = np.swapaxes(Gw, 1, 2) @ G - np.swapaxes(M, 1, 2) @ PM
    score = (np.swapaxes(Gw, 1, 2) @ e[:, :, None] - np.swapaxes(PM, 1, 2) @ q[:, :, None])[:, :, 0]
    spread = np.sum((H @ run.priors) * H, axis=2)
    result = FilterResult(
        score,
        information.sum(axis=0),
        spurious_information(task.equations, w[-1], H[-1], run.gains[-1], task.rows.between(take.start, take.stop)),
        information[:, LOAD],
        np.sum(w * e * e, axis=1) - np.einsum("ta,tab,tb->t", q, run.gains, q),
        np.sum(w > 0.0, axis=1),
        excitation(task.equations, task.rows.between(take.start, take.stop)),
        task.path[take] + run.before[:, :9, 0],
        np.where(w > 0.0, e / np.sqrt(1.0 / np.maximum(w, 1e-300) + spread), 0.0).reshape(n, point.robots, 9),
    )
    return FilterState(task.path[-1], run.columns, run.covariance), result


def predict_motion(
    point: LinearisationPoint, motion: FilterState, path: np.ndarray, rows: MeasuredRows, noise: np.ndarray, first: bool
) -> np.ndarray:
    """(time, 9): the predicted motion of the rows that `filter_rows` would process; no Jacobians by the point."""
    task = _prepare(point, dataclasses.replace(motion, columns=motion.columns[:, :1]), path, rows, noise, first)
    H, _ = task.equations.reading_jacobians(
        task.path[task.take], task.felt.between(task.take.start), task.rows.noise_inflation[task.take]
    )
    F, added, _ = task.transitions()
    H = H.reshape(len(H), -1, 15)
    HtW = np.swapaxes(H * task.weight[:, :, None], 1, 2)
    V = HtW @ task.y[:, :, None]
    F, inputs = _tangent(task.path, F, task.drift[:, :, None])
    run = _recursion(motion.covariance, task.columns, HtW @ H, V, F, added, inputs, first)
    return task.path[task.take] + run.before[:, :9, 0]


@dataclasses.dataclass(frozen=True, eq=False)
class _Task:
    """Rows, how far the path is from what they say, and where to begin."""

    equations: EquationsOfMotion
    path: np.ndarray
    rows: MeasuredRows
    columns: np.ndarray
    take: slice
    felt: ProperAccelerationJacobians
    drift: np.ndarray
    """(time, 9): by how much the path does not follow from itself."""
    weight: np.ndarray
    y: np.ndarray

    def transitions(self) -> tuple[np.ndarray, ...]:
        """From every row to the next; see `EquationsOfMotion.transition`."""
        at = Linearised(self.path, self.felt.by_omega, self.felt.by_point, self.rows.noise_inflation)
        before, after = (Linearised(*(part[some] for part in at)) for some in (slice(None, -1), slice(1, None)))
        return self.equations.transition(before, after, self.rows.dt[1:])


def _prepare(
    point: LinearisationPoint, motion: FilterState, path: np.ndarray, rows: MeasuredRows, noise: np.ndarray, first: bool
) -> _Task:
    equations = EquationsOfMotion(point, noise)
    if first:
        path, columns = _of_one_size(point, path), motion.columns
        path[0] = motion.mean
        weight = rows.weight.copy()
        weight[0, :, :6] = 0.0
        rows = dataclasses.replace(rows, weight=weight)
    else:
        path, columns = relative_to_path(point, motion, path)
    take = slice(0 if first else 1, len(path))
    total, midpoint_wrench = equations.total(rows.wrench), equations.total(rows.midpoint_wrench)
    drift = equations.after(path[:-1], total[:-1], midpoint_wrench[1:], total[1:], rows.dt[1:]) - path[1:]
    y = rows.reading[take] - equations.expected(path[take], equations.felt(path[take, :3], total[take]))
    w = rows.weight[take].reshape(take.stop - take.start, -1)
    y = np.where(w > 0.0, y.reshape(w.shape), 0.0)
    felt = equations.proper_acceleration_jacobians(path[:, :3], rows.smoothed_wrench, rows.alpha)
    return _Task(equations, path, rows, columns, take, felt, drift, w, y)


def relative_to_path(point: LinearisationPoint, motion: FilterState, path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The path, with gravity of its size, and a motion's columns as deviations from its first row.

    The path may have another opinion about that row than the motion, which has taken it in.
    """
    path, columns = _of_one_size(point, path), motion.columns.copy()
    believed = _of_one_size(point, (motion.mean + columns[:9, 0])[None])[0]
    columns[:9, 0] = believed - path[0]
    columns[DOWN] = _across(path[:1, DOWN])[0] @ columns[DOWN]
    return path, columns


def _of_one_size(point: LinearisationPoint, path: np.ndarray) -> np.ndarray:
    down = path[:, DOWN]
    length = np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-300)
    return np.concatenate([path[:, : DOWN.start], down * (float(np.linalg.norm(point.down)) / length)], axis=1)


def _tangent(path: np.ndarray, F: np.ndarray, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Deviations of gravity stay across it, for its size is known.

    Without this every correction of its direction would lengthen it a little, and bias the mass by half a standard
    deviation in 12 s.
    """
    across = _across(path[1:, DOWN])
    F, inputs = F.copy(), inputs.copy()
    F[:, DOWN], inputs[:, DOWN] = across @ F[:, DOWN], across @ inputs[:, DOWN]
    return F, inputs


def _across(down: np.ndarray) -> np.ndarray:
    """(time, 3, 3): the part of a vector across gravity."""
    square = np.maximum(np.sum(down * down, axis=1), 1e-300)[:, None, None]
    return np.eye(3) - down[:, :, None] * down[:, None, :] / square


@dataclasses.dataclass(frozen=True, eq=False)
class _Run:
    """The filter's way through a block."""

    columns: np.ndarray
    covariance: np.ndarray
    before: np.ndarray
    """(time, 15, column), before each row is taken in."""
    priors: np.ndarray
    """(time, 15, 15), the covariance before it."""
    gains: np.ndarray
    """(time, 15, 15), the covariance after it."""
    new: np.ndarray
    """(time, 15, column), what the row said against what was expected, weighed."""


def _recursion(P, Y, Lam, V, F, added, inputs, first: bool) -> _Run:
    n, width = len(Lam), Y.shape[1]
    Q, eye = added @ np.swapaxes(added, 1, 2), np.eye(15)
    before, new = np.empty((2, n, 15, width))
    priors, gains = np.empty((2, n, 15, 15))
    for k in range(n):
        step = k - 1 if first else k
        if step >= 0:
            Fk = F[step]
            P_next = eye.copy()
            P_next[:9, :9] = Fk @ P @ Fk.T + Q[step]
            P_next[:9, 9:] = added[step]
            P_next[9:, :9] = added[step].T
            P = P_next
            Y_next = np.zeros((15, width))
            Y_next[:9] = Fk @ Y + inputs[step]
            Y = Y_next
        before[k], priors[k] = Y, P
        P = np.linalg.solve(eye + P @ Lam[k], P)
        P = 0.5 * (P + P.T)
        gains[k] = P
        new[k] = V[k] - Lam[k] @ Y
        Y = Y + P @ new[k]
    return _Run(Y, P, before, priors, gains, new)
