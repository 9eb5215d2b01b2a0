"""The thrust filter: with nothing wrong it is the plain filter; an engine that leaves its model is named."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.estimators import ExtendedKalman, Guess, Noise, Sample, replay
from steelyard.geometry import differentiate, tangent_size
from steelyard.models import (
    ENGINE_TYPES,
    Engines,
    FlyingControl,
    FlyingReading,
    FlyingRobot,
    JetEngines,
    RobotPose,
    ThrustInput,
    some_state,
    steady_thrust,
)
from steelyard.problems.jets import ThrustFilter

KIND = ENGINE_TYPES["P160"]
THROTTLE = 50.0
HOVER = steady_thrust(KIND, THROTTLE)
A = np.array([[0.0, 0.0], [0.2, -0.2], [0.05, 0.05], [0.1, -0.1], [0.0, 0.0], [0.99, 0.99]])
MASS = 2 * 0.99 * HOVER / 9.81
ROWS = 300


def robot() -> FlyingRobot:
    engines = Engines(
        JetEngines.of([KIND, KIND]), (0, 1), np.full(2, 160.0), np.ones(2), np.zeros((3, 0)), with_speed=()
    )
    return FlyingRobot(engines, MASS)


def course(lost: float, seed: int = 0) -> Sample:
    """Hover in which engine 1 loses some thrust in a tenth of a second, halfway."""
    rng = np.random.default_rng(seed)
    time = 0.01 * np.arange(ROWS)
    thrust = np.full((ROWS, 2), HOVER)
    thrust[:, 1] -= lost * np.clip((time - 1.5) / 0.1, 0.0, 1.0)
    wrench = thrust @ A.T - [0, 0, 0, 0, 0, 9.81 * MASS]
    momentum = np.cumsum(0.01 * wrench, axis=0) + rng.normal(size=(ROWS, 6)) * [0.01, 0.01, 0.01, 0.3, 0.3, 0.3]
    pose = RobotPose(np.tile(A, (ROWS, 1, 1)), np.zeros((ROWS, 6, 0)), np.zeros((ROWS, 0)), np.ones((ROWS, 2)))
    control = FlyingControl(ThrustInput(np.full((ROWS, 2), THROTTLE), np.zeros((ROWS, 0))), pose)
    reading = FlyingReading(momentum, np.zeros((ROWS, 0)), np.zeros((ROWS, 0)))
    return jax.tree.map(jnp.asarray, Sample(np.full(ROWS, 0.01), control, reading))


def noise_and_guess() -> tuple[Noise, Guess]:
    state = some_state(np.full(2, HOVER), 2, 0, ("offset",))
    n = tangent_size(state)
    drift = jnp.array([0.2, 0.2, 3.0, 3.0] + [0.01] * 6 + [1.0, 1.0])
    measured = jnp.array([0.01] * 3 + [0.3] * 3)
    assert drift.shape == (n,)
    noise = Noise(measured, jnp.zeros(2), drift, jnp.full(2, 30.0))
    return noise, Guess(state, jnp.array([1.0, 1.0, 1.0, 1.0] + [0.1] * 6 + [5.0, 5.0]))


def keep(belief):
    return belief.state.thrust, belief.health.failed


def run(estimator, belief, samples):
    """One compilation for all: the same rows, the same things kept."""
    result = replay(estimator, belief, samples, keep)
    return (*(np.asarray(part) for part in result.recorded), result.belief)


def watched(lost: float, **settings):
    noise, guess = noise_and_guess()
    estimator = ThrustFilter(robot(), noise, **settings)
    return run(estimator, estimator.init(guess), course(lost))


def test_while_nothing_fails_it_is_the_plain_filter_on_the_whole_model():
    noise, guess = noise_and_guess()
    whole = Noise(noise.measurement, jnp.zeros(16), noise.drift, jnp.zeros(16))  # poses are part of its control, exact
    plain = ExtendedKalman(robot(), whole)
    theirs = replay(plain, plain.init(guess), course(0.0), lambda belief: belief.status).belief
    ours = watched(0.0)[2]
    np.testing.assert_allclose(ours.state.thrust, theirs.state.thrust, atol=1e-9)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, atol=1e-9)


def test_a_healthy_hover_names_nobody():
    assert watched(0.0)[1].max() == 0.0


def test_the_engine_that_fails_is_named_within_half_a_second_and_its_thrust_followed():
    thrust, failed, _ = watched(60.0)
    assert failed[:, 0].max() == 0.0
    named = 0.01 * np.argmax(failed[:, 1] > 0)
    assert 1.5 <= named <= 2.0  # s: it fails at 1.5
    np.testing.assert_allclose(thrust[-1], [HOVER, HOVER - 60.0], atol=3.0)


def test_without_detection_the_model_is_used_too_long():
    """Its error, over the second after a failure that detection names in half of it, is at least twice as large."""
    followed, believed = (np.abs(watched(60.0, detection=s)[0][160:, 1] - (HOVER - 60.0)) for s in ("evidence", "none"))
    assert followed.mean() < 0.5 * believed.mean()


def test_an_engine_that_agrees_with_a_healthy_one_again_is_healthy_again():
    _, failed, belief = watched(60.0)
    assert failed[-1, 1] == 1.0
    noise, _ = noise_and_guess()
    lost, back = course(60.0), course(0.0, seed=1)
    gap = lost.measurement.momentum[-1] - back.measurement.momentum[0]
    reading = FlyingReading(back.measurement.momentum + gap[None, :], back.measurement.wrench, back.measurement.rpm)
    thrust, failed, _ = run(ThrustFilter(robot(), noise), belief, Sample(back.dt, back.control, reading))
    assert failed[-1].max() == 0.0
    np.testing.assert_allclose(thrust[-1], HOVER, atol=3.0)


@pytest.mark.parametrize("dt", [0.0, float("nan"), -1.0])
def test_rows_of_no_time_that_tell_nothing_change_nothing(dt):
    noise, guess = noise_and_guess()
    estimator = ThrustFilter(robot(), noise)
    told = course(0.0)
    silent = jax.tree.map(lambda leaf: jnp.full_like(leaf, jnp.nan), told.measurement)
    belief = estimator.init(guess)
    after = run(estimator, belief, Sample(jnp.full(ROWS, dt), told.control, silent))[2]
    np.testing.assert_allclose(after.state.thrust, belief.state.thrust)
    np.testing.assert_allclose(after.covariance, belief.covariance)


@pytest.mark.parametrize("unknown", [("wrench",), ("log_mass", "offset", "foot_bias")], ids=["published", "ours"])
def test_a_reading_depends_on_the_coordinates_that_it_names_and_on_no_others(unknown):
    maps = np.tile(np.array(KIND.speed_map)[:, None], (1, 2))
    engines = Engines(
        JetEngines.of([KIND, KIND, KIND]), (0, 1, 2), np.full(3, 160.0), np.ones(3), maps, with_speed=(0, 2)
    )
    state = some_state(np.array([60.0, 70.0, 80.0]), 3, 2, unknown, n_speeds=2)
    flying = FlyingRobot(engines, MASS, feet=2)
    model = flying.at(flying.idle(state).pose)
    _, H = differentiate(lambda at: model.observe(at, model.idle(at)), state)
    support = model.support(state)
    assert support.shape == (len(H), 2)
    assert (support[:, 0] != support[:, 1]).all()
    others = np.asarray(H).copy()
    np.put_along_axis(others, support, 0.0, axis=1)
    assert not others.any()
