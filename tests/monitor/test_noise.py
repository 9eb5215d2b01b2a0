"""How noisy a sensor is, is learnt while running."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import HOVER_GUESS, measured

from steelyard import estimators as e
from steelyard import models as m
from steelyard.monitor import NoiseWatch

DT = 0.02


def watched(std: float, memory: float = 10.0, drift: float = 0.01) -> NoiseWatch:
    noise = e.Noise(jnp.array([std]), jnp.array([0.0]), jnp.array([drift]), jnp.array([0.3]))
    return NoiseWatch(e.ExtendedKalman(m.Hover(), noise), measured, memory)


def hovering(key, rows: int, std: float, drift: float = 0.0) -> e.Sample:
    """A perfect controller holds a vehicle whose weight drifts: all that is read is noise."""
    walk, noise = jax.random.normal(key, (2, rows))
    return e.Sample(jnp.full(rows, DT), 0.5 * jnp.exp(drift * DT**0.5 * jnp.cumsum(walk)), std * noise)


@pytest.mark.parametrize("drift", [0.01, 0.2], ids=["still", "drifting"])
@pytest.mark.parametrize("factor", [0.2, 5.0])
def test_a_standard_deviation_that_is_five_times_wrong_is_learnt(factor, drift):
    """1000 samples count, so the variance's own deviation is 4.5 %: a fifth is 4.4 of them, and there are 20 runs.

    Where the state drifts, a seventh of what the innovations show is not the sensor's.
    """
    estimator = watched(2.0 * factor, drift=drift)
    run = jax.jit(
        jax.vmap(
            lambda key: e.replay(
                estimator, estimator.init(HOVER_GUESS), hovering(key, 4000, 2.0, drift), lambda b: b.variance
            )
        )
    )
    learnt = np.asarray(run(jax.random.split(jax.random.key(3), 20)).recorded)[:, -1, 0]
    assert np.abs(learnt / 4.0 - 1.0).max() < 0.2
    assert abs(learnt.mean() / 4.0 - 1.0) < 0.05


def test_one_sample_after_a_long_silence_does_not_replace_what_was_learnt():
    estimator = watched(2.0, drift=0.0)
    samples = hovering(jax.random.key(4), 50, 0.0)  # a reading of exactly what was expected: no noise at all
    samples = eqx.tree_at(lambda s: s.dt, samples, jnp.full(50, DT).at[25].set(1e4))
    variance = e.replay(estimator, estimator.init(HOVER_GUESS), samples, lambda b: b.variance[0]).recorded
    assert variance[25] > 0.85 * variance[24]


def test_a_stuck_sensor_never_looks_perfect():
    estimator = watched(2.0, memory=0.1, drift=0.0)
    run = e.replay(estimator, estimator.init(HOVER_GUESS), hovering(jax.random.key(5), 20_000, 0.0), lambda b: b.status)
    belief = run.belief
    assert float(belief.variance[0]) >= (1e-3 * 2.0) ** 2
    assert np.isfinite(belief.covariance).all()
    assert not np.any(np.asarray(run.recorded) & e.Status.HELD)


def test_it_leaves_the_estimate_alone_where_the_noise_was_right():
    """To first order in what is learnt: the state differs by much less than its own uncertainty."""
    case = registry.build("noise-kalman-cart", seed=1)
    plain = case.estimator.estimator
    with_watch = e.replay(case.estimator, case.estimator.init(case.guess), case.samples).belief
    without = e.replay(plain, plain.init(case.guess), case.samples).belief
    difference = np.array(jax.tree.leaves(with_watch.state)) - np.array(jax.tree.leaves(without.state))
    assert np.all(np.abs(difference) < 0.3 * np.asarray(without.std))
