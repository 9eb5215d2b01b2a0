"""Digits follow the uncertainty, and thinning keeps the peaks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.problems import Series
from steelyard.report import band
from steelyard.report._components import components, in_shape
from steelyard.report._digits import like, plus_minus, signed
from steelyard.report._plots import drawn, thin
from steelyard.report._truth import agreement, truth_at
from steelyard.report._tuning import LAYOUT
from steelyard.report._whiteness import Whiteness


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (0.75123, 0.00441, "0.7512 ± 0.0044"),
        (0.3, 0.0098, "0.3000 ± 0.0098"),
        (1.0, 0.0996, "1.00 ± 0.10"),
        (12.34, 1.96, "12.3 ± 2.0"),
        (12345.6, 123.0, "12350 ± 120"),
        (-0.00001, 0.5, "0.00 ± 0.50"),
        (0.0, 0.25, "0.00 ± 0.25"),
        (1.2341e-7, 5.6e-9, "(1.234 ± 0.056) × 10⁻⁷"),
        (3.0e8, 1.0e6, "(3.000 ± 0.010) × 10⁸"),
        (2.0, 0.0, "2 ± 0"),
        (2.0, np.nan, "2 ± —"),
    ],
)
def test_two_significant_digits_of_the_uncertainty(value, half, text):
    assert plus_minus(value, half) == text


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e4))
def test_what_is_shown_is_what_was_meant_to_half_a_last_digit(value, half):
    """Of two digits the last is at most a tenth of the number; half of it, and a little for binary fractions."""
    shown, shown_half = (float(part) for part in plus_minus(value, half).split(" ± "))
    assert abs(shown - value) <= 0.051 * half
    assert abs(shown_half - half) <= 0.051 * half
    assert float(like(value, half)) == shown


def test_a_change_has_a_sign():
    assert [signed(size) for size in (0.3, -0.4501, 1234.5, 0.0)] == ["+0.3", "-0.45", "+1230", "+0"]


def test_thinning_keeps_every_peak_and_every_long_gap():
    value = np.zeros(50_000)
    value[12_345], value[40_000] = 9.0, -9.0
    value[20_000:21_000] = np.nan
    kept = thin(value)
    assert len(kept) <= LAYOUT.most_points
    assert (np.diff(kept) > 0).all()
    assert {12_345, 40_000} <= set(kept.tolist())
    assert np.isnan(value[kept]).any()


def test_short_series_are_drawn_whole():
    assert thin(np.zeros(LAYOUT.most_points)).size == LAYOUT.most_points


def test_drawn_numbers_are_near_the_true_ones_and_null_where_there_is_none():
    values = np.array([1000.0001234, 1000.0005, np.nan, np.inf])
    first, second, *none = drawn(values)
    assert first == pytest.approx(values[0], abs=1e-8)
    assert second == 1000.0005
    assert none == [None, None]


def test_a_band_closes_at_every_gap():
    made = band(np.arange(5.0), np.array([1.0, 1.0, np.nan, 2.0, 2.0]), np.full(5, 0.5), 0)
    assert made["x"] == [0, 1, 1, 0, None, 3, 4, 4, 3]
    assert made["y"] == [0.5, 0.5, 1.5, 1.5, None, 1.5, 1.5, 2.5, 2.5]


def test_a_symmetric_matrix_is_shown_by_half_and_any_other_whole():
    symmetric = np.arange(9.0).reshape(1, 3, 3)
    assert len(components(symmetric)) == 9
    symmetric = symmetric + np.swapaxes(symmetric, 1, 2)
    assert [part.label for part in components(symmetric)] == ["xx", "yy", "zz", "xy", "xz", "yz"]
    assert [part.label for part in components(np.zeros(4))] == [""]


def test_six_components_of_a_log_are_the_matrix():
    matrix = in_shape(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), (3, 3))
    assert matrix is not None
    assert matrix[0].tolist() == [[1, 4, 5], [4, 2, 6], [5, 6, 3]]
    assert in_shape(np.zeros((1, 5)), (3, 3)) is None


def test_truth_is_the_nearest_sample_and_none_outside():
    truth = Series(np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]), np.zeros(3), "kg")
    found = truth_at(truth, np.array([-0.1, 0.4, 0.6, 2.0, 2.1]), ())
    np.testing.assert_array_equal(found, [np.nan, 5.0, 6.0, 7.0, np.nan])


def test_agreement_counts_what_both_know():
    time = np.arange(4.0)
    series = Series(time, np.array([np.nan, 1.0, 2.0, 3.0]), np.full(4, 1.0), "kg")
    found = agreement(series, Series(time, np.array([0.0, 1.0, 2.0, 6.0]), np.zeros(4), "kg"))
    assert found is not None
    assert (found.samples, found.rms_error, found.covered) == (3, pytest.approx(3.0**0.5), pytest.approx(2 / 3))
    assert agreement(series, None) is None


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        (Whiteness(2500, 0.951, 1.02), "as expected"),
        (Whiteness(2500, 0.80, 2.2), "surer than it should be"),
        (Whiteness(2500, 0.95, 3.0), "a few far outliers"),
        (Whiteness(2500, 1.0, 0.3), "more cautious than it need be"),
        (Whiteness(60, 0.90, 1.1), "as expected"),
        (Whiteness(5, 0.0, 9.0), "too few samples to tell"),
    ],
)
def test_figures_of_innovations_in_words(figures, words):
    assert figures.words == words
