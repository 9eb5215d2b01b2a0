"""A stream whose estimator fits its samples again every second, because one sample alone tells it too little."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from steelyard._face._sample_stream import SampleStream
from steelyard._face._samples import Reading
from steelyard._face._stream_step import Step
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import Answered, Event, Identification, Quantities, StreamRefit, identify


class RefitStream(SampleStream):
    """Samples in, estimates out; made by `sy.stream`.

    The estimates are those of the last answer, of which there is one every second. Rows are in arrays that grow.
    """

    def __init__(self, problem: str, refit: StreamRefit, config: Any, robot: str | None, late: float):
        super().__init__(refit, robot, late)
        self._problem, self._refit, self._config = problem, refit, config
        self._size, self._time = 0, np.empty(1024)
        self._values = {name: np.full((1024, len(axes)), np.nan) for name, axes in refit.signals.items()}
        self._answered: Answered | None = None
        self._answer_time = -float("inf")

    def identification(self) -> Identification:
        """What `identify` says of all samples so far, with its verdict, report and files."""
        if not self._size or self.robot is None:
            raise BadInput("The stream has no samples yet; give some with step.")
        return identify(self._log(self.robot, -float("inf")), self._problem, self._config)

    def _row(self, reading: Reading) -> Mapping[str, np.ndarray]:
        self._refit.check(reading.time, reading.values)
        return reading.values

    def _oldest(self) -> float:
        return -float("inf")

    def _find(self, time: float) -> tuple[int, bool]:
        where = int(np.searchsorted(self._time[: self._size], time))
        return where, where < self._size and bool(self._time[where] == time)

    def _insert(self, where: int, time: float, row: Mapping[str, np.ndarray]) -> None:
        if self._size == len(self._time):
            self._time = np.concatenate([self._time, np.empty(self._size)])
            for name, value in self._values.items():
                self._values[name] = np.concatenate([value, np.full_like(value, np.nan)])
        for array in (self._time, *self._values.values()):
            array[where + 1 : self._size + 1] = array[where : self._size].copy()
            array[where] = np.nan
        self._time[where] = time
        for name, value in row.items():
            self._values[name][where] = value
        self._size += 1

    def _fill(self, where: int, row: Mapping[str, np.ndarray]) -> bool:
        filled = False
        for name, value in row.items():
            lacks = np.isnan(self._values[name][where]) & np.isfinite(value)
            self._values[name][where][lacks] = value[lacks]
            filled |= bool(lacks.any())
        return filled

    def _take(self, where: int, row: Mapping[str, np.ndarray], in_order: bool) -> list[Event]:
        if not in_order:
            return []
        time, robot = self._newest, self.robot or "r1"
        missing = {name: not np.isfinite(row.get(name, np.nan)).all() for name in self._refit.signals}
        events = self._silences.after(time, robot, missing)
        if self._answer_time == -float("inf"):
            self._answer_time = time
        due = time - self._answer_time >= self._refit.every
        if due or (self._answered is not None and self._answered.soon):
            self._answer_time = time if due else self._answer_time
            events += self._answer(robot)
        return events

    def _answer(self, robot: str) -> list[Event]:
        before = self._answered
        log = self._log(robot, -float("inf") if before is None else before.begin)
        self._answered = self._refit.answer(log, robot, before)
        return [] if self._answered is None or self._answered is before else list(self._answered.events)

    def _log(self, robot: str, begin: float) -> Log:
        """The rows from a time on (s), of signals that any of them has."""
        rows = slice(self._find(begin)[0], self._size)
        columns = {}
        for name, axes in self._refit.signals.items():
            values = self._values[name][rows]
            if np.isfinite(values).any():
                columns |= {f"{robot}/{name}/{axis}": values[:, k] for k, axis in enumerate(axes)}
        return Log(self._time[rows], columns, "stream")

    def _step(self, events: list[Event], status: Literal["running", "late", "repeated"]) -> Step:
        time = self._newest
        if self._answered is None:
            estimates = self._refit.unknown(self.robot or "r1", time)
            return Step(time, Quantities(estimates), tuple(events), "starting" if status == "running" else status, None)
        return Step(time, Quantities(self._answered.estimates), tuple(events), status, None)
