"""The window's race is fair: Ceres, given the same windows, finds the same states."""

import numpy as np
import pytest

from steelyard.bench._ceres import CeresWindow
from steelyard.bench._window import answer_difference, lay_out_window


@pytest.fixture(scope="module")
def windows():
    """When the window has just filled and the mass is still far off, and later; ours iterates until it stands still."""
    return lay_out_window(seconds=1.0, window=6, iterations=8).windows([6, 7, 8, 20, 40])


def test_ceres_finds_the_same_states(windows):
    for unsolved, belief in windows:
        assert answer_difference(unsolved, belief) < 1e-6


def test_ceres_converges_on_them(windows):
    for unsolved, _ in windows:
        peer = CeresWindow(unsolved)
        assert "CONVERGENCE" in peer.solve().BriefReport()


def test_jacobians_by_hand_are_differences(windows):
    """Away from the guess, where every term counts."""
    unsolved, _ = windows[-1]
    rng = np.random.default_rng(1)
    peer = CeresWindow(unsolved)
    for cost, sizes in zip(peer.costs, [[10]] + [[10, slip.size, 10] for slip in peer.slips], strict=True):
        rows = 10 if len(sizes) == 1 else 19 + sizes[1]
        point = [0.3 * rng.standard_normal(size) for size in sizes]

        def residuals(parts, cost=cost, rows=rows):
            found = np.zeros(rows)
            cost.Evaluate(parts, found, None)
            return found

        jacobians = [np.zeros(rows * size) for size in sizes]
        cost.Evaluate(point, np.zeros(rows), jacobians)
        for block, size in enumerate(sizes):
            for k in range(size):
                ahead, behind = ([part.copy() for part in point] for _ in range(2))
                ahead[block][k] += 1e-5
                behind[block][k] -= 1e-5
                expected = (residuals(ahead) - residuals(behind)) / 2e-5
                found = jacobians[block].reshape(rows, size)[:, k]
                rounding = 1e-9 * np.abs(residuals(point)).max()  # of the differences: large numbers, small steps
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=rounding)
