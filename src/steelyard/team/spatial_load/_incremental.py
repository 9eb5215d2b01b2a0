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
from steelyard.team.spatial_load._filter_pass import BLOCK, MARK, Belief, Course, advance, load_spread, vague
from steelyard.team.spatial_load._initial_guess import down_again, first_point, grips_again, load_again
from steelyard.team.spatial_load._linearisation_point import SpatialPoint
from steelyard.team.spatial_load._linearised_filter import Lean
from steelyard.team.spatial_load._prior import grips_only, still
from steelyard.team.spatial_load._record import Record, long_gap, silent

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


def chunk_rows(rate: float, piecemeal: bool) -> int:
    """Rows that a mind takes in together."""
    return max(round((_LONGER_CHUNK if piecemeal else _CHUNK) * rate), 1)


class SpatialEvent(msgspec.Struct, frozen=True):
    """Something happened to the load or to a robot."""

    time: float
    """s, when it happened, as far as that is known."""
    kind: str
    """`change` of the load."""
    quantity: str
    size: float
    """New less old: kg of mass, m of the centre of mass, or the largest share of a moment of inertia."""


@dataclasses.dataclass(eq=False)
class SpatialMind:
    """Rows and what they tell. Taking a row in changes the mind; who needs it as it was takes a copy before."""

    record: Record
    gravity: float
    """Its size, m/s²."""
    piecemeal: bool = False
    taken: int = 0
    """The row up to which rows were taken in."""
    begun: int = 0
    """First row of the course: of the load as it is now, or after a gap."""
    before: int = 0
    """Rows of the same load before that."""
    anchor: Belief | None = None
    """What was known when the load changed, or before a gap; None where nothing was."""
    lean: Lean | None = None
    """How much of the same load was to be seen before a gap; None where there was none."""
    changed: bool = False
    """Whether the load is another than the one that was known last."""
    sure: int = 0
    """The row up to which rows were taken in when the course was settled last."""
    course: Course | None = None
    second: Course | None = None
    renewed: int = 0
    """How many rows the course had to begin with."""
    damping: float = 0.0
    paused: bool = False
    strangers: frozenset[int] = frozenset()
    """Robots, by number, that nobody had heard when the course began, nor before: where they hold is unknown."""

    @property
    def failed(self) -> bool:
        """Whether what was read and what was expected do not agree at all, or nobody knows what acts on the load."""
        return self.paused or (self.course is not None and self.course.doubt > _ABSURD)

    @property
    def waiting(self) -> bool:
        """Whether what was known stands: nothing new can be said of the same load, or it is still settling."""
        lately = self.taken - max(self.begun, self.sure) <= _SHORT * self.record.rate
        return self.paused or (not self.changed and lately and not self._sure)

    @property
    def _sure(self) -> bool:
        course = self.course
        return course is not None and course.settled and course.doubt < _ABSURD

    @property
    def age(self) -> float:
        """Of the load as it is now, s."""
        return (self.taken - self.begun + self.before) / self.record.rate

    @property
    def chunk(self) -> int:
        """Rows that are taken in together."""
        return chunk_rows(self.record.rate, self.piecemeal)

    @property
    def memory(self) -> int:
        """Rows in which the onset of a change is looked for."""
        return round(_MEMORY * self.record.rate)

    def copied(self) -> "SpatialMind":
        """The same, on its own."""
        twin = shallow(self)
        twin.record = self.record.copied()
        return twin

    def add(self, time: float, raw: np.ndarray) -> tuple[SpatialEvent, ...]:
        """A new row (robot, 15) at a time in s; NaN where nothing was heard."""
        self.record.append(time, raw)
        waiting = self.record.end - self.record.wide - 2 - self.taken
        if waiting >= self.chunk:
            return self._take(self.taken + self.chunk)
        if self.piecemeal and self.course is not None and not self.paused:
            return self._between(self.course, waiting)
        return ()

    def _between(self, course: Course, waiting: int) -> tuple[SpatialEvent, ...]:
        """What is due when so many rows wait for a chunk to be full."""
        moments = [max(round(share * self.chunk), 1) for share in (_LOOK, *(_EARLY if self._young else _LATER))]
        if waiting not in moments:
            return ()
        if course.row < self.taken:  # it has just begun
            self._lead(min(course.row + BLOCK, self.taken))
        elif waiting == moments[0]:
            return self._look(course)
        else:
            self._renew(self.taken)
        return ()

    @property
    def _young(self) -> bool:
        return self.taken - self.begun <= _SHORT * self.record.rate

    @property
    def _hardly_known(self) -> bool:
        """Whether the course's point may be so far off that another has to be found before anything is made of it."""
        return self.taken - self.begun <= _HARDLY * self.record.rate

    def finish(self) -> tuple[SpatialEvent, ...]:
        """No more rows will come: the last ones count, too."""
        events: tuple[SpatialEvent, ...] = ()
        news = self.taken < self.record.end
        while self.taken < self.record.end:
            events += self._take(min(self.taken + self.chunk, self.record.end))
        if self.course is not None and self.course.row < self.taken and not self.paused:
            self._lead(self.taken)
        while self.second is not None and self.course is not None:
            self._go_on_with_second(self.course.row)
        course = self.course
        if news and not self.failed and course is not None and course.start >= self.record.first:
            if not course.settled:
                self.course = self._rounds(course, course.row, _LAST_ROUNDS)
            elif self.piecemeal:  # there is time now
                self.course = self._rounds(course, course.row, 1)
        return events

    def fitted(self, point: SpatialPoint, most: int) -> Course | None:
        """What all rows tell, beginning from a point and linearised again up to so many times."""
        return self._rounds(Course.at(point, vague(point), self.record.first), self.record.end, most)

    def _take(self, end: int) -> tuple[SpatialEvent, ...]:
        record, rate = self.record, self.record.rate
        before, self.taken = self.taken, end
        self.paused = long_gap(record.raw(max(end - round(rate), record.first), end), rate)
        if self.paused:
            self._put_aside(end)
            return ()
        if self.course is not None and self.strangers & _met(record.raw(before, end), 0.0):
            self._put_aside(before)
        if self.course is None:
            known = self.anchor is not None and not self.strangers & _met(record.raw(self.begun, end), 0.0)
            due = end - self.begun >= (_START_AGAIN if known else _START) * rate
            if due and not silent(record.raw(end - 2, end)).all(axis=0).any():  # else a gap may have begun
                self._begin(end)
            return ()
        if self._sure:
            self.sure, self.changed = before, self.changed and self._young
        if not self.piecemeal or self.course.row >= end - self.chunk:
            self._lead(end)
        if self.piecemeal or self.course is None:
            return ()
        events = self._look(self.course)
        if not events:
            self._renew(end)
        return events

    def _lead(self, end: int) -> None:
        """Goes on with the course; where it is lost, begins again from here."""
        assert self.course is not None
        self.course = self._advanced(self.course, end)
        if self.course is None:
            self._set_out(end)

    def _look(self, course: Course) -> tuple[SpatialEvent, ...]:
        """Whether the load has changed; what came too long before is forgotten."""
        rate = self.record.rate
        jump = find_jump(course, self.begun + round(_YOUNG * rate))
        if jump is not None:
            return (self._changed(course, jump),)
        self.record.forget(max(self.begun, self.taken - round(_LONGEST * rate)) - self.record.wide - 2)
        return ()

    def _put_aside(self, end: int) -> None:
        """Keeps what is known of load and grips over rows in which nobody can say what acts; the motion is lost."""
        course = self.course
        if course is not None and self._hardly_known and course.unsettled > course.point.size:
            course = self._rounds(course, course.row, _ROUNDS) or course
        if course is not None and course.settled:
            self.before += end - self.begun
            self.anchor = Belief(course.best, still(course.doubt * course.covariance))
            self.lean, self.changed = course.lean, False
        elif course is not None:
            self.before, self.anchor, self.lean = 0, None, None
        self._set_out(end)

    def _set_out(self, row: int) -> None:
        """From a row on, without a course as yet."""
        self.begun, self.course, self.second, self.renewed, self.damping = row, None, None, 0, 0.0

    def _begin(self, end: int) -> None:
        record, raw = self.record, self.record.raw(self.begun, end)
        there, everybody = _met(raw, _MET), frozenset(range(record.robots))
        coming = self.strangers & _met(raw, 0.0)
        if not there or coming - there:  # not heard well enough yet
            self.begun = end
            return
        if 0 in coming:  # whose frame is everybody's
            self.before, self.anchor, self.lean = 0, None, None
        self.strangers = (everybody if self.anchor is None else self.strangers) - there
        if self.anchor is None:
            point = first_point(record, self.begun, end, self.gravity)
            prior = vague(point)
        else:
            known = grips_again(record, self.begun, end, self.anchor.point, coming) if coming else self.anchor.point
            if self.lean is None:
                point = dataclasses.replace(known, load=load_again(record, self.begun, end, known))
            else:
                point = dataclasses.replace(known, down=down_again(record, self.begun, end, known, self.gravity))
            prior = dataclasses.replace(self.anchor, point=point)
        self.course, self.renewed = Course.at(point, prior, self.begun, self.lean), end - self.begun
        if self.piecemeal and self.renewed > BLOCK:  # the rows are for later
            return
        at_once = self.piecemeal and self.anchor is not None and not coming
        self.course = self._rounds(self.course, end, 1 if at_once else _ROUNDS)
        if self.course is None and self.renewed >= _START * record.rate:  # what was known does not help: from nothing
            self.before, self.anchor, self.lean = 0, None, None
        if self.course is None and self.renewed >= _SHORT * record.rate:  # nor do these rows
            self.begun = end

    def _rounds(self, course: Course, end: int, most: int) -> Course | None:
        """Linearises again until that moves the point by less than its own uncertainty; never to a worse one."""
        best, damping = self._swept(course, end), 0.0
        for _ in range(most):
            if best is None or best.unsettled < 0.1:
                break
            trial = self._swept(Course.at(best.towards(damping), best.prior, best.start, self.lean), end)
            if trial is not None and trial.cost < best.cost:
                best, damping = trial, 0.1 * damping
            else:
                damping = max(10.0 * damping, 0.1)
        return best

    def _swept(self, course: Course, end: int) -> Course | None:
        """The course up to a row; once more where it does not fit, along the motion that it has found itself."""
        swept = self._advanced(course, end)
        return swept if swept is None or swept.fits else self._advanced(course, end)

    def _advanced(self, course: Course, end: int) -> Course | None:
        """The course up to a row; None where its point is so wrong that numbers overflow."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                course = advance(course, self.record, end, self.memory)
        except np.linalg.LinAlgError:
            return None
        sane = math.isfinite(course.cost) and bool(np.all(np.abs(course.information) < _OVERFLOWING))
        return course if sane else None

    def _renew(self, end: int) -> None:
        course, rate = self.course, self.record.rate
        assert course is not None
        age = end - self.begun
        known = self.piecemeal and not self._young
        due = age >= (_SLOW_GROWTH if known else _GROWTH) * self.renewed
        due |= self.piecemeal and not course.settled
        if self.second is not None:
            self._go_on_with_second(end)
        elif due and self.begun >= self.record.first and age <= _LONGEST * rate:
            self.renewed = age
            if self._young and not self.piecemeal:
                self.course = self._rounds(course, end, _ROUNDS)
            else:
                self.second = Course.at(course.towards(self.damping), course.prior, course.start, self.lean)

    def _go_on_with_second(self, end: int) -> None:
        second, course = self.second, self.course
        assert second is not None
        assert course is not None
        rows = BLOCK if self.piecemeal else (1 + _CATCH_UP) * self.chunk
        self.second = self._advanced(second, min(second.row + rows, end))
        if self.second is None:
            self.damping = max(10.0 * self.damping, 0.1)
        elif self.second.row >= course.row:
            second, self.second = self.second, None
            if second.cost < course.cost:
                self.course, self.damping = second, 0.1 * self.damping
            else:
                self.damping = max(10.0 * self.damping, 0.1)

    def _changed(self, course: Course, jump: Jump) -> SpatialEvent:
        """Begins again with a new load; who holds where stays as it was known before."""
        old, new = mass_of(course), mass_of(course, jump)
        known = course.known_before(jump.row)
        point = known.best
        row = jump.row + max(round(MARK * self.record.rate), 1)
        seen = min(row, self.taken - 1)  # the change may be in the latest rows, after which no motion is known yet
        down = self.record.motion(seen, seen + 1)[0, 6:]
        point = SpatialPoint(point.load, down, point.R, point.t)
        self.anchor = Belief(point, grips_only(known.covariance, load_spread(point)))
        self._set_out(row)
        self.before, self.lean, self.changed = 0, None, True
        return SpatialEvent(self.record.time(jump.row), "change", "mass", new - old)


def _met(raw: np.ndarray, share: float) -> frozenset[int]:
    """Robots, by number, whose motion was heard in more than a share of rows (time, robot, 15)."""
    heard = np.isfinite(raw[:, :, :9]).any(axis=2).mean(axis=0) if len(raw) else np.zeros(raw.shape[1])
    return frozenset(np.flatnonzero(heard > share).tolist())
