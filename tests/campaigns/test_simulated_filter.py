"""Flights that are simulated and filtered in one loop: the filter's own noise, so its covariance must hold."""

import numpy as np
import pytest
from compilers import has_compiler
from scipy import stats

from steelyard.campaigns import fly_simulated
from steelyard.errors import BadInput

FLIGHTS = 2000


def test_stated_covariance_holds_over_many_flights():
    """Each bound is passed by a filter with the right covariance with a probability of 0.9999."""
    if not has_compiler():
        pytest.skip("there is no C compiler")
    found = fly_simulated(FLIGHTS, 50, seed=3, engine="native")
    low, high = stats.binom.interval(1 - 1e-5, FLIGHTS, 0.95)
    assert np.all((low <= found.inside) & (found.inside <= high)), found.inside
    low, high = np.array(stats.chi2.interval(1 - 1e-4, 10 * FLIGHTS)) / FLIGHTS
    assert 0.99 * low < found.nees < 1.01 * high  # linearisation costs a little less than one in a hundred
    again = fly_simulated(40, 50, seed=3, engine="native")
    np.testing.assert_array_equal(again.log_mass, found.log_mass[:40])  # flights do not know of each other


def test_an_unknown_engine_is_one_sentence():
    with pytest.raises(BadInput, match='Unknown engine "xla"'):
        fly_simulated(10, 10, 0, "xla")
