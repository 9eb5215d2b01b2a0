"""Flights and wrist runs with exact physics, sampled at any times: what other people's loggers would have recorded."""

import dataclasses
import functools

import numpy as np

GRAVITY = np.array([0.0, 0.0, 9.81])
FLIP = np.array([1.0, -1.0, -1.0])
"""North, west, up to north, east, down; also FLU to FRD."""


@dataclasses.dataclass(frozen=True)
class Motion:
    """A motion at 1 kHz with its derivatives, in a world with z up and body axes forward, left, up."""

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    R: np.ndarray
    """(n, 3, 3), body to world."""

    @functools.cached_property
    def attitude(self) -> np.ndarray:
        """Quaternions w, x, y, z, continuous."""
        from scipy.spatial.transform import Rotation

        q = Rotation.from_matrix(self.R).as_quat()[:, [3, 0, 1, 2]]
        flips = np.cumprod(np.concatenate([[1.0], np.sign(np.sum(q[1:] * q[:-1], axis=1))]))
        return q * flips[:, None]

    @functools.cached_property
    def rates(self) -> np.ndarray:
        """rad/s, body."""
        from scipy.spatial.transform import Rotation

        steps = np.einsum("nji,njk->nik", self.R[:-1], self.R[1:])
        w = Rotation.from_matrix(steps).as_rotvec() / np.diff(self.time)[:, None]
        half = 0.5 * (self.time[1:] + self.time[:-1])
        return np.stack([np.interp(self.time, half, c) for c in w.T], 1)

    @functools.cached_property
    def specific_force(self) -> np.ndarray:
        """m/s², body."""
        return np.einsum("nji,nj->ni", self.R, self.acceleration + GRAVITY)

    def angles(self) -> np.ndarray:
        """Roll, pitch, yaw, rad, in the order that aircraft turn."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_matrix(self.R).as_euler("ZYX")[:, ::-1]


def _smooth(time: np.ndarray, rng: np.random.Generator, size: float, slowest: float, fastest: float) -> np.ndarray:
    """(n, 3): sums of six sines an axis."""
    hertz = np.linspace(slowest, fastest, 6)[:, None]
    phases, sizes = rng.uniform(0, 2 * np.pi, (6, 3)), size * rng.normal(0, 1, (6, 3)) / np.sqrt(6)
    return np.einsum("kj,knj->nj", sizes, np.sin(2 * np.pi * hertz[:, :, None] * time[:, None] + phases[:, None, :]))


def _ramp(time: np.ndarray, start: float, end: float) -> np.ndarray:
    u = np.clip((time - start) / (end - start), 0.0, 1.0)
    return u**4 * (35 - 84 * u + 70 * u**2 - 20 * u**3)


@dataclasses.dataclass(frozen=True)
class Flight:
    """A multirotor that stands, takes off, flies figures and lands; thrust along the body's z alone, and drag."""

    motion: Motion
    mass: float
    thrust: np.ndarray
    """N, collective; that of idling motors on the ground."""
    flying: np.ndarray
    """Whether it is off the ground."""

    def rotors(self) -> np.ndarray:
        """N, (n, 4): they differ by a few percent, as turning and imbalance make them."""
        w = self.motion.rates
        share = np.stack([0.02 * w[:, 0], -0.02 * w[:, 0], 0.02 * w[:, 1], -0.02 * w[:, 1]], 1)
        uneven = np.array([0.02, -0.02, 0.01, -0.01])
        return 0.25 * self.thrust[:, None] * (1 + share - share.mean(axis=1, keepdims=True) + uneven)


@functools.lru_cache(maxsize=4)
def flight(seed: int = 0, mass: float = 1.2, duration: float = 40.0, size: float = 1.5, turn: float = 1.0) -> Flight:
    """A flight of `duration` s, 4 s of which on the ground at both ends; `turn` is a factor of its yaw."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, duration, 1e-3)
    up = _ramp(time, 4.0, 7.0) - _ramp(time, duration - 7.0, duration - 4.0)
    far = _ramp(time, 6.0, 10.0) - _ramp(time, duration - 10.0, duration - 6.0)
    position = far[:, None] * _smooth(time, rng, size, 0.05, 0.35) * np.array([1, 1, 0.25])
    position[:, 2] += 1.8 * up
    velocity = np.gradient(position, time, axis=0)
    acceleration = np.gradient(velocity, time, axis=0)
    flying = position[:, 2] > 1e-3
    push = mass * (acceleration + GRAVITY) + 0.15 * mass * velocity
    z = push / np.linalg.norm(push, axis=1, keepdims=True)
    yaw = turn * (0.4 + 0.5 * far * np.sin(0.5 * time))
    y = np.cross(z, np.stack([np.cos(yaw), np.sin(yaw), 0 * yaw], 1))
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    R = np.stack([np.cross(y, z), y, z], axis=2)
    thrust = np.where(flying, np.linalg.norm(push, axis=1), 0.05 * mass * 9.81)
    return Flight(Motion(time, position, velocity, acceleration, R), mass, thrust, flying)


@dataclasses.dataclass(frozen=True)
class Wrist:
    """A load at a wrist: what its force sensor applies to it, in the sensor's axes."""

    motion: Motion
    mass: float
    com: np.ndarray
    force: np.ndarray
    torque: np.ndarray


@functools.lru_cache(maxsize=4)
def wrist(seed: int = 0, mass: float = 1.6, duration: float = 25.0) -> Wrist:
    """Turning about all axes by up to a radian, and moving by decimetres."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    time = np.arange(0.0, duration, 1e-3)
    position = _smooth(time, rng, 0.15, 0.1, 0.8)
    velocity = np.gradient(position, time, axis=0)
    acceleration = np.gradient(velocity, time, axis=0)
    R = Rotation.from_euler("ZYX", 1.2 * _smooth(time, rng, 0.8, 0.08, 0.5)).as_matrix()
    motion = Motion(time, position, velocity, acceleration, R)
    com, inertia = np.array([0.02, -0.01, 0.07]), np.diag([0.006, 0.005, 0.003])
    w = motion.rates
    alpha = np.gradient(w, time, axis=0)
    force = mass * (motion.specific_force + np.cross(alpha, com) + np.cross(w, np.cross(w, com)))
    torque = alpha @ inertia + np.cross(w, w @ inertia) + np.cross(com, force)
    return Wrist(motion, mass, com, force, torque)


def at(time: np.ndarray, dense: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values (n,) or (n, k) at these times."""
    if values.ndim == 1:
        return np.interp(time, dense, values)
    return np.stack([np.interp(time, dense, column) for column in values.T], 1)


def noisy(values: np.ndarray, std: float, seed: int) -> np.ndarray:
    """With white noise."""
    return values + np.random.default_rng(seed).normal(0, std, values.shape)
