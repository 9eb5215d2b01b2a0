"""The least model, the impulse model, and the way from throttle to newtons."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_models import Hover, HoverState

from steelyard.geometry import SO3
from steelyard.models import (
    ImpulseControl,
    ImpulseState,
    Multirotor,
    MultirotorControl,
    MultirotorImpulse,
    MultirotorState,
    ThrustMap,
    common_rotor_bench,
)

u = np.linspace(0.0, 1.0, 11)
MAPS = {"common": common_rotor_bench(), "square": ThrustMap(7.0 * u**2), "offset": ThrustMap(1.0 + 9.0 * u)}


@pytest.mark.parametrize("rotor", MAPS.values(), ids=MAPS)
def test_throttle_inverts_thrust(rotor):
    throttles = jnp.linspace(0.0, 1.0, 201)
    np.testing.assert_allclose(rotor.throttle(rotor.thrust(throttles)), throttles, atol=1e-12)


@pytest.mark.parametrize("rotor", MAPS.values(), ids=MAPS)
def test_a_rotor_gives_no_more_and_no_less_than_it_has(rotor):
    least, most = rotor.thrust(jnp.array([0.0, 1.0]))
    np.testing.assert_allclose(rotor.thrust(jnp.array([-0.5, 1.5])), [least, most], rtol=1e-12)
    np.testing.assert_allclose(rotor.throttle(jnp.array([-1.0, 1000.0])), [0.0, 1.0], atol=1e-12)
    assert np.isnan(rotor.throttle(jnp.asarray(jnp.nan, float)))
    np.testing.assert_allclose(rotor.full_scale, most)


def test_a_bench_table_is_its_curve_to_a_thousandth():
    v = jnp.linspace(0.0, 1.0, 1001)
    np.testing.assert_allclose(common_rotor_bench().thrust(v), 20.0 * (v - 0.1 * (v / 1.3) ** 2), atol=1e-3)


def test_hover_is_a_level_multirotor():
    mass, full = 1.3, 40.0
    hover = HoverState(jnp.log(jnp.asarray(mass * 9.81 / full)))
    nothing = jnp.zeros(0)
    for share in (0.2, 0.5, 0.9):
        a = Multirotor().acceleration(
            SO3.identity(), jnp.zeros(3), jnp.asarray(share * full), jnp.log(jnp.asarray(mass)), nothing
        )
        np.testing.assert_allclose(Hover().observe(hover, jnp.asarray(share)), a[2], rtol=1e-12)
    np.testing.assert_allclose(Hover().observe(hover, Hover().idle(hover)), 0.0, atol=1e-14)


def test_impulse_is_the_integral_of_the_dynamics():
    """Summed over a block of a flight, what the multirotor did is linear in 1/m and the drag by mass."""
    mass, drag, dt, steps = 1.3, jnp.array([0.3, 0.08]), 1e-3, 500
    model = Multirotor()
    u = MultirotorControl(jnp.asarray(14.0), jnp.array([1.5, -1.0, 2.0]))
    start = MultirotorState(
        SO3.identity(), jnp.zeros(3), jnp.array([1.0, -2.0, 0.5]), jnp.log(jnp.asarray(mass)), drag, jnp.zeros(0)
    )

    def step(x, _):
        R = (x.attitude @ SO3.exp(0.5 * dt * u.rates)).as_matrix()
        v = R.T @ x.velocity
        parts = (u.thrust * R[:, 2], -R @ (v * jnp.array([1.0, 1.0, 0.0])), -R @ (v * jnp.abs(v)))
        return model.dynamics(x, u, dt), jnp.stack(parts)

    end, parts = jax.jit(lambda: jax.lax.scan(step, start, length=steps))()
    control = ImpulseControl(*(dt * parts.sum(axis=0)))
    truth = ImpulseState(jnp.asarray(1 / mass), drag / mass)
    gained = end.velocity - start.velocity + jnp.array([0.0, 0.0, 9.81 * dt * steps])
    np.testing.assert_allclose(MultirotorImpulse().observe(truth, control), gained, atol=2e-3)
