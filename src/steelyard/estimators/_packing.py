"""Trees of arrays as one flat vector, so that a compiled call has two arguments and not forty."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


class Packing:
    """The layout of a tree in a vector of float64; flags and counts are small integers and survive exactly."""

    def __init__(self, example: Any):
        leaves, self.structure = jax.tree.flatten(example)
        self.shapes = [np.shape(leaf) for leaf in leaves]
        self.dtypes = [jnp.result_type(leaf) for leaf in leaves]
        self.size = sum(math.prod(shape) for shape in self.shapes)

    def pack(self, tree: Any) -> Float[Array, " packed"]:
        """The tree as a vector; traceable."""
        return jnp.concatenate([jnp.ravel(leaf).astype(float) for leaf in jax.tree.leaves(tree)])

    def pack_numpy(self, tree: Any) -> np.ndarray:
        """The tree as a vector, without waking JAX up."""
        return np.concatenate([np.ravel(leaf).astype(float) for leaf in jax.tree.leaves(tree)])

    def unpack(self, vector: Any) -> Any:
        """The tree again: traced from a traced vector, NumPy views from a NumPy one."""
        leaves, begin = [], 0
        for shape, dtype in zip(self.shapes, self.dtypes, strict=True):
            end = begin + math.prod(shape)
            leaves.append(vector[begin:end].reshape(shape).astype(dtype))
            begin = end
        return self.structure.unflatten(leaves)
