"""Clones change nothing about now, and are smoothed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from filterpy.kalman import KalmanFilter
from registry import CART_GUESS, CART_NOISE, CART_SEEN, ROWS, Cart, assert_close, cart_log, cart_matrices

from steelyard import estimators as e
from steelyard import models as m

EXTENDED = e.ExtendedKalman(Cart(), CART_NOISE)
ALL = (0, 1, 2)


def cart_filter(window: int, cloned=CART_SEEN) -> e.MultiStateKalman:
    return e.MultiStateKalman(Cart(), CART_NOISE, window, cloned)


def clone_std(belief: e.ClonedBelief) -> np.ndarray:
    """(window, cloned): of each cloned coordinate, newest first."""
    size, window = belief.head.covariance.shape[0], jax.tree.leaves(belief.clones)[0].shape[0]
    return np.asarray(belief.whole.std[size:]).reshape(window, -1)


def faulty(samples: e.Sample) -> e.Sample:
    """With silence, a lost input and a glitch."""
    position = samples.measurement["position"].at[8].set(jnp.nan).at[25].add(1e3)
    velocity = samples.measurement["velocity"].at[8].set(jnp.nan).at[12].set(jnp.nan)
    readings = {"position": position, "velocity": velocity}
    return e.Sample(samples.dt, samples.control.at[15].set(jnp.nan), readings)


@pytest.mark.parametrize("window", [1, 6])
def test_the_head_is_the_extended_filter(window):
    """For any window, as long as every measurement comes in order and once."""
    samples = faulty(cart_log(seed=3))
    filter = cart_filter(window)
    heads = e.replay(filter, filter.init(CART_GUESS), samples, keep=lambda b: b.head).recorded
    plain = e.replay(EXTENDED, EXTENDED.init(CART_GUESS), samples).recorded
    assert_close(heads, plain)


def test_the_head_is_the_extended_filter_on_a_manifold():
    model, guess = m.Multirotor(drag=(0.3, 0.08)), e.Guess(registry.rotor_state(), registry.ROTOR_STD)
    samples = registry.rotor_log(seed=5)
    plain = e.ExtendedKalman(model, registry.ROTOR_NOISE)
    filter = e.MultiStateKalman(model, registry.ROTOR_NOISE, 3, tuple(range(registry.LOG_MASS)))
    heads = e.replay(filter, filter.init(guess), samples, keep=lambda b: b.head).recorded
    assert_close(heads, e.replay(plain, plain.init(guess), samples).recorded, rtol=1e-9, atol=1e-11)


def test_clones_are_what_a_smoother_finds():
    """The referee: Rauch, Tung and Striebel's smoother, by filterpy, which knows of no inputs; the last rows of it."""
    window, log = 10, cart_log(seed=3)
    samples = e.Sample(log.dt, jnp.zeros(ROWS), log.measurement)
    filter = cart_filter(window, ALL)
    belief = e.replay(filter, filter.init(CART_GUESS), samples, keep=lambda b: b.status).belief
    plain = e.replay(EXTENDED, EXTENDED.init(CART_GUESS), samples).recorded
    Fs, Qs = [], []
    for dt in np.asarray(samples.dt):
        F, G = cart_matrices(float(dt))
        Fs.append(F)
        Qs.append(0.25 * np.outer(G, G) + np.diag([0.0, 0.02, 0.0]) ** 2 * float(dt))
    filtered = np.stack([np.asarray(plain.state[name]) for name in ("position", "push", "velocity")], axis=1)
    smooth, P, *_ = KalmanFilter(dim_x=3, dim_z=2).rts_smoother(filtered, np.asarray(plain.covariance), Fs, Qs)
    clones = np.stack([np.asarray(belief.clones[name]) for name in ("position", "push", "velocity")], axis=1)
    np.testing.assert_allclose(clones[::-1], smooth[-window:], rtol=1e-8, atol=1e-9)
    std = np.sqrt(np.diagonal(P, axis1=1, axis2=2))
    np.testing.assert_allclose(clone_std(belief)[::-1], std[-window:], rtol=1e-8)


def test_a_clone_is_better_known_than_its_row_was():
    window, samples = 6, cart_log(seed=4)
    filter = cart_filter(window)
    run = e.replay(filter, filter.init(CART_GUESS), samples)
    then = np.asarray(jax.vmap(lambda b: b.std)(run.recorded))[::-1][:window, CART_SEEN]
    clones = clone_std(run.belief)
    np.testing.assert_allclose(clones[0], then[0], rtol=1e-12)  # the newest is the head
    assert np.all(clones[1:] < then[1:])


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="remembers nothing"):
        cart_filter(0)
