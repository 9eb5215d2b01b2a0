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
from steelyard.native.cuda._reorder import transposed
from steelyard.native.cuda._source import BLOCK, kernel_source
from steelyard.native.cuda._transfer import download, upload
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
    code = kernel.code
    leaves = jax.tree.leaves((beliefs, samples))
    on_device = any(hasattr(leaf, "__cuda_array_interface__") for leaf in leaves)
    flights, rows = np.shape(jax.tree.leaves(samples)[0])[:2]
    layout = (*code.belief.leaves, *code.sample.leaves)
    parts = []
    for begin, end in _portions(cupy, code, flights, rows):
        portion = [leaf[begin:end] for leaf in leaves]
        there = portion if on_device else upload(cupy, portion, _real(code))
        given = [_flight_last(cupy, leaf, one, code) for leaf, one in zip(there, layout, strict=True)]
        del there
        made = _launch(cupy, kernel, given, end - begin, rows, 0, begin)
        parts.append(made if on_device else download(cupy, made))
        del given, made
    return kernel.replay(_joined(cupy if on_device else np, parts))


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
    warps = min(whole, most // a_warp // (BLOCK // 32) * (BLOCK // 32))
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
    cupy: Any, kernel: _Kernel, given: Sequence[Any], flights: int, rows: int, seed: int, first: int
) -> list[Any]:
    """The arrays that a kernel makes, flights first and in their own types."""
    code, real = kernel.code, _real(kernel.code)
    made = [cupy.empty((leaf.size, flights), real) for leaf in code.belief.leaves]
    made += [cupy.empty((rows * leaf.size, flights), real) for leaf in code.recorded]
    arguments = (np.int64(flights), np.int64(rows), np.uint64(seed), np.int64(first), *given, *made)
    kernel.function((math.ceil(flights / BLOCK),), (BLOCK,), arguments)
    shapes = [leaf.shape for leaf in code.belief.leaves] + [(rows, *leaf.shape) for leaf in code.recorded]
    return [
        transposed(cupy, array, leaf.dtype).reshape(flights, *shape)
        for array, shape, leaf in zip(made, shapes, (*code.belief.leaves, *code.recorded), strict=True)
    ]


def _flight_last(cupy: Any, array: Any, leaf: Leaf, code: FlightCode) -> Any:
    """An array on the GPU with its flights as the last axis."""
    there = cupy.asarray(array)
    return transposed(cupy, there.reshape(there.shape[0], math.prod(there.shape[1:])), _real(code))


def _real(code: FlightCode) -> np.dtype:
    return np.dtype(np.float32 if code.step.single else np.float64)


def _portions(cupy: Any, code: FlightCode, flights: int, rows: int) -> list[tuple[int, int]]:
    """Runs of flights, as many at a time as the GPU's memory holds."""
    recorded = sum(leaf.size for leaf in code.recorded)
    numbers = 2 * (2 * code.belief.size + rows * (recorded + (0 if code.drawn else code.sample.size)))
    free, _ = cupy.cuda.Device().mem_info
    free += cupy.get_default_memory_pool().free_bytes()
    most = max(BLOCK, int(TUNING.share_of_gpu_memory * free / (8 * numbers)))
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
