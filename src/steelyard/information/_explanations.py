"""Sentences on what a motion does not identify; the authors of a model may add their own."""

from collections.abc import Mapping, Sequence
from functools import singledispatch

from steelyard.information._fisher import Motion
from steelyard.models import Model

Direction = Mapping[str, float]
"""An unidentifiable direction: the coordinates it changes, and by how much; the largest share is one."""


@singledispatch
def explain(model: Model, direction: Direction, motion: Motion) -> str | None:
    """A sentence on why nothing is known along a direction; None: `describe` gives one from the coordinates' names.

    A hook: a model's author registers an explanation with `explain.register`.
    """
    del model, direction, motion
    return None


@singledispatch
def remarks(model: Model, motion: Motion) -> tuple[str, ...]:
    """Further sentences on a motion; a hook like `explain`."""
    del model, motion
    return ()


def describe(direction: Direction) -> str:
    """A direction by the names of its coordinates.

    >>> describe({"log_inertia": 1.0})
    'the inertia cannot be told from this motion'
    >>> describe({"mass": 1.0, "drag/0": -0.5})
    'the mass and the drag/0 cannot be told apart by this motion'
    """
    parts = [f"the {name.removeprefix('log_').replace('_', ' ')}" for name in direction]
    if len(parts) == 1:
        return f"{parts[0]} cannot be told from this motion"
    return f"{enumerated(parts)} cannot be told apart by this motion"


def enumerated(names: Sequence[str]) -> str:
    """Two names or more as in a sentence: "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}"
