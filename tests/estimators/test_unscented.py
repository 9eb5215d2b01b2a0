"""The unscented Kalman filter is the Kalman filter where the model is linear, and better where it bends."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import CART_GUESS, CART_NOISE, Cart, assert_close, cart_log
from small_models import Hover

from steelyard import estimators as e
from steelyard import models as m
from steelyard.estimators import square_root


def test_on_a_linear_model_it_is_the_extended_filter():
    """Which is filterpy's there, see `test_kalman`."""
    samples = cart_log(seed=3)
    blind = eqx.tree_at(lambda s: s.control, samples, samples.control.at[10:14].set(jnp.nan))
    silent = samples.measurement | {"position": samples.measurement["position"].at[20:25].set(jnp.nan)}
    for log in (samples, blind, e.Sample(samples.dt, samples.control, silent)):
        runs = [
            e.replay(kind(Cart(), CART_NOISE), kind(Cart(), CART_NOISE).init(CART_GUESS), log).recorded
            for kind in (e.ExtendedKalman, e.UnscentedKalman)
        ]
        assert_close(*runs, rtol=1e-9, atol=1e-11)


def test_on_a_multirotor_with_little_noise_it_is_nearly_the_extended_filter():
    """The two differ by the curvature within a standard deviation, which shrinks with its square."""
    samples, model = registry.rotor_log(seed=4), m.Multirotor(drag=(0.3, 0.08))
    gaps = []
    for scale in (0.2, 0.1):
        noise = jax.tree.map(lambda leaf, scale=scale: scale * leaf, registry.ROTOR_NOISE)
        guess = e.Guess(registry.rotor_state(mass=1.01), scale * registry.ROTOR_STD)
        runs = [
            e.replay(kind(model, noise, gate=jnp.inf), kind(model, noise).init(guess), samples).belief
            for kind in (e.ExtendedKalman, e.UnscentedKalman)
        ]
        np.testing.assert_allclose(runs[1].std, runs[0].std, rtol=0.05 * scale)
        gaps.append(abs(float(runs[1].state.log_mass - runs[0].state.log_mass)) / float(runs[0].std[registry.LOG_MASS]))
    assert gaps[1] < 0.7 * gaps[0] < 0.1


class Square(m.Model):
    """A number that is squared in every step, and an input that is squared with it; read as it is."""

    def dynamics(self, state, control, dt):
        return state**2 + control**2

    def observe(self, state, control):
        return state

    def idle(self, state):
        return jnp.zeros(())


def test_a_square_has_its_true_mean_and_variance():
    """Of x² + u²: the mean is x² + σ_x² + u² + σ_u², the variance 4x²σ_x² + 2σ_x⁴ and the same for u."""
    x, u, std_x, std_u = 0.3, -0.8, 0.7, 0.4
    filter = e.UnscentedKalman(Square(), e.Noise(jnp.ones(1), jnp.array([std_u]), jnp.zeros(1), jnp.ones(1)))
    belief = filter.init(e.Guess(jnp.asarray(x), jnp.array([std_x])))
    after = jax.jit(lambda b: filter.predict(b, jnp.asarray(u), 0.1))(belief)
    np.testing.assert_allclose(after.state, x**2 + std_x**2 + u**2 + std_u**2, rtol=1e-12)
    variance = sum(4 * a**2 * s**2 + 2 * s**4 for a, s in ((x, std_x), (u, std_u)))
    np.testing.assert_allclose(after.covariance[0, 0], variance, rtol=1e-12)


class Exponential(m.Model):
    """A constant, read through its exponential."""

    def dynamics(self, state, control, dt):
        return state

    def observe(self, state, control):
        return jnp.exp(state)

    def idle(self, state):
        return jnp.zeros(())


def test_where_the_model_bends_its_covariance_is_the_more_honest():
    """2000 readings of exp(x), x ~ N(0, 1/2²): the mean of NEES would be 1, with a standard deviation of √(2/2000)."""
    count, std_x, std_y = 2000, 0.5, 0.1
    rng = np.random.default_rng(0)
    x = std_x * rng.standard_normal(count)
    y = np.exp(x) + std_y * rng.standard_normal(count)
    noise = e.Noise(jnp.array([std_y]), jnp.zeros(1), jnp.zeros(1), jnp.ones(1))
    guess = e.Guess(jnp.zeros(()), jnp.array([std_x]))

    def nees(kind):
        filter = kind(Exponential(), noise)
        after = jax.jit(jax.vmap(lambda reading: filter.update(filter.init(guess), reading)))(jnp.asarray(y))
        return (np.asarray(after.state) - x) ** 2 / np.asarray(after.covariance)[:, 0, 0]

    extended, unscented = nees(e.ExtendedKalman), nees(e.UnscentedKalman)
    gain = extended - unscented
    assert gain.mean() > 5 * gain.std() / np.sqrt(count)  # five standard errors: one in a million by chance
    assert extended.mean() > 3.0  # so the case is one that bends
    assert unscented.mean() < 1.0 + 5 * np.sqrt(2 / count)


def test_nothing_is_learnt_from_a_channel_whose_input_is_lost():
    samples = registry.hover_log(seed=1)
    hover = e.UnscentedKalman(Hover(), registry.HOVER_NOISE)
    blind = e.Sample(samples.dt, jnp.full_like(samples.control, jnp.nan), samples.measurement)
    run = e.replay(hover, hover.init(registry.HOVER_GUESS), blind)
    assert_close(run.belief.state, registry.HOVER_GUESS.state)
    assert float(run.belief.std[0]) >= float(registry.HOVER_GUESS.std[0])
    assert np.all(np.asarray(run.recorded.status) == e.Status.BLIND | e.Status.COASTED)


def test_a_glitch_is_doubted_and_does_not_ruin_the_belief():
    samples = cart_log(seed=8)
    filter = e.UnscentedKalman(Cart(), CART_NOISE)
    readings = samples.measurement | {"velocity": samples.measurement["velocity"].at[20].add(1e4)}
    run = e.replay(filter, filter.init(CART_GUESS), e.Sample(samples.dt, samples.control, readings)).recorded
    assert int(run.status[20]) == e.Status.OUTLIER
    clean = e.replay(filter, filter.init(CART_GUESS), samples).recorded
    moved = abs(np.asarray(run.state["velocity"] - clean.state["velocity"])[20])
    assert moved < 8 * float(jnp.sqrt(clean.covariance[20, 2, 2]))


@pytest.mark.parametrize("rank", [5, 3, 0])
def test_a_square_root_squares_to_the_covariance(rank):
    rng = np.random.default_rng(rank)
    A = rng.standard_normal((5, 5))
    A[5 - rank - 1 :: -1] = 0.0  # the first rows are known exactly
    P = A @ A.T
    S = np.asarray(jax.jit(square_root)(jnp.asarray(P)))
    np.testing.assert_allclose(S @ S.T, P, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(S, np.tril(S))
