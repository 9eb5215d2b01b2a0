"""The pieces of the joint fit against referees: geometry's regressor, finite differences, the possible loads."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from steelyard.bench.wrist import log_of
from steelyard.config import Config
from steelyard.geometry import Inertia, Twist, is_physical, wrench_regressor
from steelyard.logs import Log
from steelyard.problems.rigid_body import read_wrist_record
from steelyard.problems.rigid_body._possible import is_possible, load_of, nearest_possible, pseudo_inertia
from steelyard.problems.rigid_body._quantities import load_jacobian, load_numbers
from steelyard.problems.rigid_body._residuals import wrench_regressor as rows_of
from steelyard.problems.rigid_body._splines import DEGREE, Spline
from steelyard.problems.rigid_body._timing import lag_of
from steelyard.problems.rigid_body._trajectory import Trajectory, by_coefficients
from steelyard.worlds.wrist import WristScenario, wrist_truth

LOAD = np.array([1.5, 0.03, -0.06, 0.09, 0.021, 0.024, 0.018, 0.001, -0.002, 0.0015])


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def a_trajectory(rng) -> Trajectory:
    time = np.linspace(0.0, 2.0, 41)
    vectors = [rng.standard_normal((41, 3)) for _ in range(5)]
    return Trajectory(time, Rotation.random(41, rng=rng).as_matrix(), *vectors, np.array([0.0, 0.0, -9.81]))


def test_the_regressor_is_geometrys(rng):
    s, omega, alpha = rng.standard_normal((3, 5, 3))
    for k in range(5):
        still = Twist(jnp.asarray(omega[k]), jnp.zeros(3))
        np.testing.assert_allclose(
            rows_of(s, omega, alpha)[k],
            wrench_regressor(still, Twist(jnp.asarray(alpha[k]), jnp.asarray(s[k]))),
            atol=1e-12,
        )


def test_a_spline_follows_polynomials_of_its_degree_and_their_derivatives(rng):
    spline, polynomial = Spline.covering(-1.0, 2.0, 0.3), np.polynomial.Polynomial(rng.standard_normal(DEGREE + 1))
    time = np.sort(rng.uniform(-1.0, 2.0, 400))
    coefficients = spline.fit(time, polynomial(time)[:, None])
    for k in range(3):
        exact = polynomial.deriv(k)(time) if k else polynomial(time)
        # Normal equations lose half of the digits, and more at the ends; each derivative divides by the spacing.
        atol = 1e-3 * np.abs(exact).max() / spline.spacing**k
        np.testing.assert_allclose(spline.evaluate(coefficients, time, k)[:, 0], exact, atol=atol)


def test_sensitivities_are_derivatives_of_the_corrected_trajectory(rng):
    motion, spline = a_trajectory(rng), Spline.covering(0.0, 2.0, 0.25)
    rows = np.arange(len(motion.time))
    by, basis = motion.sensitivities(rows), spline.basis(motion.time)
    direction, step = rng.standard_normal((spline.size, 6)), 1e-6
    ahead, behind = (motion.corrected(spline, sign * step * direction) for sign in (1.0, -1.0))
    around = direction[spline.interval_of(motion.time)[:, None] + np.arange(DEGREE + 1)].reshape(len(rows), -1)
    for name in ("angular", "angular_acceleration", "specific_force"):
        difference = (getattr(ahead, name) - getattr(behind, name)) / (2 * step)
        derivatives = by_coefficients(basis, getattr(by, name))
        np.testing.assert_allclose(np.einsum("nij,nj->ni", derivatives, around), difference, rtol=1e-5, atol=1e-5)


def test_numbers_of_a_load_and_their_derivatives():
    J = load_jacobian(LOAD)
    for k, e in enumerate(1e-6 * np.eye(10)):
        np.testing.assert_allclose(J[:, k], (load_numbers(LOAD + e) - load_numbers(LOAD - e)) / 2e-6, atol=1e-7)


def test_pseudo_inertia_goes_both_ways_and_knows_what_is_possible():
    np.testing.assert_allclose(load_of(pseudo_inertia(LOAD)), LOAD, atol=1e-15)
    assert is_possible(LOAD) == bool(is_physical(Inertia.from_vector(jnp.asarray(LOAD))))
    impossible = LOAD - np.array([0, 0, 0, 0, 0.02, 0, 0, 0, 0, 0])
    assert not is_possible(impossible)


def test_the_nearest_possible_load_is_possible_and_no_other_is_nearer(rng):
    impossible = LOAD - np.array([0, 0, 0, 0, 0.02, 0, 0, 0, 0, 0])
    root = rng.standard_normal((10, 10))
    information = root @ root.T + np.eye(10)
    found = nearest_possible(impossible, information)
    assert is_possible(found)

    def distance(load: np.ndarray) -> float:
        return float((load - impossible) @ information @ (load - impossible))

    others = [found + 1e-3 * rng.standard_normal(10) for _ in range(200)]
    # A thousandth: the search keeps clear of the border by a barrier.
    assert all(distance(other) > 0.999 * distance(found) for other in others if is_possible(other))
    np.testing.assert_array_equal(nearest_possible(LOAD, information), LOAD)


def test_the_nearest_possible_load_of_a_badly_scaled_information_keeps_what_is_known(rng):
    """Mass and first moment known a thousand times better than moments that came out impossible: they stay."""
    for _ in range(20):
        wrong = LOAD + np.concatenate([np.zeros(4), rng.standard_normal(6)])
        deviations = np.array([1e-3, *[1e-4] * 3, *[0.5] * 6])
        turn = np.linalg.qr(rng.standard_normal((10, 10)))[0]
        covariance = np.diag(deviations) @ (np.eye(10) + 0.3 * turn @ np.diag(rng.uniform(0, 1, 10)) @ turn.T)
        covariance = covariance @ np.diag(deviations)
        information = np.linalg.inv(0.5 * (covariance + covariance.T))
        found = nearest_possible(wrong, information)
        assert is_possible(found)

        def distance(load: np.ndarray, information: np.ndarray = information, wrong: np.ndarray = wrong) -> float:
            return float((load - wrong) @ information @ (load - wrong))

        assert distance(found) <= distance(LOAD) + 1e-3  # LOAD is possible, too
        others = [found + 0.05 * deviations * rng.standard_normal(10) for _ in range(200)]
        assert all(distance(other) > distance(found) - 1e-2 for other in others if is_possible(other))


@pytest.mark.parametrize("frequency", [26.0, 43.0, 58.0])
def test_shaking_at_one_frequency_does_not_set_the_delay(frequency):
    """Axes that shake with different phases make any lag out of each other; the true one is 6 ms."""
    scenario = WristScenario(rate=250.0, delay=0.006, velocity=False, duration=6.0)
    log = log_of(scenario, wrist_truth(scenario, 3), 3)
    columns, phase, time = dict(log.columns), {"x": 0.3, "y": 2.1, "z": 4.0}, np.asarray(log.time)
    for axis, start in phase.items():
        for signal, size, late in (("specific_force", 5.0, 0.006), ("wrench/force", 5.0 * scenario.mass, 0.0)):
            shaking = size * np.sin(2.0 * np.pi * frequency * (time - late) + start)
            columns[f"r1/{signal}/{axis}"] = columns[f"r1/{signal}/{axis}"] + shaking
    lag = lag_of(read_wrist_record(Log(time, columns, "shaken"), "r1", Config()))
    assert lag is not None
    assert abs(lag.value - 0.006) < 0.004
