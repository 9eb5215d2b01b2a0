"""Extreme learning machines are least squares on random features."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import estimators as e
from steelyard.errors import BadInput


def smooth(inputs: np.ndarray) -> np.ndarray:
    x, y, z = inputs.T
    return np.stack([np.sin(3 * x) * np.exp(-(y**2)) + x * z, np.cos(2 * z) + y], axis=1)


def samples(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    inputs = np.random.default_rng(seed).uniform(-1, 1, (count, 3))
    return inputs, smooth(inputs)


def small(key, nodes: int = 12) -> e.RandomFeatures:
    return e.RandomFeatures.draw(key, nodes, np.zeros(3), np.ones(3))


def test_nodes_are_sigmoids_of_standardised_inputs(key):
    mean, std = np.array([1.0, -2.0]), np.array([0.5, 3.0])
    features = e.RandomFeatures.draw(key, 5, mean, std)
    inputs = np.array([[0.3, 0.4], [2.0, -7.0]])
    W, b = np.asarray(features.hidden_weights), np.asarray(features.hidden_biases)
    expected = 1 / (1 + np.exp(-((inputs - mean) / std @ W.T + b)))
    np.testing.assert_allclose(features(inputs), expected, rtol=1e-12)
    np.testing.assert_allclose(features(inputs[1]), expected[1], rtol=1e-12)


def test_same_key_same_nodes(key):
    once, again = small(key), small(key)
    assert eqx.tree_equal(once, again)
    assert not eqx.tree_equal(once, small(jax.random.key(1)))


def test_units_of_the_inputs_do_not_matter(key):
    inputs, targets = samples(300)
    scale, shift = np.array([1e-3, 1.0, 1e5]), np.array([5.0, 0.0, -2e4])
    one = e.fit_relm(e.RandomFeatures.for_inputs(key, 12, inputs), inputs, targets, 1e-3)
    moved = inputs * scale + shift
    other = e.fit_relm(e.RandomFeatures.for_inputs(key, 12, moved), moved, targets, 1e-3)
    np.testing.assert_allclose(other.predict(moved), one.predict(inputs), atol=1e-8)


def test_an_input_that_never_changes_does_no_harm(key):
    inputs = np.column_stack([samples(50)[0], np.full(50, 9.81)])
    features = e.RandomFeatures.for_inputs(key, 8, inputs)
    assert float(features.std[3]) == 1.0
    assert np.isfinite(e.fit_elm(features, inputs, smooth(inputs[:, :3])).predict(inputs)).all()


def test_elm_is_least_squares(key):
    inputs, targets = samples(200)
    features = small(key)
    machine = e.fit_elm(features, inputs, targets)
    weights = np.linalg.lstsq(np.asarray(features(inputs)), targets, rcond=None)[0]
    np.testing.assert_allclose(machine.weights, weights, rtol=1e-8)
    np.testing.assert_allclose(machine.norm, np.linalg.norm(weights), rtol=1e-8)
    assert (machine.learnt, machine.dropped) == (200, 0)


def test_as_many_nodes_as_samples_learn_them_exactly(key):
    inputs, targets = samples(12)
    machine = e.fit_elm(small(key), inputs, targets)
    np.testing.assert_allclose(machine.predict(inputs), targets, atol=1e-8)


def test_twin_nodes_share_their_weight(key):
    """Of all weights that fit equally well the smallest are chosen; the normal equations have no answer here."""
    inputs, targets = samples(100)
    single = small(key, nodes=6)
    twins = e.RandomFeatures(
        single.mean, single.std, jnp.tile(single.hidden_weights, (2, 1)), jnp.tile(single.hidden_biases, 2)
    )
    one, two = (e.fit_elm(features, inputs, targets) for features in (single, twins))
    np.testing.assert_allclose(two.weights, jnp.tile(one.weights, (2, 1)) / 2, rtol=1e-8)


@pytest.mark.parametrize("regularisation", [1e-3, 0.1, 10.0])
def test_relm_is_ridge_regression(key, regularisation):
    inputs, targets = samples(200)
    features = small(key)
    hidden = np.asarray(features(inputs))
    expected = np.linalg.solve(hidden.T @ hidden + regularisation * np.eye(12), hidden.T @ targets)
    np.testing.assert_allclose(e.fit_relm(features, inputs, targets, regularisation).weights, expected, rtol=1e-8)


def test_relm_without_regularisation_is_elm(key):
    inputs, targets = samples(60)
    features = small(key)
    assert eqx.tree_equal(e.fit_relm(features, inputs, targets, 0.0), e.fit_elm(features, inputs, targets))


def test_more_regularisation_smaller_weights(key):
    inputs, targets = samples(200)
    norms = [float(e.fit_relm(small(key), inputs, targets, ridge).norm) for ridge in (0.0, 1e-6, 1e-3, 1.0, 1e3)]
    assert norms == sorted(norms, reverse=True)


def test_relm_has_more_nodes_than_samples_if_it_likes(key):
    inputs, targets = samples(5)
    machine = e.fit_relm(small(key), inputs, targets, 1e-9)
    np.testing.assert_allclose(machine.predict(inputs), targets, atol=1e-4)


def test_five_hundred_nodes_learn_a_smooth_function_of_three_inputs(key):
    inputs, targets = samples(3000)
    fresh, truth = samples(1000, seed=1)
    features = e.RandomFeatures.for_inputs(key, 500, inputs)
    for machine in (e.fit_elm(features, inputs, targets), e.fit_relm(features, inputs, targets, 1e-5)):
        rmse = np.sqrt(np.mean((machine.predict(fresh) - truth) ** 2, axis=0))
        assert (
            rmse < 0.01 * truth.std(axis=0)
        ).all()  # no noise: what is left is the fit's own error, 1 % of the signal


def test_rows_that_are_not_finite_are_dropped_and_counted(key):
    inputs, targets = samples(100)
    holed, silent = inputs.copy(), targets.copy()
    holed[3, 1], holed[50, 0], silent[50, 1], silent[99, 0] = np.nan, np.nan, np.inf, np.nan
    whole = np.setdiff1d(np.arange(100), [3, 50, 99])
    features = e.RandomFeatures.for_inputs(key, 12, inputs)
    machine = e.fit_relm(features, holed, silent, 1e-3)
    np.testing.assert_array_equal(machine.weights, e.fit_relm(features, inputs[whole], targets[whole], 1e-3).weights)
    assert (machine.learnt, machine.dropped) == (97, 3)


def test_prediction_is_a_pure_function_of_the_machine(key):
    inputs, targets = samples(100)
    machine = e.fit_relm(small(key), inputs, targets, 1e-3)
    inputs = jnp.asarray(inputs)
    predict = jax.jit(lambda machine, inputs: machine.predict(inputs))
    np.testing.assert_allclose(predict(machine, inputs), machine.predict(inputs), rtol=1e-12)
    np.testing.assert_allclose(jax.vmap(machine.predict)(inputs), machine.predict(inputs), rtol=1e-12)


X, T = samples(10)
BAD_FITS = {
    "regularisation is -1; give a finite number from 0 up, for instance 1e-5.": (X, T, -1.0),
    "regularisation is nan; give a finite number from 0 up, for instance 1e-5.": (X, T, np.nan),
    "12 nodes cannot be fitted to 10 samples without regularisation; give at least 12 samples, at most 10 nodes, or use"
    " fit_relm.": (X, T, 0.0),
    "12 nodes cannot be fitted to 9 whole samples (of 10) without regularisation; give at least 12 samples, at most 9"
    " nodes, or use fit_relm.": (np.where(np.arange(10)[:, None] == 4, np.nan, X), T, 0.0),
    "The inputs are empty (shape (0, 3)); give at least one sample of at least one number.": (X[:0], T[:0], 1.0),
    "The targets are empty (shape (10, 0)); give at least one sample of at least one number.": (X, T[:, :0], 1.0),
    "There are 10 inputs and 9 targets; give one target to each input.": (X, T[:9], 1.0),
    "The inputs have 2 columns, but the features were drawn for 3; give those, or draw features for these.": (
        X[:, :2],
        T,
        1.0,
    ),
    "The targets have shape (10,), not a row a sample; give targets[:, None] if each sample is one number.": (
        X,
        T[:, 0],
        1.0,
    ),
    "The inputs have shape (10, 3, 1), not a row a sample; give an array of two dimensions.": (X[..., None], T, 1.0),
    "All 10 samples hold a number that is not finite; give at least one whole sample.": (X * np.nan, T, 1.0),
}


@pytest.mark.parametrize("sentence", BAD_FITS)
def test_bad_data_are_told_in_one_sentence(key, sentence):
    inputs, targets, regularisation = BAD_FITS[sentence]
    with pytest.raises(BadInput) as told:
        e.fit_relm(small(key), inputs, targets, regularisation)
    assert str(told.value) == sentence


BAD_FEATURES = {
    "A machine of 0 nodes cannot learn; give at least 1.": (0, np.zeros(3), np.ones(3), 1.0),
    "mean has shape (3,) and std (2,); give one number an input in both.": (5, np.zeros(3), np.ones(2), 1.0),
    "The mean or std of some input is not finite, or its std is not above 0; mend it, or leave it out.": (
        5,
        np.zeros(3),
        np.zeros(3),
        1.0,
    ),
    "spread is 0; give a number above 0, for instance 3.": (5, np.zeros(3), np.ones(3), 0.0),
}


@pytest.mark.parametrize("sentence", BAD_FEATURES)
def test_bad_features_are_told_in_one_sentence(key, sentence):
    with pytest.raises(BadInput) as told:
        e.RandomFeatures.draw(key, *BAD_FEATURES[sentence])
    assert str(told.value) == sentence


def test_statistics_need_a_finite_row(key):
    with pytest.raises(BadInput, match="no finite row"):
        e.RandomFeatures.for_inputs(key, 5, np.full((4, 3), np.nan))
