"""The team's data in nine unknowns, or eleven with friction: least squares over the sums of a window of rows.

Forces are known, so the motion follows from its start and from the load: maximum likelihood is single shooting, a
rollout of the equations of motion from the first row. Equations and symbols: docs/PLANAR_FIT.md, sections 1 to 3; a
test holds the rollout to `models.PlanarLoad`. It is a second form of those equations because it takes sums over the
team instead of every robot's force, and one step a row of several samples. Road not taken: a Kalman filter in one pass,
whose early, badly linearised rows cost up to twice the bound.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from steelyard import _jax as _jax
from steelyard.models import Numbers
from steelyard.models._tuning import TUNING
from steelyard.team.planar_load._sums import Sum

N_UNKNOWNS = 11
THETA, OMEGA, VX, VY, LOG_MASS, LOG_INERTIA, CX, CY, LOG_SCALE, VISCOUS, COULOMB = range(N_UNKNOWNS)


class NormalEquations(NamedTuple):
    """Least squares linearised at a guess: the unknowns x, then jumps of the load."""

    cost: Float[Numbers, ""]
    """Half the sum of squared residuals."""
    matrix: Float[Numbers, "all all"]
    """JᵀJ."""
    gradient: Float[Numbers, " all"]
    """Jᵀr."""


class Rows(NamedTuple):
    """A window as the fit takes it, padded with rows of no duration to a length that it is compiled for."""

    sums: Float[Numbers, "time sum"]
    trend: Float[Numbers, "time 4"]
    """Time derivatives of the sums F and A."""
    dt: Float[Numbers, " time"]
    """s."""
    weights: Float[Numbers, " time"]
    """One over the standard deviation of a robot's velocity averaged over the row; zero for no reading."""


class Averaging(NamedTuple):
    """A row's velocities are means over its samples: how they differ from the values at one time."""

    back: float
    """From the mean time of the samples to the row's end, s."""
    ripple: float
    """Half the variance of the samples' times, s²: times a second derivative, mean less value in the middle."""


class Motion(NamedTuple):
    """A rollout from the first row: θ (rad), ω (rad/s), velocity of the centre of mass (m/s, world axes), and spin."""

    path: Float[Array, "time 6"]
    """With the spin i ω exp(i θ); at the mean time of each row's samples, the last four as means over them."""
    ends: Float[Array, "time 4"]
    """At the end of each row, without the spin."""


def motion(
    unknowns: Float[Array, " unknown"],
    extra: Float[Array, " extra"],
    rows: Rows,
    own_force: Float[Array, "time 2"],
    after: Float[Array, "onset time"],
    means: Averaging,
    friction: bool,
) -> Motion:
    """The load under the team's forces [icra15, Eqs. (1)-(2)], docs/PLANAR_FIT.md, Eqs. (3) to (6).

    A row's forces follow their trend; `extra` is an error of one contact position (two numbers), at which `own_force`
    acts, and for each onset the jump of log m and log J from then on.
    """
    c, kappa = unknowns[CX : CY + 1], jnp.exp(unknowns[LOG_SCALE])
    position_error, jumps = extra[:2], extra[2:].reshape(-1, 2)
    mass = jnp.exp(unknowns[LOG_MASS] + jumps[:, 0] @ after)
    inertia = jnp.exp(unknowns[LOG_INERTIA] + jumps[:, 1] @ after)
    F, dt = rows.sums[:, Sum.F : Sum.F + 2], rows.dt
    # A − conj(c) F, and the part of the position's error, as real pairs
    arm_force = rows.sums[:, Sum.A : Sum.A + 2] - _conj_times(c, F) + _conj_times(position_error, own_force)
    lever = (kappa / inertia)[:, None]
    twist = RowInput(arm_force * lever, (rows.trend[:, 2:] - _conj_times(c, rows.trend[:, :2])) * lever)
    pull = RowInput(F / mass[:, None], rows.trend[:, :2] / mass[:, None])
    start = unknowns[THETA], unknowns[OMEGA], unknowns[VX : VY + 1]
    if friction:
        ends, (theta, omega, alpha, bend, v) = _with_friction(start, twist, pull, dt, means, unknowns, mass, inertia)
    else:
        ends, (theta, omega, alpha, bend, v) = _without_friction(start, twist, pull, dt, means)
    along, across = -3.0 * means.ripple * omega * alpha, omega * (1.0 - means.ripple * omega**2) + means.ripple * bend
    cos, sin = jnp.cos(theta), jnp.sin(theta)
    turning = jnp.stack([cos * along - sin * across, sin * along + cos * across], axis=1)
    path = jnp.concatenate([theta[:, None], omega[:, None], v, turning], axis=1)
    return Motion(path, jnp.concatenate([ends[0][:, None], ends[1][:, None], ends[2]], axis=1))


class RowInput(NamedTuple):
    """An input over a row, a pair: its mean, and its time derivative."""

    mean: Float[Array, "*time 2"]
    trend: Float[Array, "*time 2"]


def _angular_acceleration(theta, omega, push, trend, h):
    """Mean angular acceleration over h, Eq. (4): the arms turn meanwhile, and a rotating vector's mean is shorter."""
    middle = theta + 0.5 * h * omega
    cos, sin = jnp.cos(middle), jnp.sin(middle)
    straight = cos * push[1] - sin * push[0]
    along = cos * trend[0] + sin * trend[1]
    return straight * (1.0 - (h * omega) ** 2 / 24.0) - along * omega * h**2 / 12.0


def _value_before_end(value, rate, bend, h, back):
    """A value `back` seconds before the end of a row, from the end, the second half's mean rate and its derivative."""
    return value - back * rate - 0.5 * bend * (h - back) * back


def _without_friction(start, twist: RowInput, pull: RowInput, dt, means: Averaging):
    """The velocity is a sum of impulses, and only the rotation is integrated row by row."""

    def step(turn, row):
        theta, omega, twist, span = *turn, *row
        h = 0.5 * span
        alphas = []
        for way in (-0.5, 0.5):
            alpha = _angular_acceleration(theta, omega, twist.mean + way * h * twist.trend, twist.trend, h)
            theta, omega = theta + h * (omega + 0.5 * h * alpha), omega + h * alpha
            alphas.append(alpha)
        alpha, bend = alphas[1], (alphas[1] - alphas[0]) / jnp.maximum(h, 1e-9)
        seen = theta - means.back * (omega - 0.5 * means.back * alpha)
        turn = theta, omega
        return turn, (turn, (seen, _value_before_end(omega, alpha, bend, h, means.back), alpha, bend))

    _, (turns, seen) = jax.lax.scan(step, start[:2], (twist, dt))
    v_end = start[2][None, :] + jnp.cumsum(pull.mean * dt[:, None], axis=0)
    late = 0.5 * (dt - means.back) * means.back - means.ripple
    return (*turns, v_end), (*seen, v_end - pull.mean * means.back - pull.trend * late[:, None])


def _with_friction(start, twist: RowInput, pull: RowInput, dt, means: Averaging, unknowns, mass, inertia):
    """Friction resists sliding and turning together: see `PlanarLoad`, with ρ² = J/m, Eq. (6).

    Velocity and angular velocity then decay at one rate, (d + c/s)/m with the sliding speed s.
    """

    def rate(omega, v, m, J):
        sliding = jnp.sqrt(v @ v + J / m * omega**2 + TUNING.least_speed**2)
        return (unknowns[VISCOUS] + unknowns[COULOMB] / sliding) / m

    def step(moving, row):
        (theta, omega, v), (twist, pull, span, m, J) = moving, row
        h, back = 0.5 * span, means.back
        rates = []
        for way in (-0.5, 0.5):
            alpha = _angular_acceleration(theta, omega, twist.mean + way * h * twist.trend, twist.trend, h)
            a, gamma = pull.mean + way * h * pull.trend, rate(omega, v, m, J)
            omega_mid, v_mid = omega + 0.5 * h * (alpha - gamma * omega), v + 0.5 * h * (a - gamma * v)
            gamma = rate(omega_mid, v_mid, m, J)
            alpha, a = alpha - gamma * omega_mid, a - gamma * v_mid
            theta, omega, v = theta + h * (omega + 0.5 * h * alpha), omega + h * alpha, v + h * a
            rates.append((alpha, a))
        (alpha_before, a_before), (alpha, a) = rates
        bend, v_bend = (alpha - alpha_before) / jnp.maximum(h, 1e-9), (a - a_before) / jnp.maximum(h, 1e-9)
        seen = theta - back * (omega - 0.5 * back * alpha)
        v_seen = _value_before_end(v, a, v_bend, h, back) + means.ripple * v_bend
        moved = theta, omega, v
        return moved, (moved, (seen, _value_before_end(omega, alpha, bend, h, back), alpha, bend, v_seen))

    return jax.lax.scan(step, start, (twist, pull, dt, mass, inertia))[1]


def residuals(path: Float[Array, "time 6"], unknowns, rows: Rows) -> Float[Array, "time 4"]:
    """Of the mean velocity and of the spin, in standard deviations, Eqs. (7), (8); `path` as `Motion` has it."""
    sums, v, s = rows.sums, path[:, 2:4], jnp.exp(unknowns[LOG_SCALE]) * path[:, 4:]
    n = jnp.maximum(sums[:, Sum.MEASURED], 1.0)
    B, V = sums[:, Sum.B : Sum.B + 2], sums[:, Sum.V : Sum.V + 2]
    mean = V / n[:, None] - v - _times(s, B / n[:, None] - unknowns[None, CX : CY + 1])
    spread = jnp.maximum(sums[:, Sum.Z2] - jnp.sum(B**2, axis=1) / n, 1e-12)
    seen = sums[:, Sum.S : Sum.S + 2] - _conj_times(B, V) / n[:, None]
    turn = (seen - s * spread[:, None]) / jnp.sqrt(spread)[:, None]
    return jnp.concatenate([mean * jnp.sqrt(n)[:, None], turn], axis=1) * rows.weights[:, None]


@functools.partial(jax.jit, static_argnames="friction")
def normal_equations(unknowns, rows: Rows, after, means: Averaging, friction: bool) -> NormalEquations:
    """Linearised at a guess; the last columns are jumps of log m and log J at each onset of `after`, zero there."""
    no_force, no_error = jnp.zeros((rows.dt.size, 2)), jnp.zeros(2)

    def of(x):
        unknowns, extra = x[:N_UNKNOWNS], jnp.concatenate([no_error, x[N_UNKNOWNS:]])
        path, _ = motion(unknowns, extra, rows, no_force, after, means, friction)
        return residuals(path, unknowns, rows).reshape(-1)

    x = jnp.concatenate([unknowns, jnp.zeros(2 * after.shape[0])])
    estimated = _estimated(x.size, friction)
    r, derivative = jax.linearize(of, x)
    H = jnp.zeros((r.size, x.size)).at[:, estimated].set(jax.vmap(derivative, out_axes=-1)(jnp.eye(x.size)[estimated]))
    return NormalEquations(0.5 * r @ r, H.T @ H + jnp.diag(_fixed(x.size, friction)), H.T @ r)


class Rollout(NamedTuple):
    """A rollout and its derivatives with respect to the unknowns (`by_unknowns`); see `Motion`."""

    residuals: Float[Numbers, " reading"]
    by_unknowns: Float[Numbers, "reading unknown"]
    ends: Float[Numbers, "time 4"]
    end_by_unknowns: Float[Numbers, "4 unknown"]
    """Of the last row's end."""
    path: Float[Numbers, "time 6"]
    path_by_unknowns: Float[Numbers, "time 6 unknown"]


@functools.partial(jax.jit, static_argnames="friction")
def rollout(unknowns, rows: Rows, means: Averaging, last, friction: bool) -> Rollout:
    """At a guess; rows after row `last` must have dt = 0 and no forces."""
    no_force, no_error, after = jnp.zeros((rows.dt.size, 2)), jnp.zeros(2), jnp.zeros((0, rows.dt.size))

    def of(x):
        path, ends = motion(x, no_error, rows, no_force, after, means, friction)
        return (residuals(path, x, rows).reshape(-1), path, ends[last]), ends

    # One rollout for all: every program takes memory, in every robot's process.
    (r, path, _), derivative, ends = jax.linearize(of, unknowns, has_aux=True)
    estimated = _estimated(N_UNKNOWNS, friction)
    found = jax.vmap(derivative, out_axes=-1)(jnp.eye(N_UNKNOWNS)[estimated])
    H, path_by, end_by = (jnp.zeros((*one.shape[:-1], N_UNKNOWNS)).at[..., estimated].set(one) for one in found)
    return Rollout(r, H, ends, end_by, path, path_by)


class TorqueJacobians(NamedTuple):
    """Derivatives of a rollout by torques that are added to the team's."""

    residuals: Float[Numbers, "reading torque"]
    path: Float[Numbers, "time 6 torque"]
    end: Float[Numbers, "4 torque"]


@functools.partial(jax.jit, static_argnames="friction")
def torque_jacobians(
    unknowns, rows: Rows, forces: Float[Array, "torque time 2"], means: Averaging, last, friction: bool
) -> TorqueJacobians:
    """As `rollout`, by forces at an arm of one unit along x from the centre of mass, added to the team's."""
    after, along_x = jnp.zeros((0, rows.dt.size)), jnp.array([1.0, 0.0])

    def by(force):
        def of(arm):
            path, ends = motion(unknowns, arm, rows, force, after, means, friction)
            return residuals(path, unknowns, rows).reshape(-1), path, ends[last]

        return jax.jvp(of, (jnp.zeros(2),), (along_x,))[1]

    return TorqueJacobians(*jax.vmap(by, out_axes=-1)(forces))


def _fixed(size: int, friction: bool) -> Float[Array, " all"]:
    """Information of one on each unknown that is not estimated, which keeps it where it is."""
    return jnp.zeros(size).at[jnp.array([VISCOUS, COULOMB])].set(0.0 if friction else 1.0)


def _estimated(size: int, friction: bool) -> Int[Array, " estimated"]:
    """The unknowns that are estimated."""
    return jnp.array([i for i in range(size) if friction or i not in (VISCOUS, COULOMB)])


def _times(a, b):
    return jnp.stack([a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]], -1)


def _conj_times(a, b):
    return jnp.stack([a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], -1)
