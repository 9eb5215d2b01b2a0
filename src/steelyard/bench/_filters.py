"""A step of the dearer filters over a log, each next to our extended Kalman filter."""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp

from steelyard.bench._race import keep_mass, lap, race
from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import RaceScenario, lay_out
from steelyard.bench._tuning import RACE
from steelyard.estimators import Estimator, Guess, MultiStateKalman, UnscentedKalman, replay

FILTER_RACES = 2 * RACE.rounds
"""Rounds in all, for those who show progress."""


def measure_filters(advance: Callable[[int], None] = lambda steps: None) -> list[BenchRow]:
    """Microseconds a step of a replay, and seconds of compilation apart; `advance` is called after each round."""
    scenario = lay_out()
    model, noise = scenario.estimator.model, scenario.estimator.noise
    filters = {
        "ukf_step": UnscentedKalman(model, noise),
        "msckf_step": MultiStateKalman(model, noise, RACE.clones, cloned=tuple(range(9))),
    }
    steps = scenario.samples.dt.shape[0]
    plain = _replay(scenario, scenario.estimator)
    plain()
    rows = []
    for key, estimator in filters.items():
        ours = _replay(scenario, estimator)
        begin = time.perf_counter()
        ours()
        compiled = time.perf_counter() - begin
        value, peer = race(lap(ours, steps), lap(plain, steps), advance)
        rows += [BenchRow(key, value, "us", peer), BenchRow(f"{key}_compile", compiled, "s")]
    return rows


def _replay(scenario: RaceScenario, estimator: Estimator) -> Callable[[], object]:
    belief = estimator.init(Guess(scenario.belief.state, jnp.asarray(scenario.belief.std)))
    return lambda: jax.block_until_ready(replay(estimator, belief, scenario.samples, keep_mass))
