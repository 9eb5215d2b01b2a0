"""Over twenty flights whose mass steps four times: the filter is as uncertain as it should be, and tells the steps.

Confidence: each bound is four standard errors wide or wider, so that an honest filter fails about once in 10,000 runs
(and these seeds are fixed).
"""

import numpy as np
import pytest
from flights import LOG_MASS, flown, noise_of, samples_of, starts_of

from steelyard import estimators as e
from steelyard import models as m
from steelyard.monitor import ChangeWatch
from steelyard.worlds import MultirotorScenario, change_times

SEEDS = 20
FLIGHT = MultirotorScenario(profile="steps")
STEPS = np.array(change_times(FLIGHT.profile, FLIGHT.duration))


@pytest.fixture(scope="module")
def told():
    """Time, true mass; log mass, its standard deviation, NIS and whether a change was told, at every row."""
    columns = flown(FLIGHT, SEEDS)
    model = m.Multirotor(drag=(FLIGHT.drag, FLIGHT.quadratic_drag))
    watching = ChangeWatch(e.ExtendedKalman(model, noise_of(FLIGHT)), (LOG_MASS,), (0.3,), candidates=10)
    samples = samples_of(columns)

    def keep(b):
        return b.state.log_mass, b.std[LOG_MASS], b.innovation.nis, b.change.found

    kept = e.campaign(watching, starts_of(watching, samples), samples, keep).recorded
    return columns["time"][0], columns["truth/mass"], *map(np.asarray, kept)


def quiet(time: np.ndarray) -> np.ndarray:
    """Rows outside the first second and the second after a step."""
    return (time > 1.0) & ~np.any((time[:, None] >= STEPS) & (time[:, None] < STEPS + 1.0), axis=1)


def test_innovations_are_as_large_as_expected(told):
    """NIS of 9 channels: chi-squared, its mean over 20 flights of about 2000 rows within 1 % of 9, tails as they are.

    Four standard errors would be 0.9 %; the thrust noise goes with the root of the thrust, which the filter takes for
    that of hover, so 3 % are allowed.
    """
    time, _, _, _, nis, _ = told
    rows = nis[:, quiet(time)]
    assert abs(rows.mean() / 9.0 - 1.0) < 0.03
    assert abs(np.mean(rows > 16.919) - 0.05) < 0.01  # the 95 % point of chi-squared with 9 degrees of freedom


def test_the_band_covers_the_truth(told):
    """The 95 % band holds the true mass in 90 to 99 % of quiet rows; errors last about a second, so rows are few."""
    time, mass, log_mass, std, _, _ = told
    error = log_mass - np.log(mass)
    covered = np.abs(error) < 1.96 * std
    assert 0.90 < covered[:, quiet(time)].mean() < 0.99
    assert np.sqrt(np.mean(error[:, quiet(time)] ** 2)) < 0.01
    assert abs(error[:, quiet(time)].mean()) < 0.003


def test_steps_are_told_soon_and_nothing_else_is(told):
    time, _, _, _, _, found = told
    for step in STEPS:
        within = found[:, (time >= step) & (time < step + 0.6)]
        assert within.any(axis=1).all()
    assert found[:, quiet(time)].sum() <= 1  # a threshold of 12 means one false alarm in 16,000 s; these are 400 s


def test_half_a_second_after_a_step_the_mass_is_right_again(told):
    time, mass, log_mass, _, _, _ = told
    for step in STEPS:
        row = np.searchsorted(time, step + 0.5)
        assert np.median(np.abs(log_mass[:, row] - np.log(mass[:, row]))) < 0.02  # asked after a second
        row = np.searchsorted(time, step + 1.0)
        assert np.abs(log_mass[:, row] - np.log(mass[:, row])).max() < 0.02  # asked


def test_without_the_watch_the_same_filter_is_slow():
    """What the watch is for: the plain filter, as quiet, takes seconds to follow a step."""
    columns = {name: c[:3, :1000] for name, c in flown(FLIGHT, SEEDS).items()}
    plain = e.ExtendedKalman(m.Multirotor(drag=(FLIGHT.drag, FLIGHT.quadratic_drag)), noise_of(FLIGHT))
    samples = samples_of(columns)
    kept = e.campaign(plain, starts_of(plain, samples), samples, lambda b: b.state.log_mass).recorded
    row = np.searchsorted(columns["time"][0], STEPS[0] + 1.0)
    assert np.all(np.abs(np.asarray(kept)[:, row] - np.log(columns["truth/mass"][:, row])) > 0.1)
