"""A team's readings averaged over short spans, and how far they are from one rigid load with these sensor errors."""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard._rotations import cross
from steelyard.models import WRIST_SIGNALS
from steelyard.problems.spatial_load._reading import SpatialRecord
from steelyard.problems.spatial_load._tuning import TUNING
from steelyard.team import LinearisationPoint, load_in_frame


@dataclasses.dataclass(frozen=True, eq=False)
class Averages:
    """By signal (span, robot, 3): means with a triangular weight, and means of derivatives with the same weight."""

    w: np.ndarray
    v: np.ndarray
    s: np.ndarray
    N: np.ndarray
    F: np.ndarray
    dw: np.ndarray
    dv: np.ndarray
    torque_rate: np.ndarray
    force_rate: np.ndarray
    h: float
    """s, from one span's middle to the next."""
    dt: float
    """s, from row to row."""

    @staticmethod
    def of(record: SpatialRecord, start: int) -> "Averages | None":
        """Of the rows from `start` on, on an even grid; NaN around gaps."""
        time, readings = record.time[start:], record.readings[start:]
        dt = 1.0 / record.rate
        H = max(2, round(TUNING.error_span * record.rate))
        if time.size < 4 * H:
            return None
        even, _ = _evenly(time, readings.reshape(len(time), -1), dt)
        count = (len(even) - 1) // H - 1
        if count < TUNING.error_blocks:
            return None
        sums = np.concatenate([np.zeros((1, even.shape[1])), np.cumsum(even, axis=0)])
        u = (sums[H:] - sums[:-H]) / H  # means over H rows; a gap makes all that follows NaN, so it is undone below
        if np.isnan(sums[-1]).any():
            u = np.stack([even[k : k + H].mean(axis=0) for k in range(len(even) - H + 1)])
        at = np.arange(0, len(u) - H, H)
        mean = (0.5 * (u[at] + u[at + H]) + sum(u[at + j] for j in range(1, H))) / H
        rate = (u[at + H] - u[at]) / (H * dt)
        shape = (len(at), readings.shape[1], 15)
        mean, rate = mean.reshape(shape), rate.reshape(shape)
        w, v, s, N, F = (mean[:, :, 3 * k : 3 * k + 3] for k in range(5))
        dw, dv, _, torque_rate, force_rate = (rate[:, :, 3 * k : 3 * k + 3] for k in range(5))
        return Averages(w, v, s, N, F, dw, dv, torque_rate, force_rate, H * dt, dt)

    @property
    def robots(self) -> int:
        """How many hold the load."""
        return self.w.shape[1]

    def covariances(self, point: LinearisationPoint, noise: Mapping[str, float]) -> list[np.ndarray]:
        """By kind of equation: what white noise of the readings makes of an axis of it, at lags 0, 1, … in spans.

        A derivative's noise is larger and anti-correlated, so that slow differences say more than fast ones.
        """
        box, n = np.full(self.rows, 1.0 / self.rows), self.robots
        mean = np.convolve(box, np.concatenate([[0.5], np.ones(self.rows - 1), [0.5]]) / self.rows)
        rate = np.convolve(box, np.concatenate([[-1.0], np.zeros(self.rows - 1), [1.0]]) / self.h)
        A, D = (np.array([_lagged(k, lag * self.rows) for lag in range(5)]) for k in (mean, rate))  # farther: 0
        w2, v2, s2, N2, F2 = (noise[signal] ** 2 for signal in WRIST_SIGNALS)
        numbers, _ = load_in_frame(point, 0)
        m, c, I = float(numbers[0]), numbers[1:4], numbers[4:].reshape(3, 3)
        I = I + m * (c @ c * np.eye(3) - np.outer(c, c))
        arms = 2.0 / 3.0 * float(np.sum(point.t**2))
        c2, t2 = 2.0 / 3.0 * float(c @ c), arms / max(n - 1, 1)
        up = s2 / n * A + v2 * D
        before, after = np.concatenate([up[1:2], up[:-1]]), np.concatenate([up[1:], [0.0]])
        every = {
            0: (n * F2 + m**2 * s2 / n) * A + m**2 * c2 * w2 / n * D,
            1: (n * N2 + arms * F2 + m**2 * c2 * s2 / n) * A + np.trace(I @ I) / 3.0 * w2 / n * D,
            2: 2.0 * w2 * A,
            3: 2.0 * s2 * A + t2 * w2 / n * D,
            4: 2.0 * v2 * A + t2 * w2 / n * A,
            5: (2.0 * up - before - after) / self.h**2 + 64.0 * w2 / n * A,
            6: up,
        }
        return [every[kind] for kind in sorted(set(self._kinds))]

    def acceleration_noise(self, point: LinearisationPoint, noise: Mapping[str, float]) -> float:
        """m/s²: of averaged accelerations of one robot against another, and of gravity, whichever is larger."""
        kinds = sorted(set(self._kinds))
        found = [np.sqrt(c[0]) for kind, c in zip(kinds, self.covariances(point, noise), strict=True) if kind in (3, 6)]
        return float(max(found, default=np.inf))

    @property
    def rows(self) -> int:
        """Rows of a span, half of those that an average reaches over."""
        return round(self.h / self.dt)

    @property
    def _kinds(self) -> list[int]:
        """Of every equation: forces, torques, angular velocities, accelerations, velocities, turning, size."""
        n = self.robots - 1
        kinds = [0] * 3 + [1] * 3 + [2] * 3 * n
        kinds += [3] * 3 * n if np.isfinite(self.s).any() else []
        return kinds + ([4] * 3 * n + [5] * 3 + [6] if np.isfinite(self.v).any() else [])

    @property
    def kinds(self) -> list[np.ndarray]:
        """Equations of each kind that there is."""
        return [np.flatnonzero(np.array(self._kinds) == k) for k in sorted(set(self._kinds))]

    def misfit(
        self, point: LinearisationPoint, labels: Sequence[tuple[int, str]], b: np.ndarray, gravity: float
    ) -> np.ndarray:
        """(span, equation): zero but for noise where point and sensor errors are right."""
        errors: dict[tuple[int, str], list[float]] = {}
        for label, size in zip(labels, b.tolist(), strict=True):
            errors.setdefault(label, []).append(size)

        def error(robot: int, name: str) -> np.ndarray:
            return np.array(errors.get((robot, name), (0.0,) if name.endswith(("scale", "delay")) else (0.0, 0.0, 0.0)))

        W, DW, V, DV, S, F, N = ([] for _ in range(7))
        for i in range(self.robots):
            R, arm = point.R[i].T, error(i, "lever")
            w, dw = self.w[:, i] - error(i, "gyro_bias"), self.dw[:, i]
            spin = _turned(w, dw, arm)
            v = self.v[:, i] - error(i, "velocity_bias") - cross(w, arm)
            dv = self.dv[:, i] - cross(dw, arm)
            s = (self.s[:, i] - error(i, "accelerometer_bias")) / (1.0 + error(i, "accelerometer_scale")) - spin
            late = error(i, "wrench_delay")
            f = (self.F[:, i] + late * self.force_rate[:, i] - error(i, "force_offset")) / (
                1.0 + error(i, "force_scale")
            )
            n = (self.N[:, i] + late * self.torque_rate[:, i] - error(i, "torque_offset")) / (
                1.0 + error(i, "torque_scale")
            )
            for part, value in zip((W, DW, V, DV, S, F, N), (w, dw, v, dv, s, f, n), strict=True):
                part.append(value @ R)  # x @ R' is R x, row by row
        w, dw = np.mean(W, axis=0), np.mean(DW, axis=0)
        t = point.t
        if np.isfinite(self.s).any():
            s = np.mean([S[i] - _turned(w, dw, t[i]) for i in range(self.robots)], axis=0)
        else:  # without an accelerometer: gravity is not told from forces alone, so these equations say nothing
            s = np.full_like(w, np.nan)
        numbers, _ = load_in_frame(point, 0)
        m, c, I = float(numbers[0]), numbers[1:4], numbers[4:].reshape(3, 3)
        arm = I + m * (c @ c * np.eye(3) - np.outer(c, c))  # about the first robot's origin
        force = np.sum(F, axis=0) - m * (s + _turned(w, dw, c))
        torque = np.sum([N[i] + cross(t[i], F[i]) for i in range(self.robots)], axis=0)
        torque = torque - m * cross(c, s) - dw @ arm - cross(w, w @ arm)
        parts = [force, torque, *(W[i] - W[0] for i in range(1, self.robots))]
        if np.isfinite(self.s).any():
            parts += [S[i] - S[0] - _turned(w, dw, t[i]) for i in range(1, self.robots)]
        if np.isfinite(self.v).any():
            parts += [V[i] - V[0] - cross(w, t[i]) for i in range(1, self.robots)]
            up = s - DV[0] - cross(w, V[0])
            turning = np.full_like(up, np.nan)
            middle = 0.5 * (up[1:] + up[:-1])
            turning[1:] = np.diff(up, axis=0) / self.h + cross(0.5 * (w[1:] + w[:-1]), middle)
            parts += [turning, (np.linalg.norm(up, axis=1) - gravity)[:, None]]
        return np.concatenate(parts, axis=1)


def _lagged(kernel: np.ndarray, lag: int) -> float:
    return float(kernel[lag:] @ kernel[: len(kernel) - lag]) if lag < len(kernel) else 0.0


def _turned(w: np.ndarray, dw: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Acceleration of a point at `arm` against the origin: dw x arm + w x (w x arm)."""
    return cross(dw, arm) + cross(w, cross(w, arm))


def _evenly(time: np.ndarray, values: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Values on an even grid by straight lines, NaN inside gaps of more than a few steps; and the grid."""
    grid = np.arange(time[0], time[-1] + 1e-9, dt)
    steps = np.diff(time)
    if len(grid) == len(time) and np.all(np.abs(steps - dt) < 0.01 * dt):
        return values, grid
    after = np.clip(np.searchsorted(time, grid, side="left"), 1, len(time) - 1)
    inside = (time[after] - time[after - 1] > TUNING.error_gap * dt) & (np.abs(time[after] - grid) > 1e-9)
    out = np.stack([np.interp(grid, time, column) for column in values.T], axis=1)
    out[inside] = np.nan
    return out, grid
