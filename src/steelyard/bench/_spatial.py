"""A robot's step in a spatial team of five, and what a row of it costs in machine code."""

import time

import jax
import numpy as np

from steelyard.bench._cold_cache import fresh_cache
from steelyard.bench._race import lap, sprint
from steelyard.bench._rows import BenchRow
from steelyard.bench._tuning import RACE
from steelyard.config import Config
from steelyard.estimators import Packing
from steelyard.logs import Log
from steelyard.native import NoCompiler, emit, load
from steelyard.problems import estimate_spatial_load_at_once, exportable_step, read_spatial_record
from steelyard.worlds import SpatialScenario, simulate_spatial


def measure_spatial() -> list[BenchRow]:
    """Microseconds a row: the agent's own step, all that it thinks included; and the row in C next to XLA's."""
    columns = simulate_spatial(SpatialScenario(robots=RACE.spatial_robots, duration=RACE.spatial_seconds), seed=1)
    log = Log(columns.pop("time"), columns, "bench")
    agent = estimate_spatial_load_at_once(read_spatial_record(log.without_truth(), Config())).seconds_a_step
    rows = [BenchRow(f"spatial_step_n{RACE.spatial_robots}", 1e6 * agent, "us")]
    ready = exportable_step("spatial-load", None, log, Config())
    parts = [np.asarray(leaf).reshape(len(leaf), -1) for leaf in jax.tree.leaves(ready.samples)]
    vectors = np.concatenate(parts, axis=1)
    run = jax.jit(lambda b, s: jax.lax.scan(lambda b, s: (ready.step(b, s), None), b, s)[0])
    jax.block_until_ready(run(ready.belief, ready.samples))
    begin = time.perf_counter()
    try:
        with fresh_cache():
            step = load(emit(ready.step, (ready.belief, jax.tree.map(lambda leaf: leaf[0], ready.samples))))
    except NoCompiler:
        return rows
    compiled, start, in_c = time.perf_counter() - begin, Packing(ready.belief).pack_numpy(ready.belief), step.run
    assert in_c is not None
    by_c, by_xla = sprint(
        lap(lambda: in_c(start.copy(), vectors, np.empty(0)), len(vectors)),
        [lap(lambda: jax.block_until_ready(run(ready.belief, ready.samples)), len(vectors))],
        lambda rounds: None,
    )
    rows.append(BenchRow(f"spatial_row_native_n{RACE.spatial_robots}", by_c, "us", by_xla))
    rows.append(BenchRow(f"spatial_row_native_n{RACE.spatial_robots}_compile", compiled, "s"))
    return rows
