"""A pure step of an estimator with all that it needs to run, or to be exported as C."""

import dataclasses
from collections.abc import Callable
from typing import Any

from steelyard.errors import BadInput, nearest
from steelyard.logs import Log
from steelyard.problems._parametrised import as_arrays


@dataclasses.dataclass(frozen=True)
class ExportableStep:
    """A pure step, the state it starts from, and samples on which an export is checked."""

    step: Callable[[Any, Any], Any]
    """From a belief and a sample to the next belief."""
    belief: Any
    """At the start."""
    samples: Any
    """With a leading axis of time."""
    about: str
    """One line for people: what the step computes and, for a robot of a team, what it does not."""


def chosen_method(method: str | None, default: str, known: list[str], problem: str) -> str:
    """The method that was asked for, or the default; an unknown one is a `BadInput`."""
    if method is not None and method not in known:
        raise BadInput(f'Unknown method "{method}" for {problem}; {nearest(method, known)}')
    return method or default


def required_log(log: Log | None, problem: str) -> Log:
    """The log; `BadInput` where there is none."""
    if log is None:
        raise BadInput(f"--as {problem} needs a log that shows its columns; give one with --log.")
    return log


def step_of(estimator: Any) -> Callable[[Any, Any], Any]:
    """The estimator's step, its NumPy arrays converted to JAX arrays as a compiled run converts them."""
    return as_arrays(estimator).step
