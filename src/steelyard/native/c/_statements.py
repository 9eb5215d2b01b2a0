"""Statements as C99."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from steelyard.native.ir._arithmetic import FUNCTIONS
from steelyard.native.ir._scalar_graph import Block, Branch, Buffer, Choice, Loop, Node, Store
from steelyard.native.trace._liveness import Alive

_INTEGERS = {"int64": "int64_t", "int32": "int32_t", "int16": "int16_t", "int8": "int8_t", "uint64": "uint64_t",
             "uint32": "uint32_t", "uint16": "uint16_t", "uint8": "uint8_t"}  # fmt: skip
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_BITS = {"and": "&", "or": "|", "xor": "^"}


class Text:
    """Writes blocks in C, with `double` or `float` as what the program calls float64."""

    def __init__(self, single: bool):
        self.single = single

    def type_of(self, dtype: np.dtype) -> str:
        """A number's type in C."""
        if dtype.kind == "f":
            return "float" if self.is_single(dtype) else "double"
        return "int" if dtype.kind == "b" else _INTEGERS[dtype.name]

    def is_single(self, dtype: np.dtype) -> bool:
        return self.single or dtype == np.float32

    def block(self, block: Block, alive: Alive, indent: str = "    ") -> Iterator[str]:
        """Lines; what nobody uses is left out."""
        for buffer in block.buffers:
            if buffer in alive.buffers:
                yield f"{indent}{self.type_of(buffer.dtype)} {buffer.name}[{buffer.size}];"
        for item in block.items:
            if isinstance(item, Choice):
                yield from self._choice(item, indent)
            if item not in alive.items:
                continue
            match item:
                case Node():
                    yield f"{indent}const {self.type_of(item.dtype)} {self.name(item)} = {self.expression(item)};"
                case Store(buffer=buffer, index=index, value=value):
                    yield f"{indent}{buffer.name}[{self.name(index)}] = {self.name(value)};"
                case Loop(counter=counter, length=length, body=body):
                    i = self.name(counter)
                    yield f"{indent}for (int {i} = 0; {i} < {length}; ++{i}) {{"
                    yield from self.block(body, alive, indent + "    ")
                    yield f"{indent}}}"
                case Branch(index=index, bodies=bodies):
                    yield from self._branch(self.name(index), bodies, alive, indent)

    def _choice(self, choice: Choice, indent: str) -> Iterator[str]:
        for node in choice.nodes:
            yield f"{indent}{self.type_of(node.dtype)} {self.name(node)};"
        for side, opening in ((1, f"if ({self.name(choice.condition)}) {{"), (2, "} else {")):
            yield f"{indent}{opening}"
            yield from (f"{indent}    {self.name(n)} = {self.name(n.args[side])};" for n in choice.nodes)
        yield f"{indent}}}"

    def _branch(self, index: str, bodies: list[Block], alive: Alive, indent: str) -> Iterator[str]:
        for k, body in enumerate(bodies):
            last = k == len(bodies) - 1
            opening = "{" if last else f"if ({index} <= {k}) {{"
            yield f"{indent}{'' if k == 0 else '} else '}{opening}"
            yield from self.block(body, alive, indent + "    ")
        yield f"{indent}}}"

    def name(self, node: Node) -> str:
        """How a node is referred to."""
        if node.op == "const":
            return self.literal(node.extra, node.dtype)
        return f"{'i' if node.op == 'counter' else 't'}{node.number}"

    def literal(self, value: Any, dtype: np.dtype) -> str:
        """A constant; as many digits as it takes to read back the same."""
        if dtype.kind == "b":
            return "1" if value else "0"
        if dtype.kind in "iu":
            number = int(value)
            if dtype.name == "int64" and number == -(2**63):
                return "INT64_MIN"
            wide = abs(number) >= 2**31
            text = f"{number}{'U' if dtype.kind == 'u' else ''}{'LL' if wide else ''}"
            return f"({text})" if number < 0 else text
        if math.isnan(value):
            return "NAN"
        if math.isinf(value):
            return "INFINITY" if value > 0 else "(-INFINITY)"
        single = self.is_single(dtype)
        text = repr(float(str(np.float32(value)))) if single else repr(float(value))
        if "." not in text and "e" not in text:
            text += ".0"
        text += "f" if single else ""
        return f"({text})" if text.startswith("-") else text

    def expression(self, node: Node) -> str:
        """What a node computes."""
        args, op = [self.name(arg) for arg in node.args], node.op
        if op == "load":
            return f"{node.extra.name}[{args[0]}]"
        if op == "index":
            return self._index(args, *node.extra)
        if op in FUNCTIONS:
            return f"{op}{'f' if self.is_single(node.args[0].dtype) else ''}({', '.join(args)})"
        kind = node.args[0].kind
        if op in ("add", "sub", "mul") and kind == "i":
            return self._wrapped(op, args, node.dtype)
        if op in _SIGNS:
            return f"{args[0]} {_SIGNS[op]} {args[1]}"
        if op in _BITS:
            return f"{args[0]} {_BITS[op]} {args[1]}"
        return self._special(node, args, kind)

    def _special(self, node: Node, args: list[str], kind: str) -> str:
        a = args[0]
        b = args[1] if len(args) > 1 else ""
        c_type = self.type_of(node.dtype)
        match node.op:
            case "neg":
                return f"-{a}" if kind == "f" else self._wrapped("sub", ["0", a], node.dtype)
            case "div" if kind == "f":
                return f"{a} / {b}"
            case "div":  # XLA's answers where C has none
                return f"{b} == 0 ? ({c_type})-1 : ({b} == ({c_type})-1 ? {self._negated(a, node.dtype)} : {a} / {b})"
            case "rem":
                return f"{b} == 0 ? {a} : ({b} == ({c_type})-1 ? 0 : {a} % {b})"
            case "not":
                return f"!{a}" if kind == "b" else f"~{a}"
            case "select":
                return f"{a} ? {b} : {args[2]}"
            case "max" | "min":
                sign = ">" if node.op == "max" else "<"
                unsure = kind == "f" and node.args[0].op != "const"  # NaN, if it is one, must win
                return f"({a} != {a} || {a} {sign} {b}) ? {a} : {b}" if unsure else f"{a} {sign} {b} ? {a} : {b}"
            case "finite":
                return f"isfinite({a}) != 0"
            case "convert":
                return self._converted(a, node.args[0].dtype, node.dtype)
        raise AssertionError(f"the builder made a node that has no C: {node.op}")

    def _negated(self, a: str, dtype: np.dtype) -> str:
        return self._wrapped("sub", ["0", a], dtype)

    def _wrapped(self, op: str, args: list[str], dtype: np.dtype) -> str:
        """Integers that overflow wrap around, which C promises only without a sign."""
        c_type = self.type_of(dtype)
        if dtype.kind == "u":
            return f"({c_type})({args[0]} {_SIGNS[op]} {args[1]})"
        wide = "uint64_t" if dtype.itemsize == 8 else "uint32_t"
        return f"({c_type})(({wide}){args[0]} {_SIGNS[op]} ({wide}){args[1]})"

    def _converted(self, a: str, old: np.dtype, new: np.dtype) -> str:
        c_type = self.type_of(new)
        if old.kind != "f" or new.kind not in "iu":
            return f"({c_type}){a}"
        bounds = np.iinfo(new)
        low, high = (self.literal(np.float64(bound), old) for bound in (float(bounds.min), float(bounds.max)))
        least, most = (f"{edge}" for edge in _edges(new))
        return f"{a} != {a} ? 0 : ({a} <= {low} ? {least} : ({a} >= {high} ? {most} : ({c_type}){a}))"

    def _index(self, args: list[str], constant: int, factors: tuple[int, ...]) -> str:
        parts = [arg if f == 1 else f"{f} * {arg}" for arg, f in zip(args, factors, strict=True)]
        return " + ".join([*parts, *([str(constant)] if constant else [])])

    def table(self, buffer: Buffer) -> str:
        """A constant array."""
        assert buffer.constant is not None
        values = ", ".join(self.literal(value, buffer.dtype) for value in buffer.constant)
        return f"static const {self.type_of(buffer.dtype)} {buffer.name}[{buffer.size}] = {{{values}}};"


def _edges(dtype: np.dtype) -> tuple[str, str]:
    name = dtype.name.upper()
    return ("0" if dtype.kind == "u" else f"{name}_MIN"), f"{name}_MAX"
