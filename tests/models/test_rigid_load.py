"""The rigid load against MuJoCo, conservation, and silent channels."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard import estimators as e
from steelyard import models as m
from steelyard.geometry import SO3, Inertia, log_cholesky
from steelyard.information import cramer_rao
from steelyard.worlds import SpatialScenario, spatial_truth


def state_at(truth, row: int, bias=()) -> m.RigidLoadState:
    load = Inertia.from_com(float(truth.mass[row]), jnp.asarray(truth.com[row, 0]), jnp.asarray(truth.inertia[row, 0]))
    return m.RigidLoadState(
        attitude=SO3.from_matrix(jnp.asarray(truth.attitude[row, 0])),
        angular=jnp.asarray(truth.readings[row, 0, :3]),
        linear=jnp.asarray(truth.readings[row, 0, 3:6]),
        log_cholesky=log_cholesky(load),
        wrench=jnp.asarray(truth.wrenches[row, 0]),
        bias=jnp.asarray(bias, float).reshape(len(bias)),
    )


def gap(rate: float) -> float:
    """How far model and MuJoCo are apart after a second, rad/s, m/s or m/s²."""
    truth = spatial_truth(SpatialScenario(duration=1.0, rate=rate, sensors="exact"), 3)
    model = m.RigidLoad()

    def row(state, wrench):
        state = model.dynamics(state, wrench, 1.0 / rate)
        return state, model.observe(state, wrench)

    _, readings = jax.jit(lambda state, w: jax.lax.scan(row, state, w))(
        state_at(truth, 0), jnp.asarray(truth.wrenches[1:, 0])
    )
    return float(np.abs(np.asarray(readings)[-1] - truth.readings[-1, 0]).max())


def test_the_model_converges_to_mujoco_with_the_square_of_its_step():
    """A wrong term in either would stay where it is, whatever the step."""
    coarse, fine = gap(100.0), gap(400.0)
    assert abs(coarse / fine - 16.0) < 3.0
    assert fine < 1e-3


def test_sensors_read_what_mujocos_read():
    truth = spatial_truth(SpatialScenario(duration=0.5, sensors="exact"), 8)
    model = m.RigidLoad()
    for row in (0, 17, 50):
        read = model.observe(state_at(truth, row), model.idle(state_at(truth, row)))
        np.testing.assert_allclose(read, truth.readings[row, 0], atol=1e-9)


def test_a_bias_of_the_wrench_is_taken_off_and_put_back():
    truth = spatial_truth(SpatialScenario(duration=0.1, sensors="exact"), 1)
    bias = np.array([0.1, -0.2, 0.3, 1.0, -2.0, 3.0])
    plain, biased = state_at(truth, 0), state_at(truth, 0, bias)
    model, reading = m.RigidLoad(), truth.wrenches[1, 0]
    after = model.dynamics(plain, jnp.asarray(reading), 0.01)
    same = model.dynamics(biased, jnp.asarray(reading + bias), 0.01)
    np.testing.assert_allclose(same.wrench, after.wrench, atol=1e-12)
    np.testing.assert_allclose(same.linear, after.linear, atol=1e-12)
    np.testing.assert_allclose(model.idle(biased), truth.wrenches[0, 0] + bias)


def test_a_held_wrench_acts_until_the_next_row():
    truth = spatial_truth(SpatialScenario(duration=0.1, sensors="exact"), 1)
    state, other = state_at(truth, 0), jnp.arange(6.0)
    held = m.RigidLoad(held=True).dynamics(state, other, 0.01)
    alone = m.RigidLoad().dynamics(state, jnp.asarray(truth.wrenches[0, 0]), 0.01)
    np.testing.assert_allclose(held.linear, alone.linear)
    np.testing.assert_allclose(held.wrench, jnp.arange(6.0))


@pytest.mark.parametrize("silent", [(), (0, 1, 2), (3, 4, 5), (6, 7, 8)])
def test_a_filter_started_near_finds_the_load_whichever_channel_is_silent(silent):
    """Every parameter within four of its standard deviations, which stay above the Cramér-Rao bound's nine tenths."""
    hold = SpatialScenario(duration=3.0, sensors="realistic")
    truth = spatial_truth(hold, 5)
    rng = np.random.default_rng(0)
    sizes = np.repeat(hold.noises, 3)
    read = truth.readings[:, 0] + sizes[:9] * rng.standard_normal((len(truth.time), 9))
    read[:, list(silent)] = np.nan
    w = truth.wrenches[:, 0] + sizes[9:] * rng.standard_normal((len(truth.time), 6))
    dt = np.diff(truth.time, prepend=0.0)
    samples = e.Sample(jnp.asarray(dt), jnp.asarray(w), jnp.asarray(read))
    model = m.RigidLoad()
    noise = e.Noise(jnp.asarray(sizes[:9]), jnp.asarray(sizes[9:]), jnp.zeros(25), 30.0 * jnp.ones(6))
    true = state_at(truth, 0)
    std = jnp.asarray([0.05] * 9 + [0.02] * 10 + [1.0] * 6)
    off = 0.02 * rng.standard_normal(10)
    near = eqx.tree_at(lambda s: s.log_cholesky, true, true.log_cholesky + off)
    belief = e.replay(
        e.ExtendedKalman(model, noise), e.ExtendedKalman(model, noise).init(e.Guess(near, std)), samples
    ).belief
    error = np.asarray(belief.state.log_cholesky - true.log_cholesky)
    found = np.asarray(belief.std)[9:19]
    assert np.all(np.abs(error) < 4 * found)
    assert found[0] < 0.005
    bound = cramer_rao(model, noise, e.Guess(true, std), samples)
    assert np.all(found > 0.9 * bound.std_of("log_cholesky"))
