"""The answer of one who has everybody's data: maximum likelihood over the load, its first motion and every contact."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.estimators import Damping, damped_step, gauss_newton
from steelyard.geometry import differentiate, retract, tangent_size
from steelyard.models import PlanarLoad, PlanarLoadState

_DAMPING, _UNDAMPED = Damping(first=1e-6, grow=100.0), Damping(first=0.0, most=0.0, restart=1.0)


@dataclasses.dataclass(frozen=True)
class CentralisedTuning:
    """Of the search for the likeliest first state."""

    trials: int = 50
    """Steps of everything, accepted or not."""
    damping: Damping = _DAMPING
    """A rejected step is far too long here, so it grows by a hundred."""
    settled: float = 1e-10
    """Share of the sum of squares by which a step must lower it to be followed by another."""
    motion_damping: Damping = _UNDAMPED
    """Of steps of the first motion alone: none, and a step that is rejected ends them."""
    motion_steps: int = 4
    """Steps of the first motion alone that follow each step of everything."""


TUNING = CentralisedTuning()
_MOTION = slice(1, 4)
"""Angular velocity and velocity among a state's coordinates."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Fit:
    """A first state, the sum of squares there, and the normal equations of a step from it."""

    state: PlanarLoadState
    cost: float
    matrix: np.ndarray
    right: np.ndarray


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

    def attempt(now: _Fit, damping: float) -> _Fit:
        step = damped_step(now.matrix[1:, 1:], now.right[1:], damping)  # the heading stays
        return _motion_fitted(retract(now.state, jnp.asarray(np.concatenate([[0.0], step]))), data)

    def settled(before: _Fit, after: _Fit) -> bool:
        return before.cost - after.cost < TUNING.settled * before.cost

    return gauss_newton(_motion_fitted(start, data), attempt, settled, TUNING.damping, trials=TUNING.trials).state


def _motion_fitted(state: PlanarLoadState, data: tuple[Array, ...]) -> _Fit:
    """With the first motion that fits best, all else as it is, or nearer to it; never a worse one."""

    def attempt(now: _Fit, damping: float) -> _Fit:
        step = np.zeros(tangent_size(now.state))
        step[_MOTION] = damped_step(now.matrix, now.right, damping)
        return _fit(retract(now.state, jnp.asarray(step)), _normal_of_motion, data)

    first = _fit(state, _normal_of_motion, data)
    best = gauss_newton(first, attempt, lambda before, after: False, TUNING.motion_damping, trials=TUNING.motion_steps)
    return _fit(best.state, _normal, data)


def _fit(state: PlanarLoadState, equations: Callable[..., tuple[Array, Array, Array]], data: tuple[Array, ...]) -> _Fit:
    cost, matrix, right = equations(state, *data)
    return _Fit(state, float(cost), np.asarray(matrix), np.asarray(right))


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
