"""A window is a Kalman filter where the model is linear, and batch least squares where it is not."""

import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import CART_GUESS, CART_NOISE, LOG_MASS, ROTOR_NOISE, ROTOR_STD, ROWS, Cart, assert_close, cart_log
from scipy.optimize import least_squares
from scipy.stats import chi2

from steelyard import estimators as e
from steelyard import models as m
from steelyard.errors import BadInput
from steelyard.geometry import local, retract

OFF = jnp.inf
ROTOR = m.Multirotor(drag=(0.3, 0.08))
ROTOR_GUESS = e.Guess(registry.rotor_state(), ROTOR_STD)


def with_silence(samples: e.Sample, share: float, seed: int = 0) -> e.Sample:
    """Whole rows silent, and single sensors."""
    rng = np.random.default_rng(seed)
    rows, one = rng.uniform(size=ROWS) < share, rng.uniform(size=ROWS) < 0.2
    leaves, structure = jax.tree.flatten(samples.measurement)
    leaves = [jnp.where(rows, jnp.nan, leaf) for leaf in leaves]
    leaves[0] = jnp.where(one, jnp.nan, leaves[0])
    return e.Sample(samples.dt, samples.control, structure.unflatten(leaves))


def state_and_covariance(belief):
    return belief.state, belief.covariance


@pytest.mark.parametrize("window", [1, 2, 3, 4, 5, 6])
def test_on_a_linear_model_any_window_is_the_kalman_filter(window):
    """What has left the window is in its prior, all of it."""
    samples = with_silence(cart_log(seed=3), share=0.0)
    plain, ours = e.ExtendedKalman(Cart(), CART_NOISE), e.SlidingWindow(Cart(), CART_NOISE, window, loss=OFF)
    expected = e.replay(plain, plain.init(CART_GUESS), samples).recorded
    found = e.replay(ours, ours.init(CART_GUESS), samples).recorded
    assert_close(
        (found.state, found.covariance, found.innovation),
        (expected.state, expected.covariance, expected.innovation),
        1e-9,
        1e-11,
    )
    assert_close(found.window.covariance, expected.covariance, 1e-9, 1e-11)  # and its own, linearised again, is too
    np.testing.assert_array_equal(found.status, expected.status)


class GatheringCart(m.Model):
    """The cart, gathering its pushes exactly."""

    cart: Cart = Cart()

    def dynamics(self, state, control, dt):
        return self.cart.dynamics(state, control, dt)

    def observe(self, state, control):
        return self.cart.observe(state, control)

    def idle(self, state):
        return self.cart.idle(state)

    def begin(self, state):
        return {"position": jnp.zeros(()), "span": jnp.zeros(()), "velocity": jnp.zeros(())}

    def gather(self, increment, control, dt):
        position = increment["position"] + dt * increment["velocity"] + 0.5 * dt**2 * control
        return {
            "position": position,
            "span": increment["span"] + dt,
            "velocity": increment["velocity"] + dt * control,
        }

    def travel(self, state, increment):
        coasted = self.cart.dynamics(state, 0.0, increment["span"])
        return coasted | {name: coasted[name] + increment[name] for name in ("position", "velocity")}


@pytest.mark.parametrize("window", [1, 4])
def test_silent_rows_gathered_lose_nothing(window):
    """Two rows in three are silent, an input is lost; without drift, which a window takes at the end of a span."""
    noise = eqx.tree_at(lambda n: n.drift, CART_NOISE, jnp.zeros(3))
    samples = with_silence(cart_log(seed=3), share=0.67)
    samples = eqx.tree_at(lambda s: s.control, samples, samples.control.at[15].set(jnp.nan))
    plain, ours = e.ExtendedKalman(Cart(), noise), e.SlidingWindow(GatheringCart(), noise, window, loss=OFF)
    expected = e.replay(plain, plain.init(CART_GUESS), samples).recorded
    found = e.replay(ours, ours.init(CART_GUESS), samples).recorded
    assert_close(state_and_covariance(found), state_and_covariance(expected), 1e-9, 1e-11)
    np.testing.assert_array_equal(found.status, expected.status)


def test_its_moments_are_smoothed():
    """As the clones of the multi-state filter are, which a textbook's smoother vouches for."""
    window, samples = 6, with_silence(cart_log(seed=4), share=0.0)
    clones = e.MultiStateKalman(Cart(), CART_NOISE, window, cloned=(0, 1, 2), gate=OFF)
    ours = e.SlidingWindow(Cart(), CART_NOISE, window, loss=OFF)
    expected = e.replay(clones, clones.init(CART_GUESS), samples, keep=lambda b: b.clones).recorded
    found = e.replay(ours, ours.init(CART_GUESS), samples, keep=lambda b: b.window.moments.state).recorded
    newest_first = jax.tree.map(lambda leaf: leaf[:, ::-1], found)
    assert_close(newest_first, expected, rtol=1e-8, atol=1e-10)


# Noise that differs from axis to axis tells derivatives that are exact on the manifold from those that are nearly so.
UNEVEN_NOISE = e.Noise(
    jnp.array([0.004, 0.01, 0.03] + [0.01] * 3 + [0.03] * 3),
    ROTOR_NOISE.control,
    jnp.array([0.3, 0.1, 0.0] + [0.0] * 3 + [0.1, 0.0, 0.2] + [0.003]),
    ROTOR_NOISE.blind,
)
UNEVEN_STD = jnp.array([0.1, 0.02, 0.05] + [0.01] * 3 + [0.03] * 3 + [0.3])


def batch(samples: e.Sample, rows: int) -> m.MultirotorState:
    """All states of a flight by scipy: the unknowns are the first state and every noise, so no weight is singular."""
    walked = np.flatnonzero(np.asarray(UNEVEN_NOISE.drift))
    sizes = np.cumsum([10, 4 * rows, len(walked) * rows])
    log = jax.tree.map(lambda leaf: leaf[:rows], samples)

    def flown(unknowns):
        first, slips, walks = jnp.split(unknowns, sizes[:-1])

        def row(x, given):
            sample, slip, walk = given
            x = ROTOR.dynamics(x, retract(sample.control, UNEVEN_NOISE.control * slip), sample.dt)
            drift = jnp.zeros(10).at[walked].set(UNEVEN_NOISE.drift[walked] * jnp.sqrt(sample.dt) * walk)
            x = retract(x, drift)
            return x, (x, local(ROTOR.observe(x, sample.control), sample.measurement) / UNEVEN_NOISE.measurement)

        start = retract(ROTOR_GUESS.state, UNEVEN_STD * first)
        return jax.lax.scan(row, start, (log, slips.reshape(rows, 4), walks.reshape(rows, -1)))[1]

    def residuals(unknowns):
        return jnp.concatenate([unknowns, flown(unknowns)[1].ravel()])

    derivative = jax.jit(jax.jacfwd(residuals))
    found = least_squares(
        lambda u: np.asarray(jax.jit(residuals)(u)), np.zeros(sizes[-1]), lambda u: np.asarray(derivative(u)),
        xtol=1e-15, ftol=1e-15, gtol=1e-12,
    )  # fmt: skip
    return jax.jit(flown)(found.x)[0]


def test_a_window_as_long_as_the_flight_is_batch_least_squares():
    """Every state of it, from a mass that is 20 % off; scipy steps by `dynamics` and knows of no increments."""
    rows = 12
    samples = registry.rotor_log(seed=5)
    ours = e.SlidingWindow(ROTOR, UNEVEN_NOISE, rows, iterations=8, loss=OFF)
    log = jax.tree.map(lambda leaf: leaf[:rows], samples)
    found = e.replay(
        ours, ours.init(e.Guess(ROTOR_GUESS.state, UNEVEN_STD)), log, keep=lambda b: b.status
    ).belief.window.moments.state
    difference = jax.vmap(local)(batch(samples, rows), found)
    np.testing.assert_allclose(difference / UNEVEN_STD[None, :], 0.0, atol=1e-6)


def mass_after(estimator: e.SlidingWindow, samples: e.Sample) -> float:
    run = e.replay(estimator, estimator.init(ROTOR_GUESS), samples, keep=lambda b: b.status)
    return float(run.belief.state.log_mass)


def test_one_glitch_hardly_moves_the_mass():
    """Of 40 rows a velocity is 3 m/s off, a hundred standard deviations; the loss leaves four of them."""
    samples = registry.rotor_log(seed=7)
    glitch = eqx.tree_at(lambda s: s.measurement.velocity, samples, samples.measurement.velocity.at[30, 2].add(3.0))
    robust, plain = (e.SlidingWindow(ROTOR, ROTOR_NOISE, 6, loss=loss) for loss in (4.0, OFF))
    moved, pulled = (abs(mass_after(f, glitch) - mass_after(f, samples)) for f in (robust, plain))
    assert pulled > 0.02  # it would matter
    assert moved < 4.0 / 100.0 * pulled * 1.5  # as much as four standard deviations would, and half as much again


def test_without_glitches_the_loss_changes_nothing():
    """No reading of this flight is four standard deviations off, so every weight is one."""
    samples = registry.rotor_log(seed=7)
    robust, plain = (e.SlidingWindow(ROTOR, ROTOR_NOISE, 6, loss=loss) for loss in (4.0, OFF))
    assert mass_after(robust, samples) == pytest.approx(mass_after(plain, samples), abs=1e-12)


def test_a_far_start_is_mended_while_it_is_in_the_window():
    """A third of the true mass: squared errors in standard deviations, over eight flights, pass for chi-squared.

    With a probability of 0.9999 they stay below 32. The filter, which linearised there once, is far beyond.
    """
    truth, row, seeds = 0.0, 9, range(8)
    logs = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(registry.rotor_log(seed, rows=row + 1) for seed in seeds))
    guess = e.Guess(registry.rotor_state(mass=0.33), ROTOR_STD.at[LOG_MASS].set(1.0))

    def squares(estimator) -> float:
        start = jax.tree.map(lambda leaf: jnp.stack([leaf] * len(seeds)), estimator.init(guess))
        log_mass, std = e.campaign(estimator, start, logs, keep=_mass).recorded
        return float(jnp.sum(((log_mass[:, row] - truth) / std[:, row]) ** 2))

    assert squares(e.SlidingWindow(ROTOR, ROTOR_NOISE, 10)) < chi2.ppf(0.9999, len(seeds))
    assert squares(e.ExtendedKalman(ROTOR, ROTOR_NOISE)) > 3 * chi2.ppf(0.9999, len(seeds))


def _mass(belief):
    return belief.state.log_mass, belief.std[LOG_MASS]


def test_a_step_costs_the_same_late_in_a_flight_as_at_its_start():
    """Of time and of memory; nothing but the window is remembered."""
    rows = 1000
    samples = cart_log(seed=8, rows=4 * rows)
    ours = e.SlidingWindow(Cart(), CART_NOISE, 5)
    parts = [jax.tree.map(lambda leaf, k=k: leaf[k * rows : (k + 1) * rows], samples) for k in range(4)]
    beliefs = [ours.init(CART_GUESS)]
    for part in parts:
        beliefs.append(e.replay(ours, beliefs[-1], part, keep=_status).belief)
    assert [leaf.shape for leaf in jax.tree.leaves(beliefs[-1])] == [leaf.shape for leaf in jax.tree.leaves(beliefs[0])]

    def seconds(k: int) -> float:
        begin = time.process_time()
        jax.block_until_ready(e.replay(ours, beliefs[k], parts[k], keep=_status))
        return time.process_time() - begin

    seconds(0)
    times = [(seconds(0), seconds(3)) for _ in range(7)]
    early, late = (min(column) for column in zip(*times, strict=True))  # what else runs here can only add
    assert late < 1.5 * early


def _status(belief):
    return belief.status


@pytest.mark.parametrize(("window", "iterations"), [(0, 2), (-1, 2), (3, 0)])
def test_a_window_of_nothing_is_refused(window, iterations):
    with pytest.raises(BadInput, match="at least one of each"):
        e.SlidingWindow(Cart(), CART_NOISE, window, iterations)
