"""A simulated flight is what its figures say."""

import jax
import numpy as np
import pytest
from flights import flown, noise_of, samples_of, stacked, starts_of

from steelyard import estimators as e
from steelyard import models as m
from steelyard.geometry import SO3
from steelyard.worlds import PROFILES, MultirotorScenario, change_times, mass_at, simulate

NOISY = MultirotorScenario()
SEEDS = 20  # as the flights of `test_flight_statistics.py`, which are cached
# Sensors that control does not hear of, and motors, alone: their noise can be read off.
CALM = MultirotorScenario(
    profile="constant", trajectory="hover", duration=12.0, position_noise=0.0, attitude_noise=0.0, velocity_noise=0.0
)
PERFECT = MultirotorScenario(
    profile="step-down",
    duration=8.0,
    motor_lag=0.0,
    motor_noise=0.0,
    position_noise=0.0,
    attitude_noise=0.0,
    velocity_noise=0.0,
    rates_noise=0.0,
)
COLUMNS = (
    ["time"]
    + [f"r1/{signal}/{axis}" for signal in ("position", "linear_velocity", "rates") for axis in "xyz"]
    + [f"r1/attitude/{axis}" for axis in "wxyz"]
    + ["r1/thrust"]
    + [f"r1/throttle/{k}" for k in range(1, 5)]
    + ["truth/mass"]
)


def test_columns_bear_the_names_of_the_design_and_have_one_length():
    columns = simulate(CALM, seed=0)
    assert sorted(columns) == sorted(COLUMNS)
    assert {len(column) for column in columns.values()} == {1201}
    assert all(np.isfinite(column).all() for column in columns.values())
    np.testing.assert_allclose(np.diff(columns["time"]), 0.01, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(np.stack([columns[f"r1/attitude/{a}"] for a in "wxyz"]), axis=0), 1.0)
    assert columns["r1/throttle/1"].min() >= 0
    assert columns["r1/throttle/1"].max() <= 100


def test_a_seed_is_a_flight():
    once, again, other = (simulate(CALM, seed) for seed in (1, 1, 2))
    for name in once:
        np.testing.assert_array_equal(once[name], again[name])
    assert not np.allclose(once["r1/rates/x"], other["r1/rates/x"])
    assert not np.allclose(once["r1/position/x"], other["r1/position/x"])


def test_a_campaign_is_its_flights():
    campaign = flown(CALM, 3)
    for seed in (0, 2):
        for name, column in simulate(CALM, seed).items():
            np.testing.assert_allclose(campaign[name][seed], column, rtol=1e-8, atol=1e-9)


PROMISED = {
    "constant": [(0.0, 2.0), (0.5, 2.0), (1.0, 2.0)],
    "ramp": [(0.0, 2.0), (0.2, 2.0), (0.5, 1.6), (0.8, 1.2), (1.0, 1.2)],
    "step-down": [(0.0, 2.0), (0.499, 2.0), (0.5, 1.4), (1.0, 1.4)],
    "step-up": [(0.0, 2.0), (0.499, 2.0), (0.5, 2.6), (1.0, 2.6)],
    "steps": [(0.1, 2.0), (0.2, 2.6), (0.3, 2.6), (0.4, 1.8), (0.6, 2.4), (0.8, 1.5), (1.0, 1.5)],
}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_mass_goes_as_promised(profile):
    share, mass = np.array(PROMISED[profile]).T
    np.testing.assert_allclose(mass_at(profile, 2.0, 25.0, jax.numpy.asarray(25.0 * share)), mass, rtol=1e-12)
    for when in change_times(profile, 25.0):
        before, after = mass_at(profile, 2.0, 25.0, jax.numpy.array([when - 1e-6, when]))
        assert abs(before - after) > 0.1  # kg: steps are of 0.6 and more


def test_the_log_tells_the_mass_that_flew():
    columns = flown(NOISY, SEEDS)
    np.testing.assert_array_equal(columns["truth/mass"][0], columns["truth/mass"][7])
    np.testing.assert_allclose(
        columns["truth/mass"][0], mass_at("steps", 1.0, 25.0, jax.numpy.asarray(columns["time"][0])), rtol=1e-12
    )


def second_differences(x: np.ndarray) -> float:
    """The white noise in a smooth signal: a second difference has six times its variance."""
    return float(np.sqrt(np.mean(np.diff(x, n=2, axis=1) ** 2) / 6.0))


def test_sensors_are_as_noisy_as_stated():
    """From 150,000 numbers each, so within 1 % but for the motion's own share: 3 %."""
    columns = flown(NOISY, SEEDS)
    assert abs(second_differences(stacked(columns, "position")) / 0.01 - 1) < 0.03
    assert abs(second_differences(stacked(columns, "linear_velocity")) / 0.03 - 1) < 0.03
    q = jax.numpy.asarray(stacked(columns, "attitude", "wxyz"))
    turns = jax.jit(jax.vmap(jax.vmap(lambda a, b: (SO3(a).inverse() @ SO3(b)).log())))(q[:, :-1], q[:, 1:])
    # A turn is a first difference of attitudes already.
    assert abs(np.sqrt(np.mean(np.diff(turns, axis=1) ** 2) / 6.0) / 0.01 - 1) < 0.03
    rates = stacked(flown(CALM, 3), "rates")[:, 600:]
    assert abs(second_differences(rates) / 0.01 - 1) < 0.05


def gusts() -> tuple[np.ndarray, np.ndarray]:
    """Force along the vertical that the recorded thrust does not explain, and the thrust, N, for calm hover."""
    columns = {name: column[:, 300:] for name, column in flown(CALM, 3).items()}
    thrust = 0.5 * (columns["r1/thrust"][:, 1:] + columns["r1/thrust"][:, :-1])
    x, y = (columns[f"r1/attitude/{axis}"][:, :-1] for axis in "xy")
    up = 1.0 - 2.0 * (x**2 + y**2)
    return np.diff(columns["r1/linear_velocity/z"], axis=1) / 0.01 + 9.81 - thrust * up, thrust


def test_motor_noise_averages_to_zero_and_is_as_large_as_stated():
    """Momentum gained less impulse given, mass 1 kg: 2700 rows, so the size is known to 1.4 % and the mean to 2 %."""
    force, thrust = gusts()
    stated = 0.02 * 2.0 * 18.8 * np.sqrt(np.mean(thrust) / 4 / 18.8)
    assert abs(force.mean()) < 4 * stated / np.sqrt(force.size)
    assert abs(force.std() / stated - 1.0) < 0.06


def test_a_perfect_log_gives_the_mass_away():
    """No lag, no noise: what was asked acted until the next row. The true model is right to half a thousandth."""
    columns = flown(PERFECT, 1)
    samples = samples_of(columns, thrust_held=True)
    model = m.Multirotor(drag=(PERFECT.drag, PERFECT.quadratic_drag))
    quiet = MultirotorScenario(position_noise=1e-4, attitude_noise=1e-4, velocity_noise=1e-4, rates_noise=1e-3)
    ekf = e.ExtendedKalman(model, noise_of(quiet, drift=0.3))
    kept = e.campaign(ekf, starts_of(ekf, samples, mass=1.2), samples, lambda b: b.state.log_mass).recorded
    mass, truth, time = np.exp(kept[0]), columns["truth/mass"][0], columns["time"][0]
    settled = ((time > 2) & (time < 4)) | (time > 6)
    assert np.abs(mass[settled] / truth[settled] - 1).max() < 5e-4
