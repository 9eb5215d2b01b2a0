"""A first point from a second or so of rows: smoothed readings, linear equations, no guess needed."""

from collections.abc import Collection

import numpy as np

from steelyard._rotations import cross, exp_so3, skew
from steelyard.team.spatial_load._linearisation_point import (
    LinearisationPoint,
    load_coordinates,
    load_parameters,
    matrix_from_moments,
    moments_times,
)
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._tuning import TUNING

_Some = np.ndarray | slice  # of the robots
_ALL = slice(None)


def first_linearisation_point(history: SampleHistory, begin: int, end: int, gravity: float) -> LinearisationPoint:
    """A point near the likeliest; `gravity` is its size in m/s².

    Rotations are those that bring angular velocities and specific forces of two robots together, positions explain how
    their velocities and specific forces differ, and the load is what turns motions into wrenches. Noise biases the
    answers towards zero; they are a first guess. If a robot's motion data are missing, its pose is estimated from its
    wrench; if nothing of it was received, its frame is that of the robot that was heard best.
    """
    s, n = _Smoothed(history, begin, end), history.robots
    best_heard = np.argmax(np.sum(s.there, axis=(0, 2)))
    R, t = s.grips(np.stack([np.eye(3)] * n), np.zeros((n, 3)), np.arange(n) == best_heard, history.noise)
    for j in np.flatnonzero(~s.there.any(axis=(0, 2)) & s.wrench.any(axis=(0, 2))).tolist():
        R[j], t[j] = s.hidden_grip(R, t, j)
    t, R = (t - t[0]) @ R[0], R[0].T @ R
    omega, alpha, felt, wrench = s.together(R, t, _ALL)
    load = fit_load(omega, alpha, felt, wrench, None)
    return LinearisationPoint(load, _down(s.time, omega, s.velocity(R, t, _ALL), felt, gravity), R, t)


def refound_grips(
    history: SampleHistory, begin: int, end: int, known: LinearisationPoint, unplaced: Collection[int]
) -> LinearisationPoint:
    """The same point, but for where those hold that nobody had heard before: by number, `unplaced`."""
    s = _Smoothed(history, begin, end)
    placed = ~np.isin(np.arange(history.robots), list(unplaced))
    R, t = s.grips(known.R.copy(), known.t.copy(), placed, history.noise)
    return LinearisationPoint(known.load, known.down, R, t)


def refound_load(history: SampleHistory, begin: int, end: int, known: LinearisationPoint) -> np.ndarray:
    """Coordinates of a load that has just changed, from its first rows; what they do not tell is as it was."""
    s = _Smoothed(history, begin, end)
    omega, alpha, felt, wrench = s.together(known.R, known.t, _ALL)
    return fit_load(omega, alpha, felt, wrench, known.load)


def refound_down(history: SampleHistory, begin: int, end: int, known: LinearisationPoint, gravity: float) -> np.ndarray:
    """Gravity (m/s²) at a row, from it and the rows after it; who holds where is known."""
    s = _Smoothed(history, begin, end)
    omega, _, felt, _ = s.together(known.R, known.t, _ALL)
    return _down(s.time, omega, s.velocity(known.R, known.t, _ALL), felt, gravity)


class _Smoothed:
    """Readings with their fast noise taken off, and their derivatives; (time, robot, 3) each."""

    def __init__(self, history: SampleHistory, begin: int, end: int):
        raw, time = history.raw(begin, end), history.times(begin, end)
        wide = min(max(round(TUNING.start_smoothing * history.rate), 2), max((len(raw) - 1) // 2, 1))
        weights = 1.0 + np.cos(np.pi * np.arange(-wide, wide + 1) / (wide + 1))
        heard = np.isfinite(raw)
        values = np.where(heard, raw, 0.0)
        sums = [
            sum(w * np.roll(part, lag, axis=0) for lag, w in zip(range(-wide, wide + 1), weights, strict=True))
            for part in (values, heard.astype(float))
        ]
        cut = slice(wide, max(len(raw) - wide, wide + 1))  # rolled rows are not neighbours at the ends
        smoothed_wrench = (np.asarray(sums[0]) / np.maximum(np.asarray(sums[1]), 1e-9))[cut]
        self.time = time[cut]
        heard = np.asarray(sums[1])[cut, :, :9].reshape(len(self.time), -1, 3, 3).min(axis=3) > 0.0
        self.there = heard.copy()
        """(time, robot, 3): whose gyro, velocity and accelerometer were heard then, and just before and after."""
        self.there[1:] &= heard[:-1]
        self.there[:-1] &= heard[1:]
        self.twist, self.felt, self.wrench = (
            smoothed_wrench[..., :6],
            smoothed_wrench[..., 6:9],
            smoothed_wrench[..., 9:],
        )
        spacing = self.time if len(self.time) > 2 else None
        omega = self.twist[..., :3]
        self.alpha = np.asarray(np.gradient(omega, spacing, axis=0)) if spacing is not None else 0.0 * omega

    def grips(
        self, R: np.ndarray, t: np.ndarray, placed: np.ndarray, noise: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Finds who was heard and is not `placed` (robot,) yet, by the motion of those who are; changes `R` and `t`."""
        sought = np.flatnonzero(self.there.any(axis=(0, 2)) & ~placed)
        lever_noise = 3.0  # m/s², by which specific forces differ before positions are known
        for _ in range(3):
            omega, alpha, felt, _ = self.together(R, t, placed)
            v = self.velocity(R, t, placed)
            both = self.there & self.there[:, placed].any(axis=1)[:, None]
            for j in sought:
                a, b, c = both[:, j].T  # when two gyros, velocities and accelerometers can be compared
                K = self.twist[a, j, :3].T @ omega[a] / (noise[0] ** 2 + 0.05**2)
                lever = cross(alpha, t[j]) + cross(omega, cross(omega, t[j]))
                K += self.felt[c, j].T @ (felt + lever)[c] / (noise[2] ** 2 + lever_noise**2)
                R[j] = _nearest_rotation(K.T)
                W = skew(omega)
                rows = [W[b] / (noise[1] + 0.02), (skew(alpha) + W @ W)[c] / (noise[2] + 0.5)]
                values = [
                    (self.twist[b, j, 3:] @ R[j].T - v[b]) / (noise[1] + 0.02),
                    (self.felt[c, j] @ R[j].T - felt[c]) / (noise[2] + 0.5),
                ]
                A = np.concatenate([np.concatenate(rows).reshape(-1, 3), np.eye(3) / TUNING.usual_reach])
                t[j] = np.linalg.lstsq(A, np.concatenate([np.concatenate(values).ravel(), np.zeros(3)]), rcond=None)[0]
            # From the second round on the motion of everybody together stands in for that of those placed before.
            placed = placed | np.isin(np.arange(len(t)), sought)
            lever_noise = 0.5
        return R, t

    def hidden_grip(self, R: np.ndarray, t: np.ndarray, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Where somebody holds of whom only the wrench is known: as what the load needs, and others do not give it.

        Linear in the load, in R and in [t]× R, each for itself.
        """
        others, own = np.arange(len(t)) != j, self.wrench[:, j]
        omega, alpha, felt, wrench = self.together(R, t, others)
        of_torque, of_force = (np.einsum("ab,tc->tabc", np.eye(3), part) for part in (own[:, :3], own[:, 3:]))
        by_R = np.concatenate([of_torque, of_force], axis=1).reshape(-1, 9)
        by_lever = np.concatenate([of_force, 0.0 * of_force], axis=1).reshape(-1, 9)
        A = np.concatenate([load_regressor(omega, alpha, felt), -by_R, -by_lever], axis=1)
        size = np.linalg.norm(A, axis=0) + 1e-9
        x = np.linalg.lstsq(A / size, wrench.ravel(), rcond=1e-3)[0] / size
        R_j = _nearest_rotation(x[10:19].reshape(3, 3))
        lever = x[19:].reshape(3, 3) @ R_j.T
        return R_j, 0.5 * np.array([lever[2, 1] - lever[1, 2], lever[0, 2] - lever[2, 0], lever[1, 0] - lever[0, 1]])

    def together(self, R: np.ndarray, t: np.ndarray, who: _Some) -> tuple[np.ndarray, ...]:
        """Angular velocity, its derivative and specific force in the first frame, means of `who`; what they exert."""
        gyro, _, felt = np.moveaxis(self.there, 2, 0)
        omega, alpha = _mean(R, self.twist[..., :3], gyro, who), _mean(R, self.alpha, gyro, who)
        lever = cross(alpha[:, None], t) + cross(omega[:, None], cross(omega[:, None], t))
        force = np.einsum("jab,tjb->tja", R, self.wrench[..., 3:])
        torque = np.einsum("jab,tjb->tja", R, self.wrench[..., :3]) + cross(t[None], force)
        wrench = np.concatenate([torque[:, who].sum(axis=1), force[:, who].sum(axis=1)], axis=1)
        return omega, alpha, _mean(R, self.felt, felt, who, lever), wrench

    def velocity(self, R: np.ndarray, t: np.ndarray, who: _Some) -> np.ndarray:
        """Of the first frame's origin."""
        omega = _mean(R, self.twist[..., :3], self.there[..., 0], who)
        return _mean(R, self.twist[..., 3:], self.there[..., 1], who, cross(omega[:, None], t))


def _nearest_rotation(matrix: np.ndarray) -> np.ndarray:
    U, _, V = np.linalg.svd(matrix)
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V


def _mean(
    R: np.ndarray, reading: np.ndarray, there: np.ndarray, who: _Some, less: np.ndarray | float = 0.0
) -> np.ndarray:
    """(time, 3): of readings (time, robot, 3) that are there, turned into the first frame, less what a place adds."""
    turned = np.where(there[..., None], np.einsum("jab,tjb->tja", R, reading) - less, 0.0)
    return turned[:, who].sum(axis=1) / np.maximum(there[:, who].sum(axis=1), 1)[:, None]


def load_regressor(omega: np.ndarray, alpha: np.ndarray, felt: np.ndarray) -> np.ndarray:
    """(6 time, 10): what a load's mass, first moment and inertia make of a motion: torque and force of each row."""
    W = skew(omega)
    zero = np.zeros((len(omega), 3, 1))
    torque = moments_times(alpha) + W @ moments_times(omega)
    return np.concatenate(
        [
            np.concatenate([zero, -skew(felt), torque], axis=2),
            np.concatenate([felt[:, :, None], skew(alpha) + W @ W, np.zeros((len(omega), 3, 6))], axis=2),
        ],
        axis=1,
    ).reshape(-1, 10)


def fit_load(
    omega: np.ndarray, alpha: np.ndarray, felt: np.ndarray, wrench: np.ndarray, before: np.ndarray | None
) -> np.ndarray:
    """Coordinates of a possible load that turns these motions into these wrenches, all (time, …).

    What the rows do not tell is as the load was `before`, its mass apart; else as usual for what robots hold.
    """
    A, b = load_regressor(omega, alpha, felt), wrench.ravel()
    m0 = max(float(np.linalg.norm(wrench[:, 3:]) / max(np.linalg.norm(felt), 1e-9)), 1e-3)
    if before is None:
        centre = np.array([m0, 0.0, 0.0, 0.0, *[m0 * TUNING.usual_radius**2] * 3, 0.0, 0.0, 0.0])
        spread = np.array([m0, *[0.5 * m0] * 3, *[m0 * TUNING.usual_radius**2] * 6])
        noise = 0.1 * float(np.sqrt(np.mean(b**2))) + 1e-6
    else:
        m, c, moments = np.split(load_parameters(before), [1, 4])
        I = matrix_from_moments(moments) * m0 / m - m0 * skew(c) @ skew(c)
        centre = np.array([m0, *(m0 * c), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        spread = np.array([m0, *[0.2 * m0] * 3, *[0.3 * float(np.trace(I)) / 3.0] * 6])
        noise = 0.3 * float(np.sqrt(np.mean(b**2))) + 1e-6
    A, b = np.concatenate([A / noise, np.diag(1 / spread)]), np.concatenate([b / noise, centre / spread])
    return possible(np.linalg.lstsq(A, b, rcond=None)[0], m0)


def possible(phi: np.ndarray, mass: float) -> np.ndarray:
    """Coordinates of the nearest load that can be: its mass and its spread along every axis positive."""
    m = max(float(phi[0]), 0.1 * mass)
    com = np.clip(phi[1:4] / m, -2.0, 2.0)
    I = matrix_from_moments(phi[4:])
    Sigma = 0.5 * np.trace(I) * np.eye(3) - I - m * np.outer(com, com)
    sizes, axes = np.linalg.eigh(Sigma)
    Sigma = (axes * np.maximum(sizes, m * 0.05**2)) @ axes.T
    return load_coordinates(m, com, np.trace(Sigma) * np.eye(3) - Sigma)


def _down(time: np.ndarray, omega: np.ndarray, v: np.ndarray, felt: np.ndarray, gravity: float) -> np.ndarray:
    """Gravity at the first row: the specific force, turned back and averaged, less what the velocity gained."""
    if gravity == 0.0:
        return np.zeros(3)
    R, turned = np.eye(3), []
    for k in range(len(time)):
        if k:
            R = R @ exp_so3(0.5 * (omega[k] + omega[k - 1]) * (time[k] - time[k - 1]))
        turned.append(R)
    turned = np.stack(turned)
    up = np.einsum("tab,tb->ta", turned, felt).mean(axis=0)
    if len(time) > 1:
        gained = turned[-1] @ v[-1] - v[0]
        up = up - gained / (time[-1] - time[0])
    size = float(np.linalg.norm(up))
    return -gravity * up / size if size > 1e-9 else np.array([0.0, 0.0, -gravity])
