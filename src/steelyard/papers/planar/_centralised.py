"""The answer of one who has everybody's data: maximum likelihood over the load, its first motion and every contact."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.geometry import differentiate, retract, tangent_size
from steelyard.models import PlanarLoad, PlanarLoadState

_ITERATIONS = 50
_DAMPING = 1e-6
_SETTLED = 1e-10
"""Share of the sum of squares by which a step must lower it to be followed by another."""
_EASED = 4
"""Steps of the first motion alone that follow each step of everything."""
_MOTION = slice(1, 4)
"""Angular velocity and velocity among a state's coordinates."""


def centralised(
    start: PlanarLoadState,
    dt: Float[np.ndarray, " time"],
    forces: Float[np.ndarray, "time robot 2"],
    velocities: Float[np.ndarray, "time robot 2"],
) -> PlanarLoadState:
    """The likeliest first state, near `start`, of a load under exactly known forces (N, held over each dt).

    Noise is alike at all robots, so its size does not matter; a velocity of NaN was not measured. The heading is the
    world's at the start. A load may turn so wildly that a step of everything leads nowhere: the valley is narrow and
    bent. The first motion, which is what bends it, follows each step until it fits again.
    """
    data = tuple(jnp.asarray(one) for one in (dt, forces, velocities))
    state, damping = _eased(start, data), _DAMPING
    cost, M, g = _normal(state, *data)
    for _ in range(_ITERATIONS):
        N, right = np.asarray(M)[1:, 1:], np.asarray(g)[1:]
        step = np.linalg.solve(N + damping * np.diag(np.diag(N)), right)
        tried = _eased(retract(state, jnp.asarray(np.concatenate([[0.0], step]))), data)
        found = _normal(tried, *data)
        if float(found[0]) <= float(cost):
            settled = float(cost - found[0]) < _SETTLED * float(cost)
            state, (cost, M, g), damping = tried, found, 0.1 * damping
            if settled:
                break
        else:
            damping = 100.0 * damping
    return state


def _eased(state: PlanarLoadState, data: tuple[Array, ...]) -> PlanarLoadState:
    """With the first motion that fits best, all else as it is, or nearer to it; never a worse one."""
    cost, M, g = _normal_of_motion(state, *data)
    for _ in range(_EASED):
        step = np.zeros(tangent_size(state))
        step[_MOTION] = np.linalg.solve(np.asarray(M), np.asarray(g))
        tried = retract(state, jnp.asarray(step))
        found = _normal_of_motion(tried, *data)
        if not float(found[0]) < float(cost):
            break
        state, (cost, M, g) = tried, found
    return state


def end_of(state: PlanarLoadState, dt: np.ndarray, forces: np.ndarray) -> PlanarLoadState:
    """Where a first state leads to."""
    return jax.tree.map(lambda leaf: leaf[-1], _followed(state, jnp.asarray(dt), jnp.asarray(forces)))


@jax.jit
def _followed(state: PlanarLoadState, dt: Array, forces: Array) -> Any:
    def step(state, row):
        after = PlanarLoad().dynamics(state, row[1], row[0])
        return after, after

    return jax.lax.scan(step, state, (dt, forces))[1]


@jax.jit
def _normal(state: PlanarLoadState, dt: Array, forces: Array, velocities: Array) -> tuple[Array, Array, Array]:
    """Of least squares around a state: sum of squares, matrix and right side."""
    return _squares(*differentiate(lambda first: _seen(first, dt, forces), state), velocities)


@jax.jit
def _normal_of_motion(
    state: PlanarLoadState, dt: Array, forces: Array, velocities: Array
) -> tuple[Array, Array, Array]:
    """The same of the first motion alone."""

    def of(motion):
        return _seen(retract(state, jnp.zeros(tangent_size(state)).at[_MOTION].set(motion)), dt, forces)

    still = jnp.zeros(3)
    predicted = of(still)
    return _squares(predicted, jax.jacfwd(of)(still).reshape(predicted.size, -1), velocities)


def _seen(state: PlanarLoadState, dt: Array, forces: Array) -> Array:
    return jax.vmap(functools.partial(PlanarLoad().observe, control=forces[0]))(_followed(state, dt, forces))


def _squares(predicted: Array, H: Array, velocities: Array) -> tuple[Array, Array, Array]:
    heard = jnp.isfinite(velocities).reshape(-1)
    left = jnp.where(heard, velocities.reshape(-1) - predicted.reshape(-1), 0.0)
    H = jnp.where(heard[:, None], H, 0.0)
    return left @ left, H.T @ H, H.T @ left
