"""A Kalman filter that was told the load and the grips, and how its surprises depend on what it was told.

It follows the motion of the first robot's frame: angular velocity, velocity, gravity, and the error of the row's total
wrench, which is white. Everything is linearised along a given path, row by row for all rows at once; what is left to
do one row after the other is a linear recursion. The slopes are taken at smoothed wrenches, each without its own row
and the two beside it: slopes that share the noise of the surprises would bias the answer (instrumental variables).
"""

import dataclasses

import numpy as np

from steelyard.team._spatial_point import (
    LOAD,
    TILT,
    SpatialPoint,
    cross,
    load_numbers,
    load_slopes,
    matrix_of,
    moment_entries,
    pose_of,
    skew,
)

OMEGA, SPEED, DOWN, ERROR = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 15)
"""Where angular velocity, velocity, gravity and the wrench's error are in the motion's state."""


@dataclasses.dataclass(frozen=True, eq=False)
class Rows:
    """Consecutive rows of everybody's samples, sensor axes."""

    dt: np.ndarray
    """(time,), s since the row before."""
    reading: np.ndarray
    """(time, robot, 9): angular velocity, velocity, specific force; any number where `weight` is zero."""
    weight: np.ndarray
    """(time, robot, 9): 1 / variance, zero where nothing was read."""
    wrench: np.ndarray
    """(time, robot, 6): torque and force."""
    halfway: np.ndarray
    """(time, robot, 6): the wrench in the middle of the interval before the row."""
    smooth: np.ndarray
    """(time, robot, 6): the wrench as the rows around tell, this one and those beside it left out."""
    alpha: np.ndarray
    """(time, robot, 3): angular acceleration, as the gyros of the same rows around tell."""
    doubt: np.ndarray
    """(time,): how many times as noisy as usual the total wrench is; 1 where everybody told theirs."""

    def between(self, begin: int, end: int) -> "Rows":
        """The rows from `begin` on, before `end`."""
        return Rows(*(getattr(self, field.name)[begin:end] for field in dataclasses.fields(self)))


@dataclasses.dataclass(frozen=True, eq=False)
class Motion:
    """What the filter believes after a row, and how that depends on the point it was told."""

    mean: np.ndarray
    """(9,), at the row."""
    columns: np.ndarray
    """(15, 1 + param): the expected deviation from `mean`, then its slopes."""
    covariance: np.ndarray
    """(15, 15)."""


@dataclasses.dataclass(frozen=True, eq=False)
class Told:
    """What rows tell: the score and information that they add, and how surprising each was."""

    score: np.ndarray
    """(time, param)."""
    information: np.ndarray
    """(param, param), of all rows together."""
    load_information: np.ndarray
    """(time, 10, param), its rows about the load, by row."""
    surprise: np.ndarray
    """(time,): squares of the whitened surprises, summed."""
    count: np.ndarray
    """(time,): how many there were."""
    predicted: np.ndarray
    """(time, 9): the motion, each row as the rows before it tell."""
    residual: np.ndarray
    """(time, robot, 9): reading less expectation, in standard deviations of the reading alone; zero where silent."""


class Gears:
    """The equations of motion of a point, for all rows at once."""

    def __init__(self, point: SpatialPoint, noise: np.ndarray):
        """`noise`: standard deviations of torque (N m) and force (N), six numbers."""
        self.point = point
        numbers = load_numbers(point.load)
        self.m, self.c, self.I = float(numbers[0]), numbers[1:4], matrix_of(numbers[4:])
        self.I_inv = np.linalg.inv(self.I)
        self.slopes = load_slopes(point.load)
        self.C = skew(self.c)
        T = skew(point.t)
        n = point.robots
        self.coadjoint = np.zeros((n, 6, 6))
        self.coadjoint[:, :3, :3] = self.coadjoint[:, 3:, 3:] = point.R
        self.coadjoint[:, :3, 3:] = T @ point.R
        self.T = T
        scaled = self.coadjoint * noise
        self.L = np.linalg.cholesky(np.einsum("jab,jcb->ac", scaled, scaled))
        # Angular acceleration and specific force per total wrench.
        alpha_w = np.concatenate([self.I_inv, -self.I_inv @ self.C], axis=1)
        s_w = self.C @ alpha_w
        s_w[:, 3:] += np.eye(3) / self.m
        self.felt_w = np.concatenate([alpha_w, s_w])

    def total(self, wrench: np.ndarray) -> np.ndarray:
        """(…, robot, 6) to (…, 6): everybody's wrench as one, in the first robot's frame."""
        return np.einsum("jab,...jb->...a", self.coadjoint, wrench)

    def felt(self, omega: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """(…, 6): angular acceleration and specific force of the first robot's frame; see `models.RigidLoad.felt`."""
        gyro = cross(omega, omega @ self.I)
        tau = wrench[..., :3] - cross(self.c, wrench[..., 3:]) - gyro
        alpha = tau @ self.I_inv
        s = wrench[..., 3:] / self.m - cross(alpha, self.c) - cross(omega, cross(omega, self.c))
        return np.concatenate([alpha, s], axis=-1)

    def rate(self, motion: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """(…, 9): the derivative of the motion."""
        omega, v, down = motion[..., :3], motion[..., 3:6], motion[..., 6:]
        felt = self.felt(omega, wrench)
        v_dot = felt[..., 3:] - cross(omega, v) + down
        return np.concatenate([felt[..., :3], v_dot, -cross(omega, down)], axis=-1)

    def after(self, motion: np.ndarray, before: np.ndarray, halfway: np.ndarray, end: np.ndarray, dt: np.ndarray):
        """The motion an interval later, by the classical Runge-Kutta rule."""
        h = dt[:, None]
        k1 = self.rate(motion, before)
        k2 = self.rate(motion + 0.5 * h * k1, halfway)
        k3 = self.rate(motion + 0.5 * h * k2, halfway)
        k4 = self.rate(motion + h * k3, end)
        return motion + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def felt_slopes(self, omega: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(time, 6, 3) and (time, 6, param): how `felt` follows angular velocity and the point; and itself.

        Angular accelerations are the gyros', which do not depend on a load that is not known yet.
        """
        wrench, alpha = rows.smooth, np.einsum("jab,tjb->ta", self.point.R, rows.alpha) / self.point.robots
        F = self.total(wrench)[:, 3:]
        W = skew(omega)
        by_omega = np.empty((len(omega), 6, 3))
        by_omega[:, :3] = self.I_inv @ (skew(omega @ self.I) - W @ self.I)
        by_omega[:, 3:] = self.C @ by_omega[:, :3] - self._swing(omega, self.c)
        by_load = np.zeros((len(omega), 6, 10))  # mass, centre, moments
        by_load[:, :3, 1:4] = self.I_inv @ skew(F)
        by_load[:, :3, 4:] = -self.I_inv @ (moment_entries(alpha) + W @ moment_entries(omega))
        by_load[:, 3:] = self.C @ by_load[:, :3]
        by_load[:, 3:, 0] -= F / self.m**2
        by_load[:, 3:, 1:4] -= skew(alpha) + W @ W
        by_point = np.zeros((len(omega), 6, self.point.size))
        by_point[:, :, LOAD] = by_load @ self.slopes
        for j in range(1, self.point.robots):
            by_point[:, :, pose_of(j)] = self.felt_w @ self._wrench_by_pose(j, wrench[:, j])
        s = F / self.m - cross(alpha, self.c) - cross(omega, cross(omega, self.c))
        return by_omega, by_point, np.concatenate([alpha, s], axis=1)

    def _wrench_by_pose(self, j: int, wrench: np.ndarray) -> np.ndarray:
        R, T = self.point.R[j], self.T[j]
        by = np.zeros((len(wrench), 6, 6))
        by_turn = -R @ skew(wrench[:, 3:])
        by[:, :3, :3] = -skew(wrench[:, 3:] @ R.T)
        by[:, :3, 3:] = -R @ skew(wrench[:, :3]) + T @ by_turn
        by[:, 3:, 3:] = by_turn
        return by

    @staticmethod
    def _swing(omega: np.ndarray, arm: np.ndarray) -> np.ndarray:
        """(time, 3, 3): how ω × (ω × arm) follows ω."""
        along = (omega @ arm)[:, None, None] * np.eye(3)
        return along + omega[:, :, None] * arm - 2.0 * arm[:, None] * omega[:, None, :]

    def expected(self, motion: np.ndarray, felt: np.ndarray) -> np.ndarray:
        """(time, robot, 9): what noise-free sensors of everybody would read, when the first frame feels that."""
        omega, v, felt = motion[:, None, :3], motion[:, None, 3:6], felt[:, None]
        t = self.point.t[None]
        at = np.stack(
            [
                np.broadcast_to(omega, (len(motion), self.point.robots, 3)),
                v + cross(omega, t),
                felt[..., 3:] + cross(felt[..., :3], t) + cross(omega, cross(omega, t)),
            ],
            axis=2,
        )
        return np.einsum("jba,tjkb->tjka", self.point.R, at).reshape(len(motion), self.point.robots, 9)

    def expected_slopes(self, motion: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """(time, robot, 9, 15) and (time, robot, 9, param): how `expected` follows motion, wrench error and point."""
        n, point = len(motion), self.point
        omega = motion[:, :3]
        by_omega, by_point, felt = self.felt_slopes(omega, rows)
        by_error = self.felt_w @ self.L
        seen = self.expected(motion, felt)
        H = np.zeros((n, point.robots, 9, 15))
        D = np.zeros((n, point.robots, 9, point.size))
        W = skew(omega)
        spin = skew(felt[:, :3]) + W @ W
        for j in range(point.robots):
            R_t, T = point.R[j].T, self.T[j]
            lever = np.concatenate([-R_t @ T, R_t], axis=1)  # of (angular acceleration, specific force)
            H[:, j, :3, OMEGA] = R_t
            H[:, j, 3:6, OMEGA] = -R_t @ T
            H[:, j, 3:6, SPEED] = R_t
            H[:, j, 6:, OMEGA] = lever @ by_omega + R_t @ self._swing(omega, point.t[j])
            H[:, j, 6:, ERROR] = rows.doubt[:, None, None] * (lever @ by_error)
            D[:, j, 6:] = lever @ by_point
            if j:
                at = pose_of(j)
                position, rotation = slice(at.start, at.start + 3), slice(at.start + 3, at.stop)
                D[:, j, 3:6, position] += R_t @ W
                D[:, j, 6:, position] += R_t @ spin
                for k in range(3):
                    D[:, j, 3 * k : 3 * k + 3, rotation] += skew(seen[:, j, 3 * k : 3 * k + 3])
        return H, D

    def transitions(self, motion: np.ndarray, rows: Rows) -> tuple[np.ndarray, ...]:
        """From every row to the next: (9, 15) of the state, (9, 6) of the new error, (9, param) of the point."""
        omega, v, down = motion[:, :3], motion[:, 3:6], motion[:, 6:]
        by_omega, by_point, _ = self.felt_slopes(omega, rows)
        n = len(motion)
        A = np.zeros((n, 9, 9))
        A[:, OMEGA, OMEGA] = by_omega[:, :3]
        A[:, SPEED, OMEGA] = by_omega[:, 3:] + skew(v)
        A[:, SPEED, SPEED] = A[:, DOWN, DOWN] = -skew(omega)
        A[:, SPEED, DOWN] = np.eye(3)
        A[:, DOWN, OMEGA] = skew(down)
        h = rows.dt[1:, None, None]
        middle = 0.5 * (A[1:] + A[:-1])
        half = 0.5 * h * (np.eye(9) + 0.5 * h * middle)
        B = (self.felt_w @ self.L)[None] * rows.doubt[:, None, None]
        F = np.empty((n - 1, 9, 15))
        F[:, :, :9] = np.eye(9) + h * middle + 0.5 * h * h * (middle @ middle)
        F[:, :, 9:] = half[:, :, :6] @ B[:-1]
        added = half[:, :, :6] @ B[1:]
        by_point = half[:, :, :6] @ (by_point[1:] + by_point[:-1])
        return F, added, by_point


def begin(point: SpatialPoint, rows: Rows, noise: np.ndarray) -> Motion:
    """Before the first row is taken in: its own twists for a mean, and gravity as the point has it."""
    gears = Gears(point, noise)
    H = np.zeros((point.robots, 6, 6))
    H[:, :3, :3] = H[:, 3:, 3:] = np.swapaxes(point.R, 1, 2)
    H[:, 3:, :3] = -np.swapaxes(point.R, 1, 2) @ gears.T
    weight, reading = rows.weight[0, :, :6], rows.reading[0, :, :6]
    information = np.einsum("jab,ja,jac->bc", H, weight, H) + 1e-4 * np.eye(6)
    P = np.zeros((15, 15))
    P[:6, :6] = np.linalg.inv(information)
    P[9:, 9:] = np.eye(6)
    mean = np.concatenate([P[:6, :6] @ np.einsum("jab,ja,ja->b", H, weight, reading), point.down])
    columns = np.zeros((15, 1 + point.size))
    columns[DOWN, 1:][:, TILT] = -skew(point.down)
    return Motion(mean, columns, P)


def sweep(
    point: SpatialPoint, motion: Motion, path: np.ndarray, rows: Rows, noise: np.ndarray, first: bool
) -> tuple[Motion, Told]:
    """Takes rows in: all of them where `first`, else the first row is the one that `motion` has taken in already.

    `path` (time, 9) is where the rows are linearised. At the very first row the twists made the mean already, and only
    its accelerometers are new.
    """
    gears = Gears(point, noise)
    path = path.copy()
    if not first:  # deviations are from the path, which may have another opinion about the row before
        columns = motion.columns.copy()
        columns[:9, 0] += motion.mean - path[0]
    else:
        path[0] = motion.mean
        columns = motion.columns
        weight = rows.weight.copy()
        weight[0, :, :6] = 0.0
        rows = dataclasses.replace(rows, weight=weight)
    total, halfway = gears.total(rows.wrench), gears.total(rows.halfway)
    drift = gears.after(path[:-1], total[:-1], halfway[1:], total[1:], rows.dt[1:]) - path[1:]
    F, added, by_point = gears.transitions(path, rows)
    take = slice(0 if first else 1, None)
    H, D = gears.expected_slopes(path[take], rows.between(take.start, len(path)))
    n, size = len(H), point.size
    y = rows.reading[take] - gears.expected(path[take], gears.felt(path[take, :3], total[take]))
    w = rows.weight[take]
    H, D = H.reshape(n, -1, 15), D.reshape(n, -1, size)
    w = w.reshape(n, -1)
    y = np.where(w > 0.0, y.reshape(n, -1), 0.0)
    HtW = np.swapaxes(H * w[:, :, None], 1, 2)
    Lam, V = HtW @ H, np.empty((n, 15, 1 + size))
    V[:, :, 0] = (HtW @ y[:, :, None])[:, :, 0]
    V[:, :, 1:] = -(HtW @ D)
    input_columns = np.zeros((len(F), 9, 1 + size))
    input_columns[:, :, 0], input_columns[:, :, 1:] = drift, by_point
    Q = added @ np.swapaxes(added, 1, 2)

    P, Y = motion.covariance, columns
    before, gains, new = np.empty((n, 15, 1 + size)), np.empty((n, 15, 15)), np.empty((n, 15, 1 + size))
    eye = np.eye(15)
    for k in range(n):
        step = k - 1 if first else k
        if step >= 0:
            Fk = F[step]
            P_next = np.empty((15, 15))
            P_next[:9, :9] = Fk @ P @ Fk.T + Q[step]
            P_next[:9, 9:] = added[step]
            P_next[9:, :9] = added[step].T
            P_next[9:, 9:] = np.eye(6)
            Y_next = np.zeros((15, 1 + size))
            Y_next[:9] = Fk @ Y + input_columns[step]
            P, Y = P_next, Y_next
        before[k] = Y
        P = np.linalg.solve(eye + P @ Lam[k], P)
        P = 0.5 * (P + P.T)
        new[k] = V[k] - Lam[k] @ Y
        Y = Y + P @ new[k]
        gains[k] = P
    e = y - (H @ before[:, :, :1])[:, :, 0]
    G = H @ before[:, :, 1:] + D  # the slopes of the expectation
    M, q = -new[:, :, 1:], new[:, :, 0]
    PM = gains @ M
    Gw = G * w[:, :, None]
    # Row by row: one large product would be spread over all cores, which costs more than it brings.
    information = np.swapaxes(Gw, 1, 2) @ G - np.swapaxes(M, 1, 2) @ PM
    score = (np.swapaxes(Gw, 1, 2) @ e[:, :, None])[:, :, 0] - (np.swapaxes(PM, 1, 2) @ q[:, :, None])[:, :, 0]
    surprise = np.sum(w * e * e, axis=1) - np.einsum("ta,tab,tb->t", q, gains, q)
    told = Told(
        score,
        information.sum(axis=0),
        information[:, LOAD],
        surprise,
        np.sum(w > 0.0, axis=1),
        path[take] + before[:, :9, 0],
        (e * np.sqrt(w)).reshape(n, point.robots, 9),
    )
    end = path[-1]
    return Motion(end, Y, P), told
