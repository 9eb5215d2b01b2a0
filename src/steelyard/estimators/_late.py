"""Measurements that arrive late: go back to their time, take them in, and come forward again."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from steelyard.estimators._estimator import Belief, Estimator, Sample
from steelyard.estimators._status import Status, flag, forwards
from steelyard.models import Measurement

_SAME = 1e-9
"""Two times closer than this, in s, are one: a row's own is a sum of intervals, with the rounding of a sum."""


class Remembered(eqx.Module):
    """The last rows, oldest first, and the belief after each; or one row."""

    time: Float[Array, "*row"]
    """s; minus infinity where nothing is remembered yet."""
    samples: Sample
    beliefs: Belief


class LateBelief(eqx.Module):
    """A belief, and enough of the past to correct it."""

    belief: Belief
    """At the newest time."""
    memory: Remembered
    status: Int[Array, ""]
    """Flags of the last call: those of the belief, and `TOO_LATE`."""


class LateBuffer(eqx.Module):
    """Wraps any estimator so that measurements may come out of order, `rows` rows late at the most.

    A late measurement is inserted where it belongs, between two rows, and the rows after it are run again: the result
    is exactly what it would have been in order. That costs `rows` steps, but only when something is late.
    """

    estimator: Estimator
    rows: int = eqx.field(static=True)

    def init(self, belief: Belief, time: Float[Array, ""], sample: Sample) -> LateBelief:
        """Starts from a belief at a time; `sample` is an example of what will come."""
        memory = Remembered(jnp.full(self.rows, -jnp.inf), *jax.tree.map(self._repeat, (sample, belief)))
        memory = jax.tree.map(lambda rows, new: rows.at[-1].set(new), memory, Remembered(time, sample, belief))
        return LateBelief(belief, memory, belief.status)

    def step(self, late: LateBelief, sample: Sample) -> LateBelief:
        """One row, in order."""
        belief = self.estimator.step(late.belief, sample)
        time = late.memory.time[-1] + forwards(sample.dt)
        memory = jax.tree.map(
            lambda rows, new: jnp.concatenate([rows[1:], new[None]]), late.memory, Remembered(time, sample, belief)
        )
        return LateBelief(belief, memory, belief.status)

    def amend(self, late: LateBelief, measurement: Measurement, time: Float[Array, ""]) -> LateBelief:
        """Takes in a measurement of an earlier time; one older than the memory is dropped, with a status flag."""
        memory = late.memory
        nearest = memory.time[jnp.argmin(jnp.abs(memory.time - time))]
        time = jnp.where(jnp.abs(nearest - time) < _SAME, nearest, time)
        newest_before = jnp.max(jnp.where(memory.time <= time, memory.time, -jnp.inf))
        in_reach = jnp.isfinite(newest_before) & (time <= memory.time[-1])
        amended = self._insert(memory, measurement, time)
        memory = jax.tree.map(lambda new, old: jnp.where(in_reach, new, old), amended, memory)
        belief = jax.tree.map(lambda rows: rows[-1], memory.beliefs)
        return LateBelief(belief, memory, belief.status | flag(~in_reach, Status.TOO_LATE))

    def _insert(self, memory: Remembered, measurement: Measurement, time: Float[Array, ""]) -> Remembered:
        """A row at `time` between those before and after it; the interval it splits keeps its control on both sides."""
        place = jnp.maximum(jnp.sum(memory.time <= time), 1)  # rows before it; the oldest makes room
        after = jnp.minimum(place, self.rows - 1)
        led_here = jnp.where(memory.time[place - 1] == time, place - 1, after)  # at a row's own time, its own control
        control = jax.tree.map(lambda rows: rows[led_here], memory.samples.control)
        row = Sample(time - memory.time[place - 1], control, measurement)
        rest = jnp.where(place < self.rows, memory.time[after] - time, 0.0)
        dt = memory.samples.dt.at[after].set(jnp.where(place < self.rows, rest, memory.samples.dt[after]))
        samples = eqx.tree_at(lambda s: s.dt, memory.samples, dt)

        def with_row(rows, new):
            index = jnp.arange(self.rows) + 1  # the oldest row leaves
            shifted = rows[jnp.where(index < place, index, index - 1)]
            return shifted.at[place - 1].set(new)

        before = jax.tree.map(lambda rows: rows[place - 1], memory.beliefs)
        times, samples, beliefs = jax.tree.map(with_row, (memory.time, samples, memory.beliefs), (time, row, before))

        def again(belief, i):
            stepped = self.estimator.step(belief, jax.tree.map(lambda rows: rows[i], samples))
            unchanged = jax.tree.map(lambda rows: rows[i], beliefs)
            belief = jax.tree.map(lambda new, old: jnp.where(i >= place - 1, new, old), stepped, unchanged)
            return belief, belief

        _, beliefs = jax.lax.scan(again, before, jnp.arange(self.rows))
        return Remembered(times, samples, beliefs)

    def _repeat(self, leaf: Array) -> Array:
        return jnp.broadcast_to(leaf, (self.rows, *jnp.shape(leaf)))
