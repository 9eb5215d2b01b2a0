"""Load and wrench offsets from windows of readings, one sample at a time: weighted least squares, no linearisation.

With s the specific force and [h, x] the integral of h x over a window, h a modulating function (`_modulating`),

    [h, force]  = m [h, s] + ([h, alpha] x + [h, omega x omega x]) m c + [h, 1] offset
    [h, torque] = m c x [h, s] + I [h, alpha] + [h, omega x I omega] + [h, 1] offset

is linear in the ten parameters and six offsets, and every integral is a sum over readings of one sensor. Noise of gyro
and accelerometer is in the regressors: it counts in the weights, at the load so far, and its known share is subtracted
from the information, which would be too large by it and the load too small.

A window that the load does not explain is not counted, nor its neighbours; where such windows go on, what they tell
takes the place of what was known before: the load has changed.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators import square_root
from steelyard.models import Numbers
from steelyard.problems.rigid_body._tuning import RECURSIVE, TUNING, RecursiveTuning
from steelyard.problems.rigid_body._windows import OpenWindows, WindowIntegrals, WristSample, advance

UNKNOWNS = 16
"""Ten inertial parameters m, m c, moments about the sensor's origin; offsets of torque and force."""


class Evidence(eqx.Module):
    """What windows tell: a weighted sum of squares."""

    information: Float[Numbers, "16 16"]
    """As if the regressors were exact."""
    attenuation: Float[Numbers, "10 10"]
    """The share of it that noise of gyro and accelerometer adds."""
    vector: Float[Numbers, "16"]
    square: Float[Numbers, ""]
    """Of the wrenches."""
    windows: Float[Numbers, ""]

    @staticmethod
    def none() -> "Evidence":
        """Of no window."""
        zero = jnp.zeros(())
        return Evidence(jnp.zeros((UNKNOWNS, UNKNOWNS)), jnp.zeros((10, 10)), jnp.zeros(UNKNOWNS), zero, zero)


class RecursiveBelief(eqx.Module):
    """Load, offsets, and what is needed to go on."""

    state: Float[Numbers, "16"]
    """m (kg), m c (kg m), moments about the sensor's origin xx, yy, zz, xy, xz, yz (kg m²); N m (3), N (3)."""
    covariance: Float[Numbers, "16 16"]
    resolved: Float[Numbers, ""]
    """1 where the motion is clearly more than the noise of its sensors; else 0, and the state is not to be used."""
    misfit: Float[Numbers, ""]
    """Variance of the residuals over the stated one; NaN while there are too few."""
    innovation: Float[Numbers, "modes 6"]
    """Of the last window, measured less expected in standard deviations, by axis of the wrench; NaN at first."""
    ended: Float[Numbers, ""]
    """Windows that have ended and had no hole."""
    event: Float[Numbers, ""]
    """At this row: 1 a contact has ended, 2 the load has changed, 0 neither."""
    event_windows: Float[Numbers, ""]
    """Hops that have gone by since that began."""
    accepted: Evidence
    """Of the windows that one load explains."""
    pending: Evidence
    """Of the last window, which counts if the next one is explained, too."""
    other: Evidence
    """Of the windows since one was not explained."""
    refused: Float[Numbers, ""]
    """Windows that were not explained, since the last contact or change."""
    calm: Float[Numbers, ""]
    """Windows that were explained in a row."""
    since_refused: Float[Numbers, ""]
    """Windows since the first that was not explained."""
    open: OpenWindows


class RecursiveLoad(eqx.Module):
    """Frozen configuration: noise, and what is known of the unknowns beforehand."""

    omega_std: Float[Numbers, ""]
    specific_force_std: Float[Numbers, ""]
    wrench_std: Float[Numbers, "6"]
    prior: Float[Numbers, "16"]
    """Information of each unknown beforehand: one over its variance."""
    tuning: RecursiveTuning = eqx.field(static=True, default=RECURSIVE)

    def init(self) -> RecursiveBelief:
        """Before the first sample."""
        zero, none = jnp.zeros(()), Evidence.none()
        nan = jnp.full((self.tuning.modes, 6), jnp.nan)
        return RecursiveBelief(
            jnp.zeros(UNKNOWNS), jnp.diag(1.0 / jnp.asarray(self.prior)), zero, jnp.asarray(jnp.nan), nan, zero,
            zero, zero, none, none, none, zero, zero, zero, OpenWindows.start(self.tuning),
        )  # fmt: skip

    def step(self, belief: RecursiveBelief, sample: WristSample) -> RecursiveBelief:
        """Takes in one row; the estimate changes where a window ends, four times a second."""
        advanced = advance(belief.open, sample, self.tuning)
        belief = eqx.tree_at(lambda b: (b.open, b.event), belief, (advanced.windows, jnp.zeros(())))
        return jax.lax.cond(
            advanced.complete, lambda both: self._with_window(*both), lambda both: both[0], (belief, advanced.closed)
        )

    def _with_window(self, belief: RecursiveBelief, moments: WindowIntegrals) -> RecursiveBelief:
        tuning = self.tuning
        expected = self._equations(belief, moments)
        innovation = _innovations(expected, belief)
        level = jnp.where(belief.accepted.windows >= tuning.fewest_windows, jnp.maximum(belief.misfit, 1.0), 1.0)
        level = level * jnp.where(belief.resolved > 0.0, 1.0, tuning.unresolved_gate)
        explained = (jnp.mean(innovation**2) < tuning.gate * level) | (belief.accepted.windows < tuning.fewest_windows)
        started = belief.accepted.windows + belief.pending.windows >= 1.0
        innovation = jnp.where(started, innovation, jnp.nan)

        # The weights follow from the load as this window tells it, too: the first ones know it by themselves only.
        so_far = _plus(_plus(belief.accepted, belief.pending, explained), expected.evidence, explained)
        window = self._equations(self._solved(so_far, self._prior(belief)), moments).evidence
        accepted = _plus(belief.accepted, belief.pending, explained)
        margin = (belief.calm < 1.0) & (belief.since_refused > 0.0)  # the first after one that was not explained
        pending = _times(window, explained & ~margin)
        refused, calm = belief.refused + ~explained, jnp.where(explained, belief.calm + 1.0, 0.0)
        since = jnp.where(refused > 0.0, belief.since_refused + 1.0, 0.0)
        # Two windows lie across the moment at which a load changes.
        other = _plus(belief.other, window, ~explained & (refused > 2.0))

        changed = refused >= tuning.change_windows
        over = (calm >= 2.0) & (refused > 0.0)
        accepted = jax.tree.map(lambda a, b: jnp.where(changed, a, b), other, accepted)
        ends = changed | over
        other, pending = _times(other, ~ends), _times(pending, ~changed)
        solution = self._solved(accepted, self._prior(belief))
        return RecursiveBelief(
            state=solution.state, covariance=solution.covariance, resolved=solution.resolved, misfit=solution.misfit,
            innovation=innovation, ended=belief.ended + 1.0,
            event=jnp.where(changed, 2.0, jnp.where(over & (refused >= 2.0), 1.0, 0.0)),
            event_windows=since,
            accepted=accepted, pending=pending, other=other,
            refused=jnp.where(ends, 0.0, refused), calm=calm, since_refused=jnp.where(ends, 0.0, since),
            open=belief.open,
        )  # fmt: skip

    def _equations(self, known: "RecursiveBelief | _Solution", moments: WindowIntegrals) -> "_Equations":
        """The rows of a window, whitened by the noise of wrench, accelerometer and gyro at this load."""
        modes, load = self.tuning.modes, known.state[:10]
        # Its mean square: while a load is hardly known, noise may enter by as much as the prior allows.
        load_square = jnp.outer(load, load) + known.covariance[:10, :10]
        regressors = jax.vmap(load_regressor)(moments.specific_force, moments.alpha, moments.products)
        offsets = moments.one[:, None, None] * jnp.eye(6)[None]
        rows = jnp.concatenate([regressors, offsets], axis=2)
        by_alpha, by_force = _by_motion()
        gyro, accelerometer, wrench = (
            moments.spread[:, k] * std**2
            for k, std in enumerate((self.omega_std, self.specific_force_std, jnp.ones(())))
        )
        through_force, through_alpha = (
            sum((part @ load_square @ part.T for part in by), start=jnp.zeros((6, 6))) for by in (by_force, by_alpha)
        )
        variance = (
            wrench[:, None, None] * jnp.diag(jnp.asarray(self.wrench_std) ** 2)[None]
            + accelerometer[:, None, None] * through_force[None]
            + gyro[:, None, None] * through_alpha[None]
        )
        # One substitution whitens the equations and, for what noise in the regressors adds to the information, the
        # parts by which each of the six noises enters.
        entering = jnp.concatenate([*by_force, *by_alpha], axis=1)
        everything = jnp.concatenate(
            [rows, moments.wrench[:, :, None], jnp.broadcast_to(entering, (modes, *entering.shape))], axis=2
        )
        white = jax.vmap(lambda V, right: _whitened(V, right))(variance, everything)
        rows_w, wrench_w = white[:, :, :UNKNOWNS].reshape(-1, UNKNOWNS), white[:, :, UNKNOWNS].reshape(-1)
        noise = white[:, :, UNKNOWNS + 1 :].reshape(modes, 6, 6, 10)  # mode, equation, which noise, parameter
        sizes = jnp.stack([*[accelerometer] * 3, *[gyro] * 3], axis=1)
        noise = (noise * jnp.sqrt(sizes)[:, None, :, None]).reshape(-1, 10)
        evidence = Evidence(rows_w.T @ rows_w, noise.T @ noise, rows_w.T @ wrench_w, wrench_w @ wrench_w, jnp.ones(()))
        return _Equations(rows, moments.wrench, jnp.diagonal(variance, axis1=1, axis2=2), evidence)

    def _prior(self, belief: "RecursiveBelief | _Solution") -> Float[Array, "16"]:
        """Information beforehand; first moment and moments are those of a load of moderate size and this mass."""
        square = belief.state[:4] ** 2 + jnp.diagonal(belief.covariance)[:4]
        arm = jnp.minimum(jnp.sqrt(jnp.sum(square[1:]) / square[0]), TUNING.longest_arm)
        first = square[0] * TUNING.longest_arm**2
        moments = 9.0 * square[0] * (arm + TUNING.load_size) ** 4
        prior = jnp.asarray(self.prior)
        least = jnp.concatenate([jnp.zeros(1), jnp.full(3, 1.0) / first, jnp.full(6, 1.0) / moments, jnp.zeros(6)])
        return jnp.maximum(prior, least)

    def _solved(self, accepted: Evidence, prior: Float[Array, "16"]) -> "_Solution":
        """Where the motion is hardly more than noise, that is not subtracted, which could leave less than nothing."""
        total = accepted.information + jnp.diag(prior)
        less = total.at[:10, :10].add(-accepted.attenuation)
        whole, clear = square_root(total), square_root(less)
        resolved = jnp.all(jnp.diagonal(clear) ** 2 > self.tuning.least_resolved * jnp.diagonal(whole) ** 2)
        inverse = _substituted(jnp.where(resolved, clear, whole), jnp.eye(UNKNOWNS))
        covariance = inverse.T @ inverse
        state = covariance @ accepted.vector
        free = 6.0 * self.tuning.modes * accepted.windows - UNKNOWNS
        explained_by_noise = jnp.where(resolved, state[:10] @ accepted.attenuation @ state[:10], 0.0)
        misfit = (accepted.square - state @ accepted.vector + explained_by_noise) / jnp.maximum(free, 1.0)
        return _Solution(state, covariance, resolved + 0.0, jnp.where(free > 0.0, misfit, jnp.nan))


class _Solution(NamedTuple):
    state: Array
    covariance: Array
    resolved: Array
    misfit: Array


class _Equations(NamedTuple):
    rows: Array
    """(modes, 6, 16)."""
    wrench: Array
    """(modes, 6)."""
    variance: Array
    """(modes, 6): of each equation's noise."""
    evidence: Evidence


def load_regressor(s: Float[Array, "3"], alpha: Float[Array, "3"], products: Float[Array, "6"]) -> Float[Array, "6 10"]:
    """Torque and force as a matrix times the ten parameters, from means of s, alpha and products of omega.

    As `geometry.wrench_regressor`, which has omega itself; both are linear in these means.
    """
    (sx, sy, sz), (ax, ay, az), (xx, yy, zz, xy, xz, yz), o = s, alpha, products, jnp.zeros(())
    return jnp.stack(
        [
            jnp.stack([o, o, sz, -sy, ax, -yz, yz, ay - xz, az + xy, yy - zz]),
            jnp.stack([o, -sz, o, sx, xz, ay, -xz, ax + yz, zz - xx, az - xy]),
            jnp.stack([o, sy, -sx, o, -xy, xy, az, xx - yy, ax - yz, ay + xz]),
            jnp.stack([sx, -yy - zz, xy - az, xz + ay, o, o, o, o, o, o]),
            jnp.stack([sy, xy + az, -xx - zz, yz - ax, o, o, o, o, o, o]),
            jnp.stack([sz, xz - ay, yz + ax, -xx - yy, o, o, o, o, o, o]),
        ]
    )


def _by_motion() -> tuple[list[Array], list[Array]]:
    """Derivatives (6, 10) of the regressor by each axis of alpha and of the specific force."""
    three, six = jnp.zeros(3), jnp.zeros(6)
    return (
        [load_regressor(three, axis, six) for axis in jnp.eye(3)],
        [load_regressor(axis, three, six) for axis in jnp.eye(3)],
    )


def _innovations(found: _Equations, belief: RecursiveBelief) -> Float[Array, "modes 6"]:
    """Measured less expected, in standard deviations."""
    left = found.wrench - found.rows @ belief.state
    variance = found.variance + jnp.sum((found.rows @ belief.covariance) * found.rows, axis=2)
    return left / jnp.sqrt(variance)


def _plus(one: Evidence, other: Evidence, where: Array) -> Evidence:
    return jax.tree.map(lambda a, b: a + jnp.where(where, b, 0.0), one, other)


def _times(one: Evidence, where: Array) -> Evidence:
    return jax.tree.map(lambda a: jnp.where(where, a, 0.0), one)


def _substituted(root: Float[Array, "n n"], right: Float[Array, "n k"]) -> Float[Array, "n k"]:
    """Forward substitution."""

    def row(X, k):
        x = (right[k] - root[k] @ X) / root[k, k]
        return jnp.where((jnp.arange(len(root)) == k)[:, None], x[None], X), None

    return jax.lax.scan(row, jnp.zeros_like(right), jnp.arange(len(root)))[0]


def _whitened(variance: Float[Array, "6 6"], right: Float[Array, "6 k"]) -> Float[Array, "6 k"]:
    return _substituted(square_root(variance), right)
