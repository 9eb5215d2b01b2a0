"""Primitives that gather many numbers into one: sums, products of matrices, extremes and where they are."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from steelyard.native.ir._arithmetic import Arithmetic
from steelyard.native.ir._arrays import Array, Index, Large, Memory, Scalars, Where, flat
from steelyard.native.ir._scalar_graph import Node
from steelyard.native.operations._reshaping import Rule

Join = Callable[[Arithmetic, Node, Node], Node]


def _lowest(dtype: np.dtype) -> Any:
    return -np.inf if dtype.kind == "f" else (False if dtype.kind == "b" else np.iinfo(dtype).min)


def _highest(dtype: np.dtype) -> Any:
    return np.inf if dtype.kind == "f" else (True if dtype.kind == "b" else np.iinfo(dtype).max)


_JOINS: dict[str, tuple[Join, Callable[[np.dtype], Any]]] = {
    "sum": (lambda ar, a, b: ar.add(a, b), lambda _: 0),
    "prod": (lambda ar, a, b: ar.mul(a, b), lambda _: 1),
    "max": (lambda ar, a, b: ar.largest(a, b), _lowest),
    "min": (lambda ar, a, b: ar.smallest(a, b), _highest),
    "and": (lambda ar, a, b: ar.logic("and", a, b), lambda _: True),
    "or": (lambda ar, a, b: ar.logic("or", a, b), lambda _: False),
}


def _reduction(name: str) -> Rule:
    join, neutral = _JOINS[name]

    def reduce(mem: Memory, inputs: list[Array], shapes: Any, *, axes: Sequence[int], **_: Any) -> list[Array]:
        (array,), (shape,) = inputs, shapes
        start = mem.graph.constant(neutral(array.dtype), array.dtype)
        remaining = [k for k in range(len(array.shape)) if k not in axes]
        if isinstance(array, Scalars):
            # whole rows first: they go several numbers at a time
            if name == "sum" and not remaining and len(axes) == 2:
                array = mem.in_rows(Scalars(_row_sums(mem, array.nodes, start), array.dtype))
                axes = (0,)
            lines = array.nodes.transpose(*remaining, *axes).reshape(*shape, -1)
            nodes = np.empty(shape, object)
            for where in np.ndindex(*shape):
                nodes[where] = (
                    mem.ar.sum(list(lines[where]), start)
                    if name == "sum"
                    else functools.reduce(functools.partial(join, mem.ar), lines[where], start)
                )
            return [Scalars(nodes, array.dtype)]
        return [_accumulated(mem, array, list(axes), join, start)]

    return reduce


def _row_sums(mem: Memory, nodes: np.ndarray, zero: Node) -> np.ndarray:
    sums = np.empty(nodes.shape[1], object)
    for k in range(nodes.shape[1]):
        sums[k] = mem.ar.sum(list(nodes[:, k]), zero)
    return sums


def _accumulated(mem: Memory, array: Large, axes: list[int], join: Join, start: Node) -> Large:
    """In memory; the last axis that stays is the innermost loop, so that a compiler can take several at a time."""
    remaining = [k for k in range(len(array.shape)) if k not in axes]
    shape = tuple(array.shape[k] for k in remaining)
    buffer = mem.graph.buffer(math.prod(shape), array.dtype)
    inner = shape[-1:]

    def row(outer: list[Index]) -> None:
        mem.loops(inner, lambda last: mem.graph.store(buffer, mem.address(flat([*outer, *last], shape)), start))

        def gather(gone: list[Index]) -> None:
            def take(last: list[Index]) -> None:
                where = [Index()] * len(array.shape)
                for k, index in (*zip(remaining, [*outer, *last], strict=True), *zip(axes, gone, strict=True)):
                    where[k] = index
                address = mem.address(flat([*outer, *last], shape))
                so_far = mem.graph.load(buffer, address, changing=True)
                mem.graph.store(buffer, address, join(mem.ar, so_far, array.at(where)))

            mem.loops(inner, take)

        mem.loops([array.shape[k] for k in axes], gather)

    mem.loops(shape[:-1], row)
    return mem.view(buffer, Index(), shape)


def _dot(mem: Memory, inputs: list[Array], shapes: Any, *, dimension_numbers: Any, **_: Any) -> list[Array]:
    """Batch axes first, then the rows of the left, then the columns of the right."""
    left, right = inputs
    (inner_left, inner_right), (batch_left, batch_right) = dimension_numbers
    rows = [k for k in range(len(left.shape)) if k not in (*inner_left, *batch_left)]
    columns = [k for k in range(len(right.shape)) if k not in (*inner_right, *batch_right)]
    zero = mem.graph.constant(0, left.dtype)
    if 0 in (*left.shape, *right.shape):  # a sum of nothing
        return [Scalars(np.full(shapes[0], zero, object), left.dtype)]
    if isinstance(left, Scalars) and isinstance(right, Scalars):
        batch, inner = tuple(left.shape[k] for k in batch_left), math.prod(left.shape[k] for k in inner_left)
        a = left.nodes.transpose(*batch_left, *rows, *inner_left).reshape(*batch, -1, inner)
        b = right.nodes.transpose(*batch_right, *columns, *inner_right).reshape(*batch, -1, inner)
        nodes = np.empty((*batch, a.shape[-2], b.shape[-2]), object)
        for *at, i, j in np.ndindex(*nodes.shape):
            products = [mem.ar.mul(x, y) for x, y in zip(a[(*at, i)], b[(*at, j)], strict=True)]
            nodes[(*at, i, j)] = mem.ar.sum(products, zero)
        return [Scalars(nodes.reshape(shapes[0]), left.dtype)]
    one, two = mem.large(left), mem.large(right)
    batches, height, width = len(batch_left), len(rows), len(columns)

    def factor(where: Where) -> Node:
        outer, i, rest = where[:batches], where[batches : batches + height], where[batches + height :]
        j, k = rest[:width], rest[width:]
        at_one, at_two = [Index()] * len(left.shape), [Index()] * len(right.shape)
        for axes, found in ((batch_left, outer), (rows, i), (inner_left, k)):
            for axis, index in zip(axes, found, strict=True):
                at_one[axis] = index
        for axes, found in ((batch_right, outer), (columns, j), (inner_right, k)):
            for axis, index in zip(axes, found, strict=True):
                at_two[axis] = index
        return mem.ar.mul(one.at(at_one), two.at(at_two))

    shape = (*shapes[0], *(left.shape[k] for k in inner_left))
    axes = list(range(len(shapes[0]), len(shape)))
    return [_accumulated(mem, Large(shape, left.dtype, factor, stored=False), axes, _JOINS["sum"][0], zero)]


def _where_best(better: str) -> Rule:
    def find(mem: Memory, inputs: list[Array], shapes: Any, *, axes: Any, index_dtype: Any, **_: Any) -> list[Array]:
        """The first of the best; NaN counts as better than all."""
        array, ar, kind = mem.scalars(inputs[0]), mem.ar, np.dtype(index_dtype)
        lines = np.moveaxis(array.nodes, axes[0], -1)
        nodes = np.empty(shapes[0], object)
        for at in np.ndindex(*shapes[0]):
            best, found = lines[at][0], mem.graph.constant(0, kind)
            for k, node in enumerate(lines[at][1:], 1):
                wins = ar.compare(better, node, best)
                if array.dtype.kind == "f":
                    wins = ar.logic("or", wins, ar.compare("ne", node, node))
                    wins = ar.logic("and", wins, ar.compare("eq", best, best))
                best, found = ar.select(wins, node, best), ar.select(wins, mem.graph.constant(k, kind), found)
            nodes[at] = found
        return [Scalars(nodes, kind)]

    return find


def _running(name: str) -> Rule:
    join, _ = _JOINS[name]

    def run(mem: Memory, inputs: list[Array], shapes: Any, *, axis: int, reverse: bool, **_: Any) -> list[Array]:
        array = inputs[0]
        if isinstance(array, Large):
            return [_run_along(mem, array, axis, reverse, join)]
        nodes = np.moveaxis(array.nodes.copy(), axis, 0)
        rows = nodes[::-1] if reverse else nodes
        for k in range(1, len(rows)):
            for at in np.ndindex(*rows.shape[1:]):
                rows[(k, *at)] = join(mem.ar, rows[(k - 1, *at)], rows[(k, *at)])
        return [Scalars(np.moveaxis(nodes, 0, axis), array.dtype)]

    return run


def _run_along(mem: Memory, array: Large, axis: int, reverse: bool, join: Join) -> Large:
    """Each number joined with the one before it, in memory."""
    result, n = mem.own_copy(array), array.shape[axis]
    assert result.place is not None
    buffer, others = result.place[0], [extent for k, extent in enumerate(array.shape) if k != axis]

    def turn(counter: Node) -> None:
        before, here = Index.of(counter), Index.of(counter) + 1
        if reverse:
            before, here = before * -1 + (n - 1), here * -1 + (n - 1)

        def take(rest: list[Index]) -> None:
            old, new = (mem.address(flat([*rest[:axis], at, *rest[axis:]], array.shape)) for at in (before, here))
            values = [mem.graph.load(buffer, address, changing=True) for address in (old, new)]
            mem.graph.store(buffer, new, join(mem.ar, *values))

        mem.loops(others, take)

    mem.loop(n - 1, turn)
    return result


SUMS: dict[str, Rule] = {
    **{f"reduce_{name}": _reduction(name) for name in _JOINS},
    "dot_general": _dot,
    "argmax": _where_best("gt"),
    "argmin": _where_best("lt"),
    **{f"cum{name}": _running(name) for name in ("sum", "prod", "max", "min")},
}
