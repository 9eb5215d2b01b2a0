"""Operations on scalars, simplified where that is exact.

Two liberties. `0 * x` and `0 / x` are 0 whatever x is, so that the structural zeros of a Jacobian cost nothing; XLA
gives NaN where x is not finite, but a step that meets such an x on its way has lost its result to it, too. And
`a * (b * c)` is `(a * b) * c` where `a * b` is there already: the same but for the last digit.
"""

from collections.abc import Callable, Sequence

import numpy as np

from steelyard.native.ir._scalar_graph import BOOL, COMMUTATIVE, FLOAT, INT, Node, ScalarGraph, is_constant
from steelyard.native.ir._tuning import TUNING

Bool = np.dtype(bool)

FUNCTIONS: dict[str, Callable | None] = {
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "expm1": np.expm1, "log1p": np.log1p, "exp2": np.exp2, "cbrt": np.cbrt,
    "floor": np.floor, "ceil": np.ceil, "rint": np.rint, "trunc": np.trunc, "fabs": np.abs, "erf": None, "erfc": None,
    "atan2": np.arctan2, "pow": np.power, "fmod": np.fmod, "nextafter": np.nextafter, "hypot": np.hypot,
}  # fmt: skip
"""C's mathematical functions on floats, and NumPy's for constants, where it has them."""

_COMPARE = {"lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal}
_NEGATED = {"eq": "ne", "ne": "eq"}  # the others are not negated by one another where NaN is about
_LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


class Arithmetic:
    """Makes nodes of a graph."""

    def __init__(self, graph: ScalarGraph):
        self.graph, self.regroups = graph, True

    def number(self, value: int | float, like: Node) -> Node:
        """A constant of another node's type."""
        return self.graph.constant(value, like.dtype)

    def _make(self, op: str, *args: Node, dtype: np.dtype | None = None) -> Node:
        if op in COMMUTATIVE:
            args = tuple(sorted(args, key=lambda node: node.number))
        return self.graph.make(op, args, args[0].dtype if dtype is None else dtype)

    def _fold(self, function: Callable, *args: Node, dtype: np.dtype | None = None) -> Node:
        with np.errstate(all="ignore"):
            value = function(*(arg.extra for arg in args))
        return self.graph.constant(value, args[0].dtype if dtype is None else dtype)

    def add(self, a: Node, b: Node) -> Node:
        if is_constant(a) and is_constant(b):
            return self._fold(np.add, a, b)
        if is_constant(a, 0):
            return b
        if is_constant(b, 0):
            return a
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        return self._make("add", a, b)

    def sub(self, a: Node, b: Node) -> Node:
        if is_constant(a) and is_constant(b):
            return self._fold(np.subtract, a, b)
        if is_constant(b, 0):
            return a
        if is_constant(a, 0):
            return self.neg(b)
        if b.op == "neg":
            return self.add(a, b.args[0])
        if a.op == "neg":
            return self.neg(self.add(a.args[0], b))
        return self._make("sub", a, b)

    def neg(self, a: Node) -> Node:
        if is_constant(a):
            return self._fold(np.negative, a)
        if a.op == "neg":
            return a.args[0]
        if a.op == "sub" and a.kind == FLOAT:
            return self._make("sub", a.args[1], a.args[0])  # but for the sign of a zero
        return self._make("neg", a)

    def mul(self, a: Node, b: Node) -> Node:
        if is_constant(a) and is_constant(b):
            return self._fold(np.multiply, a, b)
        for one, other in ((a, b), (b, a)):
            if is_constant(one, 0):
                return one
            if is_constant(one, 1):
                return other
            if one.kind != BOOL and is_constant(one, -1):
                return self.neg(other)
            if one.op == "neg":
                return self.neg(self.mul(one.args[0], other))
        return (self._regrouped(a, b) if self.regroups else None) or self._make("mul", a, b)

    def _regrouped(self, a: Node, b: Node) -> Node | None:
        """A product of three from one of two that is there already."""
        for one, other in ((a, b), (b, a)):
            if other.op == "mul" and other.kind == FLOAT:
                for near, far in (other.args, other.args[::-1]):
                    pair = tuple(sorted((one, near), key=lambda node: node.number))
                    if (made := self.graph.find("mul", pair, one.dtype)) is not None:
                        return self._make("mul", made, far)
        return None

    def div(self, a: Node, b: Node) -> Node:
        if a.kind == INT:
            return self._whole("div", a, b)
        if is_constant(a) and is_constant(b):
            return self._fold(np.divide, a, b)
        if is_constant(a, 0) or is_constant(b, 1):
            return a
        if is_constant(b) and abs(np.frexp(b.extra)[0]) == 0.5:  # a power of two: the reciprocal is exact
            return self.mul(a, self._fold(lambda x: 1 / x, b))
        for one, other in ((a, b), (b, a)):
            if one.op == "neg":
                inner = one.args[0]
                return self.neg(self.div(inner, other) if one is a else self.div(other, inner))
        return self._make("div", a, b)

    def _whole(self, op: str, a: Node, b: Node) -> Node:
        """Division or remainder of integers, towards zero as in C; XLA's answers where C has none."""
        if is_constant(a) and is_constant(b) and b.extra != 0:
            quotient = int(abs(int(a.extra)) // abs(int(b.extra)))
            quotient = quotient if (a.extra < 0) == (b.extra < 0) else -quotient
            whole = quotient if op == "div" else int(a.extra) - quotient * int(b.extra)
            return self.graph.constant(whole, a.dtype)
        return self._make(op, a, b)

    def rem(self, a: Node, b: Node) -> Node:
        return self._whole("rem", a, b) if a.kind == INT else self.call("fmod", a, b)

    def call(self, function: str, *args: Node) -> Node:
        """One of C's functions."""
        known = FUNCTIONS[function]
        if known is not None and all(map(is_constant, args)):
            return self._fold(known, *args)
        return self._make(function, *args)

    def compare(self, op: str, a: Node, b: Node) -> Node:
        """`lt`, `le`, `gt`, `ge`, `eq`, `ne`."""
        if op in ("gt", "ge"):
            return self.compare({"gt": "lt", "ge": "le"}[op], b, a)
        if is_constant(a) and is_constant(b):
            return self._fold(_COMPARE[op], a, b, dtype=Bool)
        if a.kind == BOOL and op in ("eq", "ne"):
            same = self.logic("xor", a, b)
            return self.invert(same) if op == "eq" else same
        return self._make(op, a, b, dtype=Bool)

    def logic(self, op: str, a: Node, b: Node) -> Node:
        """`and`, `or`, `xor`, of flags or of bits."""
        if is_constant(a) and is_constant(b):
            return self._fold(_LOGIC[op], a, b)
        if a is b:
            return self.graph.constant(0, a.dtype) if op == "xor" else a
        for one, other in ((a, b), (b, a)):
            if is_constant(one, 0):
                return one if op == "and" else other
            if one.kind == BOOL and is_constant(one, 1):
                return {"and": other, "or": one}.get(op) or self.invert(other)
        return self._make(op, a, b)

    def invert(self, a: Node) -> Node:
        if is_constant(a):
            return self._fold(np.logical_not if a.kind == BOOL else np.invert, a)
        if a.op == "not":
            return a.args[0]
        if a.op in _NEGATED and a.kind == BOOL:
            return self._make(_NEGATED[a.op], *a.args, dtype=Bool)
        return self._make("not", a)

    def select(self, condition: Node, yes: Node, no: Node) -> Node:
        if is_constant(condition):
            return yes if condition.extra else no
        if yes is no or (is_constant(yes, 0) and is_constant(no, 0)):
            return yes  # a zero is a zero, whatever its sign: derivatives are full of them
        if condition.op == "not":
            return self.select(condition.args[0], no, yes)
        if yes.kind == BOOL:
            if is_constant(yes) and is_constant(no):
                return condition if yes.extra else self.invert(condition)
            if is_constant(yes):
                return self.logic("or", condition, no) if yes.extra else self.logic("and", self.invert(condition), no)
            if is_constant(no):
                return self.logic("or", self.invert(condition), yes) if no.extra else self.logic("and", condition, yes)
        return self._make("select", condition, yes, no, dtype=yes.dtype)

    def largest(self, a: Node, b: Node) -> Node:
        """The larger one; NaN where one of them is."""
        return self._extreme("max", np.maximum, a, b)

    def smallest(self, a: Node, b: Node) -> Node:
        """The smaller one; NaN where one of them is."""
        return self._extreme("min", np.minimum, a, b)

    def _extreme(self, op: str, function: Callable, a: Node, b: Node) -> Node:
        if a.kind == BOOL:
            return self.logic("or" if op == "max" else "and", a, b)
        if is_constant(a) and is_constant(b):
            return self._fold(function, a, b)
        if is_constant(b):  # a constant first: then one comparison does, see `_text`
            a, b = b, a
        return a if a is b else self._make(op, a, b)

    def convert(self, a: Node, dtype: np.dtype) -> Node:
        if a.dtype == dtype:
            return a
        if is_constant(a):
            return self.graph.constant(a.extra != 0 if dtype.kind == "b" else _clipped(a.extra, dtype), dtype)
        if dtype.kind == "b":
            return self.compare("ne", a, self.number(0, a))
        if a.op == "convert" and a.args[0].kind == BOOL:
            return self.convert(a.args[0], dtype)
        return self._make("convert", a, dtype=dtype)

    def finite(self, a: Node) -> Node:
        if is_constant(a):
            return self._fold(np.isfinite, a, dtype=Bool)
        return self._make("finite", a, dtype=Bool)

    def power(self, a: Node, exponent: int) -> Node:
        """A whole power, by squaring."""
        if exponent < 0:
            return self.div(self.number(1, a), self.power(a, -exponent))
        result, square = self.number(1, a), a
        while exponent:
            if exponent & 1:
                result = self.mul(result, square)
            exponent >>= 1
            square = self.mul(square, square) if exponent else square
        return result

    def sign(self, a: Node) -> Node:
        zero = self.number(0, a)
        of = self.select(
            self.compare("lt", zero, a),
            self.number(1, a),
            self.select(self.compare("lt", a, zero), self.number(-1, a), zero),
        )
        return of if a.kind == INT else self.select(self.compare("ne", a, a), a, of)

    def absolute(self, a: Node) -> Node:
        return self.call("fabs", a) if a.kind == FLOAT else self.largest(a, self.neg(a))

    def sum(self, numbers: Sequence[Node], zero: Node) -> Node:
        """One after the other, from the first; where they are many, pair by pair: no addition waits for all before."""
        left = [number for number in numbers if not is_constant(number, 0)] or [zero]
        while len(left) >= TUNING.pairwise_from:
            left = [self.sum(left[k : k + 2], zero) for k in range(0, len(left), 2)]
        total = left[0]
        for number in left[1:]:
            total = self.add(total, number)
        return total


def _clipped(value: np.generic, dtype: np.dtype) -> object:
    """What XLA makes of a float that no integer is equal to."""
    if dtype.kind not in "iu" or value.dtype.kind != "f":
        return value
    bounds = np.iinfo(dtype)
    return 0 if np.isnan(value) else int(np.clip(float(value), bounds.min, bounds.max))
