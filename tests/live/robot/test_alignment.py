"""Samples at a sensor's own times become one a tick of the team."""

import math

import numpy as np
import pytest

from steelyard.live.robot._alignment import Aligner


def aligned(times, values, rate=100.0, motion=1):
    one = Aligner(rate, motion)
    return [found for time, value in zip(times, values, strict=True) for found in one.take(time, (value, value))]


def test_samples_on_their_ticks_pass_unchanged():
    t = np.arange(50) / 100
    found = aligned(t + 1e-4, np.sin(t))
    assert [one.tick for one in found] == list(range(50))
    assert [one.values[0] for one in found] == np.sin(t).tolist()


@pytest.mark.parametrize("rate", [50.0, 77.0, 100.0, 250.0])
def test_a_smooth_signal_is_what_it_was_at_every_tick_whatever_the_sensors_rate(rate):
    t = 0.003 + np.arange(int(2 * rate)) / rate
    found = aligned(t, np.sin(3 * t))
    ticks = [one.tick for one in found]
    assert np.all(np.diff(ticks)[5:] == 1), "none is left out"
    errors = [one.values[0] - math.sin(3 * one.tick / 100) for one in found[30:]]
    assert np.max(np.abs(errors)) < 9 / 8 * 0.01**2 + 0.05 * 9 * 0.5 * 0.01  # of straight lines, and of a late slope


def test_lost_samples_are_missing_but_what_the_robot_did_is_not():
    t = np.arange(100) / 100
    kept = (t < 0.5) | (t > 0.6)
    found = aligned(t[kept], np.sin(3 * t[kept]))
    assert [one.tick for one in found] == list(range(100))
    gap = found[55]
    assert math.isnan(gap.values[0])
    assert abs(gap.values[1] - math.sin(3 * 0.55)) < 9 / 8 * 0.12**2


def test_samples_that_come_late_or_twice_are_left_out():
    found = aligned([0.0, 0.01, 0.01, 0.005, 0.02], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert [one.tick for one in found] == [0, 1, 2]
