"""What a problem must offer so that it can be asked sample by sample."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from steelyard.estimators import Estimate, Reason
from steelyard.logs import Log
from steelyard.problems._identification import Event

Row = Any
"""One sample of a robot as its problem reads it; has a `time`, s."""
State = Any
"""What an estimator knows after a row; a value."""


@runtime_checkable
class StreamFilter(Protocol):
    """An online method of a problem for one robot; its methods change nothing."""

    signals: Mapping[str, tuple[str, ...]]
    """Names of what it reads, each with its axes; a scalar has the axis "", and `1…` is any number of channels."""
    notes: tuple[str, ...]
    """Remarks for the reader on how it is set up."""
    recovers: bool
    """Whether it finds back by itself after a fault or a change, so that it is never started anew."""
    silent: float
    """s without one of the parts that `tells` lists, after which its answer is doubtful."""
    confirmed: float
    """s of readings after such a silence, after which it is believed again."""

    def read(self, robot: str, time: float, values: Mapping[str, np.ndarray]) -> Row:
        """A sample's values as a row; `BadInput` where they cannot be used."""
        ...

    def merge(self, row: Row, other: Row) -> Row | None:
        """A row with the channels that it lacks from another of the same time; None where that brings nothing."""
        ...

    def missing(self, row: Row) -> Mapping[str, bool]:
        """By channel, whether the row has no sample of it."""
        ...

    def usable(self, row: Row) -> bool:
        """Whether a run may begin with this row."""
        ...

    def tells(self, row: Row) -> tuple[bool, ...]:
        """Of the parts that are needed to learn the answer, which this row has; empty where none are watched."""
        ...

    def start(self, rows: Sequence[Row]) -> State | None:
        """The state before the first of these rows; None while they are too few to start from."""
        ...

    def step(self, state: State, before: Row, row: Row) -> State:
        """The state after a row, `before` being the row before it."""
        ...

    def summary(self, state: State) -> State:
        """The state with no more than `change` reads."""
        ...

    def measured(self, row: Row) -> Mapping[str, np.ndarray]:
        """By signal, what sensors measured; commands are not among them."""
        ...

    def innovation(self, state: State) -> np.ndarray:
        """Of the last step, divided by its deviations, NaN where a channel was silent; empty before the first."""
        ...

    def flags(self, state: State) -> int:
        """`Status` of the last step."""
        ...

    def estimates(self, state: State | None, robot: str, time: float, begin: float) -> dict[str, Estimate]:
        """What is known; all unknown before the start."""
        ...

    def reasons(self, state: State) -> Sequence[Reason]:
        """What the method itself has against its estimates."""
        ...

    def onset(self, state: State, time: float) -> float | None:
        """When a change began that was detected at the last step, if one was."""
        ...

    def change(self, robot: str, onset: float, before: State, time: float, now: State) -> Event:
        """The event of that change, given the state before it began and the state now, at `time`."""
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class Answered:
    """What a `StreamRefit` knows."""

    estimates: Mapping[str, Estimate]
    events: Sequence[Event]
    """Those that were not reported before."""
    begin: float
    """s: rows before are no longer read."""
    memory: Any
    """For the next answer."""
    soon: bool = False
    """Whether the next row is to be answered, too: this answer is not settled."""


@runtime_checkable
class StreamRefit(Protocol):
    """A method of a problem for one robot that fits its rows again and again; its methods change nothing."""

    signals: Mapping[str, tuple[str, ...]]
    """Names of what it reads, each with its axes."""
    notes: tuple[str, ...]
    """Remarks for the reader on how it is set up."""
    every: float
    """s, between two answers."""

    def check(self, time: float, values: Mapping[str, np.ndarray]) -> None:
        """`BadInput` where a sample cannot be used."""
        ...

    def unknown(self, robot: str, time: float) -> dict[str, Estimate]:
        """What is known before the first answer: nothing."""
        ...

    def answer(self, log: Log, robot: str, before: Answered | None) -> Answered | None:
        """What the rows from `before.begin` on tell; `before` where they are too few."""
        ...
