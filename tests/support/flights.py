"""Simulated flights as a filter reads them: what stands between a world's columns and an estimator's samples."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from steelyard import estimators as e
from steelyard import models as m
from steelyard.geometry import SO3
from steelyard.worlds import MultirotorScenario, fly

LOG_MASS = 9


@functools.cache
def flown(flight: MultirotorScenario, seeds: int) -> dict[str, np.ndarray]:
    """Columns of the flights of seeds 0, 1, …, each with a leading axis of flights."""
    keys = jax.vmap(jax.random.key)(jnp.arange(seeds))
    return {name: np.asarray(c) for name, c in jax.jit(jax.vmap(lambda key: fly(flight, key)))(keys).items()}


def stacked(columns, signal: str, axes: str = "xyz") -> np.ndarray:
    return np.stack([columns[f"r1/{signal}/{axis}"] for axis in axes], axis=-1)


def samples_of(columns, thrust_held: bool = False) -> e.Sample:
    """Flights as samples; what acts over an interval is the mean of its ends, or a thrust that was held to its end."""

    def over(u):
        return np.concatenate([u[:, :1], 0.5 * (u[:, 1:] + u[:, :-1])], axis=1)

    dt = np.diff(columns["time"], prepend=columns["time"][:, :1], axis=1)
    both = jax.vmap(jax.vmap(m.MultirotorControl))
    readings = jax.vmap(jax.vmap(lambda q, p, v: m.MultirotorReading(SO3(q), p, v)))
    arrays = (stacked(columns, "attitude", "wxyz"), stacked(columns, "position"), stacked(columns, "linear_velocity"))
    thrust = columns["r1/thrust"] if thrust_held else over(columns["r1/thrust"])
    control = both(*map(jnp.asarray, (thrust, over(stacked(columns, "rates")))))
    return e.Sample(jnp.asarray(dt), control, readings(*map(jnp.asarray, arrays)))


def noise_of(flight: MultirotorScenario, drift: float = 0.002) -> e.Noise:
    """The flight's own figures; a rate that is the mean of two readings is noisier than neither."""
    f = flight
    thrust = f.motor_noise * 2.0 * np.sqrt(f.mass * 9.81 / 4 / 18.8) * 18.8  # four rotors at hover
    rates = f.rates_noise / np.sqrt(2)
    return e.Noise(
        jnp.array([f.attitude_noise] * 3 + [f.position_noise] * 3 + [f.velocity_noise] * 3) + 1e-6,
        jnp.array([thrust] + [rates] * 3) + 1e-6,
        jnp.array([0.0] * 9 + [drift]),
        jnp.array([5.0, 1.0, 1.0, 1.0]),
    )


def starts_of(estimator: e.Estimator, samples: e.Sample, mass: float = 1.0, std: float = 0.3):
    """A belief for every flight: at its first reading, the mass guessed."""

    def start(reading):
        state = m.MultirotorState(
            reading.attitude,
            reading.position,
            reading.velocity,
            jnp.log(jnp.asarray(mass, float)),
            jnp.zeros(0),
            jnp.zeros(0),
        )
        return estimator.init(e.Guess(state, jnp.array([0.02] * 3 + [0.02] * 3 + [0.05] * 3 + [std])))

    return jax.vmap(start)(jax.tree.map(lambda leaf: leaf[:, 0], samples.measurement))
