"""The race is fair: both run the same filter, and the rows keep their contract."""

import numpy as np
import pytest

from steelyard.bench import BenchRow
from steelyard.bench._scenario import lay_out
from steelyard.estimators import replay


@pytest.fixture(scope="module")
def scenario():
    return lay_out(seconds=3.0)


def keep(belief):
    return belief.state.log_mass, belief.std, belief.state.attitude.wxyz


def test_filterpy_with_jacobians_by_hand_gives_the_same_numbers(scenario):
    log_mass, std, attitude = replay(scenario.estimator, scenario.belief, scenario.samples, keep).recorded
    peer = scenario.peer()
    theirs = [peer.step(*row) for row in scenario.peer_rows()]
    np.testing.assert_allclose(theirs, log_mass, rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(peer.filter.P)), std[-1], rtol=1e-7)
    np.testing.assert_allclose(np.abs(peer.q @ attitude[-1]), 1.0, atol=1e-12)


def test_a_ratio_below_one_means_that_we_are_ahead():
    assert BenchRow("step", 2.0, "us", peer=4.0).as_json() == {
        "key": "step",
        "value": 2.0,
        "unit": "us",
        "peer": 4.0,
        "ratio": 0.5,
    }
    assert BenchRow("compile", 2.0, "s").ratio is None
