"""Many flights through the machine code that `Online` runs: one loop over rows in C, threads over flights."""

import ctypes
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Belief, Replay, everything
from steelyard.native.c._emit import emit
from steelyard.native.c._flights import FlightCode, fly_source
from steelyard.native.runtime._compiler import FLAGS, HERE, NoCompiler, shared_library
from steelyard.native.runtime._packed_step import warn_once
from steelyard.native.runtime._tuning import TUNING
from steelyard.native.trace._layout import Layout, Leaf

Keep = Callable[[Belief], Any]


def native_campaign(
    estimator: Any, beliefs: Belief, samples: Any, keep: Keep = everything, single: bool = False
) -> Replay:
    """A campaign in machine code; everything has a leading axis of flights, `samples` then time.

    The results are NumPy arrays. With `single` the arithmetic is in float32, the arrays keep their types.
    """
    flights = np.shape(jax.tree.leaves(beliefs)[0])[0]
    return _insisted(estimator, beliefs, samples, keep, single, (1, 2)).run(beliefs, samples, flights)


def native_replay(estimator: Any, belief: Belief, samples: Any, keep: Keep = everything) -> Replay:
    """One flight in machine code, as NumPy arrays; `samples` has a leading axis of time."""
    return _insisted(estimator, belief, samples, keep, False, (0, 1)).run(belief, samples, None)


def native_drawn_campaign(
    stepper: Any, start: Belief, normals: int, flights: int, rows: int, seed: int, keep: Keep, single: bool
) -> Replay:
    """Flights whose samples are standard normals, drawn in the loop; all start alike."""
    drawn = jax.ShapeDtypeStruct((normals,), np.dtype(float))
    return _insisted(stepper, start, drawn, keep, single, (0, 0), True).draw(start, flights, rows, seed)


class CompiledFlights:
    """The loop of one estimator in machine code."""

    def __init__(self, code: FlightCode, belief: Belief, keep: Keep):
        self.code, self._fly = code, _loaded(code)
        self.belief = jax.tree.structure(belief)
        self.recorded = jax.tree.structure(jax.eval_shape(keep, belief))

    def draw(self, start: Belief, flights: int, rows: int, seed: int) -> Replay:
        """Flights of drawn samples."""
        return self._flown(_arrays(jax.tree.leaves(start), self.code.belief.leaves, ()), (flights,), rows, seed)

    def run(self, beliefs: Belief, samples: Any, flights: int | None) -> Replay:
        """All flights; `flights` is None for arrays that have no axis of flights."""
        lead = () if flights is None else (flights,)
        leaves = jax.tree.leaves(samples)
        rows = np.shape(leaves[0])[len(lead)]
        given = _arrays(jax.tree.leaves(beliefs), self.code.belief.leaves, lead)
        given += _arrays(leaves, self.code.sample.leaves, (*lead, rows))
        return self._flown(given, lead, rows, 0)

    def _flown(self, given: Sequence[np.ndarray], lead: tuple[int, ...], rows: int, seed: int) -> Replay:
        code = self.code
        after = [np.empty((*lead, *leaf.shape), leaf.dtype) for leaf in code.belief.leaves]
        recorded = [np.empty((*lead, rows, *leaf.shape), leaf.dtype) for leaf in code.recorded]
        pointers_in, pointers_out = _pointers(given), _pointers([*after, *recorded])
        shares = _shares(math.prod(lead), rows)
        if len(shares) == 1:
            self._fly(*shares[0], rows, seed, pointers_in, pointers_out)
        else:
            with ThreadPoolExecutor(min(len(shares), os.cpu_count() or 1)) as pool:
                list(pool.map(lambda share: self._fly(*share, rows, seed, pointers_in, pointers_out), shares))
        return Replay(jax.tree.unflatten(self.belief, after), jax.tree.unflatten(self.recorded, recorded))


_COMPILED: dict[Any, CompiledFlights] = {}
"""What this process has loaded, by estimator, its numbers included: they are constants of the machine code."""


def compiled_flights(
    estimator: Any,
    beliefs: Belief,
    samples: Any,
    keep: Keep,
    single: bool,
    lead: tuple[int, int],
    drawn: bool = False,
) -> CompiledFlights:
    """The loop, compiled or from a cache; `lead` says how many axes of flights and rows beliefs and samples have."""
    key = campaign_key(estimator, beliefs, samples, keep, single, lead)
    key = None if key is None else (key, drawn)
    if key is not None and key in _COMPILED:
        return _COMPILED[key]
    belief = one_of(beliefs, lead[0])
    code = flight_code(estimator, belief, one_of(samples, lead[1]), keep, single, drawn=drawn)
    made = CompiledFlights(code, belief, keep)
    if key is not None:
        if len(_COMPILED) >= TUNING.loaded_campaigns:
            _COMPILED.pop(next(iter(_COMPILED)))
        _COMPILED[key] = made
    return made


def is_compiled(estimator: Any, beliefs: Belief, samples: Any, keep: Keep, lead: tuple[int, int]) -> bool:
    """Whether this process has the machine code already."""
    return (campaign_key(estimator, beliefs, samples, keep, False, lead), False) in _COMPILED


def can_compile(estimator: Any, beliefs: Belief, samples: Any, keep: Keep, lead: tuple[int, int]) -> bool:
    """Whether machine code can be made; a `NoCompilerWarning` says once why not."""
    try:
        compiled_flights(estimator, beliefs, samples, keep, False, lead)
    except (NoCompiler, BadInput) as error:
        warn_once(f"{str(error).rstrip('.')}; steps run through XLA, with the same numbers and more time.")
        return False
    return True


def _insisted(*wanted: Any) -> CompiledFlights:
    try:
        return compiled_flights(*wanted)
    except NoCompiler as error:
        raise BadInput(f'{error}; install one, or take engine="xla".') from None


def flight_code(
    estimator: Any,
    belief: Belief,
    sample: Any,
    keep: Keep = everything,
    single: bool = False,
    lanes: bool = True,
    drawn: bool = False,
) -> FlightCode:
    """The step in C, and where the belief and what is recorded lie in its result; `lanes` as in `emit`."""
    whole = keep is everything

    def step(belief, sample):
        after = estimator.step(belief, sample)
        return after if whole else (after, keep(after))

    code = emit(step, (belief, sample), single=single, symmetric=("covariance",), lanes=lanes)
    before, made = Layout.of("belief", belief), code.result.leaves
    leaves, recorded = made[: len(before.leaves)], made[len(before.leaves) :]
    if [(leaf.shape, leaf.dtype) for leaf in leaves] != [(leaf.shape, leaf.dtype) for leaf in before.leaves]:
        raise ValueError("A step must give a belief of the shapes and types that it was given.")
    return FlightCode(code, before, Layout.of("sample", sample), before.leaves if whole else recorded, drawn)


def campaign_key(estimator: Any, beliefs: Belief, samples: Any, keep: Keep, single: bool, lead: tuple[int, int]) -> Any:
    """Equal for calls that need the same machine code; None for an estimator that cannot be compared."""
    leaves, structure = jax.tree.flatten(estimator)
    numbers = tuple((np.asarray(leaf).tobytes(), np.shape(leaf)) if hasattr(leaf, "dtype") else leaf for leaf in leaves)
    trees = [jax.tree.flatten(tree) for tree in (beliefs, samples)]
    shapes = tuple(
        (*(np.shape(leaf)[skip:]), _type_of(leaf)) for skip, tree in zip(lead, trees, strict=True) for leaf in tree[0]
    )
    key = structure, numbers, trees[0][1], trees[1][1], shapes, keep, single
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _loaded(code: FlightCode) -> Callable[..., None]:
    path = shared_library(fly_source(code), (*FLAGS, *HERE))
    try:
        fly = ctypes.CDLL(str(path)).fly  # a call through CDLL releases Python's lock
    except OSError as error:
        raise NoCompiler(f"{path} cannot be loaded: {error}") from None
    fly.restype = None
    fly.argtypes = [*[ctypes.c_int64] * 3, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p]
    return fly


def one_of(tree: Any, lead: int) -> Any:
    """Shapes and types of a tree without its leading axes."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(np.shape(leaf)[lead:], _type_of(leaf)), tree)


def _type_of(leaf: Any) -> np.dtype:
    """A Python number counts as JAX counts it; float32 is how numbers come, and no reason to compute in it."""
    found = np.dtype(leaf.dtype if hasattr(leaf, "dtype") else jax.numpy.result_type(leaf))
    return np.dtype(float) if found in (np.float32, np.float16) else found


def _arrays(leaves: Sequence[Any], layout: Sequence[Leaf], lead: tuple[int, ...]) -> list[np.ndarray]:
    arrays = [np.asarray(leaf, one.dtype, order="C") for leaf, one in zip(leaves, layout, strict=True)]
    for array, one in zip(arrays, layout, strict=True):
        if array.shape != (*lead, *one.shape):
            raise ValueError(f"{one.name or 'an array'} has the shape {array.shape} and not {(*lead, *one.shape)}.")
    return arrays


def _pointers(arrays: Sequence[np.ndarray]) -> Any:
    return (ctypes.c_void_p * max(len(arrays), 1))(*[array.__array_interface__["data"][0] for array in arrays])


def _shares(flights: int, rows: int) -> list[tuple[int, int]]:
    """Runs of flights, several a core, so that no core waits long for the last one."""
    cores = os.cpu_count() or 1
    if cores == 1 or flights * rows < TUNING.steps_a_share:
        return [(0, flights)]
    size = math.ceil(flights / (TUNING.shares_a_core * cores))
    return [(begin, min(begin + size, flights)) for begin in range(0, flights, size)]
