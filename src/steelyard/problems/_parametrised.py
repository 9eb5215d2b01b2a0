"""A step whose numbers are part of its state: one that was compiled serves every configuration."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


class Parametrised(eqx.Module):
    """The step of an estimator; beliefs are pairs of its numbers and its own belief."""

    static: Any
    """The estimator without its arrays, as `equinox.partition` leaves it."""

    def step(self, belief: tuple[Any, Any], sample: Any) -> tuple[Any, Any]:
        """From a pair and a sample to the next pair."""
        numbers, inner = belief
        return numbers, eqx.combine(numbers, self.static).step(inner, sample)


def as_arrays(estimator: Any) -> Any:
    """The estimator with JAX arrays in place of NumPy's."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf, estimator)
