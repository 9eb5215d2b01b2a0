"""The answer of one who has everybody's data: maximum likelihood over the load, its first motion and every contact."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.geometry import differentiate, retract
from steelyard.models import PlanarLoad, PlanarLoadState

_ITERATIONS = 50
_DAMPING = 1e-6
_SETTLED = 1e-10
"""Share of the sum of squares by which a step must lower it to be followed by another."""


def centralised(
    start: PlanarLoadState,
    dt: Float[np.ndarray, " time"],
    forces: Float[np.ndarray, "time robot 2"],
    velocities: Float[np.ndarray, "time robot 2"],
) -> PlanarLoadState:
    """The likeliest first state, near `start`, of a load under exactly known forces (N, held over each dt).

    Noise is alike at all robots, so its size does not matter; a velocity of NaN was not measured. The heading is the
    world's at the start.
    """
    data = tuple(jnp.asarray(one) for one in (dt, forces, velocities))
    state, damping = start, _DAMPING
    cost, M, g = _normal(state, *data)
    for _ in range(_ITERATIONS):
        N, right = np.asarray(M)[1:, 1:], np.asarray(g)[1:]
        step = np.linalg.solve(N + damping * np.diag(np.diag(N)), right)
        tried = retract(state, jnp.asarray(np.concatenate([[0.0], step])))
        found = _normal(tried, *data)
        if float(found[0]) <= float(cost):
            settled = float(cost - found[0]) < _SETTLED * float(cost)
            state, (cost, M, g), damping = tried, found, 0.1 * damping
            if settled:
                break
        else:
            damping = 100.0 * damping
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
    seen = jax.vmap(functools.partial(PlanarLoad().observe, control=forces[0]))
    predicted, H = differentiate(lambda first: seen(_followed(first, dt, forces)), state)
    heard = jnp.isfinite(velocities).reshape(-1)
    left = jnp.where(heard, (velocities - predicted).reshape(-1), 0.0)
    H = jnp.where(heard[:, None], H, 0.0)
    return left @ left, H.T @ H, H.T @ left
