"""Numbers in a row that are made alike become a loop: a compiler takes several of them at a time."""

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from steelyard.native.ir._scalar_graph import COMMUTATIVE, Buffer, Graph, Node

WIDE = 8
"""Numbers in a row from which on that is tried."""


@dataclasses.dataclass(frozen=True)
class Run:
    """Numbers that lie in memory one after the other, in the next row so many places further."""

    buffer: Buffer
    begin: int
    stride: int = 0


@dataclasses.dataclass(frozen=True)
class Alike:
    """Numbers that come from others by one operation."""

    like: Node
    args: "tuple[Lane, ...]"


@dataclasses.dataclass(frozen=True)
class Across:
    """One number a row."""

    rows: "Lane"


Lane = Node | Run | Alike | Across
"""How the numbers of a row are made: a node where all are that one."""


def in_lanes(nodes: Sequence[Node], hidden: Collection[Buffer] = ()) -> Lane | None:
    """How all of them are made, if they are made alike; without reading the memory that is hidden."""
    return _Search(hidden).lane(nodes)


class _Search:
    """Numbers are made from numbers that are made from the same ones: what was found once is not looked for again."""

    def __init__(self, hidden: Collection[Buffer]):
        self._hidden = hidden
        self._lanes: dict[tuple[int, ...], Lane | None] = {}
        self._fitting: dict[tuple[int, int, int], bool] = {}

    def lane(self, nodes: Sequence[Node]) -> Lane | None:
        key = tuple(id(node) for node in nodes)
        if key not in self._lanes:
            self._lanes[key] = self._lane(nodes)
        return self._lanes[key]

    def fits(self, node: Node, other: Node, k: int) -> bool:
        """Whether the other one could be k places further in the same row."""
        key = id(node), id(other), k
        if key not in self._fitting:
            self._fitting[key] = self._fits(node, other, k)
        return self._fitting[key]

    def _lane(self, nodes: Sequence[Node]) -> Lane | None:
        first = nodes[0]
        if all(node is first for node in nodes):
            return first
        if first.op == "load":
            runs = first.extra not in self._hidden and all(_follows(first, node, k) for k, node in enumerate(nodes))
            return Run(first.extra, int(first.args[0].extra)) if runs else None
        if not first.args or any((n.op, n.dtype, n.extra) != (first.op, first.dtype, first.extra) for n in nodes):
            return None
        lanes = []
        for column in self._columns(nodes):
            if (lane := self.lane(column)) is None:
                return None
            lanes.append(lane)
        return Alike(first, tuple(lanes))

    def _columns(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """Their first arguments, their second ones, and so on; where order does not matter, so that they fit."""
        first = nodes[0]
        if first.op not in COMMUTATIVE:
            return [list(column) for column in zip(*(node.args for node in nodes), strict=True)]
        (a, b), left, right = first.args, [first.args[0]], [first.args[1]]
        for k, node in enumerate(nodes[1:], 1):
            x, y = node.args
            if not (self.fits(a, x, k) and self.fits(b, y, k)):
                x, y = y, x
            left.append(x)
            right.append(y)
        return [left, right]

    def _fits(self, node: Node, other: Node, k: int) -> bool:
        if node is other or _follows(node, other, k):
            return True
        if node.op != other.op or node.op in ("load", "const") or len(node.args) != len(other.args) or not node.args:
            return False
        straight = all(self.fits(a, b, k) for a, b in zip(node.args, other.args, strict=True))
        return straight or (
            node.op in COMMUTATIVE
            and self.fits(node.args[0], other.args[1], k)
            and self.fits(node.args[1], other.args[0], k)
        )


def stacked(lanes: Sequence[Lane | None]) -> Lane | None:
    """How the numbers of all rows are made, if the rows are made alike."""
    first = lanes[0]
    if all(isinstance(lane, Node) for lane in lanes):
        across = in_lanes(lanes)  # type: ignore[arg-type]
        return across if across is None or isinstance(across, Node) else Across(across)
    if isinstance(first, Run) and len(lanes) > 1 and isinstance(lanes[1], Run):
        step = lanes[1].begin - first.begin
        fine = all(lane == Run(first.buffer, first.begin + k * step) for k, lane in enumerate(lanes))
        return Run(first.buffer, first.begin, step) if fine else None
    if not isinstance(first, Alike):
        return None
    columns: list[list[Lane]] = [[] for _ in first.args]
    for lane in reversed(lanes):  # the first row may well be odd: its first number is on the diagonal
        if not isinstance(lane, Alike) or (lane.like.op, lane.like.extra) != (first.like.op, first.like.extra):
            return None
        args = lane.args
        if first.like.op in COMMUTATIVE and columns[0] and type(args[0]) is not type(columns[0][-1]):
            args = args[::-1]
        for column, arg in zip(columns, args, strict=True):
            column.append(arg)
    inner = [stacked(column[::-1]) for column in columns]
    return None if None in inner else Alike(first.like, tuple(lane for lane in inner if lane is not None))


def _follows(node: Node, other: Node, k: int) -> bool:
    if node.op != "load" or other.op != "load" or node.extra is not other.extra:
        return False
    at, there = node.args[0], other.args[0]
    return at.op == there.op == "const" and int(there.extra) - int(at.extra) == k


def written(graph: Graph, lane: Lane, counter: Node, row: Node | None = None) -> Node:
    """The number of a lane at a loop's counter, and at the row's."""
    if isinstance(lane, Node):
        return lane
    if isinstance(lane, Across):
        assert row is not None
        return written(graph, lane.rows, row)
    if isinstance(lane, Run):
        counters = ((counter, 1),) if row is None or not lane.stride else ((row, lane.stride), (counter, 1))
        nodes, factors = zip(*counters, strict=True)
        return graph.load(lane.buffer, graph.make("index", nodes, np.dtype(np.int64), (lane.begin, factors)))
    args = tuple(written(graph, arg, counter, row) for arg in lane.args)
    return graph.make(lane.like.op, args, lane.like.dtype, lane.like.extra)
