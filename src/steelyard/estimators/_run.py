"""One step, many ways to run it: online, over a log, over a campaign."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from steelyard.estimators._estimator import Belief, Estimator, Sample
from steelyard.estimators._packing import Packing

Kept = Any
"""What a run keeps of every step: whatever its `keep` returns, stacked along time."""


class Replay(eqx.Module):
    """What a log taught."""

    belief: Belief
    """At the end."""
    kept: Kept
    """Of every step, time first."""


def everything(belief: Belief) -> Belief:
    """Keep whole beliefs."""
    return belief


@eqx.filter_jit
def replay(
    estimator: Estimator, belief: Belief, samples: Sample, keep: Callable[[Belief], Kept] = everything
) -> Replay:
    """The online step over a log: `samples` has a leading axis of time."""
    return _scan(estimator, belief, samples, keep)


def campaign(
    estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Kept] = everything
) -> Replay:
    """The replay of many logs at once: everything has a leading axis of flights, `samples` then time.

    On an accelerator all flights step together. On a CPU each core takes its share of them, one after the other: a step
    of one flight is a single small loop there, which beats a step of many flights as a long list of wide operations.
    """
    flights = jax.tree.leaves(beliefs)[0].shape[0]
    if jax.default_backend() != "cpu":
        return _fly_together(estimator, beliefs, samples, keep)
    shares = np.array_split(np.arange(flights), min(flights, os.cpu_count() or 1))
    parts = [jax.tree.map(lambda leaf, s=s: leaf[s[0] : s[-1] + 1], (beliefs, samples)) for s in shares]
    with ThreadPoolExecutor(len(parts)) as pool:
        replays = pool.map(lambda part: jax.block_until_ready(_fly_in_turn(estimator, part[0], part[1], keep)), parts)
        return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *replays)


@eqx.filter_jit
def _fly_together(estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Kept]) -> Replay:
    return jax.vmap(lambda belief, log: _scan(estimator, belief, log, keep))(beliefs, samples)


@eqx.filter_jit
def _fly_in_turn(estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Kept]) -> Replay:
    return jax.lax.map(lambda flight: _scan(estimator, flight[0], flight[1], keep), (beliefs, samples))


def _scan(estimator: Estimator, belief: Belief, samples: Sample, keep: Callable[[Belief], Kept]) -> Replay:
    def step(belief, sample):
        belief = estimator.step(belief, sample)
        return belief, keep(belief)

    return Replay(*jax.lax.scan(step, belief, samples))


class Online:
    """The step as a robot runs it: compiled ahead of time, one sample at a time, flat vectors in and out.

    ```python
    online = Online(estimator, belief, sample)          # compiles; both are examples of what will come
    packed = online.pack(belief)
    packed = online.step(packed, online.pack_sample(sample))
    belief = online.unpack(packed)                      # NumPy views, when somebody wants to look
    ```
    A call with two vectors costs a fraction of one with forty arrays, and a belief that is one vector is also easy to
    store, to send and to resume from.
    """

    def __init__(self, estimator: Estimator, belief: Belief, sample: Sample):
        beliefs, samples = Packing(belief), Packing(sample)

        def step(packed_belief, packed_sample):
            return beliefs.pack(estimator.step(beliefs.unpack(packed_belief), samples.unpack(packed_sample)))

        self._beliefs, self._samples = beliefs, samples
        # XLA's scheduler for concurrency spreads a hundred tiny operations over threads; in order they run faster.
        self._step = jax.jit(step, compiler_options={"xla_cpu_enable_concurrency_optimized_scheduler": False})
        self._step(np.zeros(beliefs.size), np.zeros(samples.size))  # compiles now, not at the first measurement

    def pack(self, belief: Belief) -> np.ndarray:
        """A belief as a vector."""
        return self._beliefs.pack_numpy(belief)

    def pack_sample(self, sample: Sample) -> np.ndarray:
        """A sample as a vector."""
        return self._samples.pack_numpy(sample)

    def step(self, packed_belief: np.ndarray, packed_sample: np.ndarray) -> np.ndarray:
        """One step, result in hand."""
        return np.asarray(self._step(packed_belief, packed_sample))

    def unpack(self, packed_belief: np.ndarray) -> Belief:
        """The belief in a vector."""
        return self._beliefs.unpack(packed_belief)
