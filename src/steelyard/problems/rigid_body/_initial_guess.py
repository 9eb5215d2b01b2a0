"""A first guess of a load's ten inertial parameters: linear least squares, no acceleration needed."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from steelyard.geometry import inertia_from_pseudo_inertia, log_cholesky
from steelyard.problems.rigid_body._reading import WristRecord, turned, vertical

_SPAN = 0.4
"""Of one equation, s."""
_RADIUS = 0.3
"""Usual radius of gyration of what robots hold, m."""


def first_load(record: WristRecord, mass: float | None) -> np.ndarray:
    """Log-Cholesky coordinates of a possible load near the one that the wrenches suggest; `mass` is a stated guess.

    The equations of motion are weighted by smooth bumps of some tenths of a second and integrated by parts: where an
    angular acceleration would stand, the bump's derivative meets the angular velocity. Noise on both sides
    biases the answer to the small side; it serves as a first guess only.
    """
    time = record.time
    grid = np.linspace(time[0], time[-1], max(round((time[-1] - time[0]) / float(np.median(np.diff(time)))) + 1, 8))
    omega = _filled(time, record.reading[:, :3], grid)
    wrench = _filled(time, record.wrench, grid)
    mean_specific_force = _bumps_of_specific_force(record, grid, omega)
    dt = grid[1] - grid[0]
    half = min(max(round(0.5 * _SPAN / dt), 2), (len(grid) - 1) // 2)
    bump = 0.5 * (1 + np.cos(np.pi * np.arange(-half, half + 1) / half)) / half
    derivative = -0.5 * np.pi / (half * half * dt) * np.sin(np.pi * np.arange(-half, half + 1) / half)
    rows, felt, values = [], [], []
    for centre in range(half, len(grid) - half, max(half // 2, 1)):
        span = slice(centre - half, centre + half + 1)
        alpha = -derivative @ omega[span]
        squares = np.einsum("t,ta,tb->ab", bump, omega[span], omega[span])
        felt.append(mean_specific_force(span, bump, derivative))
        rows.append(_equations(alpha, squares, felt[-1]))
        values.append(bump @ wrench[span])
    A, b = np.concatenate(rows), np.concatenate(values)
    m0 = _mass_guess(np.stack(values)[:, 3:], np.stack(felt)) if mass is None else mass
    spread = np.array([m0, *[0.5 * m0] * 3, *[m0 * _RADIUS**2] * 6])
    centre = np.array([m0, 0.0, 0.0, 0.0, *[m0 * _RADIUS**2] * 3, 0.0, 0.0, 0.0])
    noise = 0.05 * float(np.sqrt(np.mean(b**2))) + 1e-6
    A, b = np.concatenate([A / noise, np.diag(1 / spread)]), np.concatenate([b / noise, centre / spread])
    return possible(np.linalg.lstsq(A, b, rcond=None)[0], m0)


def possible(phi: np.ndarray, mass: float) -> np.ndarray:
    """Log-Cholesky coordinates of the nearest load that can be: its mass and its spread along every axis positive."""
    m = max(phi[0], 0.1 * mass)
    com = np.clip(phi[1:4] / m, -2.0, 2.0)
    I = np.array([[phi[4], phi[7], phi[8]], [phi[7], phi[5], phi[9]], [phi[8], phi[9], phi[6]]])
    Sigma = 0.5 * np.trace(I) * np.eye(3) - I - m * np.outer(com, com)
    sizes, axes = np.linalg.eigh(Sigma)
    Sigma = (axes * np.maximum(sizes, m * 0.05**2)) @ axes.T
    J = np.block([[Sigma + m * np.outer(com, com), m * com[:, None]], [m * com[None, :], np.array([[m]])]])
    return np.asarray(log_cholesky(inertia_from_pseudo_inertia(jnp.asarray(J))))


def _equations(alpha: np.ndarray, squares: np.ndarray, s: np.ndarray) -> np.ndarray:
    """`geometry.wrench_regressor` with means in place of products: `squares` is the mean of ω ωᵀ."""
    xx, yy, zz, xy, xz, yz = (squares[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    WW = squares - np.trace(squares) * np.eye(3)
    ax, ay, az = alpha
    torque = np.array(
        [
            [ax, -yz, yz, ay - xz, az + xy, yy - zz],
            [xz, ay, -xz, ax + yz, zz - xx, az - xy],
            [-xy, xy, az, xx - yy, ax - yz, ay + xz],
        ]
    )
    zero = np.zeros((3, 1))
    return np.block([[zero, -_skew(s), torque], [s[:, None], _skew(alpha) + WW, np.zeros((3, 6))]])


def _bumps_of_specific_force(record: WristRecord, grid: np.ndarray, omega: np.ndarray) -> Callable[..., np.ndarray]:
    """Its weighted mean over a span; without an accelerometer, from the velocity and the turned vertical."""
    if np.isfinite(record.reading[:, 6:]).all(axis=1).sum() > 0.5 * len(record.time):
        s = _filled(record.time, record.reading[:, 6:], grid)
        return lambda span, bump, derivative: bump @ s[span]
    v = _filled(record.time, record.reading[:, 3:6], grid)
    smooth = np.cross(omega, v) - np.einsum("tba,b->ta", turned(grid, omega), vertical(record))
    return lambda span, bump, derivative: bump @ smooth[span] - derivative @ v[span]


def _mass_guess(force: np.ndarray, s: np.ndarray) -> float:
    """The ratio of force to specific force, kg."""
    return max(float(np.linalg.norm(force) / max(np.linalg.norm(s), 1e-9)), 1e-3)


def _filled(time: np.ndarray, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Linear interpolation on an even grid; zero for a channel without samples."""
    columns = []
    for column in values.T:
        present = np.isfinite(column)
        columns.append(np.interp(grid, time[present], column[present]) if present.any() else np.zeros(len(grid)))
    return np.stack(columns, axis=1)


def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
