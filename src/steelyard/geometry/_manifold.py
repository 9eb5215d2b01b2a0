"""States on manifolds: any pytree of arrays and Lie groups, with differences and steps in flat coordinates.

A leaf is either an array, which lives in Euclidean space, or a `jaxlie` group, which counts as one leaf. Coordinates
of the tangent space follow the order of the leaves, arrays raveled by rows.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jaxlie import MatrixLieGroup
from jaxtyping import Array, Float

from ._groups import group_exp, group_inverse, group_log, group_multiply, group_nudge, group_offset

Point = TypeVar("Point")


def tangent_size(point: Any) -> int:
    """How many coordinates a small step from this point has; a plain integer, also under `jax.jit`."""
    return sum(_size(leaf) for leaf in jax.tree.leaves(point, is_leaf=_is_group))


def retract(point: Point, delta: Float[Array, " tangent"]) -> Point:
    """The point reached from `point` by the step `delta`: arrays add, groups multiply by exp(step) on the right."""
    return _step(point, delta, lambda group, step: group_multiply(group, group_exp(type(group), step)))


def local(origin: Point, point: Point) -> Float[Array, " tangent"]:
    """The step that leads from `origin` to `point`: `retract(origin, local(origin, point)) = point`.

    Unique while no rotation between the two reaches pi rad.
    """
    return _difference(origin, point, lambda a, b: group_log(group_multiply(group_inverse(a), b)))


def nudge(point: Point, delta: Float[Array, " tangent"]) -> Point:
    """`retract` to first order: the same point and the same derivative at a step of zero, for a fraction of the work.

    Only for differentiating: a group that was nudged by more than nothing is no longer quite a group.
    """
    return _step(point, delta, group_nudge)


def offset(origin: Point, point: Point) -> Float[Array, " tangent"]:
    """`local` to first order: the same derivative where the two points meet. Only for differentiating."""
    return _difference(origin, point, group_offset)


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


def _step(point: Point, delta: Float[Array, " tangent"], move: Callable[[Any, Any], Any]) -> Point:
    """Every leaf moved by its slice of `delta`: groups by `move`, arrays by adding."""
    leaves, structure = jax.tree.flatten(point, is_leaf=_is_group)
    sizes = [_size(leaf) for leaf in leaves]
    if delta.shape[0] != sum(sizes):
        raise ValueError(
            f"The step has {delta.shape[0]} coordinates, but a step from this point has {sum(sizes)}: "
            f"{', '.join(tangent_names(point))}. Build it with `local`, or size it with `tangent_size`."
        )
    ends = list(itertools.accumulate(sizes))
    steps = [delta[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    return structure.unflatten(
        [
            move(leaf, step) if _is_group(leaf) else leaf + step.reshape(jnp.shape(leaf))
            for leaf, step in zip(leaves, steps, strict=True)
        ]
    )


def _difference(origin: Any, point: Any, between: Callable[[Any, Any], Any]) -> Float[Array, " tangent"]:
    """The coordinates of the step from one point to the other: groups by `between`, arrays by subtracting."""
    steps = jax.tree.map(
        lambda a, b: between(a, b) if _is_group(a) else jnp.ravel(b - a), origin, point, is_leaf=_is_group
    )
    leaves = jax.tree.leaves(steps)
    return jnp.concatenate(leaves) if leaves else jnp.zeros(0)
