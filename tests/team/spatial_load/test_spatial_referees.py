"""The spatial filter's Jacobians and its Cramér-Rao bound against `models.RigidLoad`, `geometry` and `information`.

The referee (`spatial_referee`) shares no code with the filter: Jacobians are its forward-mode derivatives, and the
bound is `information.cramer_rao` of a model of the whole team.
"""

import jax.numpy as jnp
import numpy as np
import pytest
import spatial_referee as referee
from spatial_referee import Situation, situation

from steelyard.team import LinearisationPoint
from steelyard.team.spatial_load._equations_of_motion import EquationsOfMotion, Linearised
from steelyard.team.spatial_load._measured_rows import MeasuredRows
from steelyard.team.spatial_load._row_step import JAX, RowPoint

NOISE = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
INFLATION = 1.7


@pytest.fixture(scope="module", params=[(robots, seed) for robots in (1, 3) for seed in range(3)])
def at(request) -> Situation:
    return situation(*request.param)


def equations_at(at: Situation) -> EquationsOfMotion:
    return EquationsOfMotion(LinearisationPoint(at.load, at.motion[6:], at.R, at.t), NOISE)


def row_equations_at(at: Situation) -> EquationsOfMotion:
    """The form that becomes C."""
    return EquationsOfMotion(RowPoint(*(jnp.asarray(part) for part in (at.load, at.R, at.t))), jnp.asarray(NOISE), JAX)


def row_of(at: Situation) -> MeasuredRows:
    """One row whose smoothed wrench and angular acceleration are the true ones, so that Jacobians are exact."""
    alpha = np.asarray(referee.derivatives(at).acceleration)[:3]
    readings, one, wrench = np.zeros((1, len(at.t), 9)), np.ones(1), at.wrenches[None]
    own = np.einsum("jba,b->ja", at.R, alpha)[None]
    return MeasuredRows(
        0.0 * one, readings, readings, wrench, wrench, wrench, own, 0.0 * one, 0.0 * one, INFLATION * one
    )


def assert_equal(found, wanted):
    np.testing.assert_allclose(found, np.asarray(wanted), rtol=1e-8, atol=1e-8)


def test_accelerations_and_readings_are_those_of_the_model(at):
    equations, motion, wanted = equations_at(at), at.motion[None], referee.derivatives(at)
    total = equations.total(at.wrenches[None])
    felt = equations.felt(motion[:, :3], total)
    assert_equal(felt[0], wanted.acceleration)
    assert_equal(equations.expected(motion, felt)[0], wanted.readings)
    assert_equal(equations.rate(motion, total)[0], wanted.rate)


def test_jacobians_of_the_accelerations_are_autodiffs(at):
    row = row_of(at)
    found = equations_at(at).proper_acceleration_jacobians(at.motion[None, :3], row.smoothed_wrench, row.alpha)
    by_point, by_motion = referee.derivatives(at).acceleration_by
    assert_equal(found.by_omega[0], by_motion[:, :3])
    assert_equal(found.by_point[0], by_point)


def test_jacobians_of_the_readings_are_autodiffs(at):
    equations, row = equations_at(at), row_of(at)
    found = equations.proper_acceleration_jacobians(at.motion[None, :3], row.smoothed_wrench, row.alpha)
    H, D = equations.reading_jacobians(at.motion[None], found, row.noise_inflation)
    by_point, by_motion, by_error = referee.derivatives(at).readings_by
    assert_equal(D[0], by_point)
    assert_equal(H[0, ..., :9], by_motion)
    assert_equal(H[0, ..., 9:], INFLATION * np.asarray(by_error) @ equations.L)


def test_the_row_steps_own_equations_are_those_of_the_model_and_their_jacobians_autodiffs(at):
    equations, wanted, row = row_equations_at(at), referee.derivatives(at), row_of(at)
    motion, total = jnp.asarray(at.motion), equations.total(jnp.asarray(at.wrenches))
    felt = equations.felt(motion[:3], total)
    assert_equal(felt, wanted.acceleration)
    assert_equal(equations.expected(motion, felt), wanted.readings)
    assert_equal(equations.rate(motion, total), wanted.rate)
    found = equations.proper_acceleration_jacobians(motion[:3], jnp.asarray(at.wrenches), jnp.asarray(row.alpha[0]))
    by_point, by_motion = wanted.acceleration_by
    assert_equal(found[0], by_motion[:, :3])
    assert_equal(found[1], by_point)
    H, D = equations.reading_jacobians(motion, found, jnp.asarray(INFLATION))
    by_point, by_motion, by_error = wanted.readings_by
    assert_equal(D, by_point)
    assert_equal(H[..., :9], by_motion)
    assert_equal(H[..., 9:], INFLATION * np.asarray(by_error) @ np.asarray(equations.L))
    J = np.asarray(wanted.total_by_wrenches) * NOISE
    assert_equal(equations.L @ equations.L.T, np.einsum("ajb,cjb->ac", J, J))


def test_the_error_of_the_total_wrench_has_everybodys_noise(at):
    L = equations_at(at).L
    J = np.asarray(referee.derivatives(at).total_by_wrenches) * NOISE
    assert_equal(L @ L.T, np.einsum("ajb,cjb->ac", J, J))


def test_the_jacobian_of_the_motions_rate_is_autodiffs(at):
    equations, row = equations_at(at), row_of(at)
    felt = equations.proper_acceleration_jacobians(at.motion[None, :3], row.smoothed_wrench, row.alpha)
    found = equations.rate_jacobian(at.motion[None], felt.by_omega)
    assert_equal(found[0], referee.derivatives(at).rate_by_motion)


def test_transitions_are_those_of_the_exact_flow_to_second_order():
    """An error of the third order in the interval is an eighth at half of it; constant wrenches, three robots."""
    at = situation(3, 7)
    equations, errors = equations_at(at), []
    for h in (2e-3, 1e-3):
        end, wanted = referee.flow_and_jacobians(at, jnp.asarray(h))
        ends = np.stack([at.motion, np.asarray(end)])
        both = []
        for end in ends:
            row = row_of(at._replace(motion=end))
            felt = equations.proper_acceleration_jacobians(end[:3], row.smoothed_wrench[0], row.alpha[0])
            both.append(Linearised(end, felt.by_omega, felt.by_point, row.noise_inflation[0]))
        F, _, by_point = equations.transition(*both, np.array(h))
        errors.append([np.abs(F[:, :9] - wanted[1]).max(), np.abs(by_point - wanted[0]).max()])
    ratio = np.array(errors[0]) / np.array(errors[1])
    assert np.all((ratio > 7.0) & (ratio < 9.0)), (errors, ratio)


def test_the_bound_is_that_of_information_on_a_model_of_the_team():
    """Both discretise to second order, at 100 Hz with errors of about 1e-3; at 400 Hz they are a sixteenth of that.

    The number to be below is twice what was measured: variances 1.5e-3, standard deviations 4e-4.
    """
    variances, stds = referee.bound_difference(2, 1.0, "realistic")
    assert np.abs(variances - 1.0).max() < 3e-3, variances
    assert np.abs(stds - 1.0).max() < 1e-3, stds
