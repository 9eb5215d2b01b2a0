"""Pushes of a planar load as samples, and what is known before them."""

import functools

import jax.numpy as jnp
import numpy as np

from steelyard import estimators as e
from steelyard import models as m
from steelyard.worlds import PlanarScenario, PlanarTruth, planar_truth

LOAD = m.PlanarLoad()


def samples_of(truth: PlanarTruth, velocities: np.ndarray | None = None) -> e.Sample:
    """Rows at their times; forces vary smoothly between rows, so their mean acted on the way."""
    before = np.concatenate([truth.forces[:1], truth.forces[:-1]])
    readings = truth.contact_velocities if velocities is None else velocities
    dt = np.diff(truth.time, prepend=0.0)
    return e.Sample(jnp.asarray(dt), jnp.asarray(0.5 * (before + truth.forces)), jnp.asarray(readings))


def noise_of(n_robots: int, velocity: float = 0.2, force: float = 0.0) -> e.Noise:
    size = 6 + 2 * n_robots
    channels = 2 * n_robots
    return e.Noise(jnp.full(channels, velocity), jnp.full(channels, force), jnp.zeros(size), jnp.full(channels, 4.0))


def open_guess(truth: PlanarTruth) -> e.Guess:
    """The truth, and no prior on anything but the heading, which defines the body's axes."""
    std = jnp.full(6 + truth.contacts.size, jnp.inf).at[0].set(0.0)
    return e.Guess(truth.state_at(0), std)


@functools.cache
def pushed(push: PlanarScenario, seed: int) -> PlanarTruth:
    return planar_truth(push, seed)
