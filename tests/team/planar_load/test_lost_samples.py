"""Lost rows and blank cells cost a planar team what their share of the data is worth."""

import lost_samples
import numpy as np
import pytest
from earnest import in_earnest

from steelyard.team.planar_load._sums import Sum, own_row, spin

pytest.importorskip("mujoco")


def test_a_share_of_a_row_counts_as_that_share_of_a_robot():
    """Sums with weights are those of robots repeated: two halves of one reading are one whole reading."""
    whole = own_row(1.0, 1.0 + 2.0j, 0.3 - 0.1j, 1.0 + 0j)
    half = own_row(1.0, 1.0 + 2.0j, 0.3 - 0.1j, 1.0 + 0j, 0.5)
    weighted = [Sum.MEASURED, Sum.V, Sum.V + 1, Sum.S, Sum.S + 1, Sum.B, Sum.B + 1, Sum.Z2]
    np.testing.assert_allclose(2.0 * half[weighted], whole[weighted])
    other = own_row(2.0, -1.0 + 0.5j, 0.1 + 0.4j, 0j)
    # With exact readings of v_O + s z the weights do not matter to the spin.
    np.testing.assert_allclose(spin(half + other), spin(whole + other))


def test_a_fifth_of_the_samples_lost_costs_its_share():
    """Stated deviations grow by 1 / sqrt(0.8) (rows) and 1 / sqrt(0.64) (cells of x and y), asked 1.3 of that.

    The mass is within four of them: one in 16,000 by chance.
    """
    found = in_earnest(lost_samples.masses, 3)
    full = found["full"]
    for kind, share in (("rows", 0.8), ("cells", 0.64)):
        assert found[kind].status == "known"
        assert found[kind].std < 1.3 * full.std / np.sqrt(share)
        assert abs(found[kind].error) < 4.0 * found[kind].std
