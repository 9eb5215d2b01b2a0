"""The step of all places together, from sums over the robots, is the one of somebody who has everybody's data."""

import numpy as np
import pytest

from steelyard.team.planar_load._contact_position import Own, torques_apart
from steelyard.team.planar_load._fit import N_UNKNOWNS, TorqueSlopes
from steelyard.team.planar_load._joint_step import COMMON, N_SHARED, N_TOLD, PATTERNS, Joint, Shared

READINGS = 40


class Everybody:
    """Least squares in the unknowns and n places, all linear: each robot reads what all places do, and its own."""

    def __init__(self, n, common, seed=2):
        rng = np.random.default_rng(seed)
        self.U, self.Z = rng.normal(size=(n, READINGS, N_SHARED)), rng.normal(size=(n, READINGS, 2))
        self.Q, self.r = rng.normal(size=(n, PATTERNS, 2)), rng.normal(size=(n, READINGS))
        self.hold = 10.0 * common * rng.normal(size=(n, COMMON, 2))
        self.end = np.eye(N_UNKNOWNS, N_SHARED)
        self.end[:4] = rng.normal(size=(4, N_SHARED))
        places = np.hstack(self.Q)
        self.to_shared = np.zeros((N_SHARED, N_UNKNOWNS + 2 * n))
        self.to_shared[:N_UNKNOWNS, :N_UNKNOWNS] = np.eye(N_UNKNOWNS)
        self.to_shared[N_UNKNOWNS:, N_UNKNOWNS:] = places
        rows = [self.U[i] @ self.to_shared for i in range(n)]
        for i, row in enumerate(rows):
            row[:, N_UNKNOWNS + 2 * i : N_UNKNOWNS + 2 * i + 2] += self.Z[i]
        rows.append(np.hstack([np.zeros((COMMON, N_UNKNOWNS)), *self.hold]))
        self.H = np.vstack(rows)
        self.g = self.H.T @ np.concatenate([*self.r, np.zeros(COMMON)])

    def robots(self):
        """The same as robots know it, each next to the fit that all share."""
        N, g = np.einsum("nia,nib->ab", self.U, self.U), np.einsum("nia,ni->a", self.U, self.r)
        shared, gain = Shared(N, g, self.end), np.zeros((N_UNKNOWNS, 2))
        for U, Z, Q, hold, r in zip(self.U, self.Z, self.Q, self.hold, self.r, strict=True):
            yield Own(1.0, Z.T @ Z, Z.T @ r, np.concatenate([U.T @ Z, Q, hold]), shared, gain)


@pytest.mark.parametrize("common", [0.0, 1.0], ids=["free", "held together"])
@pytest.mark.parametrize("n", [3, 20])
def test_the_joint_step_is_newtons_with_everybodys_data(n, common):
    everybody = Everybody(n, common)
    team = list(everybody.robots())
    told = np.sum([own.told for own in team], axis=0)
    assert told.shape == (N_TOLD,)
    joint = Joint.of(told, team[0].shared)
    inverse = np.linalg.inv(everybody.H.T @ everybody.H)
    step = -inverse @ everybody.g
    steps = np.array([own.step(joint) for own in team])
    np.testing.assert_allclose(np.stack([steps.real, steps.imag], axis=1).ravel(), step[N_UNKNOWNS:], atol=1e-8)
    L = everybody.end @ everybody.to_shared
    np.testing.assert_allclose(joint.ahead, L @ step, atol=1e-8)
    held = everybody.end[:, :N_UNKNOWNS]
    known = held @ np.linalg.inv(team[0].shared.matrix[:N_UNKNOWNS, :N_UNKNOWNS]) @ held.T
    np.testing.assert_allclose(joint.follows, L @ inverse @ L.T - known, atol=1e-8)


def test_torques_that_do_nearly_the_same_are_told_apart():
    """Where a load turns wildly all of them end alike; what else they do must not be lost beside it."""
    rng = np.random.default_rng(4)
    little = rng.normal(size=(READINGS, PATTERNS))
    much = 1e5 * rng.normal(size=(READINGS, 1)) * rng.uniform(0.5, 2.0, PATTERNS)
    by = TorqueSlopes(little + much, (little + much)[:, None], (little + much)[:4])
    apart = torques_apart(by)
    np.testing.assert_allclose(apart.residuals.T @ apart.residuals, np.eye(PATTERNS), atol=1e-9)
    np.testing.assert_allclose(by.residuals, apart.residuals @ (apart.residuals.T @ by.residuals), atol=1e-6)
    np.testing.assert_allclose(apart.path[:, 0], apart.residuals, atol=1e-7, err_msg="one combination for all they do")
    np.testing.assert_allclose(apart.end, apart.residuals[:4], atol=1e-7)


def test_torques_that_do_just_the_same_count_once():
    residuals = np.random.default_rng(5).normal(size=(READINGS, PATTERNS))
    residuals[:, 3], residuals[:, 7] = 2.0 * residuals[:, 1], 0.0
    apart = torques_apart(TorqueSlopes(residuals, residuals[:, None], residuals[:4]))
    counted = np.ones(PATTERNS)
    counted[[3, 7]] = 0.0
    np.testing.assert_allclose(apart.residuals.T @ apart.residuals, np.diag(counted), atol=1e-12)
    np.testing.assert_allclose(apart.path[:, 0], apart.residuals, atol=1e-12)
