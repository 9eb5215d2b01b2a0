"""Where each number of a tree lies in a vector, by name."""

import dataclasses
import math
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Leaf:
    """An array of a tree, row by row from `offset` on."""

    name: str
    """`state/log_mass`, or empty where the tree is one array."""
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def macro(self, prefix: str) -> str:
        """Its name in C."""
        parts = [prefix, self.name]
        return re.sub(r"\W+", "_", "_".join(part for part in parts if part)).upper()


@dataclasses.dataclass(frozen=True)
class Layout:
    """A tree as one vector of floats, in the order of its leaves: the order of `estimators.Packing`."""

    name: str
    leaves: tuple[Leaf, ...]

    @property
    def size(self) -> int:
        return sum(leaf.size for leaf in self.leaves)

    @staticmethod
    def of(name: str, tree: Any) -> "Layout":
        """Of a tree of arrays, or of their shapes and types."""
        leaves, offset = [], 0
        for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
            label = "/".join(jax.tree_util.keystr((key,), simple=True) for key in path)
            found = Leaf(label, offset, tuple(np.shape(leaf)), np.dtype(jnp.result_type(leaf)))
            leaves.append(found)
            offset += found.size
        return Layout(name, tuple(leaves))
