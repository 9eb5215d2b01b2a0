"""Where in a flight a step or a change of slope of the mass would explain what is left over: a likelihood-ratio scan.

Every block may be the begin of one. The column of velocities that a unit step from there on makes is whitened by the
same filter as the data; candidates live in a ring of slots for as long as they are followed.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.problems.multirotor._coloured import Blocks, ErrorModel, padded, predict, start, update
from steelyard.problems.multirotor._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Scan:
    """A candidate a block, `step` and `slope` in the first axis."""

    begin: np.ndarray
    """(n,), s."""
    statistic: np.ndarray
    """(2, n), likelihood ratio: the square of size over deviation."""
    size: np.ndarray
    """(2, n), kg or kg/s."""


@jax.jit
def _scan(flight, columns, before, left, base, times, error, slots):
    """`columns` (n, 3, 2): the unit step from the first row on, and the same times the time."""
    H, p = slots.shape[0], base.shape[2]

    def row(carry, now):
        (P, X), (began, tau, sums) = carry
        (R, dt, fresh, heard), y, y_before, residual, B, k, t = now
        slot = k % H
        here = (jnp.arange(H) == slot)[None, :]
        gone = sums[:, :, slot]
        sums = jnp.where(here[None], 0.0, sums)
        began = jnp.where(here[None], y_before[:, :, None].transpose(1, 0, 2), began)
        tau = jnp.where(here[0], t, tau)
        X = jnp.where(jnp.tile(here, (1, 2)), 0.0, X)
        P, X = predict(P, X, R, dt, fresh, error)
        step = y[:, 0][:, None] - began[0]
        ramp = y[:, 1][:, None] - began[1] - tau[None, :] * step
        P, X, white, _ = update(P, X, jnp.concatenate([step, ramp], axis=1), heard, error[0])
        g = white.reshape(3, 2, H)
        more = [jnp.einsum("ish,ish->sh", g, g), jnp.einsum("ish,i->sh", g, residual)]
        more = jnp.concatenate([jnp.stack(more, axis=1), jnp.einsum("ish,ip->sph", g, B)], axis=1)
        return ((P, X), (began, tau, sums + more)), gone

    begin = start(error, 2 * H), (jnp.zeros((2, 3, H)), jnp.zeros(H), jnp.zeros((2, 2 + p, H)))
    k = jnp.arange(len(times))
    carry, gone = jax.lax.scan(row, begin, (flight, columns, before, left, base, k, times))
    return gone, carry[1][2]


def scan_changes(
    blocks: Blocks, columns: np.ndarray, left: np.ndarray, base: np.ndarray, covariance: np.ndarray, error: ErrorModel
) -> Scan:
    """`left` (n, 3) and `base` (n, 3, p): the whitened residuals and columns of the fit, and its covariance."""
    n, H = len(blocks), round(TUNING.change_horizon / TUNING.block)
    before = np.concatenate([columns[:1], 0.5 * (columns[1:] + columns[:-1])])
    begin = blocks.time - 0.5 * blocks.span
    more = -base.shape[2] % 12  # few widths, so that few programs are compiled
    spare = np.zeros((*base.shape[:2], more))
    covariance = np.pad(covariance, (0, more))
    flight, Y = padded(blocks, np.concatenate([columns, before, left[:, :, None], base, spare], axis=2))
    size = len(Y)
    times = np.concatenate([begin, np.full(size - n, begin[-1])])
    gone, last = _scan(
        flight, Y[:, :, :2], Y[:, :, 2:4], Y[:, :, 4], Y[:, :, 5:], times, np.exp(error.logarithms()), np.zeros(H)
    )
    gone, last = np.asarray(gone), np.asarray(last)
    sums = np.zeros((n, *gone.shape[1:]))
    followed = min(n, max(size - H, 0))
    sums[:followed] = gone[H : H + followed]
    for j in range(followed, n):
        sums[j] = last[:, :, j % H]
    gg, ge, gB = sums[:, :, 0], sums[:, :, 1], sums[:, :, 2:]
    spread = gg - np.einsum("nsp,pq,nsq->ns", gB, covariance, gB)
    usable = spread > 1e-3 * np.maximum(gg, 1e-300)
    spread = np.where(usable, spread, np.inf)
    return Scan(begin, (ge**2 / spread).T, (ge / spread).T)
