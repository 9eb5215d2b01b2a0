"""Estimates load and grips from a team's rows, online: start, filter, relinearise, notice changes.

A filter pass follows the rows, linearised at one point. As more is known, a relinearisation pass starts from the first
row again, linearised at the estimate, processes rows four times as fast until it has caught up, and takes over:
Gauss-Newton in instalments. Everything depends on the rows alone, so all robots with the same rows have the same
estimates. With `spread_work`, rows are processed less often and the work is spread over the rows between.
"""

import dataclasses

import numpy as np

from steelyard.team._cache import Cache
from steelyard.team._fresh import shallow
from steelyard.team.spatial_load._advance import Advanced, advance, relinearised
from steelyard.team.spatial_load._changes import Jump, SpatialLoadEvent, change_event, find_jump
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._known_before import AfterChange, AfterGap, prior_at_start
from steelyard.team.spatial_load._linearisation_point import LinearisationPoint
from steelyard.team.spatial_load._motion_path import MotionPath
from steelyard.team.spatial_load._phase import Phase
from steelyard.team.spatial_load._prior import Prior, prior_after_change, prior_after_gap, vague_prior
from steelyard.team.spatial_load._sample_history import SampleHistory, long_gap, received, silent
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
    start: int = 0
    """First row of the filter pass: of the load as it is now, or after a gap."""
    known: AfterChange | AfterGap | None = None
    """What was known when the load changed or before a gap; None where nothing was."""
    load_changed: bool = False
    """Whether the load is another than the last one that was known."""
    last_converged: int = 0
    """`processed` when the filter pass was last usable."""
    filter_pass: FilterPass | None = None
    relinearisation_pass: FilterPass | None = None
    path: MotionPath = dataclasses.field(default_factory=MotionPath.empty)
    """The motion as last predicted, along which rows are linearised."""
    relinearised_rows: int = 0
    """How many rows there were at the last relinearisation."""
    damping: float = 0.0
    """Of the next Gauss-Newton step (Levenberg-Marquardt)."""
    gap: bool = False
    """Whether nobody knows what acts on the load at present."""
    unplaced: frozenset[int] = frozenset()
    """Robots, by number, that were not heard before the filter pass began: where they hold is unknown."""

    @property
    def phase(self) -> Phase:
        """What it is doing."""
        if self.gap:
            return Phase.GAP
        if self.filter_pass is not None:
            return Phase.TRACKING if self.relinearisation_pass is None else Phase.RELINEARISING
        if isinstance(self.known, AfterGap):
            return Phase.AFTER_GAP
        return Phase.STARTING if self.known is None else Phase.AFTER_CHANGE

    @property
    def failed(self) -> bool:
        """Whether readings contradict the estimate, or nobody knows what acts on the load."""
        inflation = 1.0 if self.filter_pass is None else self.filter_pass.covariance_inflation
        return self.gap or inflation > TUNING.failed_above

    @property
    def waiting(self) -> bool:
        """Whether earlier estimates stand: there are none yet since a gap in the same load, or they still converge."""
        lately = self.processed - max(self.start, self.last_converged) <= TUNING.short * self.history.rate
        return self.gap or (not self.load_changed and lately and not self._usable)

    @property
    def _usable(self) -> bool:
        found = self.filter_pass
        return found is not None and found.converged and found.covariance_inflation < TUNING.failed_above

    @property
    def age(self) -> float:
        """Of the load as it is now, s."""
        earlier = self.known.rows if isinstance(self.known, AfterGap) else 0
        return (self.processed - self.start + earlier) / self.history.rate

    @property
    def chunk(self) -> int:
        """Rows that are processed together."""
        return chunk_rows(self.history.rate, self.spread_work)

    @property
    def memory(self) -> int:
        """Rows in which the onset of a change is looked for."""
        return round(TUNING.change_memory * self.history.rate)

    def copied(self) -> "IncrementalEstimator":
        """The same, on its own."""
        twin = shallow(self)
        twin.history = self.history.copied()
        return twin

    def add(self, time: float, raw: np.ndarray, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """A new row (robot, 15) at a time in s; NaN where nothing was received."""
        self.history.append(time, raw)
        waiting = self.history.end - self.history.wide - 2 - self.processed
        if waiting >= self.chunk:
            return self._process(self.processed + self.chunk, cache)
        if self.spread_work and self.filter_pass is not None and not self.gap:
            return self._between(self.filter_pass, waiting, cache)
        return ()

    def _between(self, filter_pass: FilterPass, waiting: int, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """What is due when so many rows wait for a chunk to be full."""
        shares = TUNING.relinearise_early if self._recently_started else TUNING.relinearise_later
        moments = [max(round(share * self.chunk), 1) for share in (TUNING.change_test_at, *shares)]
        if waiting not in moments:
            return ()
        if filter_pass.row < self.processed:  # it has just begun
            self._continue(min(filter_pass.row + TUNING.block_rows, self.processed), cache)
        elif waiting == moments[0]:
            return self._test_for_change(filter_pass)
        else:
            self._relinearise(self.processed, cache)
        return ()

    @property
    def _recently_started(self) -> bool:
        return self.processed - self.start <= TUNING.short * self.history.rate

    @property
    def _hardly_known(self) -> bool:
        """Whether the point may be so far off that another has to be found before it is used."""
        return self.processed - self.start <= TUNING.hardly_known * self.history.rate

    def finish(self, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        """No more rows will come: the last ones count, too."""
        events: tuple[SpatialLoadEvent, ...] = ()
        news = self.processed < self.history.end
        while self.processed < self.history.end:
            events += self._process(min(self.processed + self.chunk, self.history.end), cache)
        if self.filter_pass is not None and self.filter_pass.row < self.processed and not self.gap:
            self._continue(self.processed, cache)
        while self.relinearisation_pass is not None and self.filter_pass is not None:
            self._continue_relinearisation(self.filter_pass.row, cache)
        found = self.filter_pass
        if news and not self.failed and found is not None and found.start >= self.history.first:
            if not found.converged:
                self.filter_pass = self._iterated(found, found.row, TUNING.final_rounds, cache)
            elif self.spread_work:  # there is time now
                self.filter_pass = self._iterated(found, found.row, 1, cache)
        return events

    def fitted(self, point: LinearisationPoint, most: int, cache: Cache) -> FilterPass | None:
        """The pass over all rows, from a point, relinearised up to so many times."""
        fresh = FilterPass.at(point, vague_prior(point), self.history.first)
        return self._iterated(fresh, self.history.end, most, cache)

    def _process(self, end: int, cache: Cache) -> tuple[SpatialLoadEvent, ...]:
        history, rate = self.history, self.history.rate
        before, self.processed = self.processed, end
        self.gap = long_gap(history.raw(max(end - round(rate), history.first), end), rate)
        if self.gap:
            self._interrupt(end, cache)
            return ()
        if self.filter_pass is not None and self.unplaced & received(history.raw(before, end), 0.0):
            self._interrupt(before, cache)
        if self.filter_pass is None:
            placed = not self.unplaced & received(history.raw(self.start, end), 0.0)
            due = end - self.start >= (TUNING.restart if self.known is not None and placed else TUNING.start) * rate
            if due and not silent(history.raw(end - 2, end)).all(axis=0).any():  # else a gap may have begun
                self._begin(end, cache)
            return ()
        if self._usable:
            self.last_converged, self.load_changed = before, self.load_changed and self._recently_started
        if not self.spread_work or self.filter_pass.row >= end - self.chunk:
            self._continue(end, cache)
        if self.spread_work or self.filter_pass is None:
            return ()
        events = self._test_for_change(self.filter_pass)
        if not events:
            self._relinearise(end, cache)
        return events

    def _continue(self, end: int, cache: Cache) -> None:
        """Filters up to a row; where the pass diverges, begins again from there."""
        assert self.filter_pass is not None
        self.filter_pass, self.path = self._advance(self.filter_pass, self.path, end, cache)
        if self.filter_pass is None:
            self._restart(end)

    def _test_for_change(self, filter_pass: FilterPass) -> tuple[SpatialLoadEvent, ...]:
        """Whether the load has changed; rows that are no longer needed are forgotten."""
        rate = self.history.rate
        jump = find_jump(filter_pass, self.start + round(TUNING.unchanging * rate))
        if jump is not None:
            return (self._change(filter_pass, jump),)
        needed = max(self.start, self.processed - round(TUNING.longest_pass * rate))
        self.history.forget(needed - self.history.wide - 2)
        self.path = self.path.since(self.history.first)
        return ()

    def _interrupt(self, end: int, cache: Cache) -> None:
        """Keeps what is known of load and grips over a gap; the motion is lost."""
        found = self.filter_pass
        if found is not None and self._hardly_known and found.newton_decrement > found.point.size:
            found = self._iterated(found, found.row, TUNING.rounds, cache) or found
        if found is not None and found.converged:
            rows = end - self.start + (self.known.rows if isinstance(self.known, AfterGap) else 0)
            prior = prior_after_gap(found.estimate, found.covariance_inflation * found.covariance)
            self.known, self.load_changed = AfterGap(prior, found.excitation, rows), False
        elif found is not None:
            self.known = None
        self._restart(end)

    def _restart(self, row: int) -> None:
        """Collects rows from a row on, without a filter pass as yet."""
        self.start, self.relinearised_rows, self.damping = row, 0, 0.0
        self.filter_pass = self.relinearisation_pass = None

    def _begin(self, end: int, cache: Cache) -> None:
        """Finds a linearisation point by the rows collected, and starts a filter pass there."""
        history, raw = self.history, self.history.raw(self.start, end)
        there, everybody = received(raw, TUNING.heard_share), frozenset(range(history.robots))
        coming = self.unplaced & received(raw, 0.0)
        if not there or coming - there:  # not heard well enough yet
            self.start = end
            return
        if 0 in coming:  # whose frame is everybody's
            self.known = None
        self.unplaced = (everybody if self.known is None else self.unplaced) - there
        prior = prior_at_start(history, self.start, end, self.gravity, self.known, coming)
        self.filter_pass, self.relinearised_rows = self._at(prior.point, prior, self.start), end - self.start
        if self.spread_work and self.relinearised_rows > TUNING.block_rows:  # the rows are for later
            return
        at_once = self.spread_work and self.known is not None and not coming
        self.filter_pass = self._iterated(self.filter_pass, end, 1 if at_once else TUNING.rounds, cache)
        if self.filter_pass is None and self.relinearised_rows >= TUNING.start * history.rate:  # no help
            self.known = None
        if self.filter_pass is None and self.relinearised_rows >= TUNING.short * history.rate:  # nor do these rows
            self.start = end

    def _at(self, point: LinearisationPoint, prior: Prior, start: int) -> FilterPass:
        return FilterPass.at(point, prior, start, self.known.excitation if isinstance(self.known, AfterGap) else None)

    def _iterated(self, filter_pass: FilterPass, end: int, most: int, cache: Cache) -> FilterPass | None:
        """Relinearised up to so many times; see `relinearised`."""
        excitation = self.known.excitation if isinstance(self.known, AfterGap) else None
        best, self.path = relinearised(filter_pass, self.path, self.history, end, self.memory, cache, most, excitation)
        return best

    def _advance(self, filter_pass: FilterPass, path: MotionPath, end: int, cache: Cache) -> Advanced:
        return advance(filter_pass, path, self.history, end, self.memory, cache)

    def _relinearise(self, end: int, cache: Cache) -> None:
        """Continues the relinearisation pass, or starts one where it is due."""
        found, rate = self.filter_pass, self.history.rate
        assert found is not None
        age = end - self.start
        known = self.spread_work and not self._recently_started
        due = age >= (TUNING.slow_growth if known else TUNING.growth) * self.relinearised_rows
        due |= self.spread_work and not found.converged
        if self.relinearisation_pass is not None:
            self._continue_relinearisation(end, cache)
        elif due and self.start >= self.history.first and age <= TUNING.longest_pass * rate:
            self.relinearised_rows = age
            if self._recently_started and not self.spread_work:
                self.filter_pass = self._iterated(found, end, TUNING.rounds, cache)
            else:
                self.relinearisation_pass = self._at(found.damped_estimate(self.damping), found.prior, found.start)

    def _continue_relinearisation(self, end: int, cache: Cache) -> None:
        """Advances the relinearisation pass; once it has caught up, the better of the two passes stays."""
        second, found = self.relinearisation_pass, self.filter_pass
        assert second is not None
        assert found is not None
        rows = TUNING.block_rows if self.spread_work else (1 + TUNING.catch_up) * self.chunk
        second, self.path = self._advance(second, self.path, min(second.row + rows, end), cache)
        self.relinearisation_pass = second
        if second is not None and second.row < found.row:
            return
        self.relinearisation_pass = None
        if second is not None and second.cost < found.cost:
            self.filter_pass, self.damping = second, 0.1 * self.damping
        else:
            self.damping = max(10.0 * self.damping, 0.1)

    def _change(self, filter_pass: FilterPass, jump: Jump) -> SpatialLoadEvent:
        """Restarts with a new load; the grips stay as they were known before."""
        known = filter_pass.known_before(jump.row)
        row = jump.row + max(round(TUNING.segment * self.history.rate), 1)
        latest = min(row, self.processed - 1)  # the change may be in the latest rows, whose motion is not known yet
        point = dataclasses.replace(known.estimate, down=self.path.between(latest, latest + 1)[0, 6:])
        self.known = AfterChange(prior_after_change(point, known.covariance))
        self._restart(row)
        self.load_changed = True
        return change_event(filter_pass, jump, self.history.time(jump.row))
