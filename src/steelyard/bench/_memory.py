"""Memory of a program that estimates for an hour."""

import os
from pathlib import Path

import jax
import numpy as np

from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import lay_out
from steelyard.bench._tuning import RACE
from steelyard.estimators import Belief, Guess, SlidingWindow, replay

_STATM = Path("/proc/self/statm")


def measure_memory() -> list[BenchRow]:
    """MiB that the process grows by while the sliding window runs over an hour of rows, a flight again and again."""
    if not _STATM.exists():
        return []  # only on Linux
    scenario = lay_out()
    estimator = SlidingWindow(scenario.estimator.model, scenario.estimator.noise, 10)
    belief = estimator.init(Guess(scenario.belief.state, scenario.belief.std))
    chunk = jax.tree.map(lambda leaf: leaf[1 : RACE.memory_chunk + 1], scenario.samples)
    resident = []
    for _ in range(RACE.memory_rows // RACE.memory_chunk):
        belief = jax.block_until_ready(replay(estimator, belief, chunk, _nothing)).belief
        resident.append(resident_mib())
    growth = np.median(resident[-RACE.memory_warm :]) - np.median(resident[RACE.memory_warm : 2 * RACE.memory_warm])
    return [BenchRow("hour_memory_growth", max(float(growth), 0.0), "MiB")]


def _nothing(belief: Belief) -> None:
    del belief


def resident_mib() -> float:
    """Of this process, MiB."""
    pages = int(_STATM.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
