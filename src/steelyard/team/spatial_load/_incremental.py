"""Estimates load and grips from a team's rows, online: start, filter, relinearise, notice changes.

A filter pass follows the rows, linearised at one point. As more is known, a relinearisation pass starts from the first
row again, linearised at the estimate, processes rows four times as fast until it has caught up, and takes over:
Gauss-Newton in instalments. Everything depends on the rows alone, so all robots with the same rows have the same
estimates. With `spread_work`, rows are processed less often and the work is spread over the rows between.
"""

import dataclasses

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team._state_copies import shallow_copy
from steelyard.team.spatial_load._advance import advance, relinearised
from steelyard.team.spatial_load._changes import Jump, SpatialLoadEvent, change_event, find_jump
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._motion_path import MotionPath
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._second_pass import compared, due, second_pass
from steelyard.team.spatial_load._silences import long_gap, middle_of_gap, motion_lost, received, silent
from steelyard.team.spatial_load._start import excitation_of, pass_at_start
from steelyard.team.spatial_load._states import (
    AfterGap,
    Collecting,
    Phase,
    Relinearising,
    Starting,
    State,
    Tracking,
    origin_of,
    phase_of,
    rows_of_load,
    tracking_of,
)
from steelyard.team.spatial_load._transitions import after_change, interrupted
from steelyard.team.spatial_load._tuning import TUNING


def chunk_rows(rate: float, spread_work: bool) -> int:
    """Rows that are processed together."""
    return max(round((TUNING.spread_chunk if spread_work else TUNING.chunk) * rate), 1)


@dataclasses.dataclass(eq=False)
class IncrementalEstimator:
    """Rows and the estimates from them. Processing a row changes it; whoever needs the state before takes a copy."""

    history: SampleHistory
    gravity: float
    """Its size, m/s²."""
    spread_work: bool = False
    processed: int = 0
    """The row before which all rows were processed."""
    state: State = dataclasses.field(default_factory=lambda: Starting(0))
    path: MotionPath = dataclasses.field(default_factory=MotionPath.empty)
    """The motion as last predicted, along which rows are linearised."""
    unplaced: frozenset[int] = frozenset()
    """Robots, by number, that were not heard before the filter pass began: where they hold is unknown."""
    gap: bool = False
    """Whether nobody knows what acts on the load at present."""
    load_changed: bool = False
    """Whether the load is another than the last one that was known."""
    last_converged: int = 0
    """`processed` when the filter pass was last usable."""

    @property
    def phase(self) -> Phase:
        """What it is doing."""
        return phase_of(self.state, self.gap)

    @property
    def filter_pass(self) -> FilterPass | None:
        """The pass that gives the estimates; None while there is none."""
        tracking = tracking_of(self.state)
        return None if tracking is None else tracking.filter_pass

    @property
    def failed(self) -> bool:
        """Whether readings contradict the estimate, or nobody knows what acts on the load."""
        tracking = tracking_of(self.state)
        return self.gap or (tracking is not None and tracking.contradicted)

    @property
    def waiting(self) -> bool:
        """Whether earlier estimates stand: there are none yet since a gap in the same load, or they still converge."""
        return self.gap or (not self.load_changed and self._lately_usable and not self._usable)

    @property
    def _lately_usable(self) -> bool:
        return self.processed - max(self.state.start, self.last_converged) <= TUNING.short * self.history.rate

    @property
    def _usable(self) -> bool:
        tracking = tracking_of(self.state)
        return tracking is not None and tracking.filter_pass.converged and not tracking.contradicted

    @property
    def age(self) -> float:
        """Of the load as it is now, s."""
        return rows_of_load(self.state, self.processed) / self.history.rate

    @property
    def chunk(self) -> int:
        """Rows that are processed together."""
        return chunk_rows(self.history.rate, self.spread_work)

    @property
    def memory(self) -> int:
        """Rows in which the onset of a change is looked for."""
        return round(TUNING.change_memory * self.history.rate)

    @property
    def _recently_started(self) -> bool:
        return self.processed - self.state.start <= TUNING.short * self.history.rate

    def copied(self) -> "IncrementalEstimator":
        """The same, on its own."""
        twin = shallow_copy(self)
        twin.history = self.history.copied()
        return twin

    def add(self, time: float, raw: np.ndarray, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """A new row (robot, 15) at a time in s; NaN where nothing was received."""
        self.history.append(time, raw)
        waiting = self.history.end - self.history.wide - 2 - self.processed
        if waiting >= self.chunk:
            return self._process(self.processed + self.chunk, cache)
        if self.spread_work:
            return self._between(waiting, cache)
        return ()

    def _between(self, waiting: int, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """What is due when so many rows wait for a chunk to be full."""
        tracking = tracking_of(self.state)
        shares = TUNING.relinearise_early if self._recently_started else TUNING.relinearise_later
        moments = [max(round(share * self.chunk), 1) for share in (TUNING.change_test_at, *shares)]
        if tracking is None or waiting not in moments:
            return ()
        row = tracking.filter_pass.row
        if row < self.processed:  # it has just begun
            self._continue(tracking, min(row + TUNING.block_rows, self.processed), cache)
        elif waiting == moments[0]:
            return self._test_for_change(tracking.filter_pass)
        else:
            self._relinearise(cache)
        return ()

    def finish(self, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """No more rows will come: the last ones count, too."""
        events: tuple[SpatialLoadEvent, ...] = ()
        new_rows = self.processed < self.history.end
        while self.processed < self.history.end:
            events += self._process(min(self.processed + self.chunk, self.history.end), cache)
        tracking = tracking_of(self.state)
        if tracking is not None and tracking.filter_pass.row < self.processed:
            self._continue(tracking, self.processed, cache)
        while isinstance(self.state, Relinearising):
            self._catch_up(self.state, self.state.tracking.filter_pass.row, cache)
        found = self.filter_pass
        if new_rows and not self.failed and found is not None and found.start >= self.history.first:
            if not found.converged:
                self._iterate(found, found.row, TUNING.final_rounds, cache)
            elif self.spread_work:  # there is time now
                self._iterate(found, found.row, 1, cache)
        return events

    def _process(self, end: int, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        history, rate = self.history, self.history.rate
        before, self.processed = self.processed, end
        latest = history.raw(max(end - round(rate), history.first), end)
        self.gap = long_gap(latest, rate)
        if motion_lost(latest, rate) or (self.gap and isinstance(self.state, Collecting)):
            self._interrupt(end)
            return ()
        if not isinstance(self.state, Collecting) and self.unplaced & received(history.raw(before, end), 0.0):
            self._interrupt(before)
        if isinstance(self.state, Collecting):
            start, known = self.state.start, not isinstance(self.state, Starting)
            placed = not self.unplaced & received(history.raw(start, end), 0.0)
            due = end - start >= (TUNING.restart if known and placed else TUNING.start) * rate
            if due and not silent(history.raw(end - 2, end)).all(axis=0).any():  # else a gap may have begun
                self._begin(self.state, end, cache)
            return ()
        tracking = tracking_of(self.state)
        if self.spread_work and tracking is not None and tracking.hopeless and not self._lately_usable:
            self.state = Starting(end)  # neither load nor grips explain what is measured, or the point leads nowhere
            return ()
        if self._usable:
            self.last_converged, self.load_changed = before, self.load_changed and self._recently_started
        if tracking is not None and (not self.spread_work or tracking.filter_pass.row >= end - self.chunk):
            self._continue(tracking, end, cache)
        if self.spread_work or (found := self.filter_pass) is None:
            return ()
        events = self._test_for_change(found)
        if not events:
            self._relinearise(cache)
        return events

    def _continue(self, tracking: Tracking, end: int, cache: Cache) -> None:
        """Filters up to a row; where the pass diverges, begins again from there."""
        found, self.path, _ = advance(tracking.filter_pass, self.path, self.history, end, self.memory, cache)
        if found is None:
            self.state = dataclasses.replace(tracking.origin, start=end)
        else:
            self._track(dataclasses.replace(tracking, filter_pass=found))

    def _track(self, tracking: Tracking) -> None:
        """Another tracking; a relinearisation pass goes on."""
        self.state = Relinearising(tracking, self.state.second) if isinstance(self.state, Relinearising) else tracking

    def _test_for_change(self, found: FilterPass) -> tuple[SpatialLoadEvent, ...]:
        """Whether the load has changed; rows that are no longer needed are forgotten."""
        rate = self.history.rate
        jump = find_jump(found, found.start + round(TUNING.unchanging * rate))
        if jump is not None:
            return (self._change(found, jump),)
        needed = max(found.start, self.processed - round(TUNING.longest_pass * rate))
        self.history.forget(needed - self.history.wide - 2)
        self.path = self.path.since(self.history.first)
        return ()

    def _change(self, filter_pass: FilterPass, jump: Jump) -> SpatialLoadEvent:
        given = filter_pass, jump, self.path, self.processed, self.history.rate
        self.state, self.load_changed = after_change(self.state, *given), True
        return change_event(filter_pass, jump, self.history.time(middle_of_gap(self.history, jump.earliest)))

    def _interrupt(self, end: int) -> None:
        """The motion is lost, or a robot comes whose grip is unknown."""
        self.state = interrupted(self.state, end, self.processed, self.history.rate)
        self.load_changed = self.load_changed and not isinstance(self.state, AfterGap)

    def _begin(self, origin: Collecting, end: int, cache: Cache) -> None:
        """Finds a linearisation point by the rows collected, and starts a filter pass there."""
        start, rows, rate = origin.start, end - origin.start, self.history.rate
        begun = pass_at_start(self.history, origin, end, self.gravity, self.unplaced)
        if begun is None:
            self.state = dataclasses.replace(origin, start=end)
            return
        origin, self.unplaced = begun.origin, begun.unplaced
        self.state = Tracking(origin, begun.filter_pass, rows)
        if self.spread_work and rows > TUNING.block_rows:  # the rows are for later
            return
        rounds = 1 if self.spread_work and begun.near else TUNING.rounds
        self._iterate(begun.filter_pass, end, rounds, cache)
        if isinstance(self.state, Collecting):  # after a second what was known is no help, after two nor are these rows
            again = end if rows >= TUNING.short * rate else start
            self.state = Starting(again) if rows >= TUNING.start * rate else dataclasses.replace(origin, start=again)

    def _iterate(self, found: FilterPass, end: int, most: int, cache: Cache) -> None:
        """Relinearises a pass up to so many times; rows are collected on where it diverges. See `relinearised`."""
        tracking, origin = tracking_of(self.state), origin_of(self.state)
        given = self.history, end, self.memory, cache, most, excitation_of(origin)
        best, self.path, correction = relinearised(found, self.path, *given)
        if best is None or tracking is None:
            self.state = origin
        else:
            self._track(dataclasses.replace(tracking, filter_pass=best, correction=correction))

    def _relinearise(self, cache: Cache) -> None:
        """Continues the relinearisation pass, or starts one where it is due."""
        if isinstance(self.state, Relinearising):
            self._catch_up(self.state, self.processed, cache)
        elif isinstance(self.state, Tracking) and self._due(self.state):
            found, age = self.state.filter_pass, self.processed - self.state.start
            self.state = tracking = dataclasses.replace(self.state, relinearised_rows=age)
            if self._recently_started and not self.spread_work:
                self._iterate(found, self.processed, TUNING.rounds, cache)
            else:
                self.state = second_pass(tracking, self.spread_work)

    def _due(self, tracking: Tracking) -> bool:
        return due(tracking, self.history.first, self.processed, self.history.rate, self.spread_work)

    def _catch_up(self, state: Relinearising, end: int, cache: Cache) -> None:
        rows = TUNING.block_rows if self.spread_work else (1 + TUNING.catch_up) * self.chunk
        until = min(state.second.row + rows, end)
        later, self.path, _ = advance(state.second, self.path, self.history, until, self.memory, cache)
        self.state = compared(state, later, self.spread_work)
