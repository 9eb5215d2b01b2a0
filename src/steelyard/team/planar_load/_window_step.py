"""What one more row of a planar team's sums tells: a damped step of Gauss and Newton, with fixed shapes.

It is pure, so that it can become C; a test holds it equal to `descend`. What remains with the agent: messages, by which
the sums come about, everybody's own place, and where a window begins and ends.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from steelyard.models import Numbers
from steelyard.team.planar_load._fit import N_UNKNOWNS, Averaging, Normal, Rows, normal_equations
from steelyard.team.planar_load._sums import Sum


class WindowBelief(NamedTuple):
    """A window of sums, filled from its beginning, and the fit to it."""

    sums: Float[Numbers, "time sum"]
    count: Float[Numbers, ""]
    """Rows that are filled."""
    unknowns: Float[Numbers, " unknown"]
    """As in `_fit`."""
    damping: Float[Numbers, ""]
    cost: Float[Numbers, ""]
    matrix: Float[Numbers, "unknown unknown"]
    gradient: Float[Numbers, " unknown"]
    """Of the normal equations at the unknowns, what was known before included."""
    mean: Float[Numbers, " unknown"]
    information: Float[Numbers, "unknown unknown"]
    """What earlier rows told."""


class WindowStep(eqx.Module):
    """Takes a row of sums over the team in, and goes one step towards the best fit to all rows so far."""

    span: float
    """Of a row, s."""
    means: Averaging
    sigma: float
    """Of one robot's velocity averaged over a row, m/s an axis."""
    friction: bool = eqx.field(static=True)
    """Whether the load rubs on the plane, nobody knows how much."""

    def step(self, belief: WindowBelief, row: Float[Array, " sum"]) -> WindowBelief:
        """The belief after a row; one that finds the window full is left out, and the fit goes on."""
        index = jnp.arange(belief.sums.shape[0], dtype=float)
        sums = jnp.where((index == belief.count)[:, None], row[None], belief.sums)
        count = jnp.minimum(belief.count + 1.0, float(belief.sums.shape[0]))
        return self.improve(belief._replace(sums=sums, count=count))

    def improve(self, belief: WindowBelief) -> WindowBelief:
        """One iteration of Levenberg and Marquardt, as `descend` takes it."""
        rows, x = self.rows(belief.sums, belief.count), belief.unknowns
        now = self._told(belief, rows, x)
        scale = jnp.sqrt(jnp.diag(now.matrix)) + 1e-9
        damped = now.matrix / jnp.outer(scale, scale) + belief.damping * jnp.eye(N_UNKNOWNS)
        L = jnp.linalg.cholesky(damped)
        half = solve_triangular(L, now.gradient / scale, lower=True)
        step = -solve_triangular(L.T, half, lower=False)
        tried = x + jnp.clip(step / scale, -3.0, 3.0)
        then = self._told(belief, rows, tried)
        better = then.cost < now.cost
        eased, stiffened = jnp.maximum(0.1 * belief.damping, 1e-12), jnp.clip(10.0 * belief.damping, 1e-6, 1e4)
        return belief._replace(
            unknowns=jnp.where(better, tried, x),
            damping=jnp.where(better, eased, stiffened),
            cost=jnp.where(better, then.cost, now.cost),
            matrix=jnp.where(better, then.matrix, now.matrix),
            gradient=jnp.where(better, then.gradient, now.gradient),
        )

    def rows(self, sums: Float[Array, "time sum"], count: Float[Array, ""]) -> Rows:
        """As `Window.padded` has them."""
        index = jnp.arange(sums.shape[0], dtype=float)
        there = index < count
        F = jnp.concatenate([sums[:, Sum.F : Sum.F + 2], sums[:, Sum.A : Sum.A + 2]], axis=1)
        last = [jnp.sum(jnp.where((index == count - back)[:, None], F, 0.0), axis=0) for back in (1.0, 2.0, 3.0)]
        slope = 0.5 * (jnp.roll(F, -1, axis=0) - jnp.roll(F, 1, axis=0))
        slope = jnp.where((index == 0.0)[:, None], (-1.5 * F[0] + 2.0 * F[1] - 0.5 * F[2])[None], slope)
        ending = 1.5 * last[0] - 2.0 * last[1] + 0.5 * last[2]
        slope = jnp.where((index == count - 1.0)[:, None], ending[None], slope)
        trend = jnp.where((there & (count >= 3.0))[:, None], slope / self.span, 0.0)
        weights = jnp.where(there & (sums[:, Sum.HEARD] >= 2.0), 1.0 / self.sigma, 0.0)
        return Rows(sums, trend, jnp.where(there, self.span, 0.0), weights)

    def _told(self, belief: WindowBelief, rows: Rows, unknowns: Float[Array, " unknown"]) -> Normal:
        told = normal_equations(unknowns, rows, jnp.zeros((0, rows.dt.shape[0])), self.means, self.friction)
        off = unknowns - belief.mean
        pull = belief.information @ off
        return Normal(told.cost + 0.5 * off @ pull, told.matrix + belief.information, told.gradient + pull)
