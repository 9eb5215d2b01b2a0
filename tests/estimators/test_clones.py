"""Clones change nothing about now, are smoothed, and let late measurements in."""

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


def row_of(samples, k: int):
    return jax.tree.map(lambda leaf: leaf[k], samples)


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
    clones = np.stack([np.asarray(belief.clones.state[name]) for name in ("position", "push", "velocity")], axis=1)
    np.testing.assert_allclose(clones[::-1], smooth[-window:], rtol=1e-8, atol=1e-9)
    std = np.sqrt(np.diagonal(P, axis1=1, axis2=2))
    np.testing.assert_allclose(np.asarray(belief.clone_std)[::-1], std[-window:], rtol=1e-8)


def test_a_clone_is_better_known_than_its_row_was():
    window, samples = 6, cart_log(seed=4)
    filter = cart_filter(window)
    run = e.replay(filter, filter.init(CART_GUESS), samples)
    then = np.asarray(jax.vmap(lambda b: b.std)(run.recorded))[::-1][:window, CART_SEEN]
    clones = np.asarray(run.belief.clone_std)
    np.testing.assert_allclose(clones[0], then[0], rtol=1e-12)  # the newest is the head
    assert np.all(clones[1:] < then[1:])


@pytest.fixture(scope="module")
def stepped():
    return jax.jit(lambda belief, sample: cart_filter(6).step(belief, sample))


@pytest.fixture(scope="module")
def amended():
    return jax.jit(lambda belief, age, measurement: cart_filter(6).update_at(belief, age, measurement))


@pytest.mark.parametrize("age", [0, 1, 4, 5])
def test_late_is_as_good_as_in_order(stepped, amended, age):
    """Rows of which a sensor, or all of them, are heard only `age` rows later."""
    samples = cart_log(seed=6)
    silence = {"position": jnp.asarray(jnp.nan), "velocity": jnp.asarray(jnp.nan)}
    late = {10: silence, 20: silence, 23: silence}
    belief = cart_filter(6).init(CART_GUESS)
    for k in range(ROWS):
        row = row_of(samples, k)
        belief = stepped(belief, e.Sample(row.dt, row.control, late.get(k, row.measurement)))
        if k - age in late:
            belief = amended(belief, age, row_of(samples, k - age).measurement)
            assert not int(belief.status) & e.Status.TOO_LATE
    plain = e.replay(EXTENDED, EXTENDED.init(CART_GUESS), samples).belief
    assert_close((belief.state, belief.covariance), (plain.state, plain.covariance), rtol=1e-9, atol=1e-11)


def test_without_a_clone_it_is_too_late_and_nothing_else(stepped, amended):
    samples = cart_log(seed=6)
    belief = cart_filter(6).init(CART_GUESS)
    for k in range(10):
        for age in (-1, min(k, 6), 100):  # before the first row nothing has a clone
            after = amended(belief, age, row_of(samples, 0).measurement)
            assert int(after.status) == int(belief.status) | e.Status.TOO_LATE
            assert_close((after.whole.covariance, after.clones), (belief.whole.covariance, belief.clones), 0, 0)
        belief = stepped(belief, row_of(samples, k))


def test_an_infinite_late_reading_is_refused(stepped, amended):
    samples = cart_log(seed=6)
    belief = cart_filter(6).init(CART_GUESS)
    for k in range(10):
        belief = stepped(belief, row_of(samples, k))
    after = amended(belief, 2, {"position": jnp.asarray(jnp.inf), "velocity": jnp.asarray(0.0)})
    assert int(after.status) & e.Status.HELD
    assert_close((after.whole.covariance, after.clones), (belief.whole.covariance, belief.clones), 0, 0)


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match="remembers nothing"):
        cart_filter(0)
