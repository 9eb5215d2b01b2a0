"""A robot that weighs the load it pushes with others, as well as all their data together allow."""

import math
from typing import Literal

import msgspec
import numpy as np

from steelyard.team._agent import Agent, Message, Turn
from steelyard.team.planar_load._contact_position import covariance
from steelyard.team.planar_load._contributions import newest_told, others_fit, pass_over
from steelyard.team.planar_load._fit import LOG_SCALE, N_UNKNOWNS, Averaging
from steelyard.team.planar_load._outer_iterations import (
    finish,
    place_newcomer,
    places_are_settled,
    renew_places,
    settle_places,
    tell_places,
)
from steelyard.team.planar_load._report import report
from steelyard.team.planar_load._sample import PlanarSample
from steelyard.team.planar_load._shared_fit import find_jump, solve, start_over
from steelyard.team.planar_load._state import (
    FIT_EVERY,
    KEPT,
    NOTE_EVERY,
    SHIFT,
    LoadState,
    PlanarLoadEvent,
    PlanarLoadMessage,
    version_at,
)
from steelyard.team.planar_load._successors import hear_will, take_over
from steelyard.team.planar_load._sums import N_SUMS
from steelyard.team.planar_load._window import LOAD, SIZES, Fit, Window
from steelyard.team.planar_load._window_prior import begin_again, begin_with_others, follow_others

_FEWEST_ROWS = 25
_EVIDENCE = 40.0  # logarithm of the likelihood ratio that makes a change an event
_SLIDE = 160
_SLACK = 2.0  # of what a window knew when it slides: most of its rows count again, and must not count twice
_SETTLED = 100  # rows before a change can be told from a fit that is finding its way
_CATCH_UP = 48  # rows that are fitted in small steps
_ROOM = 64  # sums that letters can carry each way in the time of a row: a version of a whole window must pass in time
_TELLS = 0.02  # s from letter to letter, where time is short


class PlanarLoadAgent(Agent):
    """Knows its own force and its contact's velocity, and hears its neighbours; made by `planar_load_team`.

    A sample of None is none, and the robot only passes on what others told it.
    """

    def __init__(
        self,
        name: str,
        neighbours: tuple[str, ...],
        rate: float,
        velocity_noise: float,
        hold: Literal["step", "sample"] = "step",
        friction: bool = False,
        lets_go: float | None = None,
        real_time: bool = False,
    ):
        self.name = name
        self.neighbours = neighbours
        self.rate = rate
        self.velocity_noise = velocity_noise
        self.hold = hold
        self.friction = friction
        self.per_row = max(1, round(0.04 * rate))
        self.row_noise = velocity_noise / math.sqrt(self.per_row)
        """Of a velocity averaged over a row, m/s an axis."""
        self._lingers = 0 if lets_go is None else math.ceil(lets_go * rate / self.per_row)
        self._tells_every = max(round(_TELLS * rate), 1) if real_time else 1
        self._decoder = msgspec.msgpack.Decoder(PlanarLoadMessage)

    def init(self) -> LoadState:
        """Nothing is known but who the neighbours are."""
        room = max(16, _ROOM // self.per_row) * self._tells_every
        return LoadState(self.name, self.neighbours, N_SUMS, room, self._lingers)

    def meet_again(self, state: LoadState, neighbour: str) -> LoadState:
        """What was sent to the neighbour and not told on is sent again."""
        state = state.copied()
        state.tree.meet_again(neighbour)
        return state

    def decode(self, data: bytes) -> PlanarLoadMessage:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)

    def step(self, state: LoadState, sample: PlanarSample | None, inbox: tuple[Message, ...]) -> Turn:
        """One sample: hear, measure, add up, fit, tell."""
        state = state.copied()
        state.tick += 1
        self._hear(state, inbox)
        self._measure(state, sample)
        take_over(state)
        state.tree.step(state.tick)
        state.note_totals()
        settle_places(self, state)
        events: tuple[PlanarLoadEvent, ...] = ()
        stretch = self._due(state, sample)
        if stretch is not None:
            events = self._fit(state, stretch)
            tell_places(self, state)
            state.settled = state.settled or places_are_settled(self, state)
        elif state.finishing:
            finish(self, state)
        if stretch is not None or state.tick - state.told_at >= FIT_EVERY * self.per_row:
            state.told_at = state.tick
            state.estimates = report(self, state)
        outbox = {} if state.tick % self._tells_every else self._outbox(state)
        return Turn(state, outbox, state.estimates, events=events)

    def _due(self, state: LoadState, sample: PlanarSample | None) -> tuple[int, int, int] | None:
        """What is to be fitted now: all robots cut at the same rows, so that each finds what the others find.

        Who has no samples of its own any more takes all that there is.
        """
        if state.tick % self.per_row:
            return None
        begin_with_others(state)
        follow_others(self, state)
        found = state.stretch()
        if found is None:
            return None
        version, start, end = found
        again = state.stalled(end)
        if again is not None:
            begin_again(self, state, found, again, LOAD, 0.0)
            return None
        broken = state.left_behind(end) is not None  # these rows are the last of this window
        if sample is not None and not broken:
            end -= (end + 1) % FIT_EVERY
            following = state.fit_end + FIT_EVERY - (state.fit_end + 1) % FIT_EVERY
            if start < following < end <= following + _CATCH_UP:  # one by one, for notes on all that others speak of
                end = following
        new = end > state.fit_end or (broken and state.tick - state.told_at >= FIT_EVERY * self.per_row)
        new = new or (state.finishing and end == state.fit_end and version > state.fit_version)
        return (version, start, end) if new and end - start + 1 >= _FEWEST_ROWS else None

    def _hear(self, state: LoadState, inbox: tuple[Message, ...]) -> None:
        for letter in inbox:
            if not isinstance(letter, PlanarLoadMessage) or letter.sender not in self.neighbours:
                continue
            state.tree.hear(state.tick, letter.sender, letter.sequence, letter.parcel)
            for version, x, y in letter.places[:KEPT]:
                if math.isfinite(x + y):
                    state.told[letter.sender][version] = complex(x, y)
            state.starts[letter.sender], state.lasts[letter.sender] = letter.start, letter.last
            state.firsts[letter.sender] = letter.first
            if letter.heir == self.name and not state.tree.silent(state.tick, letter.sender):
                hear_will(state, letter)

    def _measure(self, state: LoadState, sample: PlanarSample | None) -> None:
        """Takes the sample in, and adds the row that it completes."""
        state.silent, state.idle = state.silent + 1, state.idle + 1
        if sample is None or not math.isfinite(sample.time):
            return
        state.idle = 0
        state.time = sample.time
        key = round(sample.time * self.rate)
        row, part = divmod(key - 1, self.per_row)
        v, f = (complex(*pair) for pair in (sample.velocity, sample.force))
        acted = f if self.hold == "step" or state.last_force is None else 0.5 * (f + state.last_force)
        state.last_force = f
        if row != state.pending_row:
            state.pending, state.pending_row = [], row
        velocity, force = (x if math.isfinite(abs(x)) else None for x in (v, acted))
        if velocity is not None and force is not None:
            state.silent = 0
        state.pending.append((velocity, force))
        if part == self.per_row - 1 and key >= 1:
            self._add_row(state, row)

    def _add_row(self, state: LoadState, row: int) -> None:
        velocities = [v for v, _ in state.pending if v is not None]
        forces = [f for _, f in state.pending if f is not None]
        before, state.row, state.pending = state.row, row, []
        whole = len(velocities) == self.per_row
        v, f = (sum(values) / len(values) if values else None for values in (velocities, forces))
        if f is not None and state.own.first < 0:  # who has just come did not push before
            f = sum(forces) / self.per_row
        state.own.measured(row, v if whole else None, f)
        due = version_at(row)
        if state.version < 0:
            state.version = due
            state.own.places = dict.fromkeys(range(due - KEPT + 1, due + 1))
            pass_over(state, row // NOTE_EVERY)
        made = {*sorted(state.own.places)[-2:], state.fit_version} & set(state.own.places)
        if state.own.newest_place is None:  # a newcomer counts in the others' versions too
            made |= {max(told) for told in state.told.values() if told}
        for version in made:  # rows that the robot has missed too, so that nobody waits for them
            for added in range(max(before + 1, row - SIZES[-1]) if before >= 0 else row, row + 1):
                state.tree.add((added, version), state.part_of(added, version))
        place_newcomer(self, state)
        if due > state.version:
            state.version = due
            renew_places(self, state)
            state.forget()

    def window(self, state: LoadState, version: int, start: int, end: int) -> Window:
        """The sums of a stretch of rows, with what the fit needs beside them."""
        dt, q = 1.0 / self.rate, self.per_row
        means = Averaging(0.5 * (q - 1) * dt, dt * dt * (q * q - 1) / 24.0)
        return Window(state.rows(version, start, end), q * dt, means, self.row_noise, state.prior, self.friction)

    def _fit(self, state: LoadState, stretch: tuple[int, int, int]) -> tuple[PlanarLoadEvent, ...]:
        version, start, end = stretch
        if state.start is None:
            state.start = start
        if end - start + 1 >= SIZES[-1] - FIT_EVERY:
            begin_again(self, state, stretch, start + _SLIDE, LOAD, _SLACK)
            start += _SLIDE
            stretch = version, start, end
        if state.fit_end in state.crew and state.crew[end][0] > state.crew[state.fit_end][0]:
            state.settled, state.refined = False, min(state.refined, 1)  # the places of those that came are not
        window, before = self.window(state, *stretch), state.fit
        starts = [] if before is None or before.lost else [before.unknowns]
        shift = state.tree.totals.get((SHIFT, version))
        if starts and version != state.fit_version and shift is not None:
            starts.insert(0, starts[0] + shift[:N_UNKNOWNS])
        fit = solve(window, starts, 15)
        settled = state.settled and version == state.fit_version and end - start >= _SETTLED
        if before is not None and before.good and fit is not None and settled:
            jump = find_jump(window, fit)
            if jump is not None and jump.evidence > _EVIDENCE:  # or has the fit not arrived yet?
                fit = solve(window, [fit.unknowns], 40) or fit
                jump = find_jump(window, fit)
            if jump is not None and jump.evidence > _EVIDENCE:
                state.fit_version, state.fit_end = version, end
                time = (start + jump.row) * self.per_row / self.rate
                begin_again(self, state, stretch, start + jump.row, (LOG_SCALE,), 0.0)
                return tuple(PlanarLoadEvent(time, "change", quantity) for quantity in ("mass", "inertia"))
        if fit is None or not fit.good or len(window.rows) < 100:
            found = others_fit(state)  # who came later may look for it in vain
            again = solve(window, start_over(window) if found is None else [found, *start_over(window)], 25)
            if again is not None and (fit is None or again.fitness < fit.fitness):
                fit = again
        state.fit, state.fit_version, state.fit_end = fit, version, end
        behind = state.left_behind(end)
        if behind is not None and fit is not None and fit.good:
            begin_again(self, state, stretch, behind, LOAD, 0.0)
        return ()

    def covariance_of(self, state: LoadState, window: Window, fit: Fit) -> np.ndarray:
        """Of the motion at the end and the load, with the newest notes of the team about its places."""
        told = newest_told(state)
        return covariance(window, fit, None if told is None else told.joint)

    def _outbox(self, state: LoadState) -> dict[str, Message]:
        state.sequence += 1
        newest = sorted(state.own.places.items(), reverse=True)[:KEPT]
        told = tuple((version, place.real, place.imag) for version, place in newest if place is not None)
        heir, start = min(self.neighbours, default=""), -1 if state.start is None else state.start
        unfinished = sum((f for _, f in state.pending if f is not None), 0j) / self.per_row
        recent = state.own.recent(unfinished)
        return {
            name: PlanarLoadMessage(
                self.name,
                state.sequence,
                state.time,
                state.tree.parcel(state.tick, state.sequence, name),
                told,
                state.own.first,
                state.own.last,
                start,
                recent if name == heir else b"",
                heir,
            )
            for name in self.neighbours
        }
