"""Jets: their published steady thrusts and step responses, their limits, and what becomes of them without fuel."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.models import ENGINE_TYPES, JetEngines, jet_acceleration, rotor_speed, steady_thrust


@pytest.mark.parametrize(
    ("kind", "throttle", "thrust"),
    [
        ("P100", 40.0, 12.5),
        ("P100", 60.0, 31.0),
        ("P100", 100.0, 76.0),
        ("P220-first", 40.0, 41.0),
        ("P220-first", 60.0, 90.0),
        ("P220-first", 100.0, 203.0),
    ],
)
def test_steady_thrust_is_the_published_one(kind, throttle, thrust):
    assert steady_thrust(ENGINE_TYPES[kind], throttle) == pytest.approx(thrust, abs=0.6)


def run(kinds, throttle, seconds, thrust, dt=0.01):
    engines = JetEngines.of([ENGINE_TYPES[kind] for kind in kinds])
    u = jnp.asarray(throttle, float)

    def step(so_far, _):
        after = engines.step(*so_far, u, dt)
        return after, after[0]

    start = (jnp.asarray(thrust, float), jnp.zeros(len(kinds)))
    return np.asarray(jax.lax.scan(step, start, None, length=round(seconds / dt))[1])


def test_a_step_up_takes_as_long_as_published():
    kinds = ["P100", "P220-first"]
    low, high = (np.array([steady_thrust(ENGINE_TYPES[k], u) for k in kinds]) for u in (60.0, 90.0))
    share = (run(kinds, [90.0, 90.0], 6.0, low) - low) / (high - low)
    rise = [0.01 * (1 + np.argmax(share > level, axis=0)) for level in (0.63, 0.9)]
    # s, read off the published step responses: to 63 %, then to 90 %.
    assert np.all((rise[0] >= 1.25) & (rise[0] <= 1.55))
    assert np.all((rise[1] >= 2.2) & (rise[1] <= 2.45))


def test_limits_hold_whatever_the_throttle():
    kinds = ["P100", "P220-first"]
    sunk, risen = run(kinds, [5.0, 5.0], 4.0, [30.0, 60.0]), run(kinds, [100.0, 100.0], 4.0, [99.0, 219.0])
    idle, maximum = ([getattr(ENGINE_TYPES[k], what) for k in kinds] for what in ("idle", "maximum"))
    np.testing.assert_allclose(sunk[-1], idle)
    assert np.all(risen <= np.array(maximum) + 1e-9)
    for told in (sunk, risen):
        assert np.abs(np.diff(told, axis=0)).max() <= 0.01 * 100.0 + 1e-9  # 100 N/s, the engine types' limit


def test_an_engine_without_throttle_dies_away():
    assert run(["P220"], [0.0], 3.0, [120.0])[-1, 0] < 0.1  # N: less than a thousandth of it is left


def test_a_step_converges_in_the_second_order():
    coarse, fine, finest = (run(["P160"], [80.0], 1.0, [60.0], dt)[-1, 0] for dt in (0.02, 0.01, 0.0025))
    assert abs(fine - finest) < 0.3 * abs(coarse - finest)  # a quarter, but for the error of the finest and third order


def test_derivatives_go_on_at_a_limit():
    """A filter must be able to learn that a thrust has left its idle."""
    engines = JetEngines.of([ENGINE_TYPES["P100"]])
    at_idle = jnp.array([2.0])
    F = jax.jacobian(lambda T: engines.step(T, jnp.zeros(1), jnp.array([5.0]), 0.01)[0])(at_idle)
    assert F[0, 0] == pytest.approx(1.0, abs=0.05)


def test_numpy_and_jax_agree():
    kind = ENGINE_TYPES["P160"]
    plain = jet_acceleration(kind.jet_parameters, 90.0, 5.0, 60.0)
    traced = jet_acceleration(jnp.asarray(kind.jet_parameters), jnp.array(90.0), jnp.array(5.0), jnp.array(60.0))
    assert float(traced) == pytest.approx(plain, rel=1e-12)


def test_rotor_speed_rises_with_thrust():
    speed = np.asarray(rotor_speed(np.array(ENGINE_TYPES["P160"].speed_map)[:, None], np.linspace(1.0, 160.0, 50)))
    assert np.all(np.diff(speed) > 0)
    assert 100e3 < speed[-1] < 140e3  # rpm: small turbines of 160 N turn at about 120,000
