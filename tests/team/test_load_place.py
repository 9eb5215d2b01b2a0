"""The step of all places together, from sums over the robots, is the one of somebody who has everybody's curvature."""

import numpy as np
import pytest

from steelyard.team.load._place import N_TOLD, Joint, Own

PARTS, COMMON, UNKNOWNS = 16, 4, 11


def robots(n, seed=2):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        root = rng.normal(size=(2, 2))
        curvature, gradient = np.eye(2) + root @ root.T, rng.normal(size=2)
        effects, gain = rng.normal(size=(PARTS + COMMON + UNKNOWNS, 2)), rng.normal(size=(UNKNOWNS, 2))
        found.append(Own(1.0, curvature, gradient, effects, gain, n, True))
    return found


@pytest.mark.parametrize("n", [3, 20])
def test_the_joint_step_is_the_constrained_newton_step(n):
    team = robots(n)
    told = sum(own.told for own in team)
    assert np.shape(told) == (N_TOLD,)
    joint = Joint.of(np.asarray(told))
    E, g = np.concatenate([own.effects for own in team], axis=1), np.concatenate([own.gradient for own in team])
    Q, C, S = np.split(E, [PARTS, PARTS + COMMON])
    H = Q.T @ Q
    for i, own in enumerate(team):
        H[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] += own.curvature
    free = np.linalg.svd(C)[2][COMMON:].T  # steps that leave the common motion as it is
    inverse = free @ np.linalg.solve(free.T @ H @ free, free.T)
    steps = np.array([own.step(joint) for own in team])
    np.testing.assert_allclose(np.stack([steps.real, steps.imag], axis=1).ravel(), -inverse @ g, atol=1e-9)
    np.testing.assert_allclose(joint.ahead, -S @ inverse @ g, atol=1e-8)
    np.testing.assert_allclose(joint.follows, S @ inverse @ S.T, atol=1e-8)
    assert np.linalg.eigvalsh(joint.at_most - joint.follows).min() > -1e-9
