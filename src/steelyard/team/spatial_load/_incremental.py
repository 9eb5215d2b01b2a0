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
from steelyard.team.spatial_load._advance import advance, difference, relinearised
from steelyard.team.spatial_load._changes import Jump, SpatialLoadEvent, change_event, find_jump
from steelyard.team.spatial_load._excitation import Excitation
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._known_before import AfterChange, AfterGap, prior_at_start
from steelyard.team.spatial_load._motion_path import MotionPath
from steelyard.team.spatial_load._phase import Collecting, Doing, Phase, Tracking, phase_of
from steelyard.team.spatial_load._prior import prior_after_change, prior_after_gap
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._silences import long_gap, motion_lost, received, silent
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
    doing: Doing = dataclasses.field(default_factory=lambda: Collecting(0))
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
        return phase_of(self.doing, self.gap)

    @property
    def filter_pass(self) -> FilterPass | None:
        """The pass that gives the estimates; None while there is none."""
        return self.doing.filter_pass if isinstance(self.doing, Tracking) else None

    @property
    def failed(self) -> bool:
        """Whether readings contradict the estimate, or nobody knows what acts on the load."""
        return self.gap or self._contradicted

    @property
    def _contradicted(self) -> bool:
        found = self.filter_pass
        return found is not None and found.covariance_inflation > TUNING.failed_above

    @property
    def waiting(self) -> bool:
        """Whether earlier estimates stand: there are none yet since a gap in the same load, or they still converge."""
        return self.gap or (not self.load_changed and self._lately_usable and not self._usable)

    @property
    def _lately_usable(self) -> bool:
        return self.processed - max(self.doing.start, self.last_converged) <= TUNING.short * self.history.rate

    @property
    def _usable(self) -> bool:
        found = self.filter_pass
        return found is not None and found.converged and found.covariance_inflation < TUNING.failed_above

    @property
    def age(self) -> float:
        """Of the load as it is now, s."""
        earlier = self.doing.known.rows if isinstance(self.doing.known, AfterGap) else 0
        return (self.processed - self.doing.start + earlier) / self.history.rate

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
        return self.processed - self.doing.start <= TUNING.short * self.history.rate

    @property
    def _rows_known(self) -> int:
        """That tell of the grips."""
        return self.processed - self.doing.start + (0 if self.doing.known is None else self.doing.known.rows)

    @property
    def _hardly_known(self) -> bool:
        """Whether what is known is too far from a Gaussian to be a prior, and had better be found again."""
        return self._rows_known <= TUNING.hardly_known * self.history.rate

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
        if self.spread_work and isinstance(self.doing, Tracking):
            return self._between(self.doing, waiting, cache)
        return ()

    def _between(self, doing: Tracking, waiting: int, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """What is due when so many rows wait for a chunk to be full."""
        shares = TUNING.relinearise_early if self._recently_started else TUNING.relinearise_later
        moments = [max(round(share * self.chunk), 1) for share in (TUNING.change_test_at, *shares)]
        if waiting not in moments:
            return ()
        if doing.filter_pass.row < self.processed:  # it has just begun
            self._continue(doing, min(doing.filter_pass.row + TUNING.block_rows, self.processed), cache)
        elif waiting == moments[0]:
            return self._test_for_change(doing)
        else:
            self._relinearise(doing, cache)
        return ()

    def finish(self, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """No more rows will come: the last ones count, too."""
        events: tuple[SpatialLoadEvent, ...] = ()
        new_rows = self.processed < self.history.end
        while self.processed < self.history.end:
            events += self._process(min(self.processed + self.chunk, self.history.end), cache)
        if isinstance(self.doing, Tracking) and self.doing.filter_pass.row < self.processed:
            self._continue(self.doing, self.processed, cache)
        while isinstance(self.doing, Tracking) and self.doing.second is not None:
            self._catch_up(self.doing, self.doing.second, self.doing.filter_pass.row, cache)
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
        if motion_lost(latest, rate) or (self.gap and isinstance(self.doing, Collecting)):
            self._interrupt(end)
            return ()
        if isinstance(self.doing, Tracking) and self.unplaced & received(history.raw(before, end), 0.0):
            self._interrupt(before)
        if isinstance(self.doing, Collecting):
            start, known = self.doing.start, self.doing.known
            placed = not self.unplaced & received(history.raw(start, end), 0.0)
            due = end - start >= (TUNING.restart if known is not None and placed else TUNING.start) * rate
            if due and not silent(history.raw(end - 2, end)).all(axis=0).any():  # else a gap may have begun
                self._begin(self.doing, end, cache)
            return ()
        if self.spread_work and self._contradicted and not self._lately_usable:
            self.doing = Collecting(end)  # neither load nor grips explain what is measured
            return ()
        if self._usable:
            self.last_converged, self.load_changed = before, self.load_changed and self._recently_started
        if not self.spread_work or self.doing.filter_pass.row >= end - self.chunk:
            self._continue(self.doing, end, cache)
        if self.spread_work or isinstance(self.doing, Collecting):
            return ()
        events = self._test_for_change(self.doing)
        if not events:
            self._relinearise(self.doing, cache)
        return events

    def _continue(self, doing: Tracking, end: int, cache: Cache) -> None:
        """Filters up to a row; where the pass diverges, begins again from there."""
        found, self.path, _ = advance(doing.filter_pass, self.path, self.history, end, self.memory, cache)
        if found is None:
            self.doing = Collecting(end, doing.known)
        else:
            self.doing = dataclasses.replace(doing, filter_pass=found)

    def _test_for_change(self, doing: Tracking) -> tuple[SpatialLoadEvent, ...]:
        """Whether the load has changed; rows that are no longer needed are forgotten."""
        rate = self.history.rate
        jump = find_jump(doing.filter_pass, doing.start + round(TUNING.unchanging * rate))
        if jump is not None:
            return (self._change(doing.filter_pass, jump),)
        needed = max(doing.start, self.processed - round(TUNING.longest_pass * rate))
        self.history.forget(needed - self.history.wide - 2)
        self.path = self.path.since(self.history.first)
        return ()

    def _change(self, filter_pass: FilterPass, jump: Jump) -> SpatialLoadEvent:
        """Starts with a new load; the grips stay as they were known before."""
        before = filter_pass.known_before(jump.row)
        row = jump.row + max(round(TUNING.segment * self.history.rate), 1)
        latest = min(row, self.processed - 1)  # the change may be in the latest rows, whose motion is not known yet
        point = dataclasses.replace(before.estimate, down=self.path.between(latest, latest + 1)[0, 6:])
        known = AfterChange(prior_after_change(point, before.covariance), self._rows_known)
        self.doing, self.load_changed = Collecting(row, None if self._hardly_known else known), True
        return change_event(filter_pass, jump, self.history.time(jump.row))

    def _interrupt(self, end: int) -> None:
        """Keeps what is known of load and grips; the motion is lost, or a robot comes whose grip is unknown."""
        found, known = self.filter_pass, self.doing.known
        if found is not None and found.converged and not self._hardly_known:
            prior = prior_after_gap(found.estimate, found.covariance_inflation * found.covariance)
            known, self.load_changed = AfterGap(prior, found.excitation, self._rows_known), False
        elif found is not None:
            known = None
        self.doing = Collecting(end, known)

    def _begin(self, doing: Collecting, end: int, cache: Cache) -> None:
        """Finds a linearisation point by the rows collected, and starts a filter pass there."""
        history, start, known = self.history, doing.start, doing.known
        raw, rows = history.raw(start, end), end - start
        there, everybody = received(raw, TUNING.heard_share), frozenset(range(history.robots))
        coming = self.unplaced & received(raw, 0.0)
        if not there or coming - there:  # not heard well enough yet
            self.doing = Collecting(end, known)
            return
        if 0 in coming:  # whose frame is everybody's
            known = None
        self.unplaced = (everybody if known is None else self.unplaced) - there
        prior = prior_at_start(history, start, end, self.gravity, known, coming)
        fresh = FilterPass.at(prior.point, prior, start, _excitation(known))
        self.doing = Tracking(start, known, fresh, rows)
        if self.spread_work and rows > TUNING.block_rows:  # the rows are for later
            return
        at_once = self.spread_work and known is not None and not coming
        self._iterate(fresh, end, 1 if at_once else TUNING.rounds, cache)
        if isinstance(self.doing, Collecting):  # after a second what was known is no help, after two nor are these rows
            known = None if rows >= TUNING.start * history.rate else known
            self.doing = Collecting(end if rows >= TUNING.short * history.rate else start, known)

    def _iterate(self, found: FilterPass, end: int, most: int, cache: Cache) -> None:
        """Relinearises a pass up to so many times; rows are collected on where it diverges. See `relinearised`."""
        given, doing = (self.history, end, self.memory, cache, most, _excitation(self.doing.known)), self.doing
        best, self.path, correction = relinearised(found, self.path, *given)
        if best is None or isinstance(doing, Collecting):
            self.doing = Collecting(doing.start, doing.known)
        else:
            self.doing = dataclasses.replace(doing, filter_pass=best, correction=correction)

    def _relinearise(self, doing: Tracking, cache: Cache) -> None:
        """Continues the relinearisation pass, or starts one where it is due."""
        found, age = doing.filter_pass, self.processed - doing.start
        known = self.spread_work and not self._recently_started
        due = age >= (TUNING.slow_growth if known else TUNING.growth) * doing.relinearised_rows
        due |= self.spread_work and found.newton_decrement > found.point.size  # more than new rows move a point
        if doing.second is not None:
            self._catch_up(doing, doing.second, self.processed, cache)
        elif due and doing.start >= self.history.first and age <= TUNING.longest_pass * self.history.rate:
            self.doing = doing = dataclasses.replace(doing, relinearised_rows=age)
            if self._recently_started and not self.spread_work:
                self._iterate(found, self.processed, TUNING.rounds, cache)
            else:
                point = found.damped_estimate(doing.damping, self.spread_work)
                second = FilterPass.at(point, found.prior, found.start, _excitation(doing.known))
                self.doing = dataclasses.replace(doing, second=second)

    def _catch_up(self, doing: Tracking, second: FilterPass, end: int, cache: Cache) -> None:
        """Advances the relinearisation pass; once it has caught up, the better of the two passes stays."""
        rows = TUNING.block_rows if self.spread_work else (1 + TUNING.catch_up) * self.chunk
        until = min(second.row + rows, end)
        later, self.path, _ = advance(second, self.path, self.history, until, self.memory, cache)
        if later is not None and later.row < doing.filter_pass.row:
            self.doing = dataclasses.replace(doing, second=later)
            return
        self.doing = doing = dataclasses.replace(doing, correction=difference(doing.filter_pass, later))
        if later is not None and later.cost < doing.filter_pass.cost:
            self.doing = dataclasses.replace(doing, filter_pass=later, second=None, damping=0.1 * doing.damping)
        else:  # with ever more damping it would never move again, although new rows make another problem of it
            more = max(10.0 * doing.damping, 0.1)
            damping = more if more <= TUNING.most_damping or not self.spread_work else 0.0
            self.doing = dataclasses.replace(doing, second=None, damping=damping)


def _excitation(known: AfterChange | AfterGap | None) -> Excitation | None:
    """Of the same load before."""
    return known.excitation if isinstance(known, AfterGap) else None
