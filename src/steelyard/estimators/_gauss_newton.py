"""Damped Gauss-Newton (Levenberg-Marquardt) over any unknowns, one matrix step at a time."""

import dataclasses
from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from steelyard.estimators._tuning import LEAST_SQUARES


@runtime_checkable
class Fitted(Protocol):
    """A point at which the problem was linearised, of any type, with its cost."""

    @property
    def cost(self) -> float:
        """Sum of squares there, or half of it; not finite where the point is impossible."""
        ...


Point = TypeVar("Point", bound=Fitted)


@dataclasses.dataclass(frozen=True)
class Damping:
    """How the damping changes: a share of the normal matrix's diagonal that is added to it."""

    first: float
    shrink: float = 0.1
    """Factor after a step that was accepted."""
    grow: float = 10.0
    """Factor after a step that was rejected."""
    least: float = 0.0
    """Below this it does not shrink."""
    restart: float = 0.0
    """After a rejected step it is at least this: from (nearly) zero a factor alone would take many trials."""
    most: float = np.inf
    """The largest damping that is tried; a step that is rejected there ends the search."""

    def accepted(self, damping: float) -> float:
        """After a step that lowered the cost."""
        return max(self.shrink * damping, self.least)

    def rejected(self, damping: float) -> float:
        """After a step that did not."""
        return max(self.grow * damping, self.restart)


def gauss_newton(
    start: Point,
    attempt: Callable[[Point, float], Point | None],
    settled: Callable[[Point, Point], bool],
    damping: Damping,
    trials: int | None = None,
) -> Point:
    """The best point found from `start`; never a worse one than `start`.

    `attempt(now, damping)` takes the damped step from a point and linearises there (None where that is impossible). It
    is accepted if its cost is not higher. `settled(before, after)` decides whether an accepted step was the last one.
    The search also ends after so many `trials`, accepted or not.

    Four Gauss-Newton solvers of this package are not this one: the sliding window's (undamped, fixed shapes, a Kalman
    filter and its adjoint instead of a matrix), the planar team's exported step (one iteration a row, in JAX), the
    spatial team's (a filter pass is its step, spread over the rows that arrive meanwhile), and the wrist's (banded
    normal equations; a step that does not help is halved, not damped).
    """
    now, size, tried = start, damping.first, 0
    while trials is None or tried < trials:
        trial, tried = attempt(now, size), tried + 1
        if trial is not None and trial.cost <= now.cost:
            before, now, size = now, trial, damping.accepted(size)
            if settled(before, now):
                break
        else:
            size = damping.rejected(size)
            if size > damping.most:
                break
    return now


def damped_step(matrix: np.ndarray, right: np.ndarray, damping: float) -> np.ndarray:
    """The x of `(A + damping diag(A)) x = b`, solved in units in which A has ones on its diagonal."""
    scale = np.sqrt(np.diag(matrix)) + LEAST_SQUARES.no_information
    scaled = matrix / np.outer(scale, scale) + damping * np.eye(len(right))
    return np.linalg.solve(scaled, right / scale) / scale
