"""What every stream does with a sample: reads it, checks its time, and puts it where it belongs."""

import abc
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from steelyard._face._samples import Reading, SampleReader
from steelyard._face._silent_channels import Silences
from steelyard._face._stream_step import Step
from steelyard.errors import BadInput
from steelyard.problems import Event, StreamFilter, StreamRefit


class SampleStream(abc.ABC):
    """Samples in, estimates out; made by `sy.stream`.

    A sample that raises `BadInput` changes nothing: the stream knows what it knew, and goes on with the next one. How
    rows are kept, and what is made of them, is the estimator's.
    """

    def __init__(self, method: StreamFilter | StreamRefit, robot: str | None, late: float):
        self._late, self._method_notes = late, method.notes
        self._reader = SampleReader(method.signals, robot)
        self._newest = -float("inf")
        self._silences = Silences()
        self._counts: Counter[str] = Counter()

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the reader: noise by default, names that are not read."""
        return (*self._method_notes, *self._reader.notes)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many samples were taken `in order`, `late`, or not taken because they were `repeated`; and `restarts`."""
        return dict(self._counts)

    @property
    def robot(self) -> str | None:
        """Whose samples these are; None before the first one."""
        return self._reader.robot

    def step(self, sample: Mapping[str, Any]) -> Step:
        """Takes in one sample: a dictionary with `time`, s, and signals of one robot by their names in a log.

        A missing channel is absent, None or NaN. A late sample is put where it belongs: a filter runs the rows after
        it again, so that the numbers are those of the right order; a fit counts it from the next answer on. Where a
        time comes again, channels that were missing are filled in; a sample that brings nothing new is ignored.
        `BadInput` where a sample cannot be used.
        """
        reading = self._reader.read(sample)
        row, time, newest = self._row(reading), reading.time, self._newest
        in_order = time > newest
        if not in_order and (newest - time > self._late or time < self._oldest()):
            raise BadInput(
                f"Time goes backwards, from {newest:g} to {time:g} s, by more than the {self._late:g} s that a "
                "sample may be late; leave the sample out, or begin a new stream where the clock was reset."
            )
        self._reader.accept(reading)  # from here on nothing can fail
        where, known = self._find(time)
        if not known:
            self._insert(where, time, row)
        elif not self._fill(where, row):
            self._counts["repeated"] += 1
            return self._step([], "repeated")
        self._newest = max(newest, time)
        self._counts["in order" if in_order else "late"] += 1
        return self._step(self._take(where, row, in_order), "running" if in_order else "late")

    @abc.abstractmethod
    def _row(self, reading: Reading) -> Any:
        """A sample as the estimator reads it; `BadInput` where it cannot be used."""

    @abc.abstractmethod
    def _oldest(self) -> float:
        """s: before it no row can be put, however late samples may be."""

    @abc.abstractmethod
    def _find(self, time: float) -> tuple[int, bool]:
        """Where a row of this time belongs, and whether there is one."""

    @abc.abstractmethod
    def _insert(self, where: int, time: float, row: Any) -> None:
        """Keeps a row, before the one that is there."""

    @abc.abstractmethod
    def _fill(self, where: int, row: Any) -> bool:
        """Fills in what the row there lacks; whether it lacked anything."""

    @abc.abstractmethod
    def _take(self, where: int, row: Any, in_order: bool) -> list[Event]:
        """Uses a row that was put or filled in; the events that it brings."""

    @abc.abstractmethod
    def _step(self, events: list[Event], status: Literal["running", "late", "repeated"]) -> Step:
        """What is known now."""
