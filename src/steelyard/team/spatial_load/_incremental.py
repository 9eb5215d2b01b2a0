"""What a team's rows tell of the load and the grips, online: start, go on, linearise again, notice changes.

A course runs along with the rows, linearised at one point. As it knows better, a second course starts from the first
row again, linearised at the likeliest point, runs four times as fast until it has caught up, and takes over: Gauss and
Newton in instalments. Whatever it does depends on the rows alone, so all robots that have the same rows think the same.
A mind that thinks piecemeal takes rows in less often and spreads its work over the rows between: no row takes long.
"""

import dataclasses
import math

import msgspec
import numpy as np

from steelyard.team._fresh import shallow
from steelyard.team.spatial_load._changes import Jump, find_jump, mass_of
from steelyard.team.spatial_load._filter_pass import (
    BLOCK,
    SEGMENT,
    FilterPass,
    Prior,
    advance,
    load_spread,
    vague_prior,
)
from steelyard.team.spatial_load._initial_guess import (
    first_linearisation_point,
    refound_down,
    refound_grips,
    refound_load,
)
from steelyard.team.spatial_load._linearisation_point import LinearisationPoint
from steelyard.team.spatial_load._linearised_filter import Excitation
from steelyard.team.spatial_load._prior import prior_after_change, prior_after_gap
from steelyard.team.spatial_load._sample_history import SampleHistory, long_gap, silent

_CHUNK, _LONGER_CHUNK = 0.1, 0.2  # s of rows that are taken in together, the latter piecemeal
_START = 1.0  # s of rows before the first point
_START_AGAIN = 0.2  # s of rows before the first point of a load that changed
_GROWTH = 1.3  # a course starts anew when there are so many times the rows that the last one began with
_SLOW_GROWTH = 2.0  # the same piecemeal, once the load is known
_CATCH_UP = 4  # rows of the second course for each new one
_SHORT = 2.0  # s of rows that are gone through at once
_LOOK = 0.1  # of a chunk, when a piecemeal mind looks for a change
_EARLY, _LATER = (0.25, 0.45, 0.65, 0.85), (0.35, 0.7)
"""Of a chunk, when a piecemeal mind goes on with a course: of a load that it hardly knows, and of others."""
_ROUNDS = 4
_LAST_ROUNDS = 15  # when no more rows will come: there is time, and poor motions settle slowly
_MEMORY = 1.5  # s in which the onset of a change is looked for
_YOUNG = 1.5  # s of a load in which no change is looked for: it is hardly known
_HARDLY = 5.0  # s of a load in which a point may be far off
_LONGEST = 30.0  # s of rows that are linearised again
_OVERFLOWING = 1e100  # information whose products no longer fit into a number
_MET = 0.5  # of a start's rows in which a robot is heard, from which on it can be told where it holds
_ABSURD = 2.0  # times the squares that were expected, beyond which nothing is believed


def chunk_rows(rate: float, spread_work: bool) -> int:
    """Rows that a mind takes in together."""
    return max(round((_LONGER_CHUNK if spread_work else _CHUNK) * rate), 1)


class SpatialLoadEvent(msgspec.Struct, frozen=True):
    """Something happened to the load or to a robot."""

    time: float
    """s, when it happened, as far as that is known."""
    kind: str
    """`change` of the load."""
    quantity: str
    size: float
    """New less old: kg of mass, m of the centre of mass, or the largest share of a moment of inertia."""


@dataclasses.dataclass(eq=False)
class IncrementalEstimator:
    """Rows and what they tell. Taking a row in changes the mind; who needs it as it was takes a copy before."""

    history: SampleHistory
    gravity: float
    """Its size, m/s²."""
    spread_work: bool = False
    processed: int = 0
    """The row up to which rows were taken in."""
    start: int = 0
    """First row of the course: of the load as it is now, or after a gap."""
    earlier_rows: int = 0
    """Rows of the same load before that."""
    prior: Prior | None = None
    """What was known when the load changed, or before a gap; None where nothing was."""
    earlier_excitation: Excitation | None = None
    """How much of the same load was to be seen before a gap; None where there was none."""
    load_changed: bool = False
    """Whether the load is another than the one that was known last."""
    last_converged: int = 0
    """The row up to which rows were taken in when the course was settled last."""
    filter_pass: FilterPass | None = None
    relinearisation_pass: FilterPass | None = None
    relinearised_rows: int = 0
    """How many rows the course had to begin with."""
    damping: float = 0.0
    paused: bool = False
    unplaced: frozenset[int] = frozenset()
    """Robots, by number, that nobody had heard when the course began, nor before: where they hold is unknown."""

    @property
    def failed(self) -> bool:
        """Whether what was read and what was expected do not agree at all, or nobody knows what acts on the load."""
        return self.paused or (self.filter_pass is not None and self.filter_pass.covariance_inflation > _ABSURD)

    @property
    def waiting(self) -> bool:
        """Whether what was known stands: nothing new can be said of the same load, or it is still settling."""
        lately = self.processed - max(self.start, self.last_converged) <= _SHORT * self.history.rate
        return self.paused or (not self.load_changed and lately and not self._usable)

    @property
    def _usable(self) -> bool:
        filter_pass = self.filter_pass
        return filter_pass is not None and filter_pass.converged and filter_pass.covariance_inflation < _ABSURD

    @property
    def age(self) -> float:
        """Of the load as it is now, s."""
        return (self.processed - self.start + self.earlier_rows) / self.history.rate

    @property
    def chunk(self) -> int:
        """Rows that are taken in together."""
        return chunk_rows(self.history.rate, self.spread_work)

    @property
    def memory(self) -> int:
        """Rows in which the onset of a change is looked for."""
        return round(_MEMORY * self.history.rate)

    def copied(self) -> "IncrementalEstimator":
        """The same, on its own."""
        twin = shallow(self)
        twin.history = self.history.copied()
        return twin

    def add(self, time: float, raw: np.ndarray) -> tuple[SpatialLoadEvent, ...]:
        """A new row (robot, 15) at a time in s; NaN where nothing was heard."""
        self.history.append(time, raw)
        waiting = self.history.end - self.history.wide - 2 - self.processed
        if waiting >= self.chunk:
            return self._take(self.processed + self.chunk)
        if self.spread_work and self.filter_pass is not None and not self.paused:
            return self._between(self.filter_pass, waiting)
        return ()

    def _between(self, filter_pass: FilterPass, waiting: int) -> tuple[SpatialLoadEvent, ...]:
        """What is due when so many rows wait for a chunk to be full."""
        moments = [
            max(round(share * self.chunk), 1) for share in (_LOOK, *(_EARLY if self._recently_started else _LATER))
        ]
        if waiting not in moments:
            return ()
        if filter_pass.row < self.processed:  # it has just begun
            self._lead(min(filter_pass.row + BLOCK, self.processed))
        elif waiting == moments[0]:
            return self._look(filter_pass)
        else:
            self._renew(self.processed)
        return ()

    @property
    def _recently_started(self) -> bool:
        return self.processed - self.start <= _SHORT * self.history.rate

    @property
    def _hardly_known(self) -> bool:
        """Whether the course's point may be so far off that another has to be found before anything is made of it."""
        return self.processed - self.start <= _HARDLY * self.history.rate

    def finish(self) -> tuple[SpatialLoadEvent, ...]:
        """No more rows will come: the last ones count, too."""
        events: tuple[SpatialLoadEvent, ...] = ()
        news = self.processed < self.history.end
        while self.processed < self.history.end:
            events += self._take(min(self.processed + self.chunk, self.history.end))
        if self.filter_pass is not None and self.filter_pass.row < self.processed and not self.paused:
            self._lead(self.processed)
        while self.relinearisation_pass is not None and self.filter_pass is not None:
            self._go_on_with_second(self.filter_pass.row)
        filter_pass = self.filter_pass
        if news and not self.failed and filter_pass is not None and filter_pass.start >= self.history.first:
            if not filter_pass.converged:
                self.filter_pass = self._rounds(filter_pass, filter_pass.row, _LAST_ROUNDS)
            elif self.spread_work:  # there is time now
                self.filter_pass = self._rounds(filter_pass, filter_pass.row, 1)
        return events

    def fitted(self, point: LinearisationPoint, most: int) -> FilterPass | None:
        """What all rows tell, beginning from a point and linearised again up to so many times."""
        return self._rounds(FilterPass.at(point, vague_prior(point), self.history.first), self.history.end, most)

    def _take(self, end: int) -> tuple[SpatialLoadEvent, ...]:
        history, rate = self.history, self.history.rate
        earlier_rows, self.processed = self.processed, end
        self.paused = long_gap(history.raw(max(end - round(rate), history.first), end), rate)
        if self.paused:
            self._put_aside(end)
            return ()
        if self.filter_pass is not None and self.unplaced & _met(history.raw(earlier_rows, end), 0.0):
            self._put_aside(earlier_rows)
        if self.filter_pass is None:
            known = self.prior is not None and not self.unplaced & _met(history.raw(self.start, end), 0.0)
            due = end - self.start >= (_START_AGAIN if known else _START) * rate
            if due and not silent(history.raw(end - 2, end)).all(axis=0).any():  # else a gap may have begun
                self._begin(end)
            return ()
        if self._usable:
            self.last_converged, self.load_changed = earlier_rows, self.load_changed and self._recently_started
        if not self.spread_work or self.filter_pass.row >= end - self.chunk:
            self._lead(end)
        if self.spread_work or self.filter_pass is None:
            return ()
        events = self._look(self.filter_pass)
        if not events:
            self._renew(end)
        return events

    def _lead(self, end: int) -> None:
        """Goes on with the course; where it is lost, begins again from here."""
        assert self.filter_pass is not None
        self.filter_pass = self._advanced(self.filter_pass, end)
        if self.filter_pass is None:
            self._set_out(end)

    def _look(self, filter_pass: FilterPass) -> tuple[SpatialLoadEvent, ...]:
        """Whether the load has changed; what came too long before is forgotten."""
        rate = self.history.rate
        jump = find_jump(filter_pass, self.start + round(_YOUNG * rate))
        if jump is not None:
            return (self._changed(filter_pass, jump),)
        self.history.forget(max(self.start, self.processed - round(_LONGEST * rate)) - self.history.wide - 2)
        return ()

    def _put_aside(self, end: int) -> None:
        """Keeps what is known of load and grips over rows in which nobody can say what acts; the motion is lost."""
        filter_pass = self.filter_pass
        if filter_pass is not None and self._hardly_known and filter_pass.newton_decrement > filter_pass.point.size:
            filter_pass = self._rounds(filter_pass, filter_pass.row, _ROUNDS) or filter_pass
        if filter_pass is not None and filter_pass.converged:
            self.earlier_rows += end - self.start
            self.prior = Prior(
                filter_pass.estimate, prior_after_gap(filter_pass.covariance_inflation * filter_pass.covariance)
            )
            self.earlier_excitation, self.load_changed = filter_pass.excitation, False
        elif filter_pass is not None:
            self.earlier_rows, self.prior, self.earlier_excitation = 0, None, None
        self._set_out(end)

    def _set_out(self, row: int) -> None:
        """From a row on, without a course as yet."""
        self.start, self.filter_pass, self.relinearisation_pass, self.relinearised_rows, self.damping = (
            row,
            None,
            None,
            0,
            0.0,
        )

    def _begin(self, end: int) -> None:
        history, raw = self.history, self.history.raw(self.start, end)
        there, everybody = _met(raw, _MET), frozenset(range(history.robots))
        coming = self.unplaced & _met(raw, 0.0)
        if not there or coming - there:  # not heard well enough yet
            self.start = end
            return
        if 0 in coming:  # whose frame is everybody's
            self.earlier_rows, self.prior, self.earlier_excitation = 0, None, None
        self.unplaced = (everybody if self.prior is None else self.unplaced) - there
        if self.prior is None:
            point = first_linearisation_point(history, self.start, end, self.gravity)
            prior = vague_prior(point)
        else:
            known = refound_grips(history, self.start, end, self.prior.point, coming) if coming else self.prior.point
            if self.earlier_excitation is None:
                point = dataclasses.replace(known, load=refound_load(history, self.start, end, known))
            else:
                point = dataclasses.replace(known, down=refound_down(history, self.start, end, known, self.gravity))
            prior = dataclasses.replace(self.prior, point=point)
        self.filter_pass, self.relinearised_rows = (
            FilterPass.at(point, prior, self.start, self.earlier_excitation),
            end - self.start,
        )
        if self.spread_work and self.relinearised_rows > BLOCK:  # the rows are for later
            return
        at_once = self.spread_work and self.prior is not None and not coming
        self.filter_pass = self._rounds(self.filter_pass, end, 1 if at_once else _ROUNDS)
        if (
            self.filter_pass is None and self.relinearised_rows >= _START * history.rate
        ):  # what was known does not help: from nothing
            self.earlier_rows, self.prior, self.earlier_excitation = 0, None, None
        if self.filter_pass is None and self.relinearised_rows >= _SHORT * history.rate:  # nor do these rows
            self.start = end

    def _rounds(self, filter_pass: FilterPass, end: int, most: int) -> FilterPass | None:
        """Linearises again until that moves the point by less than its own uncertainty; never to a worse one."""
        best, damping = self._filtered(filter_pass, end), 0.0
        for _ in range(most):
            if best is None or best.newton_decrement < 0.1:
                break
            trial = self._filtered(
                FilterPass.at(best.damped_estimate(damping), best.prior, best.start, self.earlier_excitation),
                end,
            )
            if trial is not None and trial.cost < best.cost:
                best, damping = trial, 0.1 * damping
            else:
                damping = max(10.0 * damping, 0.1)
        return best

    def _filtered(self, filter_pass: FilterPass, end: int) -> FilterPass | None:
        """The course up to a row; once more where it does not fit, along the motion that it has found itself."""
        swept = self._advanced(filter_pass, end)
        return swept if swept is None or swept.fits else self._advanced(filter_pass, end)

    def _advanced(self, filter_pass: FilterPass, end: int) -> FilterPass | None:
        """The course up to a row; None where its point is so wrong that numbers overflow."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                filter_pass = advance(filter_pass, self.history, end, self.memory)
        except np.linalg.LinAlgError:
            return None
        sane = math.isfinite(filter_pass.cost) and bool(np.all(np.abs(filter_pass.information) < _OVERFLOWING))
        return filter_pass if sane else None

    def _renew(self, end: int) -> None:
        filter_pass, rate = self.filter_pass, self.history.rate
        assert filter_pass is not None
        age = end - self.start
        known = self.spread_work and not self._recently_started
        due = age >= (_SLOW_GROWTH if known else _GROWTH) * self.relinearised_rows
        due |= self.spread_work and not filter_pass.converged
        if self.relinearisation_pass is not None:
            self._go_on_with_second(end)
        elif due and self.start >= self.history.first and age <= _LONGEST * rate:
            self.relinearised_rows = age
            if self._recently_started and not self.spread_work:
                self.filter_pass = self._rounds(filter_pass, end, _ROUNDS)
            else:
                self.relinearisation_pass = FilterPass.at(
                    filter_pass.damped_estimate(self.damping),
                    filter_pass.prior,
                    filter_pass.start,
                    self.earlier_excitation,
                )

    def _go_on_with_second(self, end: int) -> None:
        relinearisation_pass, filter_pass = self.relinearisation_pass, self.filter_pass
        assert relinearisation_pass is not None
        assert filter_pass is not None
        rows = BLOCK if self.spread_work else (1 + _CATCH_UP) * self.chunk
        self.relinearisation_pass = self._advanced(relinearisation_pass, min(relinearisation_pass.row + rows, end))
        if self.relinearisation_pass is None:
            self.damping = max(10.0 * self.damping, 0.1)
        elif self.relinearisation_pass.row >= filter_pass.row:
            relinearisation_pass, self.relinearisation_pass = self.relinearisation_pass, None
            if relinearisation_pass.cost < filter_pass.cost:
                self.filter_pass, self.damping = relinearisation_pass, 0.1 * self.damping
            else:
                self.damping = max(10.0 * self.damping, 0.1)

    def _changed(self, filter_pass: FilterPass, jump: Jump) -> SpatialLoadEvent:
        """Begins again with a new load; who holds where stays as it was known before."""
        old, new = mass_of(filter_pass), mass_of(filter_pass, jump)
        known = filter_pass.known_before(jump.row)
        point = known.estimate
        row = jump.row + max(round(SEGMENT * self.history.rate), 1)
        seen = min(row, self.processed - 1)  # the change may be in the latest rows, after which no motion is known yet
        down = self.history.motion(seen, seen + 1)[0, 6:]
        point = LinearisationPoint(point.load, down, point.R, point.t)
        self.prior = Prior(point, prior_after_change(known.covariance, load_spread(point)))
        self._set_out(row)
        self.earlier_rows, self.earlier_excitation, self.load_changed = 0, None, True
        return SpatialLoadEvent(self.history.time(jump.row), "change", "mass", new - old)


def _met(raw: np.ndarray, share: float) -> frozenset[int]:
    """Robots, by number, whose motion was heard in more than a share of rows (time, robot, 15)."""
    heard = np.isfinite(raw[:, :, :9]).any(axis=2).mean(axis=0) if len(raw) else np.zeros(raw.shape[1])
    return frozenset(np.flatnonzero(heard > share).tolist())
