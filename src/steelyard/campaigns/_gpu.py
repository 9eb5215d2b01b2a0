"""The mass filter's campaign on a GPU: its speed, its differences from the processor's, and what bounds it.

It needs CuPy, a driver and this package's core only: `python -m steelyard.campaigns._gpu` runs on a machine that has
no more than those. `steelyard bench gpu` prints the same rows.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from steelyard.campaigns._simulated_filter import NORMALS, SimulatedMassFilter, SimulatedWorld, fly_simulated
from steelyard.campaigns._tuning import GPU
from steelyard.estimators import Replay, campaign
from steelyard.native import cuda_drawn_campaign, kernel_use
from steelyard.native.cuda import the_cupy


def mass_of(belief: Any) -> tuple[Any, Any]:
    """What the campaign keeps of each row: the logarithm of the mass and its standard deviation."""
    return belief.state.log_mass, belief.std[9]


def measure_gpu(advance: Callable[[int], None] = lambda steps: None) -> list[tuple[str, float, str]]:
    """Key, value and unit: filter-steps a second with data on the GPU and off it, differences, occupancy, coverage."""
    cupy = the_cupy()
    world = SimulatedWorld(SimulatedMassFilter.build())
    estimator, one = world.simulated.estimator, world.simulated.start().belief
    samples = cuda_drawn_campaign(
        world, world.start(), NORMALS, GPU.flights, GPU.rows, 7, lambda state: state[2], False, fetch=False
    ).recorded
    beliefs = jax.tree.map(
        lambda leaf: np.ascontiguousarray(np.broadcast_to(leaf, (GPU.flights, *np.shape(leaf)))), one
    )
    data = jax.tree.map(cupy.asarray, beliefs), samples
    few = jax.tree.map(lambda leaf: leaf[: GPU.checked].get(), data)

    def on_processor() -> Replay:
        return campaign(estimator, few[0], few[1], mass_of, engine="native")

    reference = on_processor()
    a_step = _seconds(on_processor, lambda: None) / (GPU.checked * GPU.rows)
    found = [("campaign_processor", 1e9 * a_step, "ns a step, all cores")]
    host = jax.tree.map(lambda leaf: leaf.get(), data)
    for name, single in (("float64", False), ("float32", True)):

        def fly(data: Any = data, single: bool = single) -> Replay:
            return campaign(estimator, data[0], data[1], mass_of, engine="cuda", single=single)

        begin = time.perf_counter()
        flown = fly()
        cupy.cuda.Device().synchronize()
        first = time.perf_counter() - begin
        off = max(
            float(np.abs(a[: GPU.checked].get() - np.asarray(b)).max())
            for a, b in zip(jax.tree.leaves(flown.recorded), jax.tree.leaves(reference.recorded), strict=True)
        )
        del flown
        seconds = _seconds(fly, cupy.cuda.Device().synchronize)
        own = jax.tree.map(lambda leaf, single=single: leaf.astype(_own_type(leaf, single)), host)
        kinds = {"_from_host": own, "_from_pinned_memory": jax.tree.map(lambda leaf: _pinned(cupy, leaf), own)}
        if single:
            kinds["_from_host_of_float64"] = host
        for kind, arrays in kinds.items():
            taken = _seconds(lambda fly=fly, arrays=arrays: fly(arrays), lambda: None)
            found.append((f"campaign_cuda_{name}{kind}", GPU.flights * GPU.rows / taken, "steps/s"))
        del own, kinds
        use = kernel_use(estimator, *data, mass_of, single)
        found += [
            (f"campaign_cuda_{name}", GPU.flights * GPU.rows / seconds, "steps/s"),
            (f"campaign_cuda_{name}_first_call", first, "s"),
            (f"campaign_cuda_{name}_difference", off, "1"),
            (f"campaign_cuda_{name}_registers", use.registers, "a thread"),
            (f"campaign_cuda_{name}_local_memory", use.local_bytes, "bytes a thread"),
            (f"campaign_cuda_{name}_occupancy", use.occupancy, "1"),
        ]
        advance(1)
    del data, samples, host
    cupy.get_default_memory_pool().free_all_blocks()
    for name, single in (("float64", False), ("float32", True)):
        fly_simulated(1024, GPU.rows, 1, "cuda", single)
        begin = time.perf_counter()
        held = fly_simulated(GPU.drawn_flights, GPU.rows, 1, "cuda", single)
        seconds = time.perf_counter() - begin
        same = fly_simulated(GPU.checked, GPU.rows, 1, "native").log_mass
        found += [
            (f"simulated_{name}_seconds", seconds, "s"),
            (f"simulated_{name}_mass_coverage", 100.0 * float(held.inside[-1]) / GPU.drawn_flights, "%"),
            (f"simulated_{name}_least_coverage", 100.0 * float(held.inside.min()) / GPU.drawn_flights, "%"),
            (f"simulated_{name}_nees", held.nees, "1"),
            (f"simulated_{name}_difference", float(np.abs(held.log_mass[: GPU.checked] - same).max()), "1"),
        ]
        advance(1)
    return found


def _own_type(leaf: np.ndarray, single: bool) -> np.dtype:
    """Of an array that is as precise as the arithmetic."""
    return np.dtype(np.float32) if single and leaf.dtype == np.float64 else leaf.dtype


def _pinned(cupy: Any, leaf: np.ndarray) -> np.ndarray:
    """A copy in memory that the bus reads."""
    made = np.frombuffer(cupy.cuda.alloc_pinned_memory(max(leaf.nbytes, 1)), leaf.dtype, leaf.size).reshape(leaf.shape)
    made[...] = leaf
    return made


def _seconds(run: Callable[[], object], wait: Callable[[], None]) -> float:
    """The median of some runs; one before them is not counted."""
    taken = []
    for _ in range(GPU.repeats + 1):
        begin = time.perf_counter()
        run()
        wait()
        taken.append(time.perf_counter() - begin)
    return float(np.median(taken[1:]))


if __name__ == "__main__":
    print(json.dumps([{"key": key, "value": value, "unit": unit} for key, value, unit in measure_gpu()], indent=1))
