"""`sy.stream`: the estimator of `identify`, one sample at a time."""

import bisect
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from steelyard._face._inputs import check_names, config_from
from steelyard._face._refit_stream import RefitStream
from steelyard._face._restart import Restart
from steelyard._face._sample_stream import SampleStream
from steelyard._face._samples import Reading
from steelyard._face._stream_step import Step
from steelyard._face._tuning import STREAM
from steelyard.config import Config
from steelyard.errors import BadInput, shown
from steelyard.estimators import Reason, Status, Trust, explain
from steelyard.problems import Event, Quantities, StreamFilter, StreamRefit, stream_filter, stream_reasons
from steelyard.problems._stream_trust import TUNING

_UNCONFIRMED = Reason(
    "methods", "The filter was lost; its mass is neither the one from before nor that of a filter started since."
)


@dataclasses.dataclass(frozen=True)
class _Entry:
    """A row, and the estimator's state after it; None before the start."""

    row: Any
    state: Any
    summarised: bool = False
    """Whether the state has only what describes a change."""

    @property
    def time(self) -> float:
        return float(self.row.time)


class FilterStream(SampleStream):
    """Samples in, estimates out; made by `sy.stream`."""

    def __init__(self, filter: StreamFilter, robot: str | None, late: float):
        super().__init__(filter, robot, late)
        self._filter = filter
        self._entries: list[_Entry] = []
        self._begin = 0.0
        self._last_onset = -float("inf")
        self._same: dict[str, tuple[np.ndarray, float]] = {}
        self._trust, self._assessed = Trust(), -float("inf")
        self._restart = Restart()
        self._last_heard: tuple[float, ...] = ()
        self._since = -float("inf")

    def _row(self, reading: Reading) -> Any:
        return self._filter.read(reading.robot, reading.time, reading.values)

    def _oldest(self) -> float:
        return -float("inf") if self._entries[-1].state is None else self._entries[0].time  # the first of a run

    def _find(self, time: float) -> tuple[int, bool]:
        where = self._first_from(time)
        return where, where < len(self._entries) and self._entries[where].time == time

    def _insert(self, where: int, time: float, row: Any) -> None:
        self._entries.insert(where, _Entry(row, None))

    def _fill(self, where: int, row: Any) -> bool:
        merged = self._filter.merge(self._entries[where].row, row)
        if merged is not None:
            self._entries[where] = _Entry(merged, None)
        return merged is not None

    def _take(self, where: int, row: Any, in_order: bool) -> list[Event]:
        time, tells = self._entries[where].time, self._filter.tells(self._entries[where].row)
        heard = self._last_heard or (-float("inf"),) * len(tells)
        if any(now and time - last > self._filter.silent for now, last in zip(tells, heard, strict=True)):
            self._since = time
        self._last_heard = tuple(max(last, time) if now else last for now, last in zip(tells, heard, strict=True))
        events = self._run_from(where)
        if in_order:
            self._compare(row)
            events += self._silences.after(self._newest, row.robot, self._filter.missing(row))
        return events

    def _first_from(self, time: float) -> int:
        """The number of the first entry at or after a time, s."""
        return bisect.bisect_left(self._entries, time, key=lambda entry: entry.time)

    def _run_from(self, where: int) -> list[Event]:
        """Steps through the rows from there on; the changes that are found."""
        entries = self._entries
        if where and entries[where - 1].state is not None:
            return self._steps(entries[where - 1].state, entries[where - 1].row, where)
        while len(entries) > 1 and not self._filter.usable(entries[0].row):
            del entries[0]
        oldest = entries[-1].time - max(self._late, STREAM.remembered)
        del entries[
            : max(0, min(self._first_from(oldest), len(entries) - STREAM.rows_before_start))
        ]  # must not pile up
        self._begin = entries[0].time
        start = self._filter.start([entry.row for entry in entries])
        return [] if start is None else self._steps(start, entries[0].row, 0)

    def _steps(self, state: Any, before: Any, where: int) -> list[Event]:
        events = []
        for k in range(where, len(self._entries)):
            row = self._entries[k].row
            state = self._filter.step(state, before, row)
            self._entries[k] = _Entry(row, state)
            events += self._changes(k)
            before = row
        self._forget()
        return events

    def _changes(self, k: int) -> list[Event]:
        entry = self._entries[k]
        onset = self._filter.onset(entry.state, entry.time)
        if onset is None:
            return []
        new = onset - self._last_onset > STREAM.same_change
        self._last_onset = onset
        if not new:
            return []
        first = max(self._first_from(onset) - 1, 0)
        return [self._filter.change(entry.row.robot, onset, self._entries[first].state, entry.time, entry.state)]

    def _compare(self, row: Any) -> None:
        """Since when each measured signal has its value."""
        for name, value in self._filter.measured(row).items():
            if not np.isnan(value).any() and (name not in self._same or np.any(self._same[name][0] != value)):
                self._same[name] = (value, float(row.time))

    def _assess(self) -> Trust:
        """What speaks against the answers now, from the rows of the last second; looked at again now and then."""
        newest = self._entries[-1].time
        if newest - self._assessed < TUNING.again:
            return self._trust
        first = self._first_from(newest - TUNING.span)
        states = [entry.state for entry in self._entries[first:] if entry.state is not None]
        z = [self._filter.innovation(state) for state in states]
        outliers = np.array([bool(self._filter.flags(state) & int(Status.OUTLIER)) for state in states])
        stuck = {
            name: newest - since
            for name, (_, since) in self._same.items()
            if not self._silences.silent(name) and len(self._same) > 1
        }
        if stuck and min(stuck.values()) > TUNING.stuck:  # nothing moves and no noise shows: a made-up log, or a pause
            stuck = {}
        reasons: tuple[Reason, ...] = stream_reasons(np.stack(z), outliers, stuck) if z else ()
        self._trust, self._assessed = Trust(reasons), newest
        return self._trust

    def _unheard(self, time: float) -> tuple[Reason, ...]:
        """Whether nothing has told of the mass for so long that it may have changed, or hardly anything since."""
        heard = min(self._last_heard, default=time)
        if time - heard > self._filter.silent:
            return (Reason("unheard", f"Since {heard:.1f} s nothing tells of the mass: it may have changed."),)
        if self._since > self._begin and time - self._since < self._filter.confirmed:
            return (Reason("unheard", "Readings have only just come back: the mass may have changed."),)
        return ()

    def _start_again(self) -> bool:
        """Starts from the last rows where the filter that ran is lost and a new one is consistent with them."""
        newest = self._entries[-1].time
        first = self._first_from(newest - TUNING.restart_span)
        rows = [entry.row for entry in self._entries[first:]]
        fresh = self._restart.tried(self._filter, rows)
        if fresh is None:
            return False
        self._entries[:] = [_Entry(row, state) for row, state in zip(rows, fresh, strict=True)]
        self._begin, self._assessed = self._entries[0].time, -float("inf")
        self._counts["restarts"] += 1
        return True

    def _forget(self) -> None:
        """Keeps what a late sample or the size of a change may still ask for."""
        oldest = self._entries[-1].time - max(self._late, STREAM.remembered)
        enough = self._first_from(oldest) - 1
        if enough > 0:
            del self._entries[:enough]
        newest_complete = self._first_from(self._entries[-1].time - self._late) - 1
        for k in range(newest_complete - 1, -1, -1):
            entry = self._entries[k]
            if entry.summarised:
                break
            self._entries[k] = _Entry(entry.row, self._filter.summary(entry.state), True)

    def _step(self, events: list[Event], status: Literal["running", "late", "repeated"]) -> Step:
        newest = self._entries[-1]
        estimates = self._filter.estimates(newest.state, newest.row.robot, newest.time, self._begin)
        if newest.state is not None:
            trust = self._assess()
            lost = not self._filter.recovers and self._restart.is_due(newest.time, trust, estimates)
            if lost and self._start_again():
                return self._step(events, status)
            if self._restart.unconfirmed and not trust.reasons:
                trust = Trust((_UNCONFIRMED,))
            own = (*self._filter.reasons(newest.state), *self._unheard(newest.time))
            trust = Trust((*own, *trust.reasons))
            estimates = {name: estimate.judged(trust.of(name)) for name, estimate in estimates.items()}
        flags = 0 if newest.state is None else self._filter.flags(newest.state)
        word = "starting" if newest.state is None and status == "running" else status
        return Step(newest.time, Quantities(estimates), tuple(events), word, explain(flags) if flags else None)


def stream(
    problem: str,
    config: Config | Mapping[str, Any] | str | Path | None = None,
    method: str | None = None,
    late: float = 0.5,
) -> "FilterStream | RefitStream":
    """A problem's online method, to be fed one sample at a time beside a running robot.

    >>> import steelyard as sy
    >>> noise = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
    >>> stream = sy.stream("multirotor", {"noise": noise}, method="ekf")
    >>> for k in range(150):  # a hover, at 100 Hz
    ...     step = stream.step(
    ...         {"time": 0.01 * k, "thrust": 9.81 * 1.5, "attitude": [1, 0, 0, 0], "rates": [0, 0, 0],
    ...          "position": [0, 0, 1], "linear_velocity": [0, 0, 0]})
    >>> step.status, f"{step.estimates.mass.value:.2f} {step.estimates.mass.unit}"
    ('running', '1.50 kg')

    Fed the rows of a log, it ends with the numbers that `identify` gives for the same method and the same noise. Noise
    that the configuration does not state cannot be estimated from what is still to come: it has the defaults that
    `stream.notes` names. The first guess comes from the first second with thrust; until then the status is `starting`.
    The step is compiled here, which takes seconds the first time, not in flight. `late` is how late a sample may be, s.

    A load at a wrist (`"rigid-body"`) is fitted again every second; `stream.identification()` has at any time what
    `identify` says of all samples so far. With `method="recursive"` it takes a step a sample, too, if gyro and
    accelerometer are stated as calibrated (`{"wrist": {"calibrated": True}}`).
    """
    check_names(problem, method)
    if isinstance(late, bool) or not isinstance(late, int | float) or not 0.0 <= late < float("inf"):
        raise BadInput(f"late is {shown(late)}; give the seconds that a sample may be late, from 0 up.")
    checked = config_from(config)
    robots = checked.team.robots
    if robots is not None and len(robots) > 1:
        raise BadInput(f"A stream is of one robot, but [team] robots names {len(robots)}; make one for each robot.")
    made, robot = stream_filter(problem, checked, method), robots[0] if robots else None
    if isinstance(made, StreamRefit):
        return RefitStream(problem, made, checked, robot, float(late))
    return FilterStream(made, robot, float(late))
