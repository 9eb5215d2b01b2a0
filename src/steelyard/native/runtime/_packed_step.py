"""A compiled step of flat vectors: in machine code where this machine can make it, else through XLA."""

import functools
import warnings
from collections.abc import Callable
from typing import Any, Literal, Protocol, runtime_checkable

import jax
import numpy as np

from steelyard.errors import BadInput, nearest
from steelyard.estimators import Belief, Packing, Sample
from steelyard.native.c._emit import emit
from steelyard.native.runtime._compiler import NoCompiler
from steelyard.native.runtime._loading import Loaded, load

ENGINES = ("auto", "xla", "native")


class NoCompilerWarning(UserWarning):
    """A step runs through XLA, with the same numbers and more time, because no machine code could be made of it."""


@runtime_checkable
class CanStep(Protocol):
    """An `Estimator`, or what has such a step."""

    def step(self, belief: Belief, sample: Sample) -> Belief:
        """From a belief and a sample to the next belief; pure."""
        ...


class PackedStep:
    """A step that is compiled ahead of time, with flat vectors in and out.

    ```python
    step = PackedStep(estimator, belief, sample)        # compiles; both are examples of what will come
    packed = step.pack(belief)
    packed = step.step(packed, step.pack_sample(sample))
    belief = step.unpack(packed)                        # NumPy views
    ```
    A call with two vectors costs a fraction of one with forty arrays, and a belief that is one vector is also easy to
    store, to send and to resume from. With `engine="native"` the step is C, generated and compiled here; with `"xla"`
    it is JAX's own; `"auto"` takes C where there is a compiler, else gives a `NoCompilerWarning` once. With `keep`, as
    in `replay`, the vector ends with what `keep` makes of the belief: `recorded` reads it.
    """

    def __init__(
        self,
        estimator: CanStep,
        belief: Belief,
        sample: Sample,
        engine: str = "auto",
        keep: Callable[[Belief], Any] | None = None,
    ):
        if engine not in ENGINES:
            raise BadInput(f'Unknown engine "{engine}"; {nearest(engine, list(ENGINES))}')
        self._beliefs, self._samples = Packing(belief), Packing(sample)
        self._recorded = None if keep is None else Packing(jax.eval_shape(keep, belief))
        self._size = self._beliefs.size + (0 if self._recorded is None else self._recorded.size)
        step = _stepped(estimator, keep)
        self._native = None if engine == "xla" else _native(step, belief, sample, engine == "native")
        if self._native is None:
            self._jitted = _jitted(step, self._beliefs, self._samples, self._size)

    @property
    def engine(self) -> Literal["xla", "native"]:
        """What the step runs on."""
        return "xla" if self._native is None else "native"

    def pack(self, belief: Belief) -> np.ndarray:
        """A belief as a vector."""
        return self._beliefs.pack_numpy(belief)

    def pack_sample(self, sample: Sample) -> np.ndarray:
        """A sample as a vector."""
        return self._samples.pack_numpy(sample)

    def step(self, packed_belief: np.ndarray, packed_sample: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """One step, result in hand; written to `out` where one is given, which may be the belief's own vector."""
        given = packed_belief[: self._beliefs.size] if self._recorded is not None else packed_belief
        if self._native is None:
            after = np.asarray(self._jitted(given, packed_sample))
            if out is None:
                return after
            out[:] = after
            return out
        if out is None:
            out = np.empty(self._size)
        self._native.call(given, packed_sample, out)
        return out

    def run(self, packed_belief: np.ndarray, packed_samples: np.ndarray, recorded: np.ndarray | None = None) -> None:
        """Many steps, a sample a row; the belief's vector is overwritten, every belief goes into `recorded`."""
        if self._native is not None and self._native.run is not None:
            self._native.run(packed_belief, packed_samples, np.empty(0) if recorded is None else recorded)
            return
        for k, sample in enumerate(packed_samples):
            self.step(packed_belief, sample, packed_belief)
            if recorded is not None:
                recorded[k] = packed_belief

    def unpack(self, packed_belief: np.ndarray) -> Belief:
        """The belief in a vector."""
        return self._beliefs.unpack(packed_belief)

    def recorded(self, packed_belief: np.ndarray) -> Any:
        """What `keep` made of the belief in a vector that a step returned."""
        if self._recorded is None:
            raise ValueError("This step keeps nothing beside the belief; give `keep` when it is made.")
        return self._recorded.unpack(packed_belief[self._beliefs.size :])


def _stepped(estimator: CanStep, keep: Callable[[Belief], Any] | None) -> Callable[[Belief, Sample], Any]:
    if keep is None:
        return estimator.step

    def step(belief, sample):
        after = estimator.step(belief, sample)
        return after, keep(after)

    return step


def _native(step: Callable, belief: Belief, sample: Sample, insist: bool) -> Loaded | None:
    try:
        return load(emit(step, (belief, sample), symmetric=("covariance",)))
    except NoCompiler as error:
        if insist:
            raise BadInput(f'{error}; install one, or take engine="xla".') from None
        warn_once(f"{error}; steps run through XLA, with the same numbers and more time.")
    except BadInput as error:
        if insist:
            raise
        warn_once(f"{error} Until then it runs through XLA.")
    return None


@functools.cache
def warn_once(sentence: str) -> None:
    """Each sentence is said once a process."""
    warnings.warn(sentence, NoCompilerWarning, stacklevel=5)


def _jitted(step: Callable, beliefs: Packing, samples: Packing, size: int):
    def packed_step(packed_belief, packed_sample):
        after = step(beliefs.unpack(packed_belief), samples.unpack(packed_sample))
        return jax.numpy.concatenate([jax.numpy.ravel(leaf).astype(float) for leaf in jax.tree.leaves(after)])

    # XLA's scheduler for concurrency spreads a hundred tiny operations over threads; in order they run faster.
    jitted = jax.jit(packed_step, compiler_options={"xla_cpu_enable_concurrency_optimized_scheduler": False})
    assert jitted(np.zeros(beliefs.size), np.zeros(samples.size)).shape == (size,)  # compiles now
    return jitted
