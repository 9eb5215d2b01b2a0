"""Sensors fall silent, inputs get lost, clocks jump, numbers overflow: every estimator stays sane and says so."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import ROWS, Case, assert_close, filled, smallest_eigenvalue, spoil

from steelyard.estimators import Innovation, Sample, Status


def sane(belief) -> bool:
    """Everything is finite but the innovation, where silence is NaN."""
    parts = jax.tree.leaves(belief, is_leaf=lambda node: isinstance(node, Innovation))
    numbers = [part for part in parts if not isinstance(part, Innovation)]
    return all(np.isfinite(part).all() for part in numbers) and smallest_eigenvalue(belief.covariance) > 0


def with_measurement(sample: Sample, measurement) -> Sample:
    return Sample(sample.dt, sample.control, measurement)


def test_covariance_stays_symmetric_and_positive(case: Case):
    for belief in case.beliefs:
        P = np.asarray(belief.covariance)
        np.testing.assert_array_equal(P, P.T)
        assert smallest_eigenvalue(P) > 0


def test_a_log_without_faults_is_fine_throughout(case: Case):
    assert [int(belief.status) for belief in case.beliefs] == [Status.OK] * (ROWS + 1)
    assert all(sane(belief) for belief in case.beliefs)


def spoilt(sample: Sample, rng: np.random.Generator) -> Sample:
    """The sample with a fault of a random kind, or none."""
    number = rng.choice([np.nan, np.inf, -np.inf, 1e30])
    kinds = [
        Sample(sample.dt, sample.control, spoil(sample.measurement, rng.integers(2) - 1, number)),
        Sample(sample.dt, sample.control, filled(sample.measurement, number)),
        Sample(sample.dt, filled(sample.control, rng.choice([np.nan, np.inf])), sample.measurement),
        Sample(jnp.asarray(rng.choice([np.nan, -0.1, np.inf]), float), sample.control, sample.measurement),
    ]
    return kinds[rng.integers(4)] if rng.uniform() < 0.5 else sample


def test_a_random_run_with_every_fault_stays_sane(case: Case):
    rng = np.random.default_rng(5)
    belief = case.estimator.init(case.guess)
    for k in range(200):
        sample = spoilt(case.sample(k % ROWS), rng)
        belief = case.step(belief, sample)
        assert sane(belief), (k, sample)


def test_a_silent_sensor_is_one_that_is_not_there(case: Case):
    belief, sample = case.middle()
    for k, sensor in enumerate(case.sensors(sample.measurement)):
        silent = case.step(belief, with_measurement(sample, spoil(sample.measurement, k, jnp.nan)))
        deaf = registry.deaf(case, sensor)
        unheard = belief
        if hasattr(belief, "variance"):  # the noise that is learnt is part of the belief
            unheard = eqx.tree_at(lambda b: b.variance, belief, belief.variance.at[sensor].set(1e18))
        without = case.step(unheard, sample, deaf)
        assert_close((silent.state, silent.covariance), (without.state, without.covariance), rtol=1e-7, atol=1e-10)
        assert np.isnan(silent.innovation.value[sensor]).all()


def test_a_silent_sensor_leaves_more_unknown(case: Case):
    belief, sample = case.middle()
    heard = case.step(belief, sample)
    sensors = case.sensors(sample.measurement)
    for k in range(len(sensors)):
        silent = case.step(belief, with_measurement(sample, spoil(sample.measurement, k, jnp.nan)))
        lost = np.asarray(silent.covariance - heard.covariance)
        scale = np.abs(np.asarray(heard.covariance)).max()
        assert smallest_eigenvalue(lost) > -1e-12 * scale
        assert np.linalg.eigvalsh(lost)[-1] > 1e-9 * scale  # far above rounding
        expected = Status.COASTED if len(sensors) == 1 else Status.PARTIAL
        assert int(silent.status) == expected


def test_without_any_measurement_the_model_coasts(case: Case):
    belief, sample = case.middle()
    expected = jax.jit(lambda *given: case.model.dynamics(*given))(belief.state, sample.control, sample.dt)
    coasted = case.step(belief, with_measurement(sample, filled(sample.measurement, jnp.nan)))
    assert_close(coasted.state, expected)
    assert int(coasted.status) == Status.COASTED
    # Volume, not each axis: a model may turn one uncertainty into another.
    logdet_before, logdet_after = (np.linalg.slogdet(b.covariance)[1] for b in (belief, coasted))
    assert logdet_after >= logdet_before - 1e-9  # but for rounding


def test_a_missing_input_widens_what_is_believed(case: Case):
    belief, sample = case.middle()
    for lost in (jnp.nan, jnp.inf):
        blind = case.step(belief, Sample(sample.dt, filled(sample.control, lost), sample.measurement))
        seeing = case.step(belief, sample)
        assert int(blind.status) & Status.BLIND
        assert not int(blind.status) & Status.HELD
        assert sane(blind)
        assert np.all(blind.std >= seeing.std * (1 - 1e-3))
        assert np.any(blind.std > seeing.std * (1 + 1e-6))


@pytest.mark.parametrize("dt", [jnp.nan, -0.02, -jnp.inf, jnp.inf])
def test_time_that_does_not_go_forwards_is_no_time(case: Case, dt):
    belief, sample = case.middle()
    back = case.step(belief, Sample(jnp.asarray(dt, float), sample.control, sample.measurement))
    still = case.step(belief, Sample(jnp.zeros(()), sample.control, sample.measurement))
    assert int(back.status) == int(still.status) | Status.BACKWARDS
    assert_close((back.state, back.covariance), (still.state, still.covariance))
    assert sane(back)


@pytest.mark.parametrize("number", [jnp.inf, -jnp.inf])
def test_an_infinite_reading_is_refused_and_the_next_one_taken(case: Case, number):
    belief, sample = case.middle()
    for k in range(len(case.sensors(sample.measurement))):
        if isinstance(jax.tree.leaves(sample.measurement, is_leaf=registry.is_group)[k], registry.MatrixLieGroup):
            continue  # a quaternion of infinities is not a rotation: silent
        coasted = case.step(belief, with_measurement(sample, filled(sample.measurement, jnp.nan)))
        held = case.step(belief, with_measurement(sample, spoil(sample.measurement, k, number)))
        assert int(held.status) & Status.HELD
        assert_close((held.state, held.covariance), (coasted.state, coasted.covariance))
        assert sane(held)
        assert np.isnan(held.innovation.value).all()  # nothing came in, so nothing may be learnt from it
        after = case.step(held, case.sample(ROWS // 2 + 1))
        assert int(after.status) == Status.OK
        assert sane(after)
