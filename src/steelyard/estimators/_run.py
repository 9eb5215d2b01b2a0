"""One step, many ways to run it: over a log, over a campaign, on an engine of choice; `native` runs it online."""

import importlib
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from steelyard.errors import BadInput, nearest
from steelyard.estimators._estimator import Belief, Estimator, Sample
from steelyard.estimators._tuning import RUN

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


def replay(
    estimator: Estimator,
    belief: Belief,
    samples: Sample,
    keep: Callable[[Belief], Recorded] = everything,
    engine: str = "auto",
) -> Replay:
    """The online step over a log: `samples` has a leading axis of time.

    `engine` is `"xla"`, `"native"` (machine code from C, the same numbers to rounding, as NumPy arrays), or `"auto"`:
    machine code for a long log where there is a compiler, and for whatever this process has compiled already.
    """
    match chosen_engine(engine, ("auto", "native", "xla"), estimator, belief, samples, keep, (0, 1)):
        case "native":
            return _engines().native_replay(estimator, belief, samples, keep)
        case _:
            return _replay(estimator, belief, samples, keep)


def campaign(
    estimator: Estimator,
    beliefs: Belief,
    samples: Sample,
    keep: Callable[[Belief], Recorded] = everything,
    engine: str = "auto",
    single: bool = False,
) -> Replay:
    """The replay of many logs at once: everything has a leading axis of flights, `samples` then time.

    `engine` is `"xla"`, `"native"` (machine code from C, threads over flights), `"cuda"` (the same C, one thread of a
    GPU a flight) or `"auto"`: a GPU where there is one and the campaign is large, else as in `replay`. With `single`
    the arithmetic of `"native"` and `"cuda"` is in float32. NumPy arrays of float32 reach a GPU in half the time, and
    faster yet from pinned memory (`cupyx.empty_pinned`).
    """
    match chosen_engine(engine, ("auto", "native", "xla", "cuda"), estimator, beliefs, samples, keep, (1, 2), single):
        case "native":
            return _engines().native_campaign(estimator, beliefs, samples, keep, single)
        case "cuda":
            return _engines().cuda_campaign(estimator, beliefs, samples, keep, single)
        case _:
            return _xla_campaign(estimator, beliefs, samples, keep)


def chosen_engine(
    engine: str,
    known: tuple[str, ...],
    estimator: Estimator,
    beliefs: Belief,
    samples: Sample,
    keep: Callable[[Belief], Recorded],
    lead: tuple[int, int],
    single: bool = False,
) -> str:
    """What a run of these shapes runs on; `lead` says how many axes of flights and rows beliefs and samples have."""
    if engine not in known:
        raise BadInput(f'Unknown engine "{engine}"; {nearest(engine, list(known))}')
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((estimator, beliefs, samples))):
        return "xla"  # the run is part of a larger computation that JAX traces
    if engine == "xla" and single:
        raise BadInput('engine="xla" has no float32 arithmetic; take "native" or "cuda", or leave `single` out.')
    if engine != "auto":
        return engine
    steps = math.prod(np.shape(jax.tree.leaves(samples)[0])[: lead[1]])
    engines = _engines()
    if lead[0] and "cuda" in known and engines.cuda_pays(np.shape(jax.tree.leaves(beliefs)[0])[0], steps):
        return "cuda"
    if single or engines.is_compiled(estimator, beliefs, samples, keep, lead):
        return "native"
    return (
        "native" if steps >= RUN.native_from and engines.can_compile(estimator, beliefs, samples, keep, lead) else "xla"
    )


def _engines() -> Any:
    """The room above that makes machine code; looked up by name when it is asked for, so that none is imported here."""
    return importlib.import_module("steelyard.native")


@eqx.filter_jit
def _replay(estimator: Estimator, belief: Belief, samples: Sample, keep: Callable[[Belief], Recorded]) -> Replay:
    return _scan(estimator, belief, samples, keep)


def _xla_campaign(estimator: Estimator, beliefs: Belief, samples: Sample, keep: Callable[[Belief], Recorded]) -> Replay:
    """On an accelerator all flights step together; on a CPU each core takes its share of them, one after the other.

    A step of one flight is a single small loop there, which beats a step of many flights as a long list of wide
    operations.
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
