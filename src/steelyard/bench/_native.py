"""A step of the mass filter as machine code: next to filterpy, next to C written by hand, and over an hour."""

import time
from collections.abc import Callable

import jax
import numpy as np

from steelyard.bench._cold_cache import fresh_cache
from steelyard.bench._handwritten_c import PLAIN, STATE, load_handwritten
from steelyard.bench._memory import resident_mib
from steelyard.bench._race import lap, race, sprint
from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import lay_out
from steelyard.bench._speed import peer_lap
from steelyard.bench._tuning import RACE
from steelyard.native import NoCompiler, PackedStep, find_compiler

NATIVE_RACES = 2 * RACE.rounds
"""Rounds in all, for those who show progress."""


def measure_native(advance: Callable[[int], None] = lambda steps: None) -> list[BenchRow]:
    """Microseconds a step, called from Python; the slowest in a hundred; seconds for an hour at 1 kHz, on one core."""
    try:
        find_compiler()
    except NoCompiler:
        return []
    scenario = lay_out()
    with fresh_cache():
        begin = time.perf_counter()
        online = PackedStep(
            scenario.estimator, scenario.belief, jax.tree.map(lambda leaf: leaf[0], scenario.samples), "native"
        )
        compiled = time.perf_counter() - begin
    noise = scenario.estimator.noise
    variances = np.asarray(noise.measurement) ** 2, np.asarray(noise.control) ** 2, float(noise.drift[9]) ** 2
    peers = [load_handwritten(*variances), load_handwritten(*variances, PLAIN)]
    rows = np.stack(
        [online.pack_sample(jax.tree.map(lambda leaf, k=k: leaf[k], scenario.samples)) for k in range(RACE.steps)]
    )
    start = online.pack(scenario.belief)
    ours = lap(_calls(online.step, start, rows), RACE.steps)
    by_hand = [lap(_calls(_into(peer.call), start[:STATE], rows), RACE.steps) for peer in peers]
    step, filterpy = race(ours, peer_lap(scenario), advance)
    again, hand = sprint(ours, by_hand, advance)
    middle, slow = np.percentile(_one_by_one(online, start, rows), (50, 99))
    seconds, growth = _hour(online, start, rows)
    return [
        BenchRow("native_step", step, "us", filterpy),
        BenchRow("native_step_next_to_c", again, "us", hand),
        BenchRow("native_step_p99", slow, "us", middle),
        BenchRow("native_compile", compiled, "s"),
        BenchRow("native_hour_at_1_khz", seconds, "s"),
        BenchRow("native_hour_memory", growth, "MiB"),
    ]


def _calls(step: Callable, start: np.ndarray, rows: np.ndarray) -> Callable[[], object]:
    """One call a sample, the state in one vector."""
    samples = [row.copy() for row in rows]

    def run():
        packed = start.copy()
        for row in samples:
            step(packed, row, packed)

    return run


def _into(call: Callable) -> Callable:
    return lambda state, sample, out: call(state, sample, out)  # as thin as `PackedStep.step`


def _one_by_one(online: PackedStep, start: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Microseconds of each call."""
    packed, samples, clock = start.copy(), [row.copy() for row in rows], time.perf_counter_ns
    times = np.empty(RACE.single_calls)
    for k in range(RACE.single_calls):
        row = samples[k % RACE.steps]
        begin = clock()
        online.step(packed, row, packed)
        times[k] = clock() - begin
        if k % RACE.steps == RACE.steps - 1:
            packed = start.copy()
    return 1e-3 * times


def _hour(online: PackedStep, start: np.ndarray, rows: np.ndarray) -> tuple[float, float]:
    """Seconds of a core and growth in MiB over an hour at 1 kHz, a piece of a flight again and again, beliefs kept."""
    chunk = np.resize(rows, (RACE.hour_chunk, rows.shape[1]))
    beliefs, packed = np.empty((RACE.hour_chunk, start.size)), start.copy()
    online.run(packed, chunk, beliefs)
    before, begin = resident_mib(), time.process_time()
    for done in range(0, RACE.hour, RACE.hour_chunk):
        rows_left = min(RACE.hour_chunk, RACE.hour - done)
        online.run(packed, chunk[:rows_left], beliefs[:rows_left])
    return time.process_time() - begin, resident_mib() - before
