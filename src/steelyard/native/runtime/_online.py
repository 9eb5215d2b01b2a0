"""The step as a robot runs it: one sample at a time, in machine code where this machine can make it."""

import functools
import sys
from typing import Literal

import jax
import numpy as np

from steelyard.errors import BadInput, nearest
from steelyard.estimators import Belief, Estimator, Packing, Sample
from steelyard.native.c._emit import emit
from steelyard.native.runtime._compiler import NoCompiler
from steelyard.native.runtime._loading import Loaded, load

ENGINES = ("auto", "xla", "native")


class Online:
    """A step that is compiled ahead of time, with flat vectors in and out.

    ```python
    online = Online(estimator, belief, sample)          # compiles; both are examples of what will come
    packed = online.pack(belief)
    packed = online.step(packed, online.pack_sample(sample))
    belief = online.unpack(packed)                      # NumPy views, when somebody wants to look
    ```
    A call with two vectors costs a fraction of one with forty arrays, and a belief that is one vector is also easy to
    store, to send and to resume from. With `engine="native"` the step is C, generated and compiled here; with `"xla"`
    it is JAX's own; `"auto"` takes C where there is a compiler, else says once that it does not.
    """

    def __init__(self, estimator: Estimator, belief: Belief, sample: Sample, engine: str = "auto"):
        if engine not in ENGINES:
            raise BadInput(f'Unknown engine "{engine}"; {nearest(engine, list(ENGINES))}')
        self._beliefs, self._samples = Packing(belief), Packing(sample)
        self._native = None if engine == "xla" else _native(estimator, belief, sample, engine == "native")
        if self._native is None:
            self._jitted = _jitted(estimator, self._beliefs, self._samples)

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
        if self._native is None:
            after = np.asarray(self._jitted(packed_belief, packed_sample))
            if out is None:
                return after
            out[:] = after
            return out
        if out is None:
            out = np.empty(self._beliefs.size)
        self._native.call(packed_belief, packed_sample, out)
        return out

    def run(self, packed_belief: np.ndarray, packed_samples: np.ndarray, kept: np.ndarray | None = None) -> None:
        """Many steps, a sample a row; the belief's vector is overwritten, every belief on the way put into `kept`."""
        if self._native is not None and self._native.run is not None:
            self._native.run(packed_belief, packed_samples, np.empty(0) if kept is None else kept)
            return
        for k, sample in enumerate(packed_samples):
            self.step(packed_belief, sample, packed_belief)
            if kept is not None:
                kept[k] = packed_belief

    def unpack(self, packed_belief: np.ndarray) -> Belief:
        """The belief in a vector."""
        return self._beliefs.unpack(packed_belief)


def _native(estimator: Estimator, belief: Belief, sample: Sample, insist: bool) -> Loaded | None:
    try:
        return load(emit(estimator.step, (belief, sample), symmetric=("covariance",)))
    except NoCompiler as error:
        if insist:
            raise BadInput(f'{error}; install one, or take engine="xla".') from None
        _say_once(f"{error}; steps run through XLA, with the same numbers and more time.")
    except BadInput as error:
        if insist:
            raise
        _say_once(f"{error} Until then it runs through XLA.")
    return None


@functools.cache
def _say_once(line: str) -> None:
    print(f"steelyard: {line}", file=sys.stderr)


def _jitted(estimator: Estimator, beliefs: Packing, samples: Packing):
    def step(packed_belief, packed_sample):
        return beliefs.pack(estimator.step(beliefs.unpack(packed_belief), samples.unpack(packed_sample)))

    # XLA's scheduler for concurrency spreads a hundred tiny operations over threads; in order they run faster.
    jitted = jax.jit(step, compiler_options={"xla_cpu_enable_concurrency_optimized_scheduler": False})
    jitted(np.zeros(beliefs.size), np.zeros(samples.size))  # compiles now, not at the first measurement
    return jitted
