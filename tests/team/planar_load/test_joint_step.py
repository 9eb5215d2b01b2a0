"""The joint step of all contact positions, from sums over the robots, is that of a centralised estimator."""

import numpy as np
import pytest

from steelyard.team.planar_load._contact_position import ContactLikelihood, orthogonal_torques
from steelyard.team.planar_load._fit import N_UNKNOWNS, TorqueJacobians
from steelyard.team.planar_load._joint_step import (
    CONTRIBUTION_SIZE,
    N_GAUGE,
    N_PATTERNS,
    N_SHARED,
    JointStep,
    SharedEquations,
)

READINGS = 40


class Everybody:
    """Least squares in the unknowns and n contact positions, all linear: robots read what all do, and their own."""

    def __init__(self, n, common, seed=2):
        rng = np.random.default_rng(seed)
        self.U, self.Z = rng.normal(size=(n, READINGS, N_SHARED)), rng.normal(size=(n, READINGS, 2))
        self.Q, self.r = rng.normal(size=(n, N_PATTERNS, 2)), rng.normal(size=(n, READINGS))
        self.hold = 10.0 * common * rng.normal(size=(n, N_GAUGE, 2))
        self.end = np.eye(N_UNKNOWNS, N_SHARED)
        self.end[:4] = rng.normal(size=(4, N_SHARED))
        positions = np.hstack(self.Q)
        self.to_shared = np.zeros((N_SHARED, N_UNKNOWNS + 2 * n))
        self.to_shared[:N_UNKNOWNS, :N_UNKNOWNS] = np.eye(N_UNKNOWNS)
        self.to_shared[N_UNKNOWNS:, N_UNKNOWNS:] = positions
        rows = [self.U[i] @ self.to_shared for i in range(n)]
        for i, row in enumerate(rows):
            row[:, N_UNKNOWNS + 2 * i : N_UNKNOWNS + 2 * i + 2] += self.Z[i]
        rows.append(np.hstack([np.zeros((N_GAUGE, N_UNKNOWNS)), *self.hold]))
        self.H = np.vstack(rows)
        self.g = self.H.T @ np.concatenate([*self.r, np.zeros(N_GAUGE)])

    def robots(self):
        """The same as the robots know it, each next to the shared fit."""
        N, g = np.einsum("nia,nib->ab", self.U, self.U), np.einsum("nia,ni->a", self.U, self.r)
        shared, gain = SharedEquations(N, g, self.end), np.zeros((N_UNKNOWNS, 2))
        for U, Z, Q, hold, r in zip(self.U, self.Z, self.Q, self.hold, self.r, strict=True):
            yield ContactLikelihood(1.0, Z.T @ Z, Z.T @ r, np.concatenate([U.T @ Z, Q, hold]), shared, gain)


@pytest.mark.parametrize("common", [0.0, 1.0], ids=["free", "held together"])
@pytest.mark.parametrize("n", [3, 20])
def test_the_joint_step_is_newtons_with_everybodys_data(n, common):
    everybody = Everybody(n, common)
    team = list(everybody.robots())
    total = np.sum([own.contribution for own in team], axis=0)
    assert total.shape == (CONTRIBUTION_SIZE,)
    joint = JointStep.of(total, team[0].shared)
    inverse = np.linalg.inv(everybody.H.T @ everybody.H)
    step = -inverse @ everybody.g
    steps = np.array([own.step(joint) for own in team])
    np.testing.assert_allclose(np.stack([steps.real, steps.imag], axis=1).ravel(), step[N_UNKNOWNS:], atol=1e-8)
    L = everybody.end @ everybody.to_shared
    np.testing.assert_allclose(joint.shift, L @ step, atol=1e-8)
    held = everybody.end[:, :N_UNKNOWNS]
    known = held @ np.linalg.inv(team[0].shared.matrix[:N_UNKNOWNS, :N_UNKNOWNS]) @ held.T
    np.testing.assert_allclose(joint.covariance, L @ inverse @ L.T - known, atol=1e-8)


def test_torques_that_do_nearly_the_same_are_told_apart():
    """Where a load turns wildly all of them end alike; what else they do must not be lost beside it."""
    rng = np.random.default_rng(4)
    little = rng.normal(size=(READINGS, N_PATTERNS))
    much = 1e5 * rng.normal(size=(READINGS, 1)) * rng.uniform(0.5, 2.0, N_PATTERNS)
    by = TorqueJacobians(little + much, (little + much)[:, None], (little + much)[:4])
    apart = orthogonal_torques(by)
    np.testing.assert_allclose(apart.residuals.T @ apart.residuals, np.eye(N_PATTERNS), atol=1e-9)
    np.testing.assert_allclose(by.residuals, apart.residuals @ (apart.residuals.T @ by.residuals), atol=1e-6)
    np.testing.assert_allclose(apart.path[:, 0], apart.residuals, atol=1e-7, err_msg="one combination for all they do")
    np.testing.assert_allclose(apart.end, apart.residuals[:4], atol=1e-7)


def test_torques_that_do_just_the_same_count_once():
    residuals = np.random.default_rng(5).normal(size=(READINGS, N_PATTERNS))
    residuals[:, 3], residuals[:, 7] = 2.0 * residuals[:, 1], 0.0
    apart = orthogonal_torques(TorqueJacobians(residuals, residuals[:, None], residuals[:4]))
    counted = np.ones(N_PATTERNS)
    counted[[3, 7]] = 0.0
    np.testing.assert_allclose(apart.residuals.T @ apart.residuals, np.diag(counted), atol=1e-12)
    np.testing.assert_allclose(apart.path[:, 0], apart.residuals, atol=1e-12)
