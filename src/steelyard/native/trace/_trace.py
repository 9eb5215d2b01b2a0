"""A step's jaxpr as one flat list of equations: calls inlined, dead ones dropped, equal ones merged."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import source_info_util
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from jax.interpreters import partial_eval

from steelyard.native.trace._decompositions import DECOMPOSITIONS

_CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "checkpoint": "jaxpr",
    "remat": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}
"""Primitives that only call, and the parameter that holds what they call."""


@dataclasses.dataclass(eq=False)
class Value:
    """An array that the program computes."""

    shape: tuple[int, ...]
    dtype: np.dtype
    uses: int = 0


Operand = Value | np.ndarray
"""A constant is its array."""


@dataclasses.dataclass(eq=False)
class Equation:
    """One primitive at work."""

    name: str
    inputs: list[Operand]
    outputs: list[Value]
    params: dict[str, Any]
    place: str
    """In the user's source."""
    bodies: "tuple[Program, ...]" = ()
    """Of a scan one, of a cond one for each branch."""


@dataclasses.dataclass(eq=False)
class Program:
    """A step, flat."""

    inputs: list[Value]
    equations: list[Equation]
    outputs: list[Operand]


def trace(step: Callable[..., Any], example: Sequence[Any]) -> Program:
    """The program of a pure step, with the shapes of the example's arguments."""
    return flatten(jax.make_jaxpr(step)(*example))


def flatten(closed: ClosedJaxpr) -> Program:
    """The program of a jaxpr."""
    used, used_inputs = partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars))
    inputs = [_value(variable) for variable in closed.jaxpr.invars]
    flat = _Flat()
    consts = [np.asarray(const) for const in closed.consts]
    outputs = flat.walk(used, consts, [value for value, keep in zip(inputs, used_inputs, strict=True) if keep])
    program = Program(inputs, flat.equations, outputs)
    _count_uses(program)
    return program


class _Flat:
    def __init__(self) -> None:
        self.equations: list[Equation] = []
        self.known: dict[Any, list[Value]] = {}

    def walk(
        self, jaxpr: Jaxpr, consts: Sequence[Operand], arguments: Sequence[Operand], called_at: str = ""
    ) -> list[Operand]:
        """Adds the equations of a jaxpr, which was called at some place; its outputs."""
        at: dict[Any, Operand] = dict(zip(jaxpr.constvars, consts, strict=True))
        at.update(zip(jaxpr.invars, arguments, strict=True))

        def read(atom: Any) -> Operand:
            return np.asarray(atom.val, _value(atom).dtype) if isinstance(atom, Literal) else at[atom]

        for eqn in jaxpr.eqns:
            inputs = [read(atom) for atom in eqn.invars]
            at.update(zip(eqn.outvars, self._take(eqn, inputs, called_at), strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _take(self, eqn: Any, inputs: list[Operand], called_at: str) -> Sequence[Operand]:
        name = eqn.primitive.name
        # What JAX has traced before carries the place of then: the place of the call comes first.
        place = called_at or source_info_util.summarize(eqn.source_info)
        if name in _CALLS:
            called = eqn.params[_CALLS[name]]
            if isinstance(called, ClosedJaxpr):
                return self.walk(called.jaxpr, [np.asarray(const) for const in called.consts], inputs, place)
            return self.walk(called, [], inputs, place)
        if name in DECOMPOSITIONS:
            avals = [jax.ShapeDtypeStruct(operand.shape, operand.dtype) for operand in inputs]
            made = jax.make_jaxpr(functools.partial(DECOMPOSITIONS[name], **eqn.params))(*avals)
            return self.walk(made.jaxpr, [np.asarray(const) for const in made.consts], inputs, place)
        if name == "platform_index":  # C is what a CPU runs
            kinds = eqn.params["platforms"]
            return [np.asarray(next(k for k, kind in enumerate(kinds) if kind is None or "cpu" in kind), np.int32)]
        bodies = _bodies(name, eqn.params)
        key = None if bodies else (name, tuple(map(_identity, inputs)), repr(sorted(eqn.params.items())))
        if key is not None and key in self.known:
            return self.known[key]
        outputs = [_value(variable) for variable in eqn.outvars]
        params = {key: _plain(value) for key, value in eqn.params.items()} | _counts(name, eqn)
        self.equations.append(Equation(name, inputs, outputs, params, place, bodies))
        if key is not None:
            self.known[key] = outputs
        return outputs


def _bodies(name: str, params: dict[str, Any]) -> tuple[Program, ...]:
    if name == "scan":
        return (flatten(params["jaxpr"]),)
    if name == "cond":
        return tuple(flatten(branch) for branch in params["branches"])
    return ()


def _counts(name: str, eqn: Any) -> dict[str, int]:
    """How many inputs of a scan are constants and how many are carried; JAX 0.11 says it by a tree of its inputs."""
    if name != "scan" or "num_consts" in eqn.params:
        return {}
    consts, carry, _ = eqn.params["ft_in"].update(list(eqn.invars)).unpack()
    return {"num_consts": len(list(consts)), "num_carry": len(list(carry))}


def _plain(value: Any) -> Any:
    """Python's integers, where JAX holds NumPy's."""
    if isinstance(value, np.integer):
        return int(value)
    return tuple(map(_plain, value)) if type(value) is tuple else value


def _identity(operand: Operand) -> Any:
    if isinstance(operand, np.ndarray):
        return operand.shape, operand.dtype.str, operand.tobytes()
    return id(operand)


def _value(variable: Any) -> Value:
    return Value(tuple(variable.aval.shape), np.dtype(variable.aval.dtype))


def _count_uses(program: Program) -> None:
    for operand in [*(operand for eqn in program.equations for operand in eqn.inputs), *program.outputs]:
        if isinstance(operand, Value):
            operand.uses += 1
