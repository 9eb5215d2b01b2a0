"""Memory of a program that estimates for an hour."""

import os
from pathlib import Path

import jax
import numpy as np

from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import lay_out
from steelyard.estimators import Belief, Guess, SlidingWindow, replay

ROWS = 20 * 3600
"""An hour at 20 Hz."""
CHUNK = 512
_STATM = Path("/proc/self/statm")
WARM = 20
"""Chunks before counting begins: compilation and the allocator have settled by then."""


def measure_memory() -> list[BenchRow]:
    """MiB that the process grows by while the sliding window runs over an hour of rows, a flight again and again."""
    if not _STATM.exists():
        return []  # only on Linux
    scenario = lay_out()
    estimator = SlidingWindow(scenario.estimator.model, scenario.estimator.noise, 10)
    belief = estimator.init(Guess(scenario.belief.state, scenario.belief.std))
    chunk = jax.tree.map(lambda leaf: leaf[1 : CHUNK + 1], scenario.samples)
    resident = []
    for _ in range(ROWS // CHUNK):
        belief = jax.block_until_ready(replay(estimator, belief, chunk, _nothing)).belief
        resident.append(resident_mib())
    growth = np.median(resident[-WARM:]) - np.median(resident[WARM : 2 * WARM])
    return [BenchRow("hour_memory_growth", max(float(growth), 0.0), "MiB")]


def _nothing(belief: Belief) -> None:
    del belief


def resident_mib() -> float:
    """Of this process, MiB."""
    pages = int(_STATM.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
