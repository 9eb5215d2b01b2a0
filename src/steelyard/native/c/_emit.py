"""A pure step as a C99 function of vectors: state and samples in, the next state out."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from steelyard.errors import BadInput
from steelyard.native.c._statements import Text
from steelyard.native.c._tuning import EMIT
from steelyard.native.ir._arrays import RESULT, Array, Index, Large, Scalars
from steelyard.native.ir._lowering import Builder
from steelyard.native.ir._memory_slots import share_memory
from steelyard.native.ir._scalar_graph import Buffer, ScalarGraph, TooLong
from steelyard.native.ir._schedule import late_first
from steelyard.native.ir._tuning import TUNING
from steelyard.native.trace._layout import Layout, Leaf
from steelyard.native.trace._liveness import Alive
from steelyard.native.trace._trace import Program, trace


@dataclasses.dataclass(frozen=True)
class Code:
    """A step in C, and what a caller must know of it."""

    name: str
    arguments: tuple[Layout, ...]
    result: Layout
    body: str
    """The function itself with its constants, without the header."""
    signature: str
    operations: int
    single: bool
    looped: bool
    """Whether it has loops over arrays: too long to be written scalar by scalar."""
    stack_bound: int
    """Bytes of its arrays and, each in a place of its own, of its scalars; compilers need far less."""

    @property
    def real(self) -> str:
        """The type of every number that goes in or out."""
        return "float" if self.single else "double"


def emit(
    step: Callable[..., Any],
    example: Sequence[Any],
    name: str = "step",
    single: bool = False,
    symmetric: Sequence[str] = (),
    lanes: bool = True,
) -> Code:
    """C for a step; the example's arguments give the shapes. With `single` all of it is in float32.

    Square arguments whose last name is in `symmetric` are so: only half of them is read. Without `lanes` no rows are
    gathered into loops for vector instructions, which suits a processor that gives each step a thread.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise BadInput(f'"{name}" is no name of a function in C; give letters, digits and underscores.')
    program = trace(step, example)
    names = _names(step, len(example))
    arguments = tuple(Layout.of(label, tree) for label, tree in zip(names, example, strict=True))
    result = Layout.of("out", jax.eval_shape(step, *example))
    wide = TUNING.loop_from if lanes else np.inf
    try:
        graph, looped = _build(program, arguments, result, symmetric, wide, EMIT.scalar_limit, np.inf, np.inf), False
    except TooLong:
        graph, looped = (
            _build(program, arguments, result, symmetric, wide, np.inf, EMIT.small_array, EMIT.short_scan),
            True,
        )
    text, alive = Text(single), Alive.in_block(graph.block, RESULT)
    late_first(graph.block, alive, RESULT)
    share_memory(graph.block, alive)
    read = {buffer.name for buffer in alive.buffers}
    real = "float" if single else "double"
    given = ", ".join([*(f"const {real} *{label}" for label in names), f"{real} *out"])
    signature = f"void {name}({given})"
    lines = [text.table(table) for table in graph.tables.values() if table.name in read]
    lines += ["", signature, "{"]
    lines += [f"    (void){label};" for label in names if label not in read]
    lines += [*text.block(graph.block, alive), "}"]
    return Code(
        name, arguments, result, "\n".join(lines).lstrip("\n"), signature, alive.operations, single, looped, alive.bytes
    )


def _build(
    program: Program,
    arguments: Sequence[Layout],
    result: Layout,
    symmetric: Sequence[str],
    wide: int | float,
    limit: int | float,
    small: int | float,
    unroll: int | float,
) -> ScalarGraph:
    graph = ScalarGraph(limit, wide)
    builder = Builder(graph, small, unroll)
    real = np.dtype(np.float64)
    inputs: list[Array] = []
    for layout in arguments:
        buffer = Buffer(layout.name, layout.size, real)
        builder.mem.given.add(buffer)
        for leaf in layout.leaves:
            array = _given(builder, buffer, leaf.offset, leaf.shape, leaf.dtype)
            if isinstance(array, Scalars) and _is_symmetric(leaf, symmetric, wide):
                array = _mirrored(array)
            inputs.append(array)
    outputs = builder.run(program, inputs)
    out = Buffer(RESULT, result.size, real)
    held = [builder.mem.stored(array) if isinstance(array, Large) else array for array in outputs]
    own = {layout.name for layout in arguments}
    held = [_safe(builder, array, own) for array in held]  # the result may lie where an argument lies
    for leaf, array in zip(result.leaves, held, strict=True):
        if isinstance(array, Scalars) and _is_symmetric(leaf, symmetric, wide):
            array = _mirrored(array)  # its other half need not be computed
        if leaf.size:
            builder.mem.copy(array, out, Index(leaf.offset))
    return graph


def _given(builder: Builder, buffer: Buffer, offset: int, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """An argument's leaf, in its own type."""
    view = builder.mem.view(buffer, Index(offset), shape)
    if dtype == buffer.dtype:
        return builder.settle(view)
    return builder.settle(
        Large(shape, dtype, lambda where: builder.mem.ar.convert(view.at(where), dtype), stored=False)
    )


def _is_symmetric(leaf: Leaf, symmetric: Sequence[str], wide: int | float) -> bool:
    """Whether a matrix is read and written by its lower half; where rows are wide enough, they are taken whole."""
    return leaf.name.split("/")[-1] in symmetric and len(leaf.shape) == 2 and leaf.shape[1] < wide


def _mirrored(array: Scalars) -> Scalars:
    """A symmetric matrix from its lower half."""
    nodes = array.nodes.copy()
    for i, j in zip(*np.triu_indices(len(nodes), 1), strict=True):
        nodes[i, j] = nodes[j, i]
    return Scalars(nodes, array.dtype)


def _safe(builder: Builder, array: Array, own: set[str]) -> Array:
    """A copy where an array lies in an argument's memory, which the result may overwrite."""
    if isinstance(array, Large) and array.place is not None and array.place[0].name in own:
        return builder.mem.own_copy(array)
    return array


def _names(step: Callable[..., Any], count: int) -> list[str]:
    """The step's own names for its arguments, where they can be C's."""
    try:
        names = list(inspect.signature(step).parameters)[:count]
    except (TypeError, ValueError):
        names = []
    reserved = {"out", "int", "float", "double", "for", "if", "else", "const", "static", "void", "return", "char"}
    fine = len(names) == count and all(re.fullmatch(r"[A-Za-z]\w*", n) and n not in reserved for n in names)
    fine = fine and not any(re.fullmatch(r"[timk]\d+", n) for n in names)
    return names if fine else [f"argument{k + 1}" for k in range(count)]
