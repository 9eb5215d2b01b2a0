"""One more row of a planar team's sums and one damped Gauss-Newton step, with fixed shapes.

It is pure, so that it can become C; a test holds it equal to `minimise`. What remains with the agent: messages, which
make the sums, the contact positions, and where a window begins and ends.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from steelyard.models import Numbers
from steelyard.team.planar_load._fit import N_UNKNOWNS, Averaging, NormalEquations, Rows, normal_equations
from steelyard.team.planar_load._shared_fit import DAMPING
from steelyard.team.planar_load._sums import Sum
from steelyard.team.planar_load._tuning import TUNING


class SumsBelief(NamedTuple):
    """A window of sums, filled from its start, and the fit to it."""

    sums: Float[Numbers, "time sum"]
    count: Float[Numbers, ""]
    """Rows that are there."""
    unknowns: Float[Numbers, " unknown"]
    """As in `_fit`."""
    damping: Float[Numbers, ""]
    cost: Float[Numbers, ""]
    matrix: Float[Numbers, "unknown unknown"]
    gradient: Float[Numbers, " unknown"]
    """Of the normal equations at the unknowns, the prior included."""
    mean: Float[Numbers, " unknown"]
    information: Float[Numbers, "unknown unknown"]
    """Of the prior."""


class WindowStep(eqx.Module):
    """Adds a row of sums over the team, and takes one step towards the best fit to all rows so far."""

    row_seconds: float
    means: Averaging
    sigma: float
    """Standard deviation of one robot's velocity averaged over a row, m/s an axis."""
    friction: bool = eqx.field(static=True)
    """Whether friction is estimated; else there is none."""

    def step(self, belief: SumsBelief, row: Float[Array, " sum"]) -> SumsBelief:
        """The belief after a row; a row that finds the window full is left out, and the fit goes on."""
        index = jnp.arange(belief.sums.shape[0], dtype=float)
        sums = jnp.where((index == belief.count)[:, None], row[None], belief.sums)
        count = jnp.minimum(belief.count + 1.0, float(belief.sums.shape[0]))
        return self.improve(belief._replace(sums=sums, count=count))

    def improve(self, belief: SumsBelief) -> SumsBelief:
        """One damped Gauss-Newton iteration, as `minimise` takes it."""
        rows, x = self.rows(belief.sums, belief.count), belief.unknowns
        now = self._linearised(belief, rows, x)
        scale = jnp.sqrt(jnp.diag(now.matrix)) + 1e-9
        damped = now.matrix / jnp.outer(scale, scale) + belief.damping * jnp.eye(N_UNKNOWNS)
        L = jnp.linalg.cholesky(damped)
        half = solve_triangular(L, now.gradient / scale, lower=True)
        step = -solve_triangular(L.T, half, lower=False)
        tried = x + jnp.clip(step / scale, -TUNING.largest_step, TUNING.largest_step)
        then = self._linearised(belief, rows, tried)
        better = then.cost < now.cost
        accepted = jnp.maximum(DAMPING.shrink * belief.damping, DAMPING.least)
        rejected = jnp.clip(DAMPING.grow * belief.damping, DAMPING.restart, DAMPING.most)
        return belief._replace(
            unknowns=jnp.where(better, tried, x),
            damping=jnp.where(better, accepted, rejected),
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
        trend = 0.5 * (jnp.roll(F, -1, axis=0) - jnp.roll(F, 1, axis=0))
        trend = jnp.where((index == 0.0)[:, None], (-1.5 * F[0] + 2.0 * F[1] - 0.5 * F[2])[None], trend)
        ending = 1.5 * last[0] - 2.0 * last[1] + 0.5 * last[2]
        trend = jnp.where((index == count - 1.0)[:, None], ending[None], trend)
        trend = jnp.where((there & (count >= 3.0))[:, None], trend / self.row_seconds, 0.0)
        weights = jnp.where(there & (sums[:, Sum.MEASURED] > 1.0), 1.0 / self.sigma, 0.0)
        return Rows(sums, trend, jnp.where(there, self.row_seconds, 0.0), weights)

    def _linearised(self, belief: SumsBelief, rows: Rows, unknowns: Float[Array, " unknown"]) -> NormalEquations:
        found = normal_equations(unknowns, rows, jnp.zeros((0, rows.dt.shape[0])), self.means, self.friction)
        off = unknowns - belief.mean
        pull = belief.information @ off
        return NormalEquations(found.cost + 0.5 * off @ pull, found.matrix + belief.information, found.gradient + pull)
