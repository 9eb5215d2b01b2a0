"""Compiles a campaign's kernel with NVRTC, through CuPy, and runs it."""

import dataclasses
import functools
import importlib
import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Belief, Replay, everything
from steelyard.native.c._flights import FlightCode
from steelyard.native.cuda._lanes import Lane, in_lanes, lanes
from steelyard.native.cuda._reorder import transposed
from steelyard.native.cuda._source import kernel_source
from steelyard.native.cuda._tuning import CUDA
from steelyard.native.runtime._campaign import Keep, campaign_key, flight_code, one_of
from steelyard.native.runtime._tuning import TUNING
from steelyard.native.trace._layout import Leaf


@dataclasses.dataclass(frozen=True)
class KernelUse:
    """What a kernel takes of a multiprocessor, and how much of it stays busy."""

    registers: int
    """A thread."""
    local_bytes: int
    """A thread: what did not fit into registers."""
    warps: int
    """At a time on a multiprocessor."""
    occupancy: float
    """Those, over what it could hold."""


def cuda_pays(flights: int, steps: int) -> bool:
    """Whether there is a GPU, and so many flights that it is ahead of this machine's processor."""
    large = flights >= TUNING.flights_for_a_gpu and steps >= TUNING.steps_for_a_gpu
    return large and _reason_against() is None


def cuda_campaign(
    estimator: Any, beliefs: Belief, samples: Any, keep: Keep = everything, single: bool = False
) -> Replay:
    """A campaign on the GPU; results are where the samples are: NumPy arrays, or CuPy's where those are on the GPU."""
    cupy = the_cupy()
    kernel = _compiled(estimator, beliefs, samples, keep, single, (1, 2), False)
    leaves = jax.tree.leaves((beliefs, samples))
    flights, rows = np.shape(jax.tree.leaves(samples)[0])[:2]
    if not any(hasattr(leaf, "__cuda_array_interface__") for leaf in leaves):
        return kernel.replay(_flown_from_host(cupy, kernel, leaves, flights, rows))
    parts = []
    for begin, end in _portions(cupy, kernel.code, flights, rows):
        given = _flights_last(cupy, [cupy.asarray(leaf[begin:end]) for leaf in leaves], kernel.code)
        parts.append(_launch(cupy, kernel, given, end - begin, rows, 0, begin))
        del given
    return kernel.replay(_joined(cupy, parts))


def _flown_from_host(
    cupy: Any, kernel: "_Kernel", leaves: Sequence[np.ndarray], flights: int, rows: int
) -> list[np.ndarray]:
    """The results of NumPy arrays, as such: in float32 where those are, and the arithmetic is."""
    code = kernel.code
    narrow = code.step.single and all(leaf.dtype != np.float64 for leaf in leaves)
    results = [np.empty((flights, *leaf.shape), _made(leaf, narrow)) for leaf in code.belief.leaves]
    results += [np.empty((flights, rows, *leaf.shape), _made(leaf, narrow)) for leaf in code.recorded]

    def work(lane: Lane, begin: int, end: int) -> None:
        given = _flights_last(cupy, [lane.send(leaf[begin:end], _real(code)) for leaf in leaves], code)
        made = _launch(cupy, kernel, given, end - begin, rows, 0, begin, narrow)
        for device, host in zip(made, results, strict=True):
            lane.fetch(device, host[begin:end])

    cupy.cuda.get_current_stream().synchronize()
    in_lanes(cupy, work, _portions(cupy, code, flights, rows, lanes()))
    return results


def cuda_drawn_campaign(
    stepper: Any,
    start: Belief,
    normals: int,
    flights: int,
    rows: int,
    seed: int,
    keep: Keep,
    single: bool,
    fetch: bool = True,
) -> Replay:
    """Flights whose samples are standard normals, drawn on the GPU; all start alike. Without `fetch` results stay."""
    cupy = the_cupy()
    kernel = _compiled(stepper, start, jax.ShapeDtypeStruct((normals,), np.dtype(float)), keep, single, (0, 0), True)
    code = kernel.code
    given = [cupy.asarray(np.ravel(leaf).astype(_real(code))) for leaf in jax.tree.leaves(start)]
    parts = []
    for begin, end in _portions(cupy, code, flights, rows):
        made = _launch(cupy, kernel, given, end - begin, rows, seed, begin)
        parts.append([array.get() for array in made] if fetch else made)
    return kernel.replay(_joined(np if fetch else cupy, parts))


def kernel_use(estimator: Any, beliefs: Belief, samples: Any, keep: Keep, single: bool) -> KernelUse:
    """Of the kernel that `cuda_campaign` runs."""
    cupy = the_cupy()
    function = _compiled(estimator, beliefs, samples, keep, single, (1, 2), False).function
    device = cupy.cuda.Device().attributes
    registers, most = int(function.num_regs), device["MaxRegistersPerMultiprocessor"]
    a_warp = math.ceil(registers * 32 / 256) * 256
    whole = device["MaxThreadsPerMultiProcessor"] // 32
    warps = min(whole, most // a_warp // (CUDA.block // 32) * (CUDA.block // 32))
    return KernelUse(registers, int(function.local_size_bytes), warps, warps / whole)


def _joined(xp: Any, parts: Sequence[Sequence[Any]]) -> list[Any]:
    """The arrays of all portions, one after the other."""
    return [arrays[0] if len(arrays) == 1 else xp.concatenate(arrays) for arrays in zip(*parts, strict=True)]


class _Kernel:
    def __init__(self, code: FlightCode, function: Any, belief: Any, recorded: Any):
        self.code, self.function, self._belief, self._recorded = code, function, belief, recorded

    def replay(self, made: Sequence[Any]) -> Replay:
        split = len(self.code.belief.leaves)
        return Replay(jax.tree.unflatten(self._belief, made[:split]), jax.tree.unflatten(self._recorded, made[split:]))


_KERNELS: dict[Any, _Kernel] = {}


def _compiled(
    estimator: Any, beliefs: Any, samples: Any, keep: Keep, single: bool, lead: tuple[int, int], drawn: bool
) -> _Kernel:
    key = campaign_key(estimator, beliefs, samples, keep, single, lead), drawn
    if key[0] is not None and key in _KERNELS:
        return _KERNELS[key]
    cupy = the_cupy()
    belief = one_of(beliefs, lead[0])
    code = flight_code(estimator, belief, one_of(samples, lead[1]), keep, single, lanes=False, drawn=drawn)
    module = cupy.RawModule(code=kernel_source(code), backend="nvrtc", options=("--std=c++14",))
    structures = jax.tree.structure(belief), jax.tree.structure(jax.eval_shape(keep, belief))
    kernel = _KERNELS[key] = _Kernel(code, module.get_function("fly"), *structures)
    return kernel


def _launch(
    cupy: Any,
    kernel: _Kernel,
    given: Sequence[Any],
    flights: int,
    rows: int,
    seed: int,
    first: int,
    narrow: bool = False,
) -> list[Any]:
    """The arrays that a kernel makes, flights first and in their own types, or `narrow` ones."""
    code, real = kernel.code, _real(kernel.code)
    made = [cupy.empty((leaf.size, flights), real) for leaf in code.belief.leaves]
    made += [cupy.empty((rows * leaf.size, flights), real) for leaf in code.recorded]
    arguments = (np.int64(flights), np.int64(rows), np.uint64(seed), np.int64(first), *given, *made)
    kernel.function((math.ceil(flights / CUDA.block),), (CUDA.block,), arguments)
    shapes = [leaf.shape for leaf in code.belief.leaves] + [(rows, *leaf.shape) for leaf in code.recorded]
    return [
        transposed(cupy, array, _made(leaf, narrow)).reshape(flights, *shape)
        for array, shape, leaf in zip(made, shapes, (*code.belief.leaves, *code.recorded), strict=True)
    ]


def _made(leaf: Leaf, narrow: bool) -> np.dtype:
    return np.dtype(np.float32) if narrow and leaf.dtype == np.float64 else leaf.dtype


def _flights_last(cupy: Any, arrays: Sequence[Any], code: FlightCode) -> list[Any]:
    """Arrays on the GPU with their flights as the last axis."""
    return [
        transposed(cupy, array.reshape(array.shape[0], math.prod(array.shape[1:])), _real(code)) for array in arrays
    ]


def _real(code: FlightCode) -> np.dtype:
    return np.dtype(np.float32 if code.step.single else np.float64)


def _portions(cupy: Any, code: FlightCode, flights: int, rows: int, at_a_time: int = 1) -> list[tuple[int, int]]:
    """Runs of flights: what the GPU's memory holds at a time, or several for each that are worked on at a time."""
    recorded = sum(leaf.size for leaf in code.recorded)
    numbers = 2 * (2 * code.belief.size + rows * (recorded + (0 if code.drawn else code.sample.size)))
    free, _ = cupy.cuda.Device().mem_info
    free += cupy.get_default_memory_pool().free_bytes()
    most = max(CUDA.block, int(TUNING.share_of_gpu_memory * free / (8 * numbers * at_a_time)))
    if at_a_time > 1:
        most = min(most, max(TUNING.flights_a_portion, math.ceil(flights / (TUNING.portions_a_lane * at_a_time))))
    return [(begin, min(begin + most, flights)) for begin in range(0, flights, most)]


def the_cupy() -> Any:
    """CuPy with a GPU at hand, or one sentence."""
    reason = _reason_against()
    if reason is not None:
        raise BadInput(f'engine="cuda" {reason}; or take engine="native".')
    return importlib.import_module("cupy")


@functools.cache
def _reason_against() -> str | None:
    try:
        importlib.import_module("cupy").cuda.Device().compute_capability  # noqa: B018  asks the driver
    except ImportError:
        return 'needs CuPy, which is not installed; pip install "steelyard[cuda]"'
    except Exception as error:
        what = " ".join(str(error).split())[:120]
        return f"needs an NVIDIA GPU and its driver, which CuPy does not find here ({what}); install the driver"
    return None
