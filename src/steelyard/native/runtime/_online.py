"""A filter beside a running robot: one sample in, estimates out."""

from collections.abc import Mapping
from typing import Any, Literal

import jax
import numpy as np

from steelyard.errors import BadInput
from steelyard.estimators import Belief, Estimate, Estimator, Sample
from steelyard.geometry import SE2, SE3, SO2, SO3, tangent_size
from steelyard.native.runtime._packed_step import PackedStep


class Online:
    """Any estimator, one sample at a time, compiled ahead of time.

    >>> import jax.numpy as jnp
    >>> import steelyard as sy
    >>> from steelyard.estimators import ExtendedKalman, Guess, Noise, Sample
    >>> class Still(sy.Model):  # an unknown constant that is measured directly
    ...     def dynamics(self, state, control, dt): return state
    ...     def observe(self, state, control): return state
    ...     def idle(self, state): return jnp.zeros(0)
    >>> none = jnp.zeros(0)
    >>> estimator = ExtendedKalman(Still(), Noise(jnp.ones(1), none, jnp.zeros(1), none))
    >>> start = estimator.init(Guess({"level": jnp.zeros(1)}, jnp.full(1, 10.0)))
    >>> sample = Sample(jnp.array(0.1), none, {"level": jnp.array([4.0])})
    >>> online = sy.Online(estimator, start, sample, units={"level": "m"})
    >>> estimates = online.step(sample)
    >>> print(estimates["level"].value.round(2), estimates["level"].std.round(2), estimates["level"].unit)
    [3.96] [1.] m

    An estimate's name is the path of its part of the model's state; a pose or a rotation has its covariance in tangent
    coordinates. `engine` is as in `PackedStep`.
    """

    def __init__(
        self,
        estimator: Estimator,
        belief: Belief,
        sample: Sample,
        engine: str = "auto",
        units: Mapping[str, str] | None = None,
        time: float = 0.0,
    ):
        """Compiles; `belief` is where it starts, at `time`, and `sample` an example of what will come."""
        if not callable(getattr(estimator, "step", None)) or not hasattr(belief, "state"):
            raise BadInput("Online takes an estimator with a step, and the belief that its init gives.")
        if not isinstance(sample, Sample) or not isinstance(units or {}, Mapping) or not isinstance(time, int | float):
            raise BadInput("Online takes a Sample as an example, units by name, and the time of the belief in seconds.")
        self._step = PackedStep(estimator, belief, sample, engine)
        self._packed = self._step.pack(belief)
        self._parts = _parts_of(belief.state)
        self._like, self._size = jax.tree.structure(sample), self._step.pack_sample(sample).size
        self._units = dict(units or {})
        self._time = float(time)

    @property
    def engine(self) -> Literal["xla", "native"]:
        """What the step runs on."""
        return self._step.engine

    @property
    def time(self) -> float:
        """Of the last sample, s."""
        return self._time

    @property
    def belief(self) -> Belief:
        """The whole belief after the last sample, of NumPy arrays: state, covariance, innovation, status."""
        return self._step.unpack(self._packed.copy())

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Each part of the model's state after the last sample."""
        belief = self._step.unpack(self._packed)
        covariance = np.asarray(belief.covariance)
        found = {}
        for (name, rows), leaf in zip(self._parts, _leaves(belief.state), strict=True):
            value = np.array(jax.tree.leaves(leaf)[0], float)
            C = covariance[rows, rows].copy()
            found[name] = Estimate(value, C, self._units.get(name, ""), None, self._time, "known")
        return found

    def step(self, sample: Sample) -> dict[str, Estimate]:
        """Takes in one sample; the estimates after it. One that does not fit the example is a `BadInput`.

        A time step that is negative or no number counts as none, and the belief's status says so.
        """
        try:
            vector, fits = self._step.pack_sample(sample), jax.tree.structure(sample) == self._like
        except Exception:  # whatever its own conversion raises
            vector, fits = np.empty(0), False
        if not fits or vector.size != self._size:
            raise BadInput(
                "The sample does not fit the example that Online was made with; give the same names and shapes."
            )
        self._packed = self._step.step(self._packed, vector)
        dt = float(sample.dt)
        self._time += dt if 0.0 <= dt < float("inf") else 0.0
        return self.estimates


def _is_group(leaf: Any) -> bool:
    return isinstance(leaf, SO2 | SO3 | SE2 | SE3)


def _leaves(state: Any) -> list[Any]:
    return jax.tree.leaves(state, is_leaf=_is_group)


def _parts_of(state: Any) -> list[tuple[str, slice]]:
    """Name of each part of a state, and which tangent coordinates are its own."""
    parts, begin = [], 0
    for path, leaf in jax.tree_util.tree_flatten_with_path(state, is_leaf=_is_group)[0]:
        name = "/".join(jax.tree_util.keystr((key,), simple=True) for key in path) or "state"
        size = tangent_size(leaf)
        parts.append((name, slice(begin, begin + size)))
        begin += size
    return parts
