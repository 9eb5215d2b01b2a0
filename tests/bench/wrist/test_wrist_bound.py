"""The wrist's Cramér-Rao bound, by two routes that share no code, and the errors of a few logs next to it."""

import dataclasses

import numpy as np
import pytest

from steelyard.bench.wrist import SENSOR_ERRORS, accuracies, bound_of, config_of, group, log_of, mistaken, outcome
from steelyard.bench.wrist._bound import ERRORS
from steelyard.problems.rigid_body import fit_record, read_wrist_record
from steelyard.problems.rigid_body._quantities import load_jacobian
from steelyard.worlds.wrist import WristScenario, wrist_truth

LOAD = WristScenario(com_x=0.05, com_y=-0.03, tilt=30.0)


@pytest.mark.parametrize("known", [True, False])
def test_the_fits_deviations_are_the_bounds(known):
    """Splines and inverse dynamics on one side, free accelerations and automatic differentiation on the other."""
    truth = wrist_truth(LOAD, 7)
    fit = fit_record(read_wrist_record(log_of(LOAD, truth, 7), "r1", config_of(LOAD, known)))
    J = load_jacobian(fit.unknowns.load)
    stated = np.sqrt(np.diag(J @ fit.load_covariance @ J.T))
    unknown = () if known else tuple(ERRORS)
    np.testing.assert_allclose(stated / bound_of(LOAD, truth, unknown).std, 1.0, atol=0.03)


def test_the_bound_falls_with_the_root_of_the_rate_and_rises_with_unknown_errors():
    slow, fast = (dataclasses.replace(LOAD, rate=rate) for rate in (50.0, 200.0))
    ratio = bound_of(slow, wrist_truth(slow, 1), ()).std / bound_of(fast, wrist_truth(fast, 1), ()).std
    np.testing.assert_allclose(ratio, 2.0, rtol=0.05)
    truth = wrist_truth(LOAD, 1)
    assert np.all(bound_of(LOAD, truth).std >= bound_of(LOAD, truth, ()).std)


def test_errors_are_those_of_the_bound():
    """Three logs with sensor errors unknown: RMS below 2.2 bounds; `steelyard trial wrist` has the campaign.

    Of three independent numbers (the mass), the RMS exceeds 2.2 once in 450 trials.
    """
    rows = accuracies("few", group("gentle", 3, False, **SENSOR_ERRORS))
    assert all(row.rms < 2.2 and 0.9 < row.stated < 1.1 for row in rows if row.given)
    assert rows[0].given == rows[1].given == 3


def test_a_lever_arm_and_a_scale_are_no_reason_to_be_wrong():
    """An inertial sensor 4 cm away whose scale is 1 % off: every number within 4 of its deviations."""
    result = outcome(dataclasses.replace(LOAD, motion="wild", lever=0.04, accelerometer_scale=0.01), 3, known=False)
    assert np.nanmax(np.abs(result.error / result.std)) < 4.0


@pytest.mark.parametrize("mistake", ["wrench of the opposite sign", "gyro in degrees", "wrench in world axes"])
def test_mistakes_are_no_confident_numbers(mistake):
    assert mistaken(None, (mistake, 0)) in ("refused", "named")
