r"""A vectoriser (superword-level parallelism): scalars that are computed alike become one loop.

Lowering unrolls arrays into a graph of scalars. Where consecutive elements of a result have expression trees of one
shape, whose loads step through memory by one, the trees are replaced by one tree, a `Lane`, over a loop counter. A C
compiler turns such a loop into vector instructions.

    scalars                         one tree                       C

    out[0] = a[4] + 2*b[0]          Alike(+)
    out[1] = a[5] + 2*b[1]   -->     /    \                 -->    for (i = 0; i < 3; i++)
    out[2] = a[6] + 2*b[2]      Run(a, 4)  Alike(*)                    out[i] = a[4 + i] + 2 * b[i];
                                            /    \
                                     Node(2)      Run(b, 0)

`stacked` does the same across rows: lanes that are alike, their runs apart by one stride, become two nested loops.
"""

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from steelyard.native.ir._scalar_graph import COMMUTATIVE, Buffer, Node, ScalarGraph


@dataclasses.dataclass(frozen=True)
class Run:
    """Loads of consecutive elements of a buffer; in the next row `stride` elements further."""

    buffer: Buffer
    begin: int
    stride: int = 0


@dataclasses.dataclass(frozen=True)
class Alike:
    """One operation on every element; its operands are lanes."""

    like: Node
    args: "tuple[Lane, ...]"


@dataclasses.dataclass(frozen=True)
class Across:
    """One scalar a row: the lane runs over rows, not over elements."""

    rows: "Lane"


Lane = Node | Run | Alike | Across
"""How consecutive scalars are computed: a node where all are that one."""


def in_lanes(nodes: Sequence[Node], hidden: Collection[Buffer] = ()) -> Lane | None:
    """The lane of these scalars, or None where they are not computed alike; buffers in `hidden` must not be read."""
    return _Search(hidden).lane(nodes)


class _Search:
    """The search for lanes, with a memory: scalars share operands, so each group is examined once."""

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
        """Whether `other` can be the element k places after `node` in one lane."""
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
        """The first operands, the second ones, and so on; those of a commutative operation in an order that fits."""
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
    """The lane of all rows, or None where the rows are not computed alike."""
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


def written(graph: ScalarGraph, lane: Lane, counter: Node, row: Node | None = None) -> Node:
    """The expression of a lane at a loop's counter, and at the row's."""
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
