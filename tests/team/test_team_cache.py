"""A cache changes what a result costs, never what it is; and every view is charged for what it takes from others."""

import time

import numpy as np

from steelyard.team import Cache

WORK = 0.02
"""s that a computation takes here."""


def _doubled(values: np.ndarray, calls: list[int]) -> np.ndarray:
    calls.append(1)
    time.sleep(WORK)
    return 2.0 * values


def test_equal_arguments_are_computed_once_for_all_views():
    calls, cache = [], Cache()

    def doubled(values):
        return _doubled(values, calls)

    views = [cache.view(), cache.view()]
    found = [view.call(doubled, np.arange(3.0)) for view in (*views, *views)]
    assert len(calls) == 1
    for one in found:
        np.testing.assert_array_equal(one, 2.0 * np.arange(3.0))
    views[0].call(doubled, np.arange(4.0))
    assert len(calls) == 2


def test_a_view_is_charged_once_for_what_another_computed_and_not_for_its_own_work():
    cache = Cache()
    first, second = cache.view(), cache.view()
    for view in (first, second, second, first):
        view.find("work", b"key", lambda: _doubled(np.ones(1), []))
    assert first.borrowed == 0.0
    assert WORK <= second.borrowed < 2.0 * WORK + 0.5  # once; a busy machine may take its time


def test_the_oldest_result_is_dropped_where_there_are_too_many():
    calls, cache = [], Cache()
    for key in (b"a", b"b", b"c", b"a"):
        cache.find("work", key, lambda: calls.append(1), keep=2)
    assert len(calls) == 4


def test_caches_share_nothing():
    calls: list[int] = []
    for cache in (Cache(), Cache()):
        cache.find("work", b"key", lambda: _doubled(np.ones(1), calls))
    assert len(calls) == 2
