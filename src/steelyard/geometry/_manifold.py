"""States on manifolds: any pytree of arrays and Lie groups, with differences and steps in flat coordinates.

A leaf is either an array, which lives in Euclidean space, or a `jaxlie` group, which counts as one leaf. Coordinates
of the tangent space follow the order of the leaves, arrays raveled by rows.
"""

import itertools
import math
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jaxlie import MatrixLieGroup
from jaxtyping import Array, Float

from ._groups import group_exp, group_inverse, group_log, group_multiply

Point = TypeVar("Point")


def tangent_size(point: Any) -> int:
    """How many coordinates a small step from this point has; a plain integer, also under `jax.jit`."""
    return sum(_size(leaf) for leaf in jax.tree.leaves(point, is_leaf=_is_group))


def retract(point: Point, delta: Float[Array, " tangent"]) -> Point:
    """The point reached from `point` by the step `delta`: arrays add, groups multiply by exp(step) on the right."""
    leaves, structure = jax.tree.flatten(point, is_leaf=_is_group)
    sizes = [_size(leaf) for leaf in leaves]
    if delta.shape[0] != sum(sizes):
        raise ValueError(
            f"The step has {delta.shape[0]} coordinates, but a step from this point has {sum(sizes)}: "
            f"{', '.join(tangent_names(point))}. Build it with `local`, or size it with `tangent_size`."
        )
    ends = list(itertools.accumulate(sizes))
    steps = [delta[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    return structure.unflatten([_retract_leaf(leaf, step) for leaf, step in zip(leaves, steps, strict=True)])


def local(origin: Point, point: Point) -> Float[Array, " tangent"]:
    """The step that leads from `origin` to `point`, so that `retract(origin, step)` is `point`.

    Unique while no rotation between the two reaches pi rad.
    """
    steps = jax.tree.map(_local_leaf, origin, point, is_leaf=_is_group)
    leaves = jax.tree.leaves(steps)
    return jnp.concatenate(leaves) if leaves else jnp.zeros(0)


def tangent_names(point: Any) -> list[str]:
    """A readable name for each tangent coordinate, from its path: `attitude/0`, `contacts/1/0`, `log_mass`."""
    paths, _ = jax.tree_util.tree_flatten_with_path(point, is_leaf=_is_group)
    names = []
    for path, leaf in paths:
        stem = [jax.tree_util.keystr((key,), simple=True) for key in path]
        for index in itertools.product(*(range(n) for n in _tangent_shape(leaf))):
            names.append("/".join([*stem, *map(str, index)]))
    return names


def _is_group(leaf: Any) -> bool:
    return isinstance(leaf, MatrixLieGroup)


def _tangent_shape(leaf: Any) -> tuple[int, ...]:
    """The shape of a leaf's own step; a plane rotation's is a number, like a scalar's."""
    if isinstance(leaf, MatrixLieGroup):
        return (leaf.tangent_dim,) if leaf.tangent_dim > 1 else ()
    if not jnp.issubdtype(jnp.result_type(leaf), jnp.floating):
        raise TypeError(
            f"A state's leaves are floating-point arrays or Lie groups, but one is {leaf!r}: no step can change it. "
            "Keep it out of the state, or make it a static field: `equinox.field(static=True)`."
        )
    return jnp.shape(leaf)


def _size(leaf: Any) -> int:
    return math.prod(_tangent_shape(leaf))


def _retract_leaf(leaf: Any, step: Float[Array, " leaf"]) -> Any:
    if isinstance(leaf, MatrixLieGroup):
        return group_multiply(leaf, group_exp(type(leaf), step))
    return leaf + step.reshape(jnp.shape(leaf))


def _local_leaf(origin: Any, point: Any) -> Float[Array, " leaf"]:
    if isinstance(origin, MatrixLieGroup):
        return group_log(group_multiply(group_inverse(origin), point))
    return jnp.ravel(point - origin)
