"""A first guess of the unknowns from the rows alone: the heading is tracked, the rest is linear least squares."""

import math

import numpy as np

from steelyard.team.planar_load._fit import N_UNKNOWNS
from steelyard.team.planar_load._sums import Sum, column, spin, spread
from steelyard.team.planar_load._tuning import TUNING


def first_guess(
    rows: np.ndarray, dt: np.ndarray, used: np.ndarray, block: int, friction: bool = False
) -> np.ndarray | None:
    """Unknowns at the first row, or None where nothing turns and moves; of rows not `used` only the forces count.

    The spin s = i κ ω exp(i θ) turns at the rate ω and has the length κ |ω|: comparing both gives the scale κ. Averages
    over `block` rows keep noise small against a turn. See docs/PLANAR_FIT.md, section 7.
    """
    s = _smoothed(np.where(used, spin(rows), 0.0), np.where(used, spread(rows), 0.0), block)
    times = np.cumsum(dt)
    lag = min(block, len(s) - 1)
    crossed = np.imag(s[:-lag].conj() * s[lag:])
    power = np.abs(s[:-lag] * s[lag:])
    elapsed = times[lag:] - times[:-lag]
    denominator = float(np.sum(power**1.5 * elapsed))
    if denominator <= 0.0:
        return None
    inverse_scale = float(np.sum(np.abs(crossed) * np.sqrt(power))) / max(float(np.sum(power**2 * elapsed)), 1e-30)
    if not (inverse_scale > 0.0 and math.isfinite(inverse_scale)):
        return None
    kappa = 1.0 / inverse_scale
    # The sense of rotation where it is fastest; then θ is tracked from there to both ends.
    near = int(np.argmax(_smoothed(power, np.ones(len(power)), 4 * block)))
    around = slice(max(near - 2 * block, 0), near + 2 * block + 1)
    sense = 1.0 if float(np.sum(crossed[around])) >= 0.0 else -1.0
    theta = _tracked(s, dt, kappa, near, sense, block)
    omega = np.real(np.exp(-1j * theta) * s / 1j) / kappa
    return _linear(rows, dt, used, theta, omega, kappa, block if friction else 0)


def _tracked(s: np.ndarray, dt: np.ndarray, kappa: float, start: int, sense: float, block: int) -> np.ndarray:
    """θ at every row: integrates ω = Re(s/i exp(−i θ))/κ, corrected towards the direction of s where it is long."""
    theta = np.empty(len(s))
    theta[start] = float(np.angle(s[start] * sense / 1j))
    level = float(np.mean(np.abs(s) ** 2)) + 1e-30
    gain = 1.0 / block
    for way in (1, -1):
        at = theta[start]
        for k in range(start + way, len(s) if way > 0 else -1, way):
            step = dt[k] if way > 0 else dt[k + 1]
            seen = s[k] / 1j * complex(math.cos(at), -math.sin(at))
            at += way * step * seen.real / kappa
            at += gain * (seen.real * seen.imag) / (level + abs(seen) ** 2)
            theta[k] = at
    return theta


def _linear(rows, dt, used, theta, omega, kappa, block: int) -> np.ndarray | None:
    """The rest, given how the load turns: 1/m, κ c and the first velocity, then κ/J and the first ω.

    With a `block` also friction, as if the middle of the contacts were the centre of mass.
    """
    turn = np.exp(1j * theta)
    n = np.maximum(rows[:, Sum.MEASURED], 1.0)
    F, A = column(rows, Sum.F), column(rows, Sum.A)
    impulse = np.cumsum(F * dt)
    s = 1j * omega * turn * kappa
    mean = column(rows, Sum.V) / n - s * column(rows, Sum.B) / n
    ones = np.ones(len(rows), complex)
    H = np.stack([ones, 1j * ones, impulse, -s, -1j * s], axis=1)[used]
    v = _smoothed(np.where(used, column(rows, Sum.V) / n, 0.0), used.astype(float), max(block, 2))
    speed = np.maximum(np.abs(v), TUNING.slow_velocity)
    if block:
        H = np.concatenate([H, -np.cumsum(np.stack([v, v / speed], axis=1) * dt[:, None], axis=0)[used]], axis=1)
    x = _solve(H, mean[used])
    if x is None:
        return None
    friction = np.maximum(x[5:], 0.0) if block else np.zeros(2)  # d/m, c/m
    spun = omega + np.cumsum((friction[0] + friction[1] / speed) * omega * dt)
    c = complex(x[3], x[4])
    middle = np.exp(-1j * (theta - 0.5 * dt * omega))
    twist = np.cumsum(dt * np.imag(middle * (A - c.conjugate() * F)))
    y = _solve(np.stack([ones, twist.astype(complex)], axis=1)[used], spun[used].astype(complex))
    if y is None:
        return None
    guess = np.zeros(N_UNKNOWNS)
    # A mass or inertia of the wrong sign is noise under weak forces: begin with a heavy load.
    mass, inertia = (1.0 / max(value, 1e-3) for value in (x[2], y[1] / kappa))
    load = math.log(mass), math.log(inertia), c.real, c.imag, math.log(kappa)
    guess[:] = (theta[0], y[0], x[0], x[1], *load, *(mass * friction))
    return guess if np.isfinite(guess).all() else None


def _solve(H: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Real least squares over complex rows."""
    real = np.concatenate([np.real(H), np.imag(H)])
    scale = np.linalg.norm(real, axis=0)
    if len(H) < H.shape[1] or not (scale > 0.0).all():
        return None
    return np.linalg.lstsq(real / scale, np.concatenate([np.real(y), np.imag(y)]), rcond=1e-6)[0] / scale


def _smoothed(values: np.ndarray, weights: np.ndarray, width: int) -> np.ndarray:
    """Weighted mean over a window around each row."""
    half = width // 2
    bounds = np.clip(np.stack([np.arange(len(values)) - half, np.arange(len(values)) + half + 1]), 0, len(values))
    total = np.concatenate([[0.0], np.cumsum(values * weights)])
    weight = np.concatenate([[0.0], np.cumsum(weights)])
    summed, weighted = total[bounds[1]] - total[bounds[0]], weight[bounds[1]] - weight[bounds[0]]
    return np.where(weighted > 0.0, summed / np.maximum(weighted, 1e-30), 0.0)
