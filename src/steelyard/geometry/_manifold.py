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

from ._groups import group_exp, group_inverse, group_lift, group_log, group_lower, group_multiply

Point = TypeVar("Point")
Image = TypeVar("Image")


def tangent_size(point: Any) -> int:
    """How many coordinates a small step from this point has; a plain integer, also under `jax.jit`."""
    return sum(_size(leaf) for leaf in jax.tree.leaves(point, is_leaf=_is_group))


def retract(point: Point, delta: Float[Array, " tangent"]) -> Point:
    """The point reached from `point` by the step `delta`: arrays add, groups multiply by exp(step) on the right."""
    return _step(point, delta, lambda group, step: group_multiply(group, group_exp(type(group), step)), jnp.add)


def local(origin: Point, point: Point) -> Float[Array, " tangent"]:
    """The step that leads from `origin` to `point`, which `retract` undoes: `retract(origin, step) = point`.

    Unique while no rotation between the two reaches pi rad.
    """
    return _difference(origin, point, lambda a, b: group_log(group_multiply(group_inverse(a), b)), lambda a, b: b - a)


def lift(point: Point, delta: Float[Array, " tangent"]) -> Point:
    """How the point's own numbers start to move along a step: the derivative of `retract` at a step of zero."""
    return _step(point, delta, group_lift, lambda array, step: step)


def lower(point: Point, velocity: Point) -> Float[Array, " tangent"]:
    """The step along which the point's own numbers start to move so: the derivative of `local` where points meet.

    With `lift` it turns the derivative of any function between manifolds into tangent coordinates, without ever
    differentiating an exponential or a logarithm: `lower(f(x), jvp(f, x, lift(x, delta)))`.
    """
    return _difference(point, velocity, group_lower, lambda array, moved: moved)


def differentiate(function: Callable[..., Image], *points: Any) -> tuple[Image, Float[Array, "image tangent"]]:
    """A function's value at some points, and its derivative in tangent coordinates, the points' one after the other.

    A rotation that the function hands through untouched has the identity for its derivative, without arithmetic.
    """
    value = function(*points)
    given, images = (jax.tree.leaves(tree, is_leaf=_is_group) for tree in (points, value))
    ends = itertools.accumulate(_size(leaf) for leaf in given)
    place = {id(leaf): slice(end - _size(leaf), end) for leaf, end in zip(given, ends, strict=True) if _is_group(leaf)}

    def column(delta):
        moved = jax.tree.leaves(jax.jvp(function, points, lift(points, delta))[1], is_leaf=_is_group)
        steps = [delta[place[id(image)]] if id(image) in place else lower(image, velocity)
                 for image, velocity in zip(images, moved, strict=True)]  # fmt: skip
        return jnp.concatenate(steps) if steps else jnp.zeros(0)

    return value, jax.vmap(column, out_axes=1)(jnp.eye(tangent_size(points)))


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


def _step(point: Point, delta: Float[Array, " tangent"], of_group: Callable, of_array: Callable) -> Point:
    """Every leaf with its slice of `delta`."""
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
            of_group(leaf, step) if _is_group(leaf) else of_array(leaf, step.reshape(jnp.shape(leaf)))
            for leaf, step in zip(leaves, steps, strict=True)
        ]
    )


def _difference(point: Any, other: Any, of_group: Callable, of_array: Callable) -> Float[Array, " tangent"]:
    """The coordinates that every pair of leaves gives, one after the other."""
    pairs = jax.tree.map(
        lambda a, b: of_group(a, b) if _is_group(a) else jnp.ravel(of_array(a, b)), point, other, is_leaf=_is_group
    )
    leaves = jax.tree.leaves(pairs)
    return jnp.concatenate(leaves) if leaves else jnp.zeros(0)
