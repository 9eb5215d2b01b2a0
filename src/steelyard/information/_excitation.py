"""Inputs within limits that give as much information as possible."""

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
from steelyard.information._fisher import Bound, accumulate_information, bound_of, rows_of
from steelyard.information._tuning import EXCITATION
from steelyard.models import Control, Model


class Plan(eqx.Module):
    """Inputs, and their Cramér-Rao bound next to that of the inputs the search started from."""

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
    """Improves inputs by gradient ascent until they give most information on some parts of the state, all unknown.

    `start` has a row a sample, at `rate` (Hz) over `duration` (s), and lies within the `limits`, plus or minus. To it
    are added `waves` sinusoids an input, of half a period to half as many periods as there are waves, and a tanh keeps
    the sum within the limits. Their amplitudes maximise the mean negative logarithm of the parts' standard deviations
    (all parts where none is named). The search runs on some hundred rows; the bounds on all, with `guess.std` as in
    `cramer_rao`. Deterministic; the seed chooses the first amplitudes.
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
    every = max(1, round(rows / EXCITATION.planning_rows))
    times = (jnp.arange(rows) + 0.5) / rate
    basis = _waves(times, duration, waves)
    noisy = bool(jnp.any(noise.control > 0)) or bool(jnp.any(noise.drift > 0))
    coarse = _Search(model, _averaged(noise, every), guess, wanted, unknown, every / rate, noisy)
    base = jnp.arctanh(EXCITATION.limit_share * flat / most[None, :])
    shape = (basis.shape[1], flat.shape[1])
    first = EXCITATION.first_amplitude * jax.random.normal(jax.random.key(seed), shape)

    def limited(amplitudes, base, basis):
        return most[None, :] * jnp.tanh(base + basis @ amplitudes)

    @eqx.filter_jit
    def ascend(coarse, start, amplitudes, base, basis):
        def value(amplitudes):
            return coarse.value(_like(start, limited(amplitudes, base, basis)))

        def step(carry, k):
            x, m, v, best, best_value = carry
            now, gradient = jax.value_and_grad(value)(x)
            best = jnp.where(now > best_value, x, best)
            best_value = jnp.maximum(now, best_value)
            b1, b2 = EXCITATION.first_moment, EXCITATION.second_moment
            m, v = b1 * m + (1 - b1) * gradient, b2 * v + (1 - b2) * gradient**2
            x = x + EXCITATION.rate * (m / (1 - b1 ** (k + 1))) / (jnp.sqrt(v / (1 - b2 ** (k + 1))) + 1e-12)
            return (x, m, v, best, best_value), now

        begin = (amplitudes, jnp.zeros_like(amplitudes), jnp.zeros_like(amplitudes), amplitudes, -jnp.inf)
        return jax.lax.scan(step, begin, jnp.arange(steps) * 1.0)[0][3]

    middle = slice(every // 2, None, every)
    best = ascend(coarse, start, first, base[middle], basis[middle])
    controls = _like(start, limited(best, base, basis))
    return Plan(controls, *(_bound(model, noise, guess, inputs, rate) for inputs in (start, controls)))


class _Search(eqx.Module):
    """The objective of the search, on few rows."""

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
        """The mean of -log(standard deviation) of the wanted coordinates, the others unknown too."""
        # Road not taken: the determinant of their information. It also rises when errors become equal instead of
        # small, and left the contacts' standard deviations twice as large as before.
        rows = jnp.asarray(self.unknown, int)
        S = self.information(controls)[rows][:, rows] + jnp.diag(
            EXCITATION.prior_information + self.guess.std[rows] ** -2.0
        )
        scale = jnp.diag(S) ** -0.5
        variances = jnp.diag(jnp.linalg.inv(scale[:, None] * S * scale[None, :])) * scale**2
        indices = jnp.asarray([self.unknown.index(i) for i in self.wanted], int)
        return -0.5 * jnp.mean(jnp.log(variances[indices]))

    def information(self, controls: Control) -> Float[Array, "state state"]:
        """Fisher information about the first state."""
        free = tuple(range(self.guess.std.shape[0]))
        if self.noisy:
            samples = samples_of_plan(self.model, self.guess, controls, self.dt)
            return accumulate_information(self.model, self.noise, self.guess, samples, free)[0].information

        # The same without disturbances, where only the sensitivity matters: less to compile, and to run.
        def row(carry, control):
            state, A, S = carry
            state, F = differentiate(lambda x: self.model.dynamics(x, control, self.dt), state)
            _, H = differentiate(lambda x: self.model.observe(x, control), state)
            A = F @ A
            sensitivity = H @ A / self.noise.measurement[:, None]
            return (state, A, S + sensitivity.T @ sensitivity), None

        state = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), self.guess.state)
        n = len(free)
        return jax.lax.scan(row, (state, jnp.eye(n), jnp.zeros((n, n))), controls)[0][2]


def samples_of_plan(model: Model, guess: Guess, controls: Control, dt: float) -> Sample:
    """The rows of a plan: no reading is missing, and the values of readings do not matter to a bound."""
    rows = jax.tree.leaves(controls)[0].shape[0]
    first = jax.tree.map(lambda u: u[0], controls)
    state = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), guess.state)
    expected = model.observe(state, first)
    readings = jax.tree.map(lambda y: jnp.broadcast_to(y, (rows, *jnp.shape(y))), expected)
    return Sample(jnp.full(rows, dt), controls, readings)


def _bound(model: Model, noise: Noise, guess: Guess, controls: Control, rate: float) -> Bound:
    free = tuple(int(i) for i in np.flatnonzero(np.isinf(np.asarray(guess.std))))
    samples = samples_of_plan(model, guess, controls, 1.0 / rate)
    return bound_of(accumulate_information(model, noise, guess, samples, free)[0])


def _waves(times: Float[Array, " time"], duration: float, waves: int) -> Float[Array, "time wave"]:
    """A constant, and sines and cosines of one half to `waves` halves a duration."""
    angles = jnp.pi * jnp.arange(1, waves + 1)[None, :] * times[:, None] / duration
    return jnp.concatenate([jnp.ones((times.shape[0], 1)), jnp.sin(angles), jnp.cos(angles)], axis=1)


def _averaged(noise: Noise, every: int) -> Noise:
    """The noise of one row that stands for several: their mean's."""
    root = float(np.sqrt(every))
    return Noise(noise.measurement / root, noise.control / root, noise.drift, noise.blind)


def _flat(controls: Control, rows: int) -> Float[Array, "time control"]:
    leaves = [jnp.asarray(leaf, float) for leaf in jax.tree.leaves(controls)]
    if any(leaf.ndim == 0 or leaf.shape[0] != rows for leaf in leaves):
        raise BadInput(f"The inputs to start from need a row a sample, {rows} in all; repeat or cut them.")
    return jnp.concatenate([leaf.reshape(rows, -1) for leaf in leaves], axis=1)


def _like(example: Any, flat: Float[Array, "time control"]) -> Control:
    """The flat inputs in the structure of an example."""
    leaves, structure = jax.tree.flatten(example)
    sizes = np.cumsum([int(np.prod(np.shape(leaf)[1:])) for leaf in leaves])[:-1]
    parts = jnp.split(flat, [int(size) for size in sizes], axis=1)
    shapes = [(flat.shape[0], *np.shape(leaf)[1:]) for leaf in leaves]
    return structure.unflatten([part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)])
