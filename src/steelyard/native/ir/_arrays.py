"""Arrays while C is written: as scalars, one by one, or as memory and formulas that loops run over."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.native.ir._arithmetic import Arithmetic
from steelyard.native.ir._scalar_graph import Buffer, Loop, Node, ScalarGraph, is_constant
from steelyard.native.ir._vectorise import Alike, in_lanes, stacked, written

Int = np.dtype(np.int64)
RESULT = "out"
"""The name of what a step writes."""


@dataclasses.dataclass(frozen=True)
class Index:
    """`constant + sum of factor * node`: where to read, while loops count."""

    constant: int = 0
    terms: Mapping[Node, int] = dataclasses.field(default_factory=dict)

    def __add__(self, other: "Index | int") -> "Index":
        other = Index(other) if isinstance(other, int) else other
        terms = dict(self.terms)
        for node, factor in other.terms.items():
            terms[node] = terms.get(node, 0) + factor
        return Index(self.constant + other.constant, terms)

    def __mul__(self, factor: int) -> "Index":
        return Index(self.constant * factor, {node: factor * f for node, f in self.terms.items()} if factor else {})

    @staticmethod
    def of(node: Node) -> "Index":
        """A node's value."""
        return Index(int(node.extra)) if is_constant(node) else Index(0, {node: 1})


Where = Sequence[Index]


@dataclasses.dataclass(frozen=True, eq=False)
class Scalars:
    """Every number a node."""

    nodes: Any
    """A NumPy array of nodes, in the array's shape."""
    dtype: np.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.nodes.shape

    @property
    def constant(self) -> bool:
        """Whether all of it is known now."""
        return all(map(is_constant, self.nodes.flat))


@dataclasses.dataclass(frozen=True, eq=False)
class Large:
    """A formula for the number at an index."""

    shape: tuple[int, ...]
    dtype: np.dtype
    at: Callable[[Where], Node]
    stored: bool
    """Whether the formula only reads memory, so that using it twice costs nothing."""
    place: tuple[Buffer, Index] | None = None
    """Where it lies row by row, if it does."""


Array = Scalars | Large


def size(array: Array) -> int:
    """How many numbers."""
    return math.prod(array.shape)


def flat(where: Where, shape: Sequence[int]) -> Index:
    """The position in memory, row by row."""
    position = Index()
    for index, extent in zip(where, shape, strict=True):
        position = position * extent + index
    return position


class Memory:
    """Moves arrays between the two forms."""

    def __init__(self, graph: ScalarGraph):
        self.graph, self.ar = graph, Arithmetic(graph)
        self.given: set[Buffer] = set()
        """The arguments: the result may lie where one of them lies."""

    def address(self, index: Index) -> Node:
        """An index as a node."""
        terms = sorted(((n, f) for n, f in index.terms.items() if f), key=lambda term: term[0].number)
        if not terms:
            return self.graph.constant(index.constant, Int)
        nodes, factors = zip(*terms, strict=True)
        return self.graph.make("index", nodes, Int, (index.constant, factors))

    def view(self, buffer: Buffer, offset: Index, shape: tuple[int, ...]) -> Large:
        """An array that lies in memory."""

        def at(where: Where) -> Node:
            return self.graph.load(buffer, self.address(offset + flat(where, shape)))

        return Large(shape, buffer.dtype, at, stored=True, place=(buffer, offset))

    def large(self, array: Array) -> Large:
        """As a formula; scalars are put into memory, once."""
        if isinstance(array, Large):
            return array
        nodes = array.nodes
        if nodes.size and all(node is nodes.flat[0] for node in nodes.flat):
            return Large(array.shape, array.dtype, lambda where: nodes.flat[0], stored=True)
        return self.graph.recall(("memory", array), lambda: self._spill(array))

    def _spill(self, array: Scalars) -> Large:
        if array.constant:
            values = np.array([node.extra for node in array.nodes.flat], array.dtype)
            return self.view(self.graph.table(values), Index(), array.shape)
        buffer = self.graph.buffer(array.nodes.size, array.dtype)
        self.copy(array, buffer, Index())
        return self.view(buffer, Index(), array.shape)

    def stored(self, array: Large) -> Large:
        """In memory, row by row."""
        if array.place is not None:
            return array
        return self.graph.recall(("memory", array), lambda: self.own_copy(array))

    def own_copy(self, array: Large) -> Large:
        """The same in memory of its own."""
        buffer = self.graph.buffer(size(array), array.dtype)
        self.copy(array, buffer, Index())
        return self.view(buffer, Index(), array.shape)

    def copy(self, array: Array, buffer: Buffer, offset: Index, strides: Sequence[int] | None = None) -> None:
        """Writes an array into memory, converted to its type."""
        steps = row_strides(array.shape) if strides is None else strides

        def put(where: Where, node: Node) -> None:
            position = offset
            for index, step in zip(where, steps, strict=True):
                position = position + index * step
            self.graph.store(buffer, self.address(position), self.ar.convert(node, buffer.dtype))

        if isinstance(array, Large):
            self.loops(array.shape, lambda where: put(where, array.at(where)))
            return
        hidden = self.given if buffer.name == RESULT else ()
        if not 1 <= len(array.shape) <= 2 or array.shape[-1] < self.graph.wide or not array.nodes.size:
            for indices in np.ndindex(*array.shape):
                put([Index(i) for i in indices], array.nodes[indices])
            return
        height, width = (1, *array.shape)[-2:]
        rows = array.nodes.reshape(height, width)
        lanes = [in_lanes(list(row), hidden) for row in rows]

        def at(i: Index, j: Index) -> list[Index]:
            return [i, j][-len(array.shape) :]

        if height > 1 and (all_rows := stacked(lanes)) is not None:
            self.loop(height, lambda i: self.loop(width, lambda j: put(
                at(Index.of(i), Index.of(j)), written(self.graph, all_rows, j, i))))  # fmt: skip
            return
        for i, lane in enumerate(lanes):
            if lane is None:
                for j in range(width):
                    put(at(Index(i), Index(j)), rows[i, j])
                continue
            self.loop(width, lambda j, i=i, lane=lane: put(at(Index(i), Index.of(j)), written(self.graph, lane, j)))

    def in_rows(self, array: Scalars) -> Scalars:
        """The same, in memory, where its rows are made number by number alike; else as it is."""
        if array.shape[-1] < self.graph.wide:
            return array
        lanes = [in_lanes(list(row)) for row in array.nodes.reshape(-1, array.shape[-1])]
        if None in lanes or sum(isinstance(lane, Alike) for lane in lanes) < 0.5 * len(lanes):
            return array
        buffer = self.graph.buffer(array.nodes.size, array.dtype)
        self.copy(array, buffer, Index())
        return self.scalars(self.view(buffer, Index(), array.shape))

    def loops(self, shape: Sequence[int], body: Callable[[list[Index]], None]) -> None:
        """Loops around a body that receives their indices."""
        if 0 in shape:
            return

        def nest(where: list[Index]) -> None:
            if len(where) == len(shape):
                body(where)
            elif shape[len(where)] == 1:
                nest([*where, Index(0)])
            else:
                self.loop(shape[len(where)], lambda counter: nest([*where, Index.of(counter)]))

        nest([])

    def loop(self, length: int, body: Callable[[Node], None]) -> None:
        """One loop."""
        counter = self.graph.counter()
        with self.graph.inside() as block:
            body(counter)
        self.graph.block.items.append(Loop(counter, length, block))

    def scalars(self, array: Array) -> Scalars:
        """Number by number, read from memory where they lie there."""
        if isinstance(array, Scalars):
            return array

        def read() -> Scalars:
            nodes = np.empty(array.shape, object)
            for indices in np.ndindex(*array.shape):
                nodes[indices] = array.at([Index(i) for i in indices])
            return Scalars(nodes, array.dtype)

        return self.graph.recall(("scalars", array), read)


def row_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Numbers between neighbours along each axis, row by row."""
    return tuple(itertools.accumulate([1, *reversed(shape[1:])], lambda a, b: a * b))[::-1] if shape else ()
