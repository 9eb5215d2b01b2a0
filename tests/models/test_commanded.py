"""A vehicle behind its motors: first order, exact, and the body's own model when the motors are quick."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.geometry import SO3, local
from steelyard.models import (
    CommandedControl,
    CommandedMultirotor,
    CommandedState,
    Multirotor,
    MultirotorControl,
    MultirotorState,
)

BODY = Multirotor(drag=(0.3, 0.08))


def state(thrust=9.0, lag=None) -> CommandedState:
    velocity = jnp.array([1.0, -0.5, 0.2])
    body = MultirotorState(
        SO3.exp(jnp.array([0.2, -0.1, 0.3])), jnp.zeros(3), velocity, jnp.log(1.2), jnp.zeros(0), jnp.zeros(0)
    )
    return CommandedState(body, jnp.asarray(thrust), jnp.log(jnp.array([lag])) if lag else jnp.zeros(0))


def control(thrust=14.0, gust=0.0) -> CommandedControl:
    return CommandedControl(jnp.asarray(thrust), jnp.asarray(gust), jnp.array([0.4, -0.2, 0.1]))


@pytest.mark.parametrize("lag", [0.02, 0.05, 0.3])
def test_motors_follow_exactly_and_their_impulse_is_the_integral(lag):
    """Against ten thousand small steps of the differential equation."""
    model, dt, n = CommandedMultirotor(BODY, lag), 0.08, 10_000
    after = model.dynamics(state(), control(), dt)
    thrust, total = 9.0, 0.0
    for _ in range(n):
        middle = thrust + 0.5 * dt / n * (14.0 - thrust) / lag
        thrust += dt / n * (14.0 - middle) / lag
        total += dt / n * middle
    np.testing.assert_allclose(after.thrust, thrust, rtol=1e-7)
    body = BODY.dynamics(state().body, MultirotorControl(jnp.asarray(total / dt), control().rates), dt)
    np.testing.assert_allclose(local(body, after.body), 0.0, atol=1e-7)


def test_quick_motors_are_no_motors_and_a_gust_acts_at_once():
    model = CommandedMultirotor(BODY, 1e-9)
    after = model.dynamics(state(thrust=3.0), control(13.0, gust=1.0), 0.01)
    body = BODY.dynamics(state().body, MultirotorControl(jnp.asarray(14.0), control().rates), 0.01)
    np.testing.assert_allclose(local(body, after.body), 0.0, atol=1e-6)
    np.testing.assert_allclose(after.thrust, 13.0)


def test_a_lag_that_is_a_state_is_used_and_its_derivative_is_right():
    given, own = CommandedMultirotor(BODY, 0.07), CommandedMultirotor(BODY, 0.5)

    def speed(log_lag):
        start = state()
        start = CommandedState(start.body, start.thrust, log_lag)
        return own.dynamics(start, control(), 0.05).body.velocity[2]

    log_lag = jnp.log(jnp.array([0.07]))
    np.testing.assert_allclose(speed(log_lag), given.dynamics(state(), control(), 0.05).body.velocity[2], rtol=1e-12)
    slope = jax.grad(speed)(log_lag)[0]
    numeric = (speed(log_lag + 1e-6) - speed(log_lag - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, numeric, rtol=1e-6)


def test_no_time_is_no_step_even_to_derivatives():
    slope = jax.jacfwd(lambda dt: CommandedMultirotor(BODY, 0.05).dynamics(state(), control(), dt).body.velocity)(0.0)
    assert np.isfinite(slope).all()
    still = CommandedMultirotor(BODY, 0.05).dynamics(state(), control(), 0.0)
    np.testing.assert_allclose(local(state(), still), 0.0, atol=1e-15)
