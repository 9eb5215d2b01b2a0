"""Primitives that work number by number: how each becomes scalar operations."""

from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.native.ir._arithmetic import Arithmetic
from steelyard.native.ir._scalar_graph import Node

Rule = Callable[..., Node]
"""Takes the arithmetic, the operands and the primitive's parameters."""


def _logistic(ar: Arithmetic, a: Node, **_: Any) -> Node:
    one = ar.number(1, a)
    return ar.div(one, ar.add(one, ar.call("exp", ar.neg(a))))


def _round(ar: Arithmetic, a: Node, *, rounding_method: Any, **_: Any) -> Node:
    if int(rounding_method) == 1:  # to even
        return ar.call("rint", a)
    half = ar.number(0.5, a)
    away = ar.call("floor", ar.add(ar.call("fabs", a), half))
    return ar.mul(ar.sign(a), away)


def _select(ar: Arithmetic, which: Node, *cases: Node, **_: Any) -> Node:
    if which.dtype.kind == "b":
        return ar.select(which, cases[1], cases[0])
    chosen = cases[-1]
    for k in reversed(range(len(cases) - 1)):
        chosen = ar.select(ar.compare("eq", which, ar.number(k, which)), cases[k], chosen)
    return chosen


def _clamp(ar: Arithmetic, low: Node, a: Node, high: Node, **_: Any) -> Node:
    return ar.smallest(ar.largest(a, low), high)


def _function(name: str) -> Rule:
    return lambda ar, *args, **_: ar.call(name, *args)


def _comparison(name: str) -> Rule:
    return lambda ar, a, b, **_: ar.compare(name, a, b)


def _logical(name: str) -> Rule:
    return lambda ar, a, b, **_: ar.logic(name, a, b)


ELEMENTWISE: dict[str, Rule] = {
    "add": lambda ar, a, b, **_: ar.add(a, b) if a.kind != "b" else ar.logic("or", a, b),
    "add_any": lambda ar, a, b, **_: ar.add(a, b),
    "sub": lambda ar, a, b, **_: ar.sub(a, b),
    "mul": lambda ar, a, b, **_: ar.mul(a, b) if a.kind != "b" else ar.logic("and", a, b),
    "div": lambda ar, a, b, **_: ar.div(a, b),
    "rem": lambda ar, a, b, **_: ar.rem(a, b),
    "neg": lambda ar, a, **_: ar.neg(a),
    "sign": lambda ar, a, **_: ar.sign(a),
    "abs": lambda ar, a, **_: ar.absolute(a),
    "max": lambda ar, a, b, **_: ar.largest(a, b),
    "min": lambda ar, a, b, **_: ar.smallest(a, b),
    "square": lambda ar, a, **_: ar.mul(a, a),
    "integer_pow": lambda ar, a, *, y, **_: ar.power(a, y),
    "pow": lambda ar, a, b, **_: ar.call("pow", a, ar.convert(b, a.dtype)),
    "rsqrt": lambda ar, a, **_: ar.div(ar.number(1, a), ar.call("sqrt", a)),
    "logistic": _logistic,
    "round": _round,
    "select_n": _select,
    "clamp": _clamp,
    "is_finite": lambda ar, a, **_: ar.finite(a),
    "not": lambda ar, a, **_: ar.invert(a),
    "convert_element_type": lambda ar, a, *, new_dtype, **_: ar.convert(a, np.dtype(new_dtype)),
    "reduce_precision": lambda ar, a, **_: a,
    "copy": lambda ar, a, **_: a,
    "copy_p": lambda ar, a, **_: a,
    "stop_gradient": lambda ar, a, **_: a,
    "optimization_barrier": lambda ar, a, **_: a,
    "real": lambda ar, a, **_: a,
    **{name: _comparison(name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{name: _logical(name) for name in ("and", "or", "xor")},
    **{
        name: _function(name)
        for name in (
            "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
            "atanh", "expm1", "log1p", "exp2", "cbrt", "floor", "ceil", "erf", "erfc", "atan2", "nextafter",
        )
    },
}  # fmt: skip
