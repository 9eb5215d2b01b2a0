"""One step, many ways to run it: over a log, over a campaign; `native` runs it online."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from steelyard.estimators._estimator import Belief, Estimator, Sample

Recorded = Any
"""What a run keeps of every step: whatever its `keep` returns, stacked along time."""


class Replay(eqx.Module):
    """The result of a replay."""

    belief: Belief
    """At the end."""
    recorded: Recorded
    """Of every step, time first."""


def everything(belief: Belief) -> Belief:
    """Keep whole beliefs."""
    return belief


@eqx.filter_jit
def replay(
    estimator: Estimator, belief: Belief, samples: Sample, keep: Callable[[Belief], Recorded] = everything
) -> Replay:
    """The online step over a log: `samples` has a leading axis of time."""
    return _scan(estimator, belief, samples, keep)


def campaign(
    estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Recorded] = everything
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
def _fly_together(estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Recorded]) -> Replay:
    return jax.vmap(lambda belief, log: _scan(estimator, belief, log, keep))(beliefs, samples)


@eqx.filter_jit
def _fly_in_turn(estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Recorded]) -> Replay:
    return jax.lax.map(lambda flight: _scan(estimator, flight[0], flight[1], keep), (beliefs, samples))


def _scan(estimator: Estimator, belief: Belief, samples: Sample, keep: Callable[[Belief], Recorded]) -> Replay:
    def step(belief, sample):
        belief = estimator.step(belief, sample)
        return belief, keep(belief)

    return Replay(*jax.lax.scan(step, belief, samples))
