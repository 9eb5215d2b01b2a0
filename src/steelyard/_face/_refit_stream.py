"""A stream whose estimator fits its samples again every second, because one sample alone tells it too little."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard._face._samples import SampleReader
from steelyard._face._silent_channels import Silences
from steelyard._face._stream_step import Step
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import Answered, Event, Identification, Quantities, StreamRefit, identify


class RefitStream:
    """Samples in, estimates out; made by `sy.stream`.

    The estimates are those of the last answer, of which there is one every second. A sample that raises `BadInput`
    changes nothing.
    """

    def __init__(self, problem: str, refit: StreamRefit, config: Any, robot: str | None, late: float):
        self._problem, self._refit, self._config, self._late = problem, refit, config, late
        self._reader = SampleReader(refit.signals, robot)
        self._table = _Table(refit.signals)
        self._answered: Answered | None = None
        self._answer_time = -float("inf")
        self._silences = Silences()
        self._counts: Counter[str] = Counter()

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the reader."""
        return (*self._refit.notes, *self._reader.notes)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many samples were taken `in order`, `late`, or not taken because they were `repeated`."""
        return dict(self._counts)

    @property
    def robot(self) -> str | None:
        """Whose samples these are; None before the first one."""
        return self._reader.robot

    def step(self, sample: Mapping[str, Any]) -> Step:
        """Takes in one sample: a dictionary with `time`, s, and signals of one robot by their names in a log.

        A missing channel is absent, None or NaN. A late sample is put where it belongs and counts from the next answer
        on. Where a time comes again, channels that were missing are filled in.
        """
        reading = self._reader.read(sample)
        time, table = reading.time, self._table
        self._refit.check(time, reading.values)
        if table.size and table.time[-1] - time > self._late:
            raise BadInput(
                f"Time goes backwards, from {table.time[-1]:g} to {time:g} s, by more than the {self._late:g} s that a "
                "sample may be late; leave the sample out, or begin a new stream where the clock was reset."
            )
        self._reader.accept(reading)  # from here on nothing can fail
        status = table.put(time, reading.values)
        self._counts[status] += 1
        if status != "in order":
            return self._step([], status)
        missing = {name: not np.isfinite(reading.values.get(name, np.nan)).all() for name in self._refit.signals}
        events = self._silences.after(time, reading.robot, missing)
        if self._answer_time == -float("inf"):
            self._answer_time = time
        if time - self._answer_time >= self._refit.every:
            self._answer_time = time
            events += self._answer(reading.robot)
        return self._step(events, "running")

    def identification(self) -> Identification:
        """What `identify` says of all samples so far, with its verdict, report and files."""
        if not self._table.size or self.robot is None:
            raise BadInput("The stream has no samples yet; give some with step.")
        return identify(self._table.log(self.robot, -float("inf")), self._problem, self._config)

    def _answer(self, robot: str) -> list[Event]:
        begin = -float("inf") if self._answered is None else self._answered.begin
        before, self._answered = (
            self._answered,
            self._refit.answer(self._table.log(robot, begin), robot, self._answered),
        )
        return [] if self._answered is None or self._answered is before else list(self._answered.events)

    def _step(self, events: list[Event], status: Any) -> Step:
        time = float(self._table.time[-1])
        if self._answered is None:
            estimates = self._refit.unknown(self.robot or "r1", time)
            return Step(time, Quantities(estimates), tuple(events), "starting" if status == "running" else status, None)
        return Step(time, Quantities(self._answered.estimates), tuple(events), status, None)


class _Table:
    """Rows by increasing time in arrays that grow."""

    def __init__(self, signals: Mapping[str, tuple[str, ...]]):
        self._axes = signals
        self.size = 0
        self._time = np.empty(1024)
        self._values = {name: np.full((1024, len(axes)), np.nan) for name, axes in signals.items()}

    @property
    def time(self) -> np.ndarray:
        """(n,), s."""
        return self._time[: self.size]

    def put(self, time: float, values: Mapping[str, np.ndarray]) -> str:
        """Adds a row where it belongs, or fills in what a row of the same time lacks."""
        if self.size == len(self._time):
            self._time = np.concatenate([self._time, np.empty(self.size)])
            for name, value in self._values.items():
                self._values[name] = np.concatenate([value, np.full_like(value, np.nan)])
        if self.size == 0 or time > self._time[self.size - 1]:
            self._set(self.size, time, values)
            self.size += 1
            return "in order"
        where = int(np.searchsorted(self.time, time))
        if self._time[where] == time:
            return "late" if self._filled(where, values) else "repeated"
        for array in (self._time, *self._values.values()):
            array[where + 1 : self.size + 1] = array[where : self.size].copy()
        for value in self._values.values():
            value[where] = np.nan
        self._set(where, time, values)
        self.size += 1
        return "late"

    def log(self, robot: str, begin: float) -> Log:
        """The rows from a time on (s), of signals that any of them has."""
        rows = slice(int(np.searchsorted(self.time, begin)), self.size)
        columns = {}
        for name, axes in self._axes.items():
            values = self._values[name][rows]
            if np.isfinite(values).any():
                columns |= {f"{robot}/{name}/{axis}": values[:, k] for k, axis in enumerate(axes)}
        return Log(self._time[rows], columns, "stream")

    def _set(self, where: int, time: float, values: Mapping[str, np.ndarray]) -> None:
        self._time[where] = time
        for name, value in values.items():
            self._values[name][where] = value

    def _filled(self, where: int, values: Mapping[str, np.ndarray]) -> bool:
        """Whether a row lacked any of these values."""
        filled = False
        for name, value in values.items():
            lacks = np.isnan(self._values[name][where]) & np.isfinite(value)
            self._values[name][where][lacks] = value[lacks]
            filled |= bool(lacks.any())
        return filled
