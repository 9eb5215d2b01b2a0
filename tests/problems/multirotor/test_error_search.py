"""What the wind is taken from, how the error model is searched, and what is said of noise and of changes unseen."""

import dataclasses

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._coloured import Blocks, ErrorModel, Likelihood, likeliest_error
from steelyard.problems.multirotor._piecewise import Fit, noise_inflation
from steelyard.problems.multirotor._smoothed import smoothed
from steelyard.problems.multirotor._wind import across_thrust, horizontal
from steelyard.worlds import MultirotorScenario, simulate


@pytest.fixture(scope="module")
def log() -> Log:
    """12 s on a loop, a constant mass, white noise."""
    columns = in_earnest(simulate, MultirotorScenario(profile="constant", duration=12.0), 3)
    return Log(columns.pop("time"), {name: one for name, one in columns.items() if "throttle" not in name}, "loop")


@pytest.fixture(scope="module")
def fitted(log: Log) -> Fit:
    return in_earnest(smoothed, read_flight_record(log.without_truth(), "r1", Config()), Config()).fit


def test_the_push_of_a_wind_has_nothing_of_an_error_along_the_thrust(fitted: Fit):
    """A mass that is 10 % off leaves 1 m/s² along the thrust, which is 0.1 m/s² across the ground by the lean here."""
    bare = dataclasses.replace(fitted, unknowns=fitted.unknowns.without(fitted.unknowns.forces))
    off = dataclasses.replace(bare, linearised=1.1 * bare.linearised)
    moved = (across_thrust(off) - across_thrust(bare))[bare.blocks.used]
    lean = np.linalg.norm(bare.blocks.R[:, :2, 2], axis=1)[bare.blocks.used]
    through_the_lean = np.sqrt(np.mean((0.9 * lean) ** 2))
    assert through_the_lean > 0.1
    assert np.sqrt(np.mean(np.sum(moved**2, axis=1))) < 0.1 * through_the_lean


def test_a_horizontal_push_is_found_whatever_the_lean_and_what_acts_along_the_thrust():
    rng = np.random.default_rng(2)
    z = np.concatenate([rng.uniform(-0.5, 0.5, (50, 2)), np.ones((50, 1))], axis=1)
    z /= np.linalg.norm(z, axis=1)[:, None]
    wind = np.array([1.5, -0.7, 0.0])
    np.testing.assert_allclose(
        horizontal(wind + z * rng.normal(size=(50, 1)), z), np.tile(wind[:2], (50, 1)), atol=1e-12
    )


def test_the_search_ends_at_the_same_error_model_from_far_and_near():
    """Five minutes of an error of 0.3 m/s² over 0.45 s, looked for from 0.63 m/s² over 2 s, where it once stayed."""
    n, dt, rng = 6000, 0.05, np.random.default_rng(4)
    keep = np.exp(-dt / 0.45)
    e = np.zeros((n, 3))
    for k in range(1, n):
        e[k] = keep * e[k - 1] + 0.3 * np.sqrt(1 - keep**2) * rng.standard_normal(3)
    velocity = np.cumsum(e * dt, axis=0) + 0.004 * rng.standard_normal((n, 3))
    fresh = np.zeros(n, bool)
    fresh[0] = True
    time = dt * np.arange(n)
    blocks = Blocks(time, np.diff(time, prepend=0.0), np.tile(np.eye(3), (n, 1, 1)), fresh, np.ones(n))
    columns = np.stack([np.zeros((n, 3)), velocity], axis=2)
    columns[:, 2, 0] = time
    near = ErrorModel(0.004, 0.01, 0.3, 0.45, 0.01, 0.3, 0.45)
    far = dataclasses.replace(near, coloured_along=0.63, time_along=2.0)
    (first, a), (second, b) = (likeliest_error(blocks, columns, np.zeros(1), one, near=True) for one in (near, far))
    assert abs(a - b) < 0.5
    assert second.time_along == pytest.approx(first.time_along, rel=0.15)
    assert second.time_along == pytest.approx(0.45, rel=0.4)
    assert Likelihood(blocks, columns, np.zeros(1))(second.logarithms()) > -np.inf


def test_noise_told_by_a_short_flight_widens_the_interval_a_little(fitted: Fit):
    """Some forty degrees of freedom tell it: the mean of the variance is a few percent above the likeliest."""
    assert not fitted.coloured
    assert 1.01 < noise_inflation(fitted) < 1.2


def test_a_flight_says_which_change_it_would_not_show(log: Log):
    """White noise only: what counts is the least that is called a change, and two deviations beyond."""
    found = in_earnest(identify, log, "multirotor")
    smallest = found["r1"].smallest_change
    assert smallest.unit == "1"
    assert 0.03 < smallest.value < 0.05
    assert "might not be seen" in found.verdict
