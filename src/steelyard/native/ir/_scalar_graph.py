"""Scalar arithmetic as a graph: constants folded, equal expressions made once."""

import dataclasses
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

FLOAT, INT, BOOL = "f", "i", "b"
COMMUTATIVE = ("add", "mul", "eq", "ne", "and", "or", "xor")
"""Operations whose two arguments may change places."""


class TooLong(Exception):
    """The code would grow past the size that was allowed."""


class Node:
    """A number that the C code computes, or a constant."""

    __slots__ = ("args", "dtype", "extra", "number", "op")

    def __init__(self, number: int, op: str, args: tuple["Node", ...], dtype: np.dtype, extra: Any):
        self.number, self.op, self.args, self.dtype, self.extra = number, op, args, dtype, extra

    @property
    def kind(self) -> str:
        """`f`, `i` (also without a sign) or `b`."""
        return INT if self.dtype.kind == "u" else self.dtype.kind


@dataclasses.dataclass(eq=False)
class Buffer:
    """An array in memory."""

    name: str
    size: int
    dtype: np.dtype
    constant: np.ndarray | None = None
    """Its numbers, where it is a table."""


@dataclasses.dataclass(eq=False)
class Store:
    """`buffer[index] = value`."""

    buffer: Buffer
    index: Node
    value: Node


@dataclasses.dataclass(eq=False)
class Loop:
    """`for (counter = 0; counter < length; counter++)`."""

    counter: Node
    length: int
    body: "Block"


@dataclasses.dataclass(eq=False)
class Branch:
    """`switch` over as many bodies as there are; the last one also takes whatever is beyond."""

    index: Node
    bodies: "list[Block]"


@dataclasses.dataclass(eq=False)
class Choice:
    """Many `select`s by one condition, none of which needs another."""

    nodes: list[Node]

    @property
    def condition(self) -> Node:
        return self.nodes[0].args[0]


@dataclasses.dataclass(eq=False)
class Block:
    """Statements in order; a node stands where it is computed."""

    items: "list[Item]" = dataclasses.field(default_factory=list)
    buffers: list[Buffer] = dataclasses.field(default_factory=list)


Item = Node | Store | Loop | Branch | Choice
"""A statement."""


class ScalarGraph:
    """Where nodes are made. What is known in a block is known in those inside it, and nowhere else."""

    def __init__(self, limit: int | float = math.inf, wide: int | float = math.inf):
        self.limit = limit
        self.wide = wide
        """Consecutive scalars from which on a loop is tried."""
        self.block = Block()
        self.constants: dict[Any, Node] = {}
        self.known: list[dict[Any, Any]] = [{}]
        self.tables: dict[Any, Buffer] = {}
        self.count = self.names = 0

    @contextmanager
    def inside(self) -> Iterator[Block]:
        """A block of its own; the caller puts it where it belongs."""
        outer, self.block = self.block, Block()
        self.known.append({})
        try:
            yield self.block
        finally:
            self.known.pop()
            self.block = outer

    def constant(self, value: Any, dtype: np.dtype) -> Node:
        """A number that is known now."""
        value = np.asarray(value, dtype)[()]
        key = (dtype.str, value.tobytes())
        if key not in self.constants:
            self.constants[key] = Node(-1 - len(self.constants), "const", (), dtype, value)
        return self.constants[key]

    def make(self, op: str, args: tuple[Node, ...], dtype: np.dtype, extra: Any = None) -> Node:
        """The node of this operation, made once."""
        if (found := self.find(op, args, dtype, extra)) is not None:
            return found
        node = self.fresh(op, args, dtype, extra)
        self.known[-1][op, tuple(arg.number for arg in args), dtype.str, extra] = node
        return node

    def find(self, op: str, args: tuple[Node, ...], dtype: np.dtype, extra: Any = None) -> Node | None:
        """The node of this operation, if it was made here or in a block around."""
        key = (op, tuple(arg.number for arg in args), dtype.str, extra)
        return next((scope[key] for scope in reversed(self.known) if key in scope), None)

    def fresh(self, op: str, args: tuple[Node, ...], dtype: np.dtype, extra: Any = None) -> Node:
        """A node that equals no other, such as what is read from memory that changes."""
        self.count += 1
        if self.count > self.limit:
            raise TooLong
        node = Node(self.count, op, args, dtype, extra)
        self.block.items.append(node)
        return node

    def counter(self) -> Node:
        """A loop's variable; its loop declares it."""
        self.count += 1
        return Node(self.count, "counter", (), np.dtype(np.int64), None)

    def buffer(self, size: int, dtype: np.dtype) -> Buffer:
        """Memory for the present block."""
        self.names += 1
        buffer = Buffer(f"m{self.names}", size, dtype)
        self.block.buffers.append(buffer)
        return buffer

    def table(self, values: np.ndarray) -> Buffer:
        """Constants in memory, for those who index them at run time."""
        key = (values.dtype.str, values.tobytes())
        if key not in self.tables:
            self.tables[key] = Buffer(f"k{len(self.tables) + 1}", values.size, values.dtype, values.ravel())
        return self.tables[key]

    def store(self, buffer: Buffer, index: Node, value: Node) -> None:
        """Writes a number."""
        self.block.items.append(Store(buffer, index, value))

    def load(self, buffer: Buffer, index: Node, changing: bool = False) -> Node:
        """Reads a number; memory is written before it is read, but for what is `changing`."""
        if buffer.constant is not None and index.op == "const":
            return self.constant(buffer.constant[int(index.extra)], buffer.dtype)
        if changing:
            return self.fresh("load", (index,), buffer.dtype, buffer)
        return self.make("load", (index,), buffer.dtype, buffer)

    def recall(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made under this key here or in a block around; else it is made now."""
        for scope in reversed(self.known):
            if key in scope:
                return scope[key]
        self.known[-1][key] = made = make()
        return made


def is_constant(node: Node, value: int | float | None = None) -> bool:
    """Whether it is a constant, and this one."""
    return node.op == "const" and (value is None or bool(node.extra == value))
