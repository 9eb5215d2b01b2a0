"""Primitives that read or write at places known only at run time."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steelyard.native.ir._arrays import Array, Index, Int, Large, Memory, Scalars, Where, flat, row_strides
from steelyard.native.ir._scalar_graph import Block, Branch, Node, is_constant
from steelyard.native.operations._reshaping import Rule


def _within(mem: Memory, start: Node, highest: int) -> Node:
    """A start that leaves the slice inside, as XLA shifts it."""
    ar, wide = mem.ar, mem.ar.convert(start, Int)
    return ar.smallest(ar.largest(wide, ar.number(0, wide)), ar.number(highest, wide))


def _starts(mem: Memory, operands: Sequence[Array], room: Sequence[int], sizes: Sequence[int]) -> list[Index]:
    nodes = [mem.scalars(operand).nodes[()] for operand in operands]
    return [Index.of(_within(mem, node, n - s)) for node, n, s in zip(nodes, room, sizes, strict=True)]


def _fixed(starts: Sequence[Index]) -> bool:
    return not any(start.terms for start in starts)


def _dynamic_slice(mem: Memory, inputs: list[Array], shapes: Any, *, slice_sizes: Any, **_: Any) -> list[Array]:
    array, (shape,) = inputs[0], shapes
    starts = _starts(mem, inputs[1:], array.shape, slice_sizes)
    if isinstance(array, Scalars) and _fixed(starts):
        cut = tuple(slice(s.constant, s.constant + n) for s, n in zip(starts, slice_sizes, strict=True))
        return [Scalars(array.nodes[cut], array.dtype)]
    source = mem.large(array)

    def at(where: Where) -> Node:
        return source.at([w + start for w, start in zip(where, starts, strict=True)])

    return [Large(tuple(shape), array.dtype, at, source.stored)]


def _dynamic_update_slice(mem: Memory, inputs: list[Array], shapes: Any, **_: Any) -> list[Array]:
    array, update, *operands = inputs
    starts = _starts(mem, operands, array.shape, update.shape)
    if isinstance(array, Scalars) and isinstance(update, Scalars) and _fixed(starts):
        nodes = array.nodes.copy()
        nodes[tuple(slice(s.constant, s.constant + n) for s, n in zip(starts, update.shape, strict=True))] = (
            update.nodes
        )
        return [Scalars(nodes, array.dtype)]
    buffer, strides = mem.graph.buffer(math.prod(array.shape), array.dtype), row_strides(array.shape)
    mem.copy(array, buffer, Index())
    mem.copy(update, buffer, flat(starts, array.shape), strides)
    return [mem.view(buffer, Index(), array.shape)]


def _indexed(dims: Any, indices: Array, mem: Memory, batch: Where, map_: Sequence[int], rank: int) -> list[Node | None]:
    """The start along each axis of the operand, where the indices give one."""
    found: list[Node | None] = [None] * rank
    table = indices if isinstance(indices, Scalars) else None
    for k, axis in enumerate(map_):
        where = [*batch, Index(k)]
        if table is not None and _fixed(where):
            node = table.nodes[tuple(index.constant for index in where)]
        else:
            node = mem.large(indices).at(where)
        found[axis] = mem.ar.convert(node, Int)
    return found


def _gather(
    mem: Memory, inputs: list[Array], shapes: Any, *, dimension_numbers: Any, slice_sizes: Any, mode: Any,
    fill_value: Any, **_: Any,
) -> list[Array]:  # fmt: skip
    (array, indices), (shape,) = inputs, shapes
    d, rank = dimension_numbers, len(inputs[0].shape)
    offsets = [k for k in range(rank) if k not in (*d.collapsed_slice_dims, *d.operand_batching_dims)]
    batch_axes = [k for k in range(len(shape)) if k not in d.offset_dims]
    fills = mode is not None and "FILL" in str(mode)
    filler = _filler(array.dtype) if fill_value is None else fill_value

    def read(where: Where, fetch: Callable[[list[Index]], Node]) -> Node:
        batch = [where[k] for k in batch_axes]
        starts = _indexed(d, indices, mem, batch, d.start_index_map, rank)
        place, inside = [Index()] * rank, mem.graph.constant(True, np.dtype(bool))
        for axis, start in enumerate(starts):
            if start is not None:
                highest = array.shape[axis] - slice_sizes[axis]
                held = _within(mem, start, highest)
                inside = mem.ar.logic("and", inside, mem.ar.compare("eq", held, start))
                place[axis] = Index.of(held)
        for axis, k in zip(d.operand_batching_dims, d.start_indices_batching_dims, strict=True):
            place[axis] = batch[k]
        for axis, k in zip(offsets, d.offset_dims, strict=True):
            place[axis] = place[axis] + where[k]
        found = fetch(place)
        return mem.ar.select(inside, found, mem.graph.constant(filler, array.dtype)) if fills else found

    if isinstance(array, Scalars) and isinstance(indices, Scalars) and indices.constant:
        nodes = np.empty(shape, object)
        for at in np.ndindex(*shape):
            nodes[at] = read([Index(k) for k in at], lambda place: array.nodes[tuple(p.constant for p in place)])
        return [Scalars(nodes, array.dtype)]
    source = mem.large(array)
    return [Large(tuple(shape), array.dtype, lambda where: read(where, source.at), stored=False)]


def _filler(dtype: np.dtype) -> Any:
    if dtype.kind == "f":
        return np.nan
    return True if dtype.kind == "b" else (np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min)


def _scatter(join: str) -> Rule:
    def scatter(mem: Memory, inputs: list[Array], shapes: Any, *, dimension_numbers: Any, **_: Any) -> list[Array]:
        """Updates that would not fit inside are dropped."""
        array, indices, updates = inputs
        d, rank, ar = dimension_numbers, len(array.shape), mem.ar
        windows = [k for k in range(rank) if k not in (*d.inserted_window_dims, *d.operand_batching_dims)]
        batch_axes = [k for k in range(len(updates.shape)) if k not in d.update_window_dims]
        extent = [1] * rank
        for axis, k in zip(windows, d.update_window_dims, strict=True):
            extent[axis] = updates.shape[k]

        def place_of(where: Where) -> tuple[list[Index], Node]:
            batch = [where[k] for k in batch_axes]
            starts = _indexed(d, indices, mem, batch, d.scatter_dims_to_operand_dims, rank)
            place, inside = [Index()] * rank, mem.graph.constant(True, np.dtype(bool))
            for axis, start in enumerate(starts):
                if start is not None:
                    held = _within(mem, start, array.shape[axis] - extent[axis])
                    inside = ar.logic("and", inside, ar.compare("eq", held, start))
                    place[axis] = Index.of(held)
            for axis, k in zip(d.operand_batching_dims, d.scatter_indices_batching_dims, strict=True):
                place[axis] = batch[k]
            for axis, k in zip(windows, d.update_window_dims, strict=True):
                place[axis] = place[axis] + where[k]
            return place, inside

        def joined(old: Node, new: Node) -> Node:
            return new if join == "set" else {"add": ar.add, "sub": ar.sub, "mul": ar.mul, "max": ar.largest,
                                              "min": ar.smallest}[join](old, new)  # fmt: skip

        constant = isinstance(indices, Scalars) and indices.constant
        if isinstance(array, Scalars) and isinstance(updates, Scalars) and constant:
            nodes = array.nodes.copy()
            for at in np.ndindex(*updates.shape):
                place, inside = place_of([Index(k) for k in at])
                if is_constant(inside, 1):
                    key = tuple(p.constant for p in place)
                    nodes[key] = joined(nodes[key], updates.nodes[at])
            return [Scalars(nodes, array.dtype)]
        buffer = mem.graph.buffer(math.prod(array.shape), array.dtype)
        mem.copy(array, buffer, Index())
        source = mem.large(updates)

        def put(where: list[Index]) -> None:
            place, inside = place_of(where)
            address = mem.address(flat(place, array.shape))
            with mem.graph.inside() as write:
                old = mem.graph.load(buffer, address, changing=True)
                mem.graph.store(buffer, address, joined(old, source.at(where)))
            if is_constant(inside, 1):
                mem.graph.block.items += write.items
            else:
                mem.graph.block.items.append(Branch(ar.convert(inside, Int), [Block(), write]))

        mem.loops(updates.shape, put)
        return [mem.view(buffer, Index(), array.shape)]

    return scatter


LOOKUPS: dict[str, Rule] = {
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather,
    "scatter": _scatter("set"),
    **{f"scatter{dash}{join}": _scatter(join) for dash in "-_" for join in ("add", "sub", "mul", "max", "min")},
}
