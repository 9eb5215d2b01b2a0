"""Measurements that come late change nothing but when they are known."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import registry
from registry import assert_close
from small_models import Hover

from steelyard import estimators as e
from steelyard.monitor import ChangeWatch

KALMAN = e.ExtendedKalman(registry.Cart(), registry.CART_NOISE)
HOVER = e.ExtendedKalman(Hover(), registry.HOVER_NOISE)
WATCH = ChangeWatch(KALMAN, (registry.PUSH,), (2.0,), spacing=0.15, candidates=6, threshold=6.0)
ESTIMATORS = {
    "kalman": (KALMAN, registry.CART_GUESS, registry.cart_log(seed=7, jump=4.0)),
    "changes": (WATCH, registry.CART_GUESS, registry.cart_log(seed=7, jump=4.0)),
    "hover": (HOVER, registry.HOVER_GUESS, registry.hover_log(seed=7)),
}
BUFFER = 14
DELAY = 4  # rows


def row_of(samples: e.Sample, k: int) -> e.Sample:
    return jax.tree.map(lambda leaf: leaf[k], samples)


@eqx.filter_jit
def stepped(buffer: e.LateBuffer, late: e.LateBelief, sample: e.Sample) -> e.LateBelief:
    return buffer.step(late, sample)


@eqx.filter_jit
def amended(buffer: e.LateBuffer, late: e.LateBelief, measurement, time) -> e.LateBelief:
    return buffer.amend(late, measurement, time)


def started(name: str) -> tuple[e.LateBuffer, e.LateBelief, e.Sample]:
    estimator, guess, samples = ESTIMATORS[name]
    buffer = e.LateBuffer(estimator, BUFFER)
    return buffer, buffer.init(estimator.init(guess), jnp.zeros(()), row_of(samples, 0)), samples


def in_order(name: str, extra: list[tuple[float, int]]) -> e.Belief:
    """Every row and every late measurement in its place; one inside an interval splits it under its own control."""
    estimator, guess, samples = ESTIMATORS[name]
    times = np.cumsum(np.asarray(samples.dt))
    rows = [(times[k], 0, k, k) for k in range(registry.ROWS)]
    # A late one belongs to the interval that ends at or after it; at a row's own time it follows the row.
    rows += [(t, 1 + i, int(np.searchsorted(times, t)), k) for i, (t, k) in enumerate(extra)]
    belief, now = estimator.init(guess), 0.0
    for t, _, interval, k in sorted(rows):
        sample = e.Sample(
            jnp.asarray(t - now, float), row_of(samples, interval).control, row_of(samples, k).measurement
        )
        belief, now = registry.one_step(estimator, belief, sample), t
    return belief


@pytest.mark.parametrize("name", ESTIMATORS)
def test_late_is_as_good_as_in_order(name):
    buffer, late, samples = started(name)
    rng = np.random.default_rng(0)
    times = np.cumsum(np.asarray(samples.dt))
    extra = []
    for k in range(registry.ROWS):
        late = stepped(buffer, late, row_of(samples, k))
        for _ in range(rng.integers(3)):  # none, one or two, now and then in the same interval
            oldest = max(k - DELAY, 0)
            t = times[rng.integers(oldest, k + 1)] if rng.uniform() < 0.3 else rng.uniform(times[oldest], times[k])
            content = int(rng.integers(registry.ROWS // 2))
            extra.append((float(t), content))
            stamp = jnp.asarray(t + rng.uniform(-1e-12, 1e-12), float)  # clocks round, too; evidence grows by e in ms
            late = amended(buffer, late, row_of(samples, content).measurement, stamp)
            assert not int(late.status) & e.Status.TOO_LATE
    assert len(extra) > 20
    assert_close(late.belief, in_order(name, extra), rtol=1e-9, atol=1e-10)


def test_it_is_exact_to_rounding():
    """One of each kind: in an interval, twice in the same, at a row's time, now, before the buffer is full."""
    buffer, late, samples = started("kalman")
    times = np.cumsum(np.asarray(samples.dt))
    wanted = {3: [0.4 * times[1] + 0.6 * times[2]], 20: [times[18], times[20]]}
    wanted[30] = [0.5 * (times[28] + times[29]), 0.2 * times[28] + 0.8 * times[29], 0.7 * times[28] + 0.3 * times[29]]
    extra = []
    for k in range(registry.ROWS):
        late = stepped(buffer, late, row_of(samples, k))
        for t in wanted.get(k, []):
            extra.append((float(t), 5))
            late = amended(buffer, late, row_of(samples, 5).measurement, jnp.asarray(t, float))
    assert_close(late.belief, in_order("kalman", extra))


def test_older_than_the_buffer_is_too_late_and_nothing_else():
    buffer, late, samples = started("kalman")
    for k in range(registry.ROWS):
        late = stepped(buffer, late, row_of(samples, k))
    for t in (0.0, float(late.memory.time[0]) - 1e-6, float(late.memory.time[-1]) + 1e-3, np.nan):
        after = amended(buffer, late, row_of(samples, 0).measurement, jnp.asarray(t, float))
        assert int(after.status) == int(late.status) | e.Status.TOO_LATE
        assert_close((after.belief, after.memory), (late.belief, late.memory), rtol=0, atol=0)


def test_a_clock_that_fails_once_does_not_stop_the_buffer():
    buffer, late, samples = started("kalman")
    for k in range(4):
        late = stepped(buffer, late, row_of(samples, k))
    for dt in (jnp.nan, -1.0, jnp.inf):
        row = row_of(samples, 4)
        late = stepped(buffer, late, e.Sample(jnp.asarray(dt, float), row.control, row.measurement))
    late = stepped(buffer, late, row_of(samples, 5))
    now = late.memory.time[-1]
    assert not int(amended(buffer, late, row_of(samples, 3).measurement, now - 0.01).status) & e.Status.TOO_LATE
