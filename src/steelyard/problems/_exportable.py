"""A step that is ready to run, or to become C."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from steelyard.errors import BadInput, nearest
from steelyard.estimators import Estimator
from steelyard.logs import Log


@dataclasses.dataclass(frozen=True)
class ExportableStep:
    """A pure step with everything it needs."""

    step: Callable[[Any, Any], Any]
    """From a belief and a sample to the next belief."""
    belief: Any
    """At the start."""
    samples: Any
    """With a leading axis of time."""
    about: str
    """What it is, for people; and, for a robot of a team, what it is not."""


def chosen_method(method: str | None, default: str, known: list[str], problem: str) -> str:
    """The method that was asked for, or the default."""
    if method is not None and method not in known:
        raise BadInput(f'Unknown method "{method}" for {problem}; {nearest(method, known)}')
    return method or default


def demanded(log: Log | None, problem: str) -> Log:
    """The log, which there must be."""
    if log is None:
        raise BadInput(f"--as {problem} needs a log that shows its columns; give one with --log.")
    return log


def step_of(estimator: Estimator) -> Callable[[Any, Any], Any]:
    """Its step, with NumPy's numbers in it made JAX's, as a compiled run makes them."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf, estimator).step
