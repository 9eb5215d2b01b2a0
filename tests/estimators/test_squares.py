"""Recursive least squares is batch least squares with fading weights."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import LINE_GUESS, LINE_NOISE, Line, line_log

from steelyard import estimators as e


def batch(samples: e.Sample, memory: float, heard: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same by `lstsq`: rows and prior weighted by how long ago they were; also the covariance."""
    age = np.sum(samples.dt) - np.cumsum(samples.dt)
    direct = np.stack([np.array([1.0, 0.0])] * len(age))
    A = np.concatenate([np.eye(2), direct, samples.control])
    y = np.concatenate([np.zeros(2), samples.measurement["direct"], samples.measurement["through"]])
    std = np.concatenate([np.asarray(LINE_GUESS.std), np.full(len(age), 1.0), np.full(len(age), 0.3)])
    ages = np.concatenate([np.full(2, np.sum(samples.dt)), age, age])
    kept = np.concatenate([[True, True], heard, heard])
    weight = (np.exp(-0.5 * ages / memory) / std)[kept]
    A, y = A[kept] * weight[:, None], y[kept] * weight
    return np.linalg.lstsq(A, y, rcond=None)[0], np.linalg.inv(A.T @ A)


def squares(memory: float) -> e.RecursiveLeastSquares:
    noise = eqx.tree_at(lambda n: n.control, LINE_NOISE, jnp.full(2, 0.5))  # must not matter
    return e.RecursiveLeastSquares(Line(), noise, memory=jnp.asarray(memory, float))


@pytest.mark.parametrize("memory", [0.5, 3.0, np.inf])
def test_it_is_weighted_batch_least_squares(memory):
    samples = line_log(seed=1)
    belief = e.replay(squares(memory), squares(memory).init(LINE_GUESS), samples).belief
    theta, P = batch(samples, memory, np.full(registry.ROWS, True))
    np.testing.assert_allclose(belief.state, theta, rtol=1e-9)
    np.testing.assert_allclose(belief.covariance, P, rtol=1e-9)


def test_a_row_whose_regressor_is_lost_is_left_out_and_time_goes_on():
    samples = line_log(seed=2)
    lost = np.arange(registry.ROWS) % 3 == 1
    control = jnp.where(lost[:, None], jnp.nan, samples.control)
    run = e.replay(squares(3.0), squares(3.0).init(LINE_GUESS), e.Sample(samples.dt, control, samples.measurement))
    # The direct channel needs no regressor, but a blind row is not taken apart: see `linearise_observation`.
    theta, P = batch_without_through(samples, 3.0, lost)
    np.testing.assert_allclose(run.belief.state, theta, rtol=1e-9)
    np.testing.assert_allclose(run.belief.covariance, P, rtol=1e-9)


def batch_without_through(samples, memory, lost):
    through = jnp.where(lost, 0.0, samples.measurement["through"])
    control = jnp.where(lost[:, None], 0.0, samples.control)
    readings = samples.measurement | {"through": through}
    return batch(e.Sample(samples.dt, control, readings), memory, np.full(registry.ROWS, True))


def test_it_survives_a_thousand_memories():
    """What is not symmetric in a covariance grows by e in every memory, unless there is nothing that is not."""
    samples = jax.tree.map(lambda leaf: jnp.tile(leaf, (100,) + (1,) * (leaf.ndim - 1)), line_log(seed=3))
    run = e.replay(squares(0.6), squares(0.6).init(LINE_GUESS), samples, keep=lambda b: b.status)
    assert float(jnp.sum(samples.dt)) > 1000 * 0.6
    once = line_log(seed=3)
    theta, P = batch(
        jax.tree.map(lambda leaf: jnp.tile(leaf, (4,) + (1,) * (leaf.ndim - 1)), once), 0.6, np.full(160, True)
    )
    np.testing.assert_allclose(run.belief.state, theta, rtol=1e-6)
    np.testing.assert_allclose(run.belief.covariance, P, rtol=1e-6)


def test_a_silence_longer_than_any_number_is_survived():
    """exp(dt / memory) overflows: the belief is kept, said so, and the next row counts again."""
    estimator, sample = squares(0.01), jax.tree.map(lambda leaf: leaf[1], line_log(seed=4))
    step = jax.jit(lambda b, s: estimator.step(b, s))
    late = step(estimator.init(LINE_GUESS), e.Sample(jnp.asarray(100.0, float), sample.control, sample.measurement))
    assert int(late.status) & e.Status.HELD
    assert np.isfinite(late.covariance).all()
    assert int(step(late, sample).status) == e.Status.OK
