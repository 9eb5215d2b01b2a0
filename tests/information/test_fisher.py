"""The bound is a theorem where theorems are known, and what a filter reaches where they are not."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from pushes import LOAD, noise_of, open_guess, pushed, samples_of

from steelyard import estimators as e
from steelyard.errors import BadInput
from steelyard.geometry import differentiate, local
from steelyard.information import cramer_rao, information
from steelyard.worlds import PlanarScenario

CART = registry.Cart()


def test_the_bound_of_a_linear_model_is_the_kalman_covariance():
    """Whatever the data were: with noise on inputs and states, uneven steps, and silent channels."""
    samples = registry.cart_log(3)
    gaps = {**samples.measurement, "position": samples.measurement["position"].at[5:20].set(jnp.nan)}
    samples = eqx.tree_at(lambda s: s.measurement, samples, gaps)
    ekf = e.ExtendedKalman(CART, registry.CART_NOISE)
    belief = e.replay(ekf, ekf.init(registry.CART_GUESS), samples).belief
    bound = cramer_rao(CART, registry.CART_NOISE, registry.CART_GUESS, samples)
    np.testing.assert_allclose(bound.covariance, belief.covariance, rtol=1e-9, atol=1e-14)
    assert bound.names == ("position", "push", "velocity")


def test_no_prior_is_the_limit_of_a_wide_one():
    """A prior of standard deviation s changes the bound by a share of (bound / s)²: 1e-8 and less here."""
    samples = registry.cart_log(1)
    open_ended = dataclasses.replace(registry.CART_GUESS, std=jnp.array([jnp.inf, jnp.inf, jnp.inf]))
    wide = dataclasses.replace(registry.CART_GUESS, std=jnp.array([1e4, 1e4, 1e4]))
    left, right = (cramer_rao(CART, registry.CART_NOISE, guess, samples) for guess in (open_ended, wide))
    np.testing.assert_allclose(left.covariance, right.covariance, rtol=1e-6)


def test_a_coordinate_that_is_given_stays_given():
    """The push of the cart, known exactly and never drifting, has no variance; and the others gain by it."""
    quiet = eqx.tree_at(lambda n: n.drift, registry.CART_NOISE, jnp.zeros(3))
    given = dataclasses.replace(registry.CART_GUESS, std=jnp.array([jnp.inf, 0.0, jnp.inf]))
    open_ended = dataclasses.replace(registry.CART_GUESS, std=jnp.full(3, jnp.inf))
    left, right = (cramer_rao(CART, quiet, guess, registry.cart_log(1)) for guess in (given, open_ended))
    assert left.std[1] == 0.0
    assert np.all(left.std[[0, 2]] < right.std[[0, 2]])


def test_independent_samples_add_their_information():
    """A constant seen through regressors: the information is the sum of outer products, written by hand."""
    samples = registry.line_log(0)
    S = information(registry.Line(), registry.LINE_NOISE, jnp.zeros(2), samples)
    phi = np.asarray(samples.control)
    by_hand = phi.T @ phi / 0.3**2 + np.diag([len(phi) / 1.0**2, 0.0])
    np.testing.assert_allclose(S, by_hand, rtol=1e-12)
    halves = [jax.tree.map(lambda leaf, s=s: leaf[s], samples) for s in (slice(0, 20), slice(20, None))]
    parts = [information(registry.Line(), registry.LINE_NOISE, jnp.zeros(2), half) for half in halves]
    np.testing.assert_allclose(S, parts[0] + parts[1], rtol=1e-12)


def test_a_direction_that_nothing_shows_is_named_and_costs_the_others_nothing():
    """Both regressors along one direction: across it nothing is known, and no number is made up."""
    samples = registry.line_log(0)
    along = jnp.outer(samples.control[:, 0], jnp.array([0.6, 0.8]))
    silent = {**samples.measurement, "direct": jnp.full_like(samples.measurement["direct"], jnp.nan)}
    samples = e.Sample(samples.dt, along, silent)
    bound = cramer_rao(registry.Line(), registry.LINE_NOISE, e.Guess(jnp.zeros(2), jnp.full(2, jnp.inf)), samples)
    assert np.all(np.isinf(bound.std))
    np.testing.assert_allclose(np.abs(bound.unknown @ np.array([-0.8, 0.6])), 1.0, rtol=1e-9)
    axis = e.Sample(samples.dt, jnp.outer(samples.control[:, 0], jnp.array([1.0, 0.0])), silent)
    bound = cramer_rao(registry.Line(), registry.LINE_NOISE, e.Guess(jnp.zeros(2), jnp.full(2, jnp.inf)), axis)
    assert np.isfinite(bound.std[0])
    assert np.isinf(bound.std[1])


def test_a_part_that_is_not_there_is_told():
    bound = cramer_rao(CART, registry.CART_NOISE, registry.CART_GUESS, registry.cart_log(1))
    with pytest.raises(BadInput, match="push"):
        bound.std_of("mass")


# The planar scenario: four robots, 0.2 m/s, 100 Hz, 20 s of sinusoids.

PUSH = PlanarScenario()
FORCES, NOISES = 8, 5


@functools.cache
def bounds() -> list:
    truths = [pushed(PUSH, seed) for seed in range(FORCES)]
    return [cramer_rao(LOAD, noise_of(4), open_guess(truth), samples_of(truth)) for truth in truths]


def invariants(state):
    """What does not depend on how body axes were chosen: the state with the contacts in world axes, no heading."""
    return state.angular_velocity, state.velocity, state.arms, state.log_mass, state.log_inertia


@jax.jit
def invariant_jacobian(state):
    return differentiate(invariants, state)[1]


def invariant_std(bound) -> np.ndarray:
    jacobian = np.asarray(invariant_jacobian(bound.state))
    return np.sqrt(np.diag(jacobian @ bound.covariance @ jacobian.T))


def test_what_the_planar_scenario_can_tell():
    """The project's notes have 0.17 % on m, 0.12 % on J and 1.0-1.4 mm on z_C for forces of their own.

    Ours are drawn by seed from the same family, so the medians must agree within a factor of two.
    """
    mean = np.kron(np.full((1, 4), 0.25), np.eye(2))
    rows = []
    for bound in bounds():
        jacobian = mean @ np.asarray(invariant_jacobian(bound.state))[3:11]
        z_c = np.sqrt(np.diag(jacobian @ bound.covariance @ jacobian.T))
        rows.append([*bound.std_of("log_mass"), *bound.std_of("log_inertia"), z_c.max()])
    mass, inertia, z_c = np.median(rows, axis=0)
    assert 0.0017 / 2 < mass < 0.0017 * 2
    assert 0.0012 / 2 < inertia < 0.0012 * 2
    assert 0.0010 / 2 < z_c < 0.0014 * 2


def test_twice_the_noise_is_twice_the_bound():
    truth = pushed(PUSH, 0)
    loud = cramer_rao(LOAD, noise_of(4, 0.4), open_guess(truth), samples_of(truth))
    np.testing.assert_allclose(loud.std, 2.0 * bounds()[0].std, rtol=1e-6)


@functools.cache
def filtered() -> list[tuple[np.ndarray, np.ndarray]]:
    """Errors by their bound, and NEES a dimension, of 40 logs that a Kalman filter started wrongly; after each pass.

    Mass and inertia are 60 % off, contacts up to 60 % an axis. The second pass starts from where the first one ended,
    so that early rows are linearised again; its prior of 0.1 (m, or 10 %) is far wider than what a log tells.
    """
    draws = [(force, noise) for force in range(FORCES) for noise in range(NOISES)]
    truths = [pushed(PUSH, force) for force, _ in draws]
    rngs = [np.random.default_rng([7, *draw]) for draw in draws]
    readings = [t.contact_velocities + 0.2 * r.standard_normal((2001, 4, 2)) for t, r in zip(truths, rngs, strict=True)]
    logs = _stack([samples_of(truth, reading) for truth, reading in zip(truths, readings, strict=True)])
    # Without noise on the forces, a filter ends up sure of one combination of spin, inertia and arms to 1e-6: finer
    # than the midpoint rule and its own linearisation are right. 0.02 N, a hundredth of a force, keep it honest.
    ekf = e.ExtendedKalman(LOAD, noise_of(4, 0.2, 0.02))
    states, found = [_wrong(truth, rng) for truth, rng in zip(truths, rngs, strict=True)], []
    for parameters_std in (0.6, 0.1):
        std = jnp.asarray([0.0] + [0.05] * 3 + [parameters_std] * 10)
        beliefs = _stack([ekf.init(e.Guess(state, std)) for state in states])
        ends = e.campaign(ekf, beliefs, logs, lambda belief: ()).belief
        found.append(_scores(ends, truths, [force for force, _ in draws]))
        states = [_with_parameters(state, _at(ends.state, k)) for k, state in enumerate(states)]
    return found


def _scores(ends, truths: list, forces: list[int]) -> tuple[np.ndarray, np.ndarray]:
    ratios, nees = [], []
    for k, (truth, force) in enumerate(zip(truths, forces, strict=True)):
        state = _at(ends.state, k)
        jacobian = np.asarray(invariant_jacobian(state))
        error = np.asarray(local(invariants(state), invariants(truth.state_at(-1))))
        P = jacobian @ np.asarray(ends.covariance[k]) @ jacobian.T
        ratios.append(error / invariant_std(bounds()[force]))
        nees.append(error @ np.linalg.solve(P, error) / error.size)
    return np.array(ratios), np.array(nees)


def test_a_kalman_filter_from_a_wrong_guess_comes_near_the_bound():
    """One pass: early rows were linearised where they should not have been, which the tail shows, not the median."""
    ratios, nees = filtered()[0]
    assert np.median(np.abs(ratios)) / 0.6745 < 1.3
    assert np.median(nees) < 1.5


def test_a_second_pass_reaches_the_bound_with_an_honest_covariance():
    """40 logs: an RMS is known to 11 %, so the worst of 13 stays below 1.3; a mean NEES over 13 dimensions to 6 %."""
    ratios, nees = filtered()[1]
    assert np.sqrt(np.mean(ratios**2, axis=0)).max() < 1.3
    assert np.sqrt(np.mean(ratios**2)) > 0.8  # nothing beats the bound
    assert 0.75 < nees.mean() < 1.2


def _wrong(truth, rng):
    state = truth.state_at(0)
    signs = rng.choice([-1.0, 1.0], size=2)
    return eqx.tree_at(
        lambda s: (s.contacts, s.log_mass, s.log_inertia),
        state,
        (
            state.contacts * jnp.asarray(1.0 + rng.uniform(-0.6, 0.6, (4, 2))),
            state.log_mass + jnp.log(1.0 + 0.6 * signs[0]),
            state.log_inertia + jnp.log(1.0 + 0.6 * signs[1]),
        ),
    )


def _with_parameters(start, end):
    def parameters(state):
        return state.contacts, state.log_mass, state.log_inertia

    return eqx.tree_at(parameters, start, parameters(end))


def _at(tree, k: int):
    return jax.tree.map(lambda leaf: leaf[k], tree)


def _stack(trees: list):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
