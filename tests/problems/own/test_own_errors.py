"""A robot of one's own: lost rows are put back, vague guesses do no harm, and errors of its channels are named."""

import numpy as np
import pytest

from steelyard.bench.faults._edits import delay, on, thinned, time_unit
from steelyard.bench.faults._own import cart, clean_cart
from steelyard.logs import Log
from steelyard.problems import identify_own
from steelyard.problems.own._lost_rows import with_lost_rows

CHANCE = np.random.default_rng(3)


def test_lost_rows_of_a_regular_log_are_put_back_on_the_line():
    log = clean_cart(1)
    thin = thinned(0.6)(log, CHANCE)
    filled = with_lost_rows(thin)
    inside = np.asarray(log.time)[(log.time >= thin.time[0]) & (log.time <= thin.time[-1])]
    np.testing.assert_allclose(filled.log.time, inside, atol=1e-9)
    np.testing.assert_array_equal(filled.log.columns["r1/force/x"][~filled.lost], thin.columns["r1/force/x"])
    line = np.interp(inside, thin.time, thin.columns["r1/force/x"])
    np.testing.assert_allclose(filled.log.columns["r1/force/x"], line, atol=1e-9)


def test_a_log_without_a_step_of_its_own_stays_as_it_is():
    time = np.cumsum(np.random.default_rng(0).uniform(0.005, 0.02, 400))
    log = Log(time, {"r1/force/x": np.sin(time)})
    assert with_lost_rows(log).log is log
    assert not with_lost_rows(time_unit(1.2)(clean_cart(0), CHANCE)).lost.any()


@pytest.mark.parametrize("method", ["adaptive", "ekf"])
def test_a_vague_guess_does_no_harm(method):
    """With one pass the friction of this cart ended eight deviations off, and its mass jumped."""
    found = identify_own(clean_cart(602), cart(), method)
    friction = found.robots["cart"]["friction"]
    assert friction.value is not None
    assert friction.std is not None
    assert abs(float(friction.value) - 0.8) < 4.0 * float(friction.std)  # by chance once in 16,000
    assert not found.events


def test_with_most_rows_lost_the_answer_is_right_and_the_note_says_so():
    log = thinned(0.6)(clean_cart(600), CHANCE)
    found = identify_own(log, cart())
    friction = found.robots["cart"]["friction"]
    assert friction.value is not None
    assert friction.std is not None
    assert abs(float(friction.value) - 0.8) < 4.0 * float(friction.std)  # by chance 6e-5
    assert any("rows are missing" in note for note in found.notes)


def test_a_late_reading_is_named():
    found = identify_own(on("linear_velocity", delay(0.05))(clean_cart(600), CHANCE), cart())
    assert found.robots["cart"]["mass"].status == "doubtful"
    assert "late" in found.verdict
