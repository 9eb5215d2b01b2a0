"""A robot that weighs the load it pushes with others, as well as all their data together allow."""

import math
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from steelyard.team._agent import Agent, Message, Turn
from steelyard.team._run import PlanarSample
from steelyard.team.load._carry import believed, bridged, carried_on
from steelyard.team.load._fit import LOG_INERTIA, LOG_MASS, LOG_SCALE, N_UNKNOWNS, Averaging
from steelyard.team.load._notes import newest_told, tell
from steelyard.team.load._place import Held, covariance, own_part, place_by_turning
from steelyard.team.load._report import report
from steelyard.team.load._solve import find_jump, solve, start_over
from steelyard.team.load._state import (
    FIT_EVERY,
    KEPT,
    SHIFT,
    LoadEvent,
    LoadMessage,
    LoadState,
    any_place,
    roll_of,
    version_at,
)
from steelyard.team.load._sums import N_SUMS, Sum, own_row
from steelyard.team.load._window import LOAD, SIZES, Fit, Window, slopes_of

_FEWEST_ROWS = 25
_EVIDENCE = 40.0  # logarithm of the likelihood ratio that makes a change an event
_SLIDE = 160
_SETTLED = 100  # rows before a change can be told from a fit that is finding its way, or a newcomer's place is sure
_ROOM = 64  # sums that letters can carry each way in the time of a row: a version of a whole window must pass in time


class Ahead(NamedTuple):
    """What the next step of all places will change."""

    unknowns: np.ndarray
    """Motion at the end and load."""
    place: complex
    """The robot's own."""


class LoadAgent(Agent):
    """Knows its own force and its contact's velocity, and hears its neighbours; made by `load_team`.

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
    ):
        self.name = name
        self.neighbours = neighbours
        self.rate = rate
        self.velocity_noise = velocity_noise
        self.hold = hold
        self.friction = friction
        self.per_row = max(1, round(0.04 * rate))
        self._decoder = msgspec.msgpack.Decoder(LoadMessage)

    def init(self) -> LoadState:
        """Nothing is known but who the neighbours are."""
        return LoadState(self.name, self.neighbours, N_SUMS, max(16, _ROOM // self.per_row))

    def meet_again(self, state: LoadState, neighbour: str) -> LoadState:
        """What was sent to the neighbour and not told on is sent again."""
        state = state.copied()
        state.tree.meet_again(neighbour)
        return state

    def decode(self, data: bytes) -> LoadMessage:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)

    def step(self, state: LoadState, sample: PlanarSample | None, inbox: tuple[Message, ...]) -> Turn:
        """One sample: hear, measure, add up, fit, tell."""
        state = state.copied()
        state.tick += 1
        self._hear(state, inbox)
        self._measure(state, sample)
        state.tree.step(state.tick)
        state.note_totals()
        events: tuple[LoadEvent, ...] = ()
        stretch = self._due(state, sample)
        if stretch is not None:
            events = self._fit(state, stretch)
            self._tell(state)
            state.settled = state.settled or self._places_are_settled(state)
        if stretch is not None or state.tick - state.told_at >= FIT_EVERY * self.per_row:
            state.told_at = state.tick
            state.estimates = report(self, state)
        return Turn(state, self._outbox(state), state.estimates, events=events)

    def _due(self, state: LoadState, sample: PlanarSample | None) -> tuple[int, int, int] | None:
        """What is to be fitted now: all robots cut at the same rows, so that each finds what the others find.

        Who has no samples of its own any more takes all that there is.
        """
        if state.tick % self.per_row:
            return None
        found = state.stretch()
        if found is None:
            return None
        version, start, end = found
        smaller = state.left_behind(end) is not None  # a robot has gone: its last rows are the last of this window
        if sample is not None and not smaller:
            end -= (end + 1) % FIT_EVERY
        new = end > state.fit_end or (smaller and state.tick - state.told_at >= FIT_EVERY * self.per_row)
        return (version, start, end) if new and end - start + 1 >= _FEWEST_ROWS else None

    def _hear(self, state: LoadState, inbox: tuple[Message, ...]) -> None:
        for letter in inbox:
            if not isinstance(letter, LoadMessage) or letter.sender not in self.neighbours:
                continue
            state.tree.hear(state.tick, letter.sender, letter.sequence, letter.parcel)
            for back, place in enumerate(letter.places[:KEPT]):
                known = None if place is None else complex(*place)
                if known is None or math.isfinite(abs(known)):
                    state.told[letter.sender][letter.version - back] = known

    def _measure(self, state: LoadState, sample: PlanarSample | None) -> None:
        """Takes the sample in, and adds the row that it completes."""
        state.silent += 1
        if sample is None or not math.isfinite(sample.time):
            return
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
        state.row = row
        state.first_row = row if state.first_row < 0 else state.first_row
        if len(velocities) == self.per_row:
            state.velocities[row] = sum(velocities) / self.per_row
        if forces:
            state.forces[row] = sum(forces) / len(forces)
        version = version_at(row)
        if state.version < 0:
            state.version = version
            state.places = dict.fromkeys(range(version - KEPT + 1, version + 1))
        renewed = version > state.version
        while state.version < version:
            state.version += 1
            state.places[state.version] = state.places.get(state.version - 1)
        if renewed:
            state.places[version] = self._place(state)
        for made in (version, version - 1):
            state.tree.add((row, made), self._own_row(state, row, made))
        if renewed:
            for old in range(max(0, row - SIZES[-1]), row):
                state.tree.add((old, version), self._own_row(state, old, version))
            state.forget()

    def _own_row(self, state: LoadState, row: int, version: int) -> np.ndarray:
        if row < state.first_row:  # it was not there
            return np.zeros(N_SUMS)
        force, place = state.forces.get(row), state.places.get(version)
        if force is None:  # a robot whose force nobody knows makes the row useless, and says so
            return own_row(roll_of(self.name), None, None, 0j)
        return own_row(roll_of(self.name), place, state.velocities.get(row), force)

    def _place(self, state: LoadState) -> complex | None:
        """The robot's place for the new version, from the last fit, else from the turning, else any."""
        shift = np.zeros(N_SUMS)
        stretch, place = state.stretch(), state.places[state.version]
        moved = self._moved(state)
        state.lost = 0 if moved is not None else state.lost + 1
        if moved is not None:
            place, shift[:N_UNKNOWNS] = moved
            state.refined += 1
        elif stretch is not None and (state.refined == 0 or state.lost > KEPT):
            # Others may go on from their fit: once there was one, a place that does not fit theirs would only disturb.
            window, v = self.window(state, *stretch), self._own_readings(state, *stretch[1:])[0]
            place = place_by_turning(window.rows, v) or place
        if place is None:
            place = self._first_place(state)
        state.tree.add((SHIFT, state.version), shift)
        return place

    def _moved(self, state: LoadState) -> tuple[complex, np.ndarray] | None:
        """The own place after its next step, with all others' where the window allows it, and what it does to a fit."""
        told = newest_told(state)
        part = None if told is None else state.parts.get(told.at)
        base = None if part is None else state.places.get(part.version)
        agreed = told is not None and part is not None and told.fit == part[:2] and part.start == state.start
        if told is not None and part is not None and base is not None and agreed and part.own.even:
            state.aim = None
            step = part.own.step(told.joint)
            return base + step, part.own.gain @ _pair(step)
        part = state.parts.get(max(state.parts, default=-1))
        base = None if part is None else state.places.get(part.version)
        if part is None or base is None or part[:2] != (state.version - 1, state.start):
            return None
        if part.own.even and state.refined:  # the others' notes are late
            return None
        step, share = part.own.alone
        aim = base + step
        place = aim if state.aim is None else aim + share * (aim - state.aim)
        state.aim = aim
        return place, part.own.gain @ _pair(place - base)

    def _first_place(self, state: LoadState) -> complex | None:
        placed = [key for key, total in state.sums.items() if total[Sum.PLACED] >= 2]
        known = any(place is not None for told in state.told.values() for place in told.values())
        if not placed and not known:
            return any_place(self.name)
        for version in range(state.version - 1, state.version - KEPT - 1, -1):
            rows = sorted(row for row, made in state.sums if made == version and row in state.velocities)
            if len(rows) >= _SETTLED:
                totals = np.stack([state.sums[row, version] for row in rows])
                place = place_by_turning(totals, np.array([state.velocities[row] for row in rows]))
                if place is not None:
                    return place
        return None

    def window(self, state: LoadState, version: int, start: int, end: int) -> Window:
        """The sums of a stretch of rows, with what the fit needs beside them."""
        dt, q = 1.0 / self.rate, self.per_row
        sigma = self.velocity_noise / math.sqrt(q)
        means = Averaging(0.5 * (q - 1) * dt, dt * dt * (q * q - 1) / 24.0)
        return Window(state.rows(version, start, end), q * dt, means, sigma, state.prior, self.friction)

    def _own_readings(self, state: LoadState, start: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Velocities (complex, NaN where there is none) and forces (time, 2) of a stretch."""
        v = np.array([state.velocities.get(row, complex(math.nan)) for row in range(start, end + 1)])
        f = np.array([_pair(state.forces.get(row, 0j)) for row in range(start, end + 1)])
        return v, f

    def _fit(self, state: LoadState, stretch: tuple[int, int, int]) -> tuple[LoadEvent, ...]:
        version, start, end = stretch
        if state.start is None:
            state.start = start
        if end - start + 1 >= SIZES[-1] - FIT_EVERY:
            self._begin_again(state, stretch, start + _SLIDE, LOAD, math.sqrt(SIZES[-1] / _SLIDE) - 1.0)
            return ()
        window, before = self.window(state, *stretch), state.fit
        starts = [] if before is None else [before.unknowns]
        shift = state.tree.totals.get((SHIFT, version))
        if before is not None and version != state.fit_version and shift is not None:
            starts.insert(0, before.unknowns + shift[:N_UNKNOWNS])
        fit = solve(window, starts, 15)
        if fit is not None and fit.good and believed(state.prior, fit.unknowns) is not state.prior:
            state.prior = believed(state.prior, fit.unknowns)
            window = self.window(state, *stretch)
            fit = solve(window, [fit.unknowns], 15)
        settled = state.settled and version == state.fit_version and end - start >= _SETTLED
        if before is not None and before.good and fit is not None and settled:
            jump = find_jump(window, fit)
            if jump is not None and jump.evidence > _EVIDENCE:  # or has the fit not arrived yet?
                fit = solve(window, [fit.unknowns], 40) or fit
                jump = find_jump(window, fit)
            if jump is not None and jump.evidence > _EVIDENCE:
                state.fit_version, state.fit_end = version, end
                time = (start + jump.row) * self.per_row / self.rate
                self._begin_again(state, stretch, start + jump.row, (LOG_SCALE,), 0.0)
                return tuple(LoadEvent(time, "change", quantity) for quantity in ("mass", "inertia"))
        if fit is None or not fit.good or len(window.rows) < 100:
            again = solve(window, start_over(window), 25)
            if again is not None and (fit is None or again.fitness < fit.fitness):
                fit = again
        state.fit, state.fit_version, state.fit_end = fit, version, end
        behind = state.left_behind(end)
        if behind is not None and fit is not None and fit.good:
            self._begin_again(state, stretch, behind, LOAD, 0.0)
        return ()

    def _tell(self, state: LoadState) -> None:
        """More rows to add up: what the last fit says of the own place."""
        base, fitted, own = state.places.get(state.fit_version), state.fitted(), None
        if state.fit is not None and fitted is not None and base is not None:
            v, f = self._own_readings(state, *fitted[1:])
            own = own_part(self.window(state, *fitted), state.fit, f, base, v, state.held)
            state.weight = own.weight
        tell(state, fitted, own)

    def _places_are_settled(self, state: LoadState) -> bool:
        """Whether the places' next steps would move the load by less than its noise: then what does not fit is news."""
        ahead, fitted = self.ahead(state), state.fitted()
        if ahead is None or fitted is None or state.fit is None or state.refined < 3:
            return False
        std = np.sqrt(np.diag(self.covariance_of(state, self.window(state, *fitted), state.fit)))
        return bool(np.all(np.abs(ahead.unknowns[[LOG_MASS, LOG_INERTIA]]) < std[[LOG_MASS, LOG_INERTIA]]))

    def _begin_again(self, state: LoadState, stretch, start: int, keep: tuple[int, ...], slack: float) -> None:
        """A new window from a row on, with what the last fit says of some unknowns and the own place."""
        fit: Fit | None = state.fit
        if fit is None:
            state.start = start
            return
        window, ahead = self.window(state, *stretch), self.ahead(state)
        P = self.covariance_of(state, window, fit)
        place = state.places.get(stretch[0])
        unknowns = fit.unknowns.copy()
        if ahead is not None:
            unknowns[4:] += ahead.unknowns[4:]
        if place is not None and state.weight > 0.0:
            state.held = Held(place + (0j if ahead is None else ahead.place), state.weight / (1.0 + slack) ** 2)
        gap = range(stretch[2] + 1, start)
        if gap and all((row, stretch[0]) in state.sums for row in gap):
            end = np.concatenate([slopes_of(window, fit.unknowns).end, fit.unknowns[4:]])
            end += 0.0 if ahead is None else ahead.unknowns
            state.prior = bridged(window, self.window(state, stretch[0], gap[0], gap[-1]), end, P)
            unknowns = state.prior.mean.copy()
        else:
            state.prior = carried_on(unknowns, P, keep, slack)
            path = slopes_of(window._replace(means=Averaging(0.0, 0.0)), fit.unknowns).path
            unknowns[:4] = path[min(start - stretch[1], len(window.rows)) - 1, :4]
        state.start, state.fit = start, Fit(unknowns, fit.matrix, fit.gradient, fit.fitness, fit.n_rows)

    def covariance_of(self, state: LoadState, window: Window, fit: Fit) -> np.ndarray:
        """Of the motion at the end and the load, with the newest notes of the team about its places."""
        told = newest_told(state)
        return covariance(window, fit, None if told is None else told.joint)

    def ahead(self, state: LoadState) -> Ahead | None:
        """Where the places' next steps would take motion at the end and load, as the whole team says; else None."""
        fitted, told = state.fitted(), newest_told(state)
        part = None if told is None else state.parts.get(told.at)
        if told is None or part is None or fitted is None or told.fit != fitted[:2] or told.fit != part[:2]:
            return None
        if not part.own.even:
            return None
        return Ahead(told.joint.ahead, part.own.step(told.joint))

    def _outbox(self, state: LoadState) -> dict[str, Message]:
        state.sequence += 1
        places = [state.places.get(state.version - back) for back in range(KEPT)]
        told = tuple(None if place is None else (place.real, place.imag) for place in places)
        return {
            name: LoadMessage(
                self.name,
                state.sequence,
                state.time,
                state.tree.parcel(state.tick, state.sequence, name),
                state.version,
                told,
            )
            for name in self.neighbours
        }


def _pair(value: complex) -> np.ndarray:
    return np.array([value.real, value.imag])
