"""Everybody's data in nine unknowns: least squares over the sums of a window of samples.

Forces are known, so the motion follows from where it began and from the load: maximum likelihood is a shot from the
first row. Road not taken: a Kalman filter in one pass, whose early, badly linearised rows cost up to twice the bound.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard import _jax as _jax
from steelyard.team._load_sums import Sum

N_UNKNOWNS = 9
THETA, OMEGA, VX, VY, LOG_MASS, LOG_INERTIA, CX, CY, LOG_SCALE = range(N_UNKNOWNS)


class Normal(NamedTuple):
    """Least squares around a guess: the unknowns, then this robot's own place, then jumps of the load."""

    cost: Float[Array, ""]
    """Half the sum of squared residuals."""
    matrix: Float[Array, "all all"]
    gradient: Float[Array, " all"]


def motion(
    unknowns: Float[Array, " unknown"],
    extra: Float[Array, " extra"],
    rows: Float[Array, "time sum"],
    own_force: Float[Array, "time 2"],
    dt: Float[Array, " time"],
    after: Float[Array, "onset time"],
    back: float,
) -> Float[Array, "time 4"]:
    """θ (rad), ω (rad/s) and velocity of the centre of mass (m/s, world axes) `back` seconds before each row ends.

    A row's forces are held from the end of the row before to its own. `extra` is an error of the robot's own place
    (two numbers) and for each onset the jump of log m and log J from then on. [icra15, Eqs. (1)-(2)]
    """
    c, kappa = unknowns[CX : CY + 1], jnp.exp(unknowns[LOG_SCALE])
    place, jumps = extra[:2], extra[2:].reshape(-1, 2)
    mass = jnp.exp(unknowns[LOG_MASS] + jumps[:, 0] @ after)
    inertia = jnp.exp(unknowns[LOG_INERTIA] + jumps[:, 1] @ after)
    F = rows[:, Sum.F : Sum.F + 2]
    # A − conj(c) F and the own error's part, as real pairs
    arm_force = rows[:, Sum.A : Sum.A + 2] - _conj_times(c, F) + _conj_times(place, own_force)
    push = arm_force * (kappa * dt / inertia)[:, None]
    v = unknowns[None, VX : VY + 1] + jnp.cumsum(F * (dt / mass)[:, None], axis=0)

    def step(turn, row):
        theta, omega = turn
        (x, y), h = row
        middle = theta + 0.5 * h * omega
        # Over the row the arms turn: the mean of a turning vector is shorter than the vector.
        kick = (jnp.cos(middle) * y - jnp.sin(middle) * x) * (1.0 - (h * omega) ** 2 / 24.0)
        end = (theta + h * (omega + 0.5 * kick), omega + kick)
        rate = kick / jnp.maximum(h, 1e-9)
        return end, (end[0] - back * (end[1] - 0.5 * back * rate), end[1] - back * rate)

    _, (theta, omega) = jax.lax.scan(step, (unknowns[THETA], unknowns[OMEGA]), (push, dt), unroll=4)
    v_then = v - F * (back / mass)[:, None]
    return jnp.concatenate([theta[:, None], omega[:, None], v_then], axis=1)


def residuals(unknowns, extra, rows, own_force, dt, after, weights, back, ripple) -> Float[Array, "time 4"]:
    """Of the mean velocity and of the turning ŝ, in standard deviations; `weights` is 1/σ, or zero for no reading.

    Velocities are means over a row, centred `back` before its end; `ripple` (s²) times ω² is what a mean loses.
    """
    path = motion(unknowns, extra, rows, own_force, dt, after, back)
    theta, omega, v = path[:, 0], path[:, 1], path[:, 2:]
    c, kappa = unknowns[CX : CY + 1], jnp.exp(unknowns[LOG_SCALE])
    n = jnp.maximum(rows[:, Sum.HEARD], 1.0)
    B, V = rows[:, Sum.B : Sum.B + 2], rows[:, Sum.V : Sum.V + 2]
    s = (kappa * omega * (1.0 - ripple * omega**2))[:, None] * jnp.stack([-jnp.sin(theta), jnp.cos(theta)], axis=1)
    mean = V / n[:, None] - v - _times(s, B / n[:, None] - c[None, :])
    spread = jnp.maximum(rows[:, Sum.Z2] - jnp.sum(B**2, axis=1) / n, 1e-12)
    seen = rows[:, Sum.S : Sum.S + 2] - _conj_times(B, V) / n[:, None]
    turn = (seen - s * spread[:, None]) / jnp.sqrt(spread)[:, None]
    return jnp.concatenate([mean * jnp.sqrt(n)[:, None], turn], axis=1) * weights[:, None]


@functools.partial(jax.jit, static_argnames="n_extra")
def normal_equations(unknowns, rows, own_force, dt, after, weights, back, ripple, n_extra: int) -> Normal:
    """Around a guess, errors and jumps being zero there; the last `n_extra` columns are those of `motion`'s extra."""

    def of(x):
        return residuals(x[:N_UNKNOWNS], x[N_UNKNOWNS:], rows, own_force, dt, after, weights, back, ripple)

    x = jnp.concatenate([unknowns, jnp.zeros(n_extra)])
    r, push = jax.linearize(of, x)
    H = jax.vmap(push, out_axes=2)(jnp.eye(x.size)).reshape(-1, x.size)
    r = r.reshape(-1)
    return Normal(0.5 * r @ r, H.T @ H, H.T @ r)


class End(NamedTuple):
    """Where a shot ends up: θ, ω and velocity at the end of a row, and how they depend on unknowns and own place."""

    value: Float[Array, "4"]
    slope: Float[Array, "4 all"]
    path: Float[Array, "time 4"]
    """As `motion` has it."""


@jax.jit
def end_of_shot(unknowns, rows, own_force, dt, back, last) -> End:
    """At the end of row `last`; later rows must have dt = 0 and no forces."""
    after = jnp.zeros((0, rows.shape[0]))

    def at_end(x):
        return motion(x[:N_UNKNOWNS], x[N_UNKNOWNS:], rows, own_force, dt, after, 0.0)[last]

    x = jnp.concatenate([unknowns, jnp.zeros(2)])
    path = motion(unknowns, jnp.zeros(2), rows, own_force, dt, after, back)
    return End(at_end(x), jax.jacfwd(at_end)(x), path)


def _times(a, b):
    return jnp.stack([a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]], -1)


def _conj_times(a, b):
    return jnp.stack([a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], -1)
