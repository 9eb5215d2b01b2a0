"""Primitives that move numbers about without changing them; all places are known beforehand."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steelyard.native.ir._arrays import Array, Index, Large, Memory, Scalars, Where, flat, row_strides, size

Rule = Callable[..., list[Array]]
"""Takes the memory, the operands, the shapes of the results and the primitive's parameters."""


def _mapped(array: Large, shape: Sequence[int], back: Callable[[Where], Where]) -> Large:
    """The same numbers, each found at its index in `back`."""
    return Large(tuple(shape), array.dtype, lambda where: array.at(back(where)), array.stored)


def _reshape(mem: Memory, inputs: list[Array], shapes: Any, **_: Any) -> list[Array]:
    (array,), (shape,) = inputs, shapes
    if isinstance(array, Scalars):
        return [Scalars(array.nodes.reshape(shape), array.dtype)]
    if array.place is None:
        old = [k for k, n in enumerate(array.shape) if n != 1]
        new = [k for k, n in enumerate(shape) if n != 1]
        if [array.shape[k] for k in old] == [shape[k] for k in new]:  # only ones come or go

            def back(where: Where) -> Where:
                found = [Index()] * len(array.shape)
                for at, k in zip(old, new, strict=True):
                    found[at] = where[k]
                return found

            return [_mapped(array, shape, back)]
        array = mem.stored(array)
    assert array.place is not None
    return [mem.view(*array.place, tuple(shape))]


def _transpose(mem: Memory, inputs: list[Array], shapes: Any, *, permutation: Sequence[int], **_: Any) -> list[Array]:
    (array,), (shape,) = inputs, shapes
    if isinstance(array, Scalars):
        return [Scalars(array.nodes.transpose(permutation), array.dtype)]
    order = [list(permutation).index(k) for k in range(len(permutation))]
    return [_mapped(array, shape, lambda where: [where[k] for k in order])]


def _broadcast(
    mem: Memory, inputs: list[Array], shapes: Any, *, broadcast_dimensions: Sequence[int], **_: Any
) -> list[Array]:
    array, (shape,) = inputs[0], shapes
    inner = [1] * len(shape)
    for k, n in zip(broadcast_dimensions, array.shape, strict=True):
        inner[k] = n
    if isinstance(array, Scalars):
        return [Scalars(np.broadcast_to(array.nodes.reshape(inner), shape), array.dtype)]
    return [_mapped(array, shape, lambda w: [w[k] if inner[k] > 1 else Index() for k in broadcast_dimensions])]


def _slice(
    mem: Memory, inputs: list[Array], shapes: Any, *, start_indices: Any, limit_indices: Any, strides: Any, **_: Any
) -> list[Array]:
    return [_cut(mem, inputs[0], start_indices, limit_indices, strides or [1] * len(start_indices))]


def _cut(mem: Memory, array: Array, starts: Sequence[int], limits: Sequence[int], steps: Sequence[int]) -> Array:
    if isinstance(array, Scalars):
        return Scalars(array.nodes[tuple(map(slice, starts, limits, steps))], array.dtype)
    shape = tuple(max(0, -(-(b - a) // s)) for a, b, s in zip(starts, limits, steps, strict=True))
    first = [int(start) for start in starts]
    rows = array.shape[1:] == shape[1:] and all(step == 1 for step in steps)
    if array.place is not None and rows:  # whole rows lie as they did
        buffer, offset = array.place
        return mem.view(buffer, offset + first[0] * math.prod(shape[1:]), shape)
    return _mapped(array, shape, lambda where: [w * int(s) + a for w, s, a in zip(where, steps, first, strict=True)])


def _rev(mem: Memory, inputs: list[Array], shapes: Any, *, dimensions: Sequence[int], **_: Any) -> list[Array]:
    (array,), (shape,) = inputs, shapes
    if isinstance(array, Scalars):
        return [Scalars(np.flip(array.nodes, tuple(dimensions)), array.dtype)]
    return [
        _mapped(array, shape, lambda where: [w * -1 + (n - 1) if k in dimensions else w
                                             for k, (w, n) in enumerate(zip(where, shape, strict=True))])
    ]  # fmt: skip


def _split(mem: Memory, inputs: list[Array], shapes: Any, *, sizes: Any, axis: int, **_: Any) -> list[Array]:
    array, ends = inputs[0], np.cumsum(sizes)
    return [_part(mem, array, axis, int(end - n), int(end)) for n, end in zip(sizes, ends, strict=True)]


def _unstack(mem: Memory, inputs: list[Array], shapes: Any, *, axis: int, **_: Any) -> list[Array]:
    array = inputs[0]
    parts = [_part(mem, array, axis, k, k + 1) for k in range(array.shape[axis])]
    return [_reshape(mem, [part], [shape])[0] for part, shape in zip(parts, shapes, strict=True)]


def _part(mem: Memory, array: Array, axis: int, begin: int, end: int) -> Array:
    starts, limits = [0] * len(array.shape), list(array.shape)
    starts[axis], limits[axis] = begin, end
    return _cut(mem, array, starts, limits, [1] * len(starts))


def _concatenate(mem: Memory, inputs: list[Array], shapes: Any, *, dimension: int, **_: Any) -> list[Array]:
    (shape,) = shapes
    scalars = [array.nodes for array in inputs if isinstance(array, Scalars)]
    if len(scalars) == len(inputs):
        return [Scalars(np.concatenate(scalars, dimension), inputs[0].dtype)]
    buffer, begin, steps = mem.graph.buffer(math.prod(shape), inputs[0].dtype), 0, row_strides(shape)
    for array in inputs:
        if size(array):
            mem.copy(array, buffer, Index(begin * steps[dimension]), steps)
        begin += array.shape[dimension]
    return [mem.view(buffer, Index(), shape)]


def _stack(mem: Memory, inputs: list[Array], shapes: Any, *, axis: int, **_: Any) -> list[Array]:
    inner = list(inputs[0].shape)
    inner.insert(axis, 1)
    return _concatenate(mem, [_reshape(mem, [a], [tuple(inner)])[0] for a in inputs], shapes, dimension=axis)


def _pad(mem: Memory, inputs: list[Array], shapes: Any, *, padding_config: Any, **_: Any) -> list[Array]:
    (array, filler), (shape,) = inputs, shapes
    fill = mem.scalars(filler).nodes[()]
    config = [tuple(map(int, each)) for each in padding_config]
    starts = [max(0, -low) for low, _, _ in config]  # a negative padding cuts; only without gaps
    array = _cut(
        mem, array, starts, [n - max(0, -high) for n, (_, high, _) in zip(array.shape, config, strict=True)],
        [1] * len(config),
    )  # fmt: skip
    lows, steps = [max(0, low) for low, _, _ in config], [gap + 1 for _, _, gap in config]
    if isinstance(array, Scalars):
        nodes = np.full(shape, fill, object)
        nodes[tuple(slice(a, a + (n - 1) * s + 1 if n else a, s)
                    for a, n, s in zip(lows, array.shape, steps, strict=True))] = array.nodes  # fmt: skip
        return [Scalars(nodes, array.dtype)]
    buffer, strides = mem.graph.buffer(math.prod(shape), array.dtype), row_strides(shape)
    mem.loops(shape, lambda where: mem.graph.store(buffer, mem.address(flat(where, shape)), fill))
    begin = Index(sum(low * stride for low, stride in zip(lows, strides, strict=True)))
    mem.copy(array, buffer, begin, [s * stride for s, stride in zip(steps, strides, strict=True)])
    return [mem.view(buffer, Index(), shape)]


def _tile(mem: Memory, inputs: list[Array], shapes: Any, *, reps: Sequence[int], **_: Any) -> list[Array]:
    (array,), (shape,) = inputs, shapes
    if isinstance(array, Scalars):
        return [Scalars(np.tile(array.nodes, reps), array.dtype)]
    for axis, times in enumerate(reps):
        inner = list(array.shape)
        inner[axis] *= times
        (array,) = _concatenate(mem, [array] * times, [tuple(inner)], dimension=axis)
    assert array.shape == shape
    return [array]


def _iota(mem: Memory, inputs: list[Array], shapes: Any, *, dtype: Any, dimension: int, **_: Any) -> list[Array]:
    (shape,), kind = shapes, np.dtype(dtype)
    line = np.array([mem.graph.constant(k, kind) for k in range(shape[dimension])], object)
    inner = [1] * len(shape)
    inner[dimension] = -1
    return [Scalars(np.broadcast_to(line.reshape(inner), shape), kind)]


SHAPES: dict[str, Rule] = {
    "reshape": _reshape,
    "squeeze": _reshape,
    "expand_dims": _reshape,
    "transpose": _transpose,
    "broadcast_in_dim": _broadcast,
    "slice": _slice,
    "rev": _rev,
    "split": _split,
    "unstack": _unstack,
    "concatenate": _concatenate,
    "stack": _stack,
    "pad": _pad,
    "tile": _tile,
    "iota": _iota,
}
