"""A stand-in world in space: robots hold a rigid load whose motion and wrenches are formulas, in every sensor frame."""

import numpy as np
from scipy.spatial.transform import Rotation

MASS = 2.0
COM = np.array([0.1, -0.2, 0.05])
"""From the body's origin, m."""
INERTIA = np.array([[0.30, 0.02, -0.01], [0.02, 0.25, 0.03], [-0.01, 0.03, 0.20]])
"""About the centre of mass, kg m²."""


class SpatialWorld:
    """What every robot of `names` would read without noise, and the truth in its frame."""

    def __init__(self, names, seconds, rate=100.0, seed=0, one_axis=False):
        rng = np.random.default_rng(seed)
        n = len(names)
        self.names, self.time = tuple(names), np.arange(round(seconds * rate) + 1) / rate
        self.R_bi = Rotation.random(n, random_state=seed).as_matrix()
        self.p_b = rng.uniform(-0.6, 0.6, (n, 3))
        self.omega, self.alpha = self._sines(rng, 1.5, slope=True)
        if one_axis:
            self.omega[:, :2], self.alpha[:, :2] = 0.0, 0.0
        self.v, self.s = self._sines(rng, 1.0)[0], self._sines(rng, 6.0)[0] + np.array([0.0, 0.0, 9.81])
        self.pulls = [np.concatenate([self._sines(rng, 1.0)[0], self._sines(rng, 5.0)[0]], axis=1) for _ in range(n)]

    def _sines(self, rng, size, slope=False):
        w, phase = rng.uniform(2.0, 7.0, (3, 2)), rng.uniform(0.0, 6.0, (3, 2))
        angle = w * self.time[:, None, None] + phase
        return size * np.sin(angle).sum(-1), size * (w * np.cos(angle)).sum(-1) if slope else None

    def total(self):
        """Torque about the body's origin and force on the load, body axes."""
        force = MASS * (self.s + self._lever(np.broadcast_to(COM, self.s.shape)))
        spin = self.alpha @ INERTIA + np.cross(self.omega, self.omega @ INERTIA)
        return np.concatenate([spin + np.cross(COM, force), force], axis=1)

    def _lever(self, arm):
        return np.cross(self.alpha, arm) + np.cross(self.omega, np.cross(self.omega, arm))

    def readings(self, i):
        """(time, 15): ω, v, s, τ, f of robot i."""
        R, p = self.R_bi[i], self.p_b[i]
        wrench = self.pulls[i] if i else self.total() - sum(self.pulls[1:])
        torque = wrench[:, :3] - np.cross(p, wrench[:, 3:])
        v, s = self.v + np.cross(self.omega, p), self.s + self._lever(np.broadcast_to(p, self.s.shape))
        return np.concatenate([one @ R for one in (self.omega, v, s, torque, wrench[:, 3:])], axis=1)

    def pose(self, i, j):
        """R_ij and t_ij, from robot j's frame to robot i's."""
        return self.R_bi[i].T @ self.R_bi[j], self.R_bi[i].T @ (self.p_b[j] - self.p_b[i])

    def load(self, i):
        """Centre and inertia in robot i's frame."""
        R = self.R_bi[i]
        return R.T @ (COM - self.p_b[i]), R.T @ INERTIA @ R

    def samples(self, noise=0.0, seed=0):
        """By robot, for `run_team`."""
        from steelyard.team import SpatialSample

        rng, told = np.random.default_rng(seed), {}
        for i, name in enumerate(self.names):
            rows = self.readings(i)
            rows = rows + noise * rng.standard_normal(rows.shape)
            told[name] = [
                SpatialSample(float(time), *(tuple(part) for part in row.reshape(5, 3).tolist()))
                for time, row in zip(self.time, rows, strict=True)
            ]
        return told
