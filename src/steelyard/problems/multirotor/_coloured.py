"""Generalised least squares under a coloured model error: docs/DRONE.md has the equations.

What the model lacks is an acceleration `e` in body axes, an Ornstein-Uhlenbeck process an axis plus white noise, of one
size along the thrust axis and another across it. The velocity that is left over integrates it: `dE/dt = R e`, and a
block of rows measures `E` with white noise. A Kalman filter over (E, e) that knows this covariance whitens any column
of velocities; ordinary least squares on whitened columns is generalised least squares on the raw ones.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.problems.multirotor._tuning import TUNING

NAMES = ("velocity", "white_along", "coloured_along", "time_along", "white_across", "coloured_across", "time_across")


@dataclasses.dataclass(frozen=True)
class Blocks:
    """A flight as means over blocks of rows; columns are velocities in world axes, m/s a unit of a parameter."""

    time: np.ndarray
    """(n,), s."""
    span: np.ndarray
    """(n,), s since the block before; 0 at the first."""
    R: np.ndarray
    """(n, 3, 3), body to world, at the middle between a block and the one before."""
    fresh: np.ndarray
    """(n,), whether the velocity is unknown before this block: the first one, and the first after a gap."""
    heard: np.ndarray
    """(n,), the share of rows in the block with a velocity; 0 for a block without."""

    def __len__(self) -> int:
        return len(self.time)


@dataclasses.dataclass(frozen=True)
class ErrorModel:
    """Sizes of what is random; SI units."""

    velocity: float
    """White noise of the mean velocity of a block, m/s an axis."""
    white_along: float
    """White acceleration along the thrust axis, m/s² per root Hz."""
    coloured_along: float
    """Coloured acceleration along the thrust axis, m/s²."""
    time_along: float
    """Its correlation time, s."""
    white_across: float
    coloured_across: float
    time_across: float

    def logarithms(self) -> np.ndarray:
        """As a search sees it."""
        return np.log([getattr(self, name) for name in NAMES])

    @staticmethod
    def of(logarithms: np.ndarray) -> "ErrorModel":
        """The inverse."""
        return ErrorModel(*map(float, np.exp(logarithms)))


def _transition(R, dt, error):
    """Transition and noise of (E, e) over `dt`: exact for an attitude that stays."""
    _, q_z, s_z, t_z, q_x, s_x, t_x = error
    tau, s, q = jnp.stack([t_x, t_x, t_z]), jnp.stack([s_x, s_x, s_z]), jnp.stack([q_x, q_x, q_z])
    x = dt / tau
    keep, lost = jnp.exp(-x), -jnp.expm1(-x)
    gain = tau * lost
    Q_ee = s**2 * -jnp.expm1(-2 * x)
    Q_Ee = s**2 * tau * lost**2
    series = (2.0 / 3.0) * x**3 * (1.0 - 0.75 * x)  # of the difference below, which cancels for a short step
    whole = jnp.where(x < 1e-3, series, 2 * x - 3 + 4 * keep - keep**2)
    Q_EE = s**2 * tau**2 * whole + q**2 * dt
    turned = R * gain[None, :]
    F = jnp.block([[jnp.eye(3), turned], [jnp.zeros((3, 3)), jnp.diag(keep)]])
    cross = R * Q_Ee[None, :]
    Q = jnp.block([[(R * Q_EE[None, :]) @ R.T, cross], [cross.T, jnp.diag(Q_ee)]])
    return F, Q


def predict(P, X, R, dt, fresh, error):
    """Covariance and columns (6, k) of (E, e) at the next block."""
    F, Q = _transition(R, dt, error)
    P, X = F @ P @ F.T + Q, F @ X
    keep = jnp.where(fresh, jnp.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), jnp.ones(6))
    wide = jnp.where(fresh, jnp.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), jnp.zeros(6)) * TUNING.unknown_velocity**2
    return P * keep[:, None] * keep[None, :] + jnp.diag(wide), X * keep[:, None]


def update(P, X, Y, heard, r):
    """Three scalar updates; the whitened values of the columns, (3, columns), and the log of the variances."""
    white, logs = [], jnp.zeros(())
    seen = heard > 0
    variance = r**2 / jnp.maximum(heard, 1e-3)
    for i in range(3):
        s = P[i, i] + variance
        gain = jnp.where(seen, P[:, i] / s, jnp.zeros(6))
        left = Y[i] - X[i]
        white.append(jnp.where(seen, left / jnp.sqrt(s), jnp.zeros_like(left)))
        logs += jnp.where(seen, jnp.log(s), 0.0)
        X = X + gain[:, None] * left[None, :]
        P = P - gain[:, None] * P[i][None, :]
    return P, X, jnp.stack(white), logs


def start(error, columns: int):
    """Before the first block."""
    _, _, s_z, _, _, s_x, _ = error
    return jnp.diag(jnp.stack([0.0 * s_x] * 3 + [s_x**2, s_x**2, s_z**2])), jnp.zeros((6, columns))


@jax.jit
def _whitened(flight, Y, error):
    def row(carry, now):
        (R, dt, fresh, heard), y = now
        P, X = predict(carry[0], carry[1], R, dt, fresh, error)
        P, X, white, _ = update(P, X, y, heard, error[0])
        return (P, X), white

    return jax.lax.scan(row, start(error, Y.shape[2]), (flight, Y))[1]


@jax.jit
def _information(flight, Y, errors):
    """Normal equations of whitened columns and the log-determinant, one a candidate error model."""

    def one(error):
        def row(carry, now):
            (R, dt, fresh, heard), y = now
            (P, X), (A, logs) = carry
            P, X = predict(P, X, R, dt, fresh, error)
            P, X, white, more = update(P, X, y, heard, error[0])
            return ((P, X), (A + white.T @ white, logs + more)), None

        columns = Y.shape[2]
        begin = start(error, columns), (jnp.zeros((columns, columns)), jnp.zeros(()))
        return jax.lax.scan(row, begin, (flight, Y))[0][1]

    return jax.vmap(one)(errors)


def padded(blocks: Blocks, Y: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """To one of a few lengths, so that few programs are compiled; blocks that are added hear nothing."""
    n = len(blocks)
    size = next(s for k in range(40) for s in (64 << k, 96 << k) if s >= n)
    more = size - n
    R = np.concatenate([blocks.R, np.tile(np.eye(3), (more, 1, 1))])
    flat = [np.concatenate([a, np.zeros(more, a.dtype)]) for a in (blocks.span, blocks.fresh, blocks.heard)]
    return (R, *flat), np.concatenate([Y, np.zeros((more, *Y.shape[1:]))])


def _wide(columns: np.ndarray) -> np.ndarray:
    """With columns of zeros in front, to one of a few widths, for the same reason."""
    width = next(w for w in (12, 24, *(50 << k for k in range(20))) if w >= columns.shape[2])
    return np.concatenate([np.zeros((*columns.shape[:2], width - columns.shape[2])), columns], axis=2)


def whitened(blocks: Blocks, columns: np.ndarray, error: ErrorModel) -> np.ndarray:
    """Columns of velocities (n, 3, k) as white noise of unit variance would leave them."""
    flight, Y = padded(blocks, _wide(columns))
    white = _whitened(flight, Y, np.exp(error.logarithms()))
    return np.asarray(white)[: len(blocks), :, -columns.shape[2] :]


def log_likelihoods(blocks: Blocks, columns: np.ndarray, prior: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Restricted log-likelihood of the last column, the others' coefficients unknown, a row of `errors` each.

    `prior` is the information that the coefficients have before, diagonal; its zeros are flat.
    """
    flight, Y = padded(blocks, _wide(columns))
    A, logs = (np.asarray(part) for part in _information(flight, Y, np.exp(_many(errors))))
    A, logs = A[: len(errors), -columns.shape[2] :, -columns.shape[2] :], logs[: len(errors)]
    found = []
    for one, log_s in zip(A, logs, strict=True):
        H, b = one[:-1, :-1] + np.diag(prior), one[:-1, -1]
        sign, log_H = np.linalg.slogdet(H)
        theta = np.linalg.solve(H, b)
        found.append(-0.5 * (log_s + log_H + one[-1, -1] - b @ theta) if sign > 0 else -np.inf)
    return np.array(found)


def _many(errors: np.ndarray) -> np.ndarray:
    """As many as the search tries at once."""
    return np.concatenate([errors, np.tile(errors[:1], (max(0, 2 * len(NAMES) + 1 - len(errors)), 1))])


def likeliest_error(
    blocks: Blocks, columns: np.ndarray, prior: np.ndarray, first: ErrorModel, fixed: tuple[str, ...] = ()
) -> tuple[ErrorModel, float]:
    """The error model of highest posterior probability: a compass search in logarithms, all directions at once."""
    usual, spread = (np.array(part) for part in zip(*TUNING.error_prior, strict=True))
    free = [k for k, name in enumerate(NAMES) if name not in fixed]

    def score(points: np.ndarray) -> np.ndarray:
        points[:, [3, 6]] = np.minimum(points[:, [3, 6]], np.log(TUNING.longest_correlation))
        penalty = 0.5 * np.sum(((points - np.log(usual)) / spread)[:, free] ** 2, axis=1)
        return log_likelihoods(blocks, columns, prior, points) - penalty

    best = first.logarithms()
    value = float(score(best[None].copy())[0])
    step = np.full(len(NAMES), 1.2)
    for _ in range(TUNING.error_rounds):
        points = np.tile(best, (2 * len(NAMES) + 1, 1))
        for place, k in enumerate(free):
            points[2 * place, k] += step[k]
            points[2 * place + 1, k] -= step[k]
        scores = score(points)
        move = np.zeros(len(NAMES))
        for place, k in enumerate(free):
            up, down = scores[2 * place], scores[2 * place + 1]
            curvature = up + down - 2 * value
            if curvature < 0:
                move[k] = np.clip(0.5 * (down - up) / curvature, -1.5, 1.5) * step[k]
            else:
                move[k] = step[k] if up > down else -step[k]
        tries = best + move * np.array([1.0, 0.5, 0.25])[:, None]
        along = score(tries)
        every, values = np.concatenate([points, tries]), np.concatenate([scores, along])
        k = int(np.argmax(values))
        if values[k] <= value + TUNING.error_settled:
            if step.max() < 0.3:
                break
            step *= 0.5
        if values[k] > value:
            best, value = every[k], float(values[k])
    return ErrorModel.of(best), value
