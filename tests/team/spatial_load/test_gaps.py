"""Rows without somebody's wrench: what the filter is given of them, and what is learned."""

import numpy as np
import pytest

from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._silences import grip_moves

RATE, ROBOTS = 50.0, 3


def history_with(blank: slice, rows: int = 200) -> SampleHistory:
    """Random wrenches of 20 N; robot 1 sends nothing in some rows."""
    rng, history = np.random.default_rng(1), SampleHistory(ROBOTS, RATE, np.full(5, 0.1), False)
    raw = rng.standard_normal((rows, ROBOTS, 15))
    raw[:, :, 9:] = 20.0 * np.sin(0.05 * np.arange(rows)[:, None, None] + 6.0 * rng.random((ROBOTS, 6)))
    raw[blank, 1] = np.nan
    for k in range(rows):
        history.append(k / RATE, raw[k])
    return history


@pytest.mark.parametrize("blank", [slice(60, 150), slice(60, 70), slice(60, 62)])
def test_a_row_is_the_same_whichever_rows_it_is_asked_for_with(blank: slice):
    """The filter carries the error of the total wrench from one block to the next, in units of the row's noise."""
    history = history_with(blank)
    for begin in range(45, 155, 7):
        alone, within = history.rows(begin, begin + 2), history.rows(begin - 20, begin + 20).between(20, 22)
        np.testing.assert_array_equal(alone.wrench, within.wrench)
        np.testing.assert_array_equal(alone.weight, within.weight)
        if blank.stop - blank.start > 5:
            np.testing.assert_array_equal(alone.noise_inflation, within.noise_inflation)


def test_the_total_is_unknown_over_a_long_gap_and_a_line_over_a_short_one():
    long, short = history_with(slice(60, 150)), history_with(slice(60, 63))
    # Of a wrench of 20 N nothing is known, where 0.1 N was: (20 / 0.1)² = 40,000 in the middle, less at the ends.
    assert long.rows(60, 150).noise_inflation.min() > 500.0
    assert np.all(long.rows(60, 150).weight[:, 0, 6:] < 0.01 * long.rows(40, 50).weight[:, 0, 6:].min())  # likewise
    np.testing.assert_allclose(short.rows(60, 63).wrench[:, 1], short.rows(58, 66).wrench[2:5, 1])
    assert np.all(np.diff(short.rows(59, 64).wrench[:, 1], n=2, axis=0) < 1e-9)  # rounding


def test_a_grip_that_opens_or_closes_is_a_step_and_a_wrench_that_passes_zero_is_none():
    wrench = np.full((40, 2, 6), 60.0)
    wrench[10:20, 0] = 0.5  # standard deviations
    wrench[:, 1] = 60.0 * np.sin(0.05 * np.arange(40) - 1.0)[:, None]
    assert [tuple(one) for one in np.argwhere(grip_moves(wrench))] == [(10, 0), (20, 0)]
