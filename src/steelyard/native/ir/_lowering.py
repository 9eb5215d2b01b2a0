"""From a flat program to statements: scalar by scalar while that is short, loops over arrays where it is not."""

import math
from collections.abc import Sequence

import numpy as np

from steelyard.errors import BadInput
from steelyard.native.ir._arrays import Array, Index, Int, Large, Memory, Scalars, size
from steelyard.native.ir._scalar_graph import BOOL, Block, Branch, Buffer, Node, ScalarGraph, is_constant
from steelyard.native.operations._elementwise import ELEMENTWISE
from steelyard.native.operations._indexing import LOOKUPS
from steelyard.native.operations._reductions import SUMS
from steelyard.native.operations._reshaping import SHAPES
from steelyard.native.trace._trace import Equation, Operand, Program, Value

MOVES = {**SHAPES, **LOOKUPS}

INSTEAD = {
    "while": "jax.lax.fori_loop with fixed bounds, or jax.lax.scan: loops must end after a known number of turns",
    "lu": "sequential scalar updates, or jnp.linalg.cholesky and jax.scipy.linalg.solve_triangular",
    "custom_linear_solve": "jnp.linalg.cholesky and jax.scipy.linalg.solve_triangular",
    "eigh": "a fixed number of Jacobi rotations",
    "svd": "the Cholesky factor of the normal equations",
    "householder_product": "jnp.linalg.cholesky of the normal equations",
    "geqrf": "jnp.linalg.cholesky of the normal equations",
    "qr": "jnp.linalg.cholesky of the normal equations",
    "sort": "jnp.max, jnp.min or jnp.argmax, or a network of jnp.minimum and jnp.maximum",
    "top_k": "jnp.argmax",
    "pure_callback": "the same in jax.numpy: a step calls no Python",
    "io_callback": "the same in jax.numpy: a step calls no Python",
    "debug_callback": "nothing: take the jax.debug.print out of the step",
    "random_bits": "an argument: draw random numbers outside of the step",
    "random_wrap": "an argument: draw random numbers outside of the step",
    "threefry2x32": "an argument: draw random numbers outside of the step",
    "conv_general_dilated": "sums of products",
}
"""For primitives without a C form, what to write."""


class Builder:
    """Turns equations into statements of a graph.

    `small` is the number of scalars up to which an equation is taken apart; `unroll` that up to which a scan is.
    """

    def __init__(self, graph: ScalarGraph, small: int | float, unroll: int | float):
        self.graph, self.mem = graph, Memory(graph)
        self.small, self.unroll = small, unroll

    def run(self, program: Program, inputs: Sequence[Array]) -> list[Array]:
        """Adds a program's statements; its outputs."""
        at: dict[Value, Array] = dict(zip(program.inputs, inputs, strict=True))

        def read(operand: Operand) -> Array:
            return self.constant(operand) if isinstance(operand, np.ndarray) else at[operand]

        for eqn in program.equations:
            outputs = self._take(eqn, [read(operand) for operand in eqn.inputs])
            for value, array in zip(eqn.outputs, outputs, strict=True):
                if isinstance(array, Large) and not array.stored and value.uses > 1:
                    array = self.mem.stored(array)
                array = self.settle(array)
                at[value] = self._gathered(array) if value.uses > 1 or eqn.name in SUMS else array
        return [read(operand) for operand in program.outputs]

    def _gathered(self, array: Array) -> Array:
        """A matrix that is made row by row alike is put into memory by loops, and read from there."""
        if isinstance(array, Large) or len(array.shape) != 2 or array.dtype.kind != "f":
            return array
        return self.mem.in_rows(array)

    def constant(self, values: np.ndarray) -> Scalars:
        """Numbers that are known now."""
        nodes = np.empty(values.shape, object)
        for where in np.ndindex(*values.shape):
            nodes[where] = self.graph.constant(values[where], values.dtype)
        return Scalars(nodes, values.dtype)

    def _is_small(self, count: int) -> bool:
        return count <= self.small

    def _take(self, eqn: Equation, inputs: list[Array]) -> Sequence[Array]:
        name, shapes = eqn.name, [value.shape for value in eqn.outputs]
        if name == "scan":
            return self._scan(eqn, inputs)
        if name == "cond":
            return self._cond(eqn, inputs)
        if name in ELEMENTWISE:
            return [self._elementwise(eqn, inputs)]
        if name in SUMS:
            return SUMS[name](self.mem, self._suited(_work(eqn), inputs), shapes, **eqn.params)
        if name in MOVES:
            return MOVES[name](self.mem, self._suited(sum(map(math.prod, shapes)), inputs), shapes, **eqn.params)
        raise unsupported(eqn)

    def _suited(self, work: int, inputs: list[Array]) -> list[Array]:
        """Scalars for little work and for constants, loops for much."""
        if all(isinstance(array, Scalars) and (array.constant or self._is_small(work)) for array in inputs):
            return inputs
        return [self.mem.large(array) for array in inputs]

    def _elementwise(self, eqn: Equation, inputs: list[Array]) -> Array:
        rule, value = ELEMENTWISE[eqn.name], eqn.outputs[0]
        known = all(isinstance(array, Scalars) and array.constant for array in inputs)
        if known or self._is_small(math.prod(value.shape)):
            # A condition may be one for all.
            nodes = [np.broadcast_to(self.mem.scalars(array).nodes, value.shape) for array in inputs]
            if eqn.name == "select_n" and isinstance(chosen := self._chosen(nodes, value), Scalars):
                return chosen
            # A product of three stays as it is written where rows are to be alike.
            self.mem.ar.regroups = len(value.shape) < 2 or value.shape[-1] < self.graph.wide
            result = np.empty(value.shape, object)
            for where in np.ndindex(*value.shape):
                result[where] = rule(self.mem.ar, *(each[where] for each in nodes), **eqn.params)
            return Scalars(result, value.dtype)
        arrays = [self.mem.large(array) for array in inputs]

        def at(where: Sequence[Index]) -> Node:
            operands = [array.at([w if n > 1 else Index() for w, n in zip(where, array.shape)]) for array in arrays]  # noqa: B905  a condition may have no axes
            return rule(self.mem.ar, *operands, **eqn.params)

        return Large(value.shape, value.dtype, at, stored=False)

    def _chosen(self, nodes: list[np.ndarray], value: Value) -> Scalars | None:
        """One of two large arrays as a whole: a branch, which a processor foresees, and no wait for the condition."""
        which, *cases = nodes
        if len(value.shape) != 2 or value.shape[1] < self.graph.wide or len(cases) != 2 or not which.size:
            return None
        condition = which.flat[0]
        if condition.kind != BOOL or is_constant(condition) or any(node is not condition for node in which.flat):
            return None
        buffer = self.graph.buffer(which.size, value.dtype)
        no, yes = (Scalars(case, value.dtype) for case in cases)
        self.mem.copy(yes, buffer, Index())
        with self.graph.inside() as block:
            self.mem.copy(no, buffer, Index())
        self.graph.block.items.append(Branch(self.mem.ar.convert(condition, Int), [block, Block()]))
        return self.mem.scalars(self.mem.view(buffer, Index(), value.shape))

    def _scan(self, eqn: Equation, inputs: list[Array]) -> list[Array]:
        p, (body,) = eqn.params, eqn.bodies
        fixed, carried = p["num_consts"], p["num_consts"] + p["num_carry"]
        consts, carry, rows = inputs[:fixed], inputs[fixed:carried], inputs[carried:]
        if p["length"] * weight(body) <= self.unroll:
            return self._unrolled(eqn, consts, carry, rows)
        stacked_outputs = eqn.outputs[p["num_carry"] :]
        held = [self._held(value.shape, value.dtype) for value in eqn.outputs[: p["num_carry"]]]
        for array, (buffer, _) in zip(carry, held, strict=True):
            self._copy(array, buffer)
        stacks = [self._held(value.shape, value.dtype) for value in stacked_outputs]
        rows = [self.mem.large(array) for array in rows]

        def turn(counter: Node) -> None:
            here = Index.of(counter)
            if p["reverse"]:
                here = here * -1 + (p["length"] - 1)
            given = [self.settle(array) for _, array in held]
            given += [self.settle(_row(self.mem, array, here)) for array in rows]
            outputs = self.run(body, [*consts, *given])
            after, outgoing = outputs[: p["num_carry"]], outputs[p["num_carry"] :]
            buffers = {buffer for buffer, _ in held}
            after = [self._apart(array, buffers) for array in after]  # all is read before anything is overwritten
            for array, (buffer, _) in zip(outgoing, stacks, strict=True):
                if buffer is not None:
                    self.mem.copy(array, buffer, here * size(array))
            for array, (buffer, _) in zip(after, held, strict=True):
                self._copy(array, buffer)

        self.mem.loop(p["length"], turn)
        return [self.settle(array) for _, array in (*held, *stacks)]

    def _unrolled(self, eqn: Equation, consts: list[Array], carry: list[Array], rows: list[Array]) -> list[Array]:
        p, (body,) = eqn.params, eqn.bodies
        turns = range(p["length"])
        outgoing: list[list[Array]] = []
        for k in reversed(turns) if p["reverse"] else turns:
            given = [self.settle(_row(self.mem, array, Index(k))) for array in rows]
            outputs = self.run(body, [*consts, *carry, *given])
            carry = [self._gathered(array) for array in outputs[: p["num_carry"]]]
            outgoing.append(outputs[p["num_carry"] :])
        outgoing = outgoing[::-1] if p["reverse"] else outgoing
        stacked = []
        for j, value in enumerate(eqn.outputs[p["num_carry"] :]):
            if not outgoing:
                stacked.append(self.constant(np.zeros(value.shape, value.dtype)))
                continue
            stacked += SHAPES["stack"](self.mem, [each[j] for each in outgoing], [value.shape], axis=0)
        return [*carry, *stacked]

    def _cond(self, eqn: Equation, inputs: list[Array]) -> list[Array]:
        which, arguments = self.mem.scalars(inputs[0]).nodes[()], inputs[1:]
        if is_constant(which):
            chosen = int(np.clip(int(which.extra), 0, len(eqn.bodies) - 1))
            return self.run(eqn.bodies[chosen], arguments)
        results = [self._held(value.shape, value.dtype) for value in eqn.outputs]
        blocks = []
        for body in eqn.bodies:
            with self.graph.inside() as block:
                for array, (buffer, _) in zip(self.run(body, arguments), results, strict=True):
                    self._copy(array, buffer)
            blocks.append(block)
        self.graph.block.items.append(Branch(which, blocks))
        return [self.settle(array) for _, array in results]

    def _held(self, shape: tuple[int, ...], dtype: np.dtype) -> tuple[Buffer | None, Array]:
        """Memory for an array, and the array in it; none for an empty one."""
        if 0 in shape:
            return None, Scalars(np.empty(shape, object), dtype)
        buffer = self.graph.buffer(math.prod(shape), dtype)
        return buffer, self.mem.view(buffer, Index(), shape)

    def _copy(self, array: Array, buffer: Buffer | None) -> None:
        if buffer is not None:
            self.mem.copy(array, buffer, Index())

    def settle(self, array: Array) -> Array:
        """An array as its size wants it."""
        return self.mem.scalars(array) if self._is_small(size(array)) else array

    def _apart(self, array: Array, buffers: set[Buffer | None]) -> Array:
        """An array that no write to these buffers can change."""
        if isinstance(array, Scalars) or (array.place is not None and array.place[0] not in buffers):
            return array
        return self.mem.own_copy(array)


def _row(mem: Memory, array: Array, index: Index) -> Array:
    """One of a stack of arrays."""
    shape = array.shape[1:]
    if isinstance(array, Scalars) and not index.terms:
        return Scalars(np.asarray(array.nodes[index.constant], object).reshape(shape), array.dtype)
    whole = mem.large(array)
    if whole.place is not None:
        buffer, offset = whole.place
        return mem.view(buffer, offset + index * math.prod(shape), shape)
    return Large(shape, array.dtype, lambda where: whole.at([index, *where]), whole.stored)


def _work(eqn: Equation) -> int:
    """How many scalar operations a sum or a product of matrices takes."""
    if eqn.name != "dot_general":
        return math.prod(eqn.inputs[0].shape)
    (inner, _), _ = eqn.params["dimension_numbers"]
    return math.prod(eqn.outputs[0].shape) * math.prod(eqn.inputs[0].shape[k] for k in inner)


def weight(program: Program) -> int:
    """About how many scalar operations a program takes, all scans unrolled."""
    total = 0
    for eqn in program.equations:
        if eqn.name == "scan":
            total += eqn.params["length"] * weight(eqn.bodies[0])
        elif eqn.name == "cond":
            total += sum(map(weight, eqn.bodies))
        elif eqn.name in SUMS:
            total += _work(eqn)
        elif eqn.name in ELEMENTWISE:
            total += sum(math.prod(value.shape) for value in eqn.outputs)
    return total


def unsupported(eqn: Equation) -> BadInput:
    """Names the primitive, its place in the user's source, and what to write."""
    instead = INSTEAD.get(eqn.name)
    advice = f"write {instead}" if instead else "write it with the arithmetic and array operations of jax.numpy"
    return BadInput(f'the step uses "{eqn.name}" at {eqn.place}, which has no form in C; {advice} instead.')
