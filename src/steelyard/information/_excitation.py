"""Inputs within limits that tell as much as possible."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.errors import BadInput
from steelyard.estimators import Guess, Noise, Sample
from steelyard.geometry import differentiate, tangent_names
from steelyard.information._fisher import Bound, bound_of, learn, rows_of
from steelyard.models import Control, Model

_RIDGE = 1e-6
"""Information that every coordinate has while searching, so that what nothing tells has a slope to climb."""
_PLANNING_ROWS = 100
"""Rows at most on which the search runs; each stands for several of the plan, and is as much quieter."""


class Plan(eqx.Module):
    """Inputs, and what they tell next to those they started from."""

    controls: Control
    """A row a sample, time first."""
    bound_before: Bound
    bound_after: Bound

    def gain(self, *parts: str) -> float:
        """How many times narrower the named parts' standard deviations got, in the geometric mean."""
        before, after = (
            np.concatenate([bound.std_of(part) for part in parts]) for bound in (self.bound_before, self.bound_after)
        )
        return float(np.exp(np.mean(np.log(before / after))))


def excite(
    model: Model,
    noise: Noise,
    guess: Guess,
    start: Control,
    limits: Float[Array, " control"] | Sequence[float] | float,
    duration: float,
    rate: float,
    parts: Sequence[str] = (),
    waves: int = 6,
    steps: int = 50,
    seed: int = 0,
) -> Plan:
    """Improves inputs step by step until they tell most about some parts of the state, all others unknown too.

    `start` has a row a sample, at `rate` (Hz) over `duration` (s), and lies within the `limits`, plus or minus. To it
    are added `waves` sinusoids an input, of half a period to half as many periods as there are waves, and the sum is
    bent back into the limits; their amplitudes climb towards the least standard deviations of the parts (all of them
    where none is named), relative ones where coordinates are logarithms. The climb runs on some hundred rows; the
    bounds on all, counting `guess.std` as `cramer_rao` does. Deterministic; the seed chooses where the climb begins.
    Nothing limits where the motion goes: look at `bound_after.state`.
    """
    rows = round(duration * rate)
    flat = _flat(start, rows)
    most = jnp.broadcast_to(jnp.asarray(limits, float), flat.shape[1:])
    if not bool(jnp.all(most > 0)) or bool(jnp.any(jnp.abs(flat) > most[None, :] * (1 + 1e-9))):
        raise BadInput("The inputs to start from leave their limits; give positive limits that hold them all.")
    names = tangent_names(guess.state)
    unknown = tuple(int(i) for i in np.flatnonzero(np.asarray(guess.std) > 0))
    asked = tuple(i for part in parts for i in rows_of(names, part)) or unknown
    wanted = tuple(i for i in asked if i in unknown)
    if not wanted:
        raise BadInput("All that is asked for is given exactly already; name parts of which guess.std is not zero.")
    every = max(1, round(rows / _PLANNING_ROWS))
    times = (jnp.arange(rows) + 0.5) / rate
    basis = _waves(times, duration, waves)
    noisy = bool(jnp.any(noise.control > 0)) or bool(jnp.any(noise.drift > 0))
    coarse = _Search(model, _quieter(noise, every), guess, wanted, unknown, every / rate, noisy)
    base = jnp.arctanh(0.98 * flat / most[None, :])
    shape = (basis.shape[1], flat.shape[1])
    first = 0.1 * jax.random.normal(jax.random.key(seed), shape)

    def bent(amplitudes, base, basis):
        return most[None, :] * jnp.tanh(base + basis @ amplitudes)

    @eqx.filter_jit
    def climb(coarse, start, amplitudes, base, basis):
        def value(amplitudes):
            return coarse.value(_like(start, bent(amplitudes, base, basis)))

        def step(so_far, k):
            x, m, v, best, best_value = so_far
            told, slope = jax.value_and_grad(value)(x)
            best = jnp.where(told > best_value, x, best)
            best_value = jnp.maximum(told, best_value)
            m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope**2
            x = x + 0.1 * (m / (1 - 0.9 ** (k + 1))) / (jnp.sqrt(v / (1 - 0.99 ** (k + 1))) + 1e-12)
            return (x, m, v, best, best_value), told

        begin = (amplitudes, jnp.zeros_like(amplitudes), jnp.zeros_like(amplitudes), amplitudes, -jnp.inf)
        return jax.lax.scan(step, begin, jnp.arange(steps) * 1.0)[0][3]

    middle = slice(every // 2, None, every)
    best = climb(coarse, start, first, base[middle], basis[middle])
    controls = _like(start, bent(best, base, basis))
    return Plan(controls, *(_bound(model, noise, guess, inputs, rate) for inputs in (start, controls)))


class _Search(eqx.Module):
    """What the climb looks at."""

    model: Model
    noise: Noise
    guess: Guess
    wanted: tuple[int, ...] = eqx.field(static=True)
    unknown: tuple[int, ...] = eqx.field(static=True)
    """Coordinates that are not given exactly."""
    dt: float
    noisy: bool = eqx.field(static=True)
    """Whether inputs or states are disturbed on the way."""

    def value(self, controls: Control) -> Float[Array, ""]:
        """How narrow what is wanted gets, the rest unknown: the mean of -log(standard deviation)."""
        # Road not taken: the determinant of their information. It climbs as well by making errors alike as by making
        # them small, and left contacts twice as wide as before.
        rows = jnp.asarray(self.unknown, int)
        S = self.told(controls)[rows][:, rows] + jnp.diag(_RIDGE + self.guess.std[rows] ** -2.0)
        scale = jnp.diag(S) ** -0.5
        variances = jnp.diag(jnp.linalg.inv(scale[:, None] * S * scale[None, :])) * scale**2
        places = jnp.asarray([self.unknown.index(i) for i in self.wanted], int)
        return -0.5 * jnp.mean(jnp.log(variances[places]))

    def told(self, controls: Control) -> Float[Array, "state state"]:
        """Information about the first state."""
        free = tuple(range(self.guess.std.shape[0]))
        if self.noisy:
            samples = samples_of_plan(self.model, self.guess, controls, self.dt)
            return learn(self.model, self.noise, self.guess, samples, free)[0].information

        # The same without disturbances, where only the sensitivity matters: less to compile, and to run.
        def row(so_far, control):
            state, A, S = so_far
            state, F = differentiate(lambda x: self.model.dynamics(x, control, self.dt), state)
            _, H = differentiate(lambda x: self.model.observe(x, control), state)
            A = F @ A
            seen = H @ A / self.noise.measurement[:, None]
            return (state, A, S + seen.T @ seen), None

        state = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), self.guess.state)
        n = len(free)
        return jax.lax.scan(row, (state, jnp.eye(n), jnp.zeros((n, n))), controls)[0][2]


def samples_of_plan(model: Model, guess: Guess, controls: Control, dt: float) -> Sample:
    """The rows of a plan: every sensor will speak, and what it will say does not matter to a bound."""
    rows = jax.tree.leaves(controls)[0].shape[0]
    first = jax.tree.map(lambda u: u[0], controls)
    state = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), guess.state)
    expected = model.observe(state, first)
    readings = jax.tree.map(lambda y: jnp.broadcast_to(y, (rows, *jnp.shape(y))), expected)
    return Sample(jnp.full(rows, dt), controls, readings)


def _bound(model: Model, noise: Noise, guess: Guess, controls: Control, rate: float) -> Bound:
    free = tuple(int(i) for i in np.flatnonzero(np.isinf(np.asarray(guess.std))))
    samples = samples_of_plan(model, guess, controls, 1.0 / rate)
    return bound_of(learn(model, noise, guess, samples, free)[0])


def _waves(times: Float[Array, " time"], duration: float, waves: int) -> Float[Array, "time wave"]:
    """A constant, and sines and cosines of one half to `waves` halves a duration."""
    angles = jnp.pi * jnp.arange(1, waves + 1)[None, :] * times[:, None] / duration
    return jnp.concatenate([jnp.ones((times.shape[0], 1)), jnp.sin(angles), jnp.cos(angles)], axis=1)


def _quieter(noise: Noise, every: int) -> Noise:
    """One row in place of several: its readings are as good as theirs together, and its inputs' noise averages."""
    root = float(np.sqrt(every))
    return Noise(noise.measurement / root, noise.control / root, noise.drift, noise.blind)


def _flat(controls: Control, rows: int) -> Float[Array, "time control"]:
    leaves = [jnp.asarray(leaf, float) for leaf in jax.tree.leaves(controls)]
    if any(leaf.ndim == 0 or leaf.shape[0] != rows for leaf in leaves):
        raise BadInput(f"The inputs to start from need a row a sample, {rows} in all; repeat or cut them.")
    return jnp.concatenate([leaf.reshape(rows, -1) for leaf in leaves], axis=1)


def _like(example: Any, flat: Float[Array, "time control"]) -> Control:
    """The numbers of a plan in the shape of its example's leaves."""
    leaves, structure = jax.tree.flatten(example)
    sizes = np.cumsum([int(np.prod(np.shape(leaf)[1:])) for leaf in leaves])[:-1]
    parts = jnp.split(flat, [int(size) for size in sizes], axis=1)
    shapes = [(flat.shape[0], *np.shape(leaf)[1:]) for leaf in leaves]
    return structure.unflatten([part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)])
