"""A step of the mass filter: online, over a log, over a campaign; each next to filterpy."""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp

from steelyard.bench._cold_cache import fresh_cache
from steelyard.bench._race import Lap, keep_mass, lap, race
from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import RaceScenario, lay_out
from steelyard.bench._tuning import RACE
from steelyard.estimators import campaign, replay
from steelyard.native import NoCompiler, PackedStep, find_compiler

RACES = 3 * RACE.rounds
"""Rounds in all, for those who show progress."""


def measure_speed(advance: Callable[[int], None] = lambda steps: None) -> list[BenchRow]:
    """Microseconds a step, and seconds of compilation apart; `advance` is called after each round."""
    scenario = lay_out()
    rows = []
    for key, prepare in (("online_step", _online), ("replay_step", _replay), ("campaign_step", _campaign)):
        with fresh_cache():
            begin = time.perf_counter()
            ours, steps = prepare(scenario)
            ours()
            compiled = time.perf_counter() - begin
        value, peer = race(lap(ours, steps), peer_lap(scenario), advance)
        rows += [BenchRow(key, value, "us", peer), BenchRow(f"{key}_compile", compiled, "s")]
    return rows


def peer_lap(scenario: RaceScenario) -> Lap:
    """A peer is built anew for each lap, off the clock."""
    rows = scenario.peer_rows()[:200]

    def timed() -> float:
        peer = scenario.peer()

        def run():
            for row in rows:
                peer.step(*row)

        return lap(run, len(rows))()

    return timed


def _online(scenario: RaceScenario):
    """One call a sample, the result read back."""
    first = jax.tree.map(lambda leaf: leaf[0], scenario.samples)
    online = PackedStep(scenario.estimator, scenario.belief, first, engine="xla")  # `_native` has the other engine
    start = online.pack(scenario.belief)
    rows = [online.pack_sample(jax.tree.map(lambda leaf, k=k: leaf[k], scenario.samples)) for k in range(200)]

    def run():
        packed = start
        for row in rows:
            packed = online.step(packed, row)
        return packed

    return run, len(rows)


def _replay(scenario: RaceScenario):
    """A log of a minute; one of ten seconds takes less than a millisecond, a third of which is the call."""
    estimator, engine = scenario.estimator, _engine()
    samples = jax.tree.map(lambda leaf: jnp.concatenate([leaf] * 6), scenario.samples)
    return (
        lambda: jax.block_until_ready(replay(estimator, scenario.belief, samples, keep_mass, engine)),
        samples.dt.shape[0],
    )


def _campaign(scenario: RaceScenario):
    rows = 200
    samples = jax.tree.map(lambda leaf: jnp.stack([leaf[:rows]] * RACE.flights), scenario.samples)
    beliefs = jax.tree.map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * RACE.flights), scenario.belief)
    estimator, engine = scenario.estimator, _engine()
    return lambda: jax.block_until_ready(campaign(estimator, beliefs, samples, keep_mass, engine)), rows * RACE.flights


def _engine() -> str:
    """Machine code where it can be made, however short the race."""
    try:
        find_compiler()
    except NoCompiler:
        return "xla"
    return "native"
