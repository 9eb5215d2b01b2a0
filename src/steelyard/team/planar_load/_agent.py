"""A robot that estimates the load it pushes with others, as well as all their data together allow."""

import math
from typing import Literal

import msgspec
import numpy as np

from steelyard.team._agent import Agent, Message, Turn
from steelyard.team._cache import Cache
from steelyard.team.planar_load._contact_position import covariance
from steelyard.team.planar_load._contributions import fit_of_others, newest_contributions
from steelyard.team.planar_load._fit import LOG_SCALE, N_UNKNOWNS, Averaging
from steelyard.team.planar_load._measuring import measure
from steelyard.team.planar_load._message import PlanarLoadEvent, PlanarLoadMessage
from steelyard.team.planar_load._outer_iterations import (
    complete_iterations,
    contribute_on_fit,
    finish,
    positions_converged,
)
from steelyard.team.planar_load._report import report
from steelyard.team.planar_load._sample import PlanarSample
from steelyard.team.planar_load._shared_fit import Jump, find_jump, guesses, solve
from steelyard.team.planar_load._state import PlanarAgentState, iteration_at
from steelyard.team.planar_load._successors import keep_hand_over, take_over
from steelyard.team.planar_load._sum_keys import possible_keys, shift_key
from steelyard.team.planar_load._sums import N_SUMS
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LOAD, LONGEST, Fit, Span, Window
from steelyard.team.planar_load._window_prior import adopt_window, begin_window, resynchronise


class PlanarLoadAgent(Agent):
    """Knows its own force and its contact's velocity, and receives messages of its neighbours; see `planar_load_team`.

    A sample of None is none, and the robot only passes messages on.
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
        cache: Cache | None = None,
    ):
        self.name = name
        self.neighbours = neighbours
        self.rate = rate
        self.velocity_noise = velocity_noise
        self.hold = hold
        self.friction = friction
        self.cache = cache or Cache()
        self.per_row = max(1, round(TUNING.row_seconds * rate))
        """Samples a row."""
        self.row_noise = velocity_noise / math.sqrt(self.per_row)
        """Of a velocity averaged over a row, m/s an axis."""
        self._lets_go = 0 if lets_go is None else math.ceil(lets_go * rate / self.per_row)
        self.longest_gap = max(round(TUNING.longest_force_gap * rate), 1)
        self._message_every = max(round(TUNING.message_seconds * rate), 1) if real_time else 1
        self._decoder = msgspec.msgpack.Decoder(PlanarLoadMessage)

    def init(self) -> PlanarAgentState:
        """Nothing is known but who the neighbours are."""
        per_message = max(16, TUNING.sums_a_row // self.per_row) * self._message_every
        return PlanarAgentState(self.name, self.neighbours, N_SUMS, per_message, self._lets_go)

    def reset_link(self, state: PlanarAgentState, neighbour: str) -> PlanarAgentState:
        """What was sent to the neighbour and not confirmed is sent again."""
        state = state.copied()
        state.tree.reset_link(neighbour)
        return state

    def decode(self, data: bytes) -> PlanarLoadMessage:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)

    def plausible(self, message: Message, latest: float) -> bool:
        """See `Agent`."""
        if not isinstance(message, PlanarLoadMessage):
            return False
        row = int(latest * self.rate) // self.per_row
        iterations = [iteration for iteration, _, _ in message.positions]
        return (
            message.time <= latest
            and message.sequence <= 2 * int(latest * self.rate) + TUNING.messages_before_start
            and max(message.first, message.last, message.start) <= row
            and max(iterations, default=0) <= iteration_at(row)
            and possible_keys(message.tree.keys(N_SUMS), row)
        )

    def step(self, state: PlanarAgentState, sample: PlanarSample | None, inbox: tuple[Message, ...]) -> Turn:
        """One sample: receive, measure, add up, fit, send."""
        state = state.copied()
        state.tick += 1
        self._receive(state, inbox)
        measure(self, state, sample)
        take_over(state)
        state.tree.step(state.tick)
        state.take_totals()
        complete_iterations(self, state)
        events: tuple[PlanarLoadEvent, ...] = ()
        span = self._span_to_fit(state, sample)
        if span is not None:
            events = self._fit(state, span)
            contribute_on_fit(self, state)
            state.converged = state.converged or positions_converged(self, state)
        elif state.finishing:
            finish(self, state)
        if span is not None or self._report_is_due(state):
            state.reported_at = state.tick
            state.estimates = report(self, state)
        outbox = {} if state.tick % self._message_every else self._outbox(state)
        return Turn(state, outbox, state.estimates, events=events)

    def _report_is_due(self, state: PlanarAgentState) -> bool:
        return state.tick - state.reported_at >= TUNING.fit_every * self.per_row

    def _span_to_fit(self, state: PlanarAgentState, sample: PlanarSample | None) -> Span | None:
        """What is to be fitted now, None for nothing: chooses the window, then the last row, then whether it is new."""
        if state.tick % self.per_row:
            return None
        adopt_window(state)
        resynchronise(self, state)
        span = state.complete_span()
        if span is None:
            first = state.members.first if state.start is None else state.start
            again = None if first is None else state.row_after_stall(first)
            if again is not None:  # the row that a window would begin with lacks somebody for good
                state.start, state.fit_end = again, again - 1
            return None
        again = state.row_after_stall(span.end)
        if again is not None:
            begin_window(self, state, span, again, LOAD, 0.0)
            return None
        broken = state.row_after_break(span.end) is not None  # these rows are the last of this window
        if sample is not None and not broken:
            span = self._cut(state, span)
        new = span.end > state.fit_end or (broken and self._report_is_due(state))
        new = new or (state.finishing and span.end == state.fit_end and span.iteration > state.fit_iteration)
        return span if new and span.end - span.start + 1 >= TUNING.fewest_rows else None

    @staticmethod
    def _cut(state: PlanarAgentState, span: Span) -> Span:
        """All robots cut at the same rows, so that each finds what the others find.

        A robot without samples of its own is not cut: it takes all that there is.
        """
        every = TUNING.fit_every
        end = span.end - (span.end + 1) % every
        following = state.fit_end + every - (state.fit_end + 1) % every
        if span.start < following < end <= following + TUNING.catch_up:  # one by one, to contribute to all of them
            end = following
        return span._replace(end=end)

    def _receive(self, state: PlanarAgentState, inbox: tuple[Message, ...]) -> None:
        for message in inbox:
            if not isinstance(message, PlanarLoadMessage) or message.sender not in self.neighbours:
                continue
            sender = message.sender
            state.tree.receive(state.tick, sender, message.sequence, message.tree)
            for iteration, x, y in message.positions[: TUNING.iterations_stored]:
                if math.isfinite(x + y):
                    state.received_positions[sender][iteration] = complex(x, y)
            state.window_starts[sender], state.last_rows[sender] = message.start, message.last
            state.first_rows[sender] = message.first
            if message.successor == self.name and not state.tree.silent(state.tick, sender):
                keep_hand_over(state, message)

    def window(self, state: PlanarAgentState, span: Span) -> Window:
        """The sums of a span, with what the fit needs beside them."""
        dt, q = 1.0 / self.rate, self.per_row
        means = Averaging(0.5 * (q - 1) * dt, dt * dt * (q * q - 1) / 24.0)
        return Window(state.rows(span), q * dt, means, self.row_noise, state.prior, self.friction)

    def _fit(self, state: PlanarAgentState, span: Span) -> tuple[PlanarLoadEvent, ...]:
        """Fits a span, and reports a change of the load; the window slides, or ends where the team breaks."""
        if state.start is None:
            state.start = span.start
        if span.end - span.start + 1 >= LONGEST - TUNING.fit_every:
            begin_window(self, state, span, span.start + TUNING.slide, LOAD, TUNING.slide_inflation)
            span = span._replace(start=span.start + TUNING.slide)
        then, now = state.members.get(state.fit_end), state.members.get(span.end)
        if then is not None and now is not None and now.robots > then.robots:
            state.converged, state.joint_steps = False, min(state.joint_steps, 1)  # newcomers' positions are rough
        window, before = self.window(state, span), state.fit
        fit = solve(self.cache, window, self._starts(state, span), TUNING.iterations)
        settled = state.converged and span.iteration == state.fit_iteration
        if before is not None and before.consistent and fit is not None and settled:
            fit, jump = self._jump(span, window, fit)
            if jump is not None:
                return self._begin_after(state, span, jump)
        if fit is None or not fit.consistent or len(window.rows) < TUNING.guess_below:
            others = fit_of_others(state)  # a robot that came later may not find it by itself
            starts = guesses(window) if others is None else [others, *guesses(window)]
            again = solve(self.cache, window, starts, TUNING.iterations_from_guess)
            if again is not None and (fit is None or again.chi_square < fit.chi_square):
                fit = again
        state.fit, state.fit_iteration, state.fit_end = fit, span.iteration, span.end
        following = state.row_after_break(span.end)
        if following is not None and fit is not None and fit.consistent:
            begin_window(self, state, span, following, LOAD, 0.0)
        return ()

    @staticmethod
    def _starts(state: PlanarAgentState, span: Span) -> list[np.ndarray]:
        """The last fit's unknowns, and before them where the new contact positions shift them."""
        if state.fit is None or state.fit.diverged:
            return []
        starts = [state.fit.unknowns]
        shift = state.tree.totals.get(shift_key(span.iteration))
        if span.iteration != state.fit_iteration and shift is not None:
            starts.insert(0, starts[0] + shift[:N_UNKNOWNS])
        return starts

    def _jump(self, span: Span, window: Window, fit: Fit) -> tuple[Fit, Jump | None]:
        """The fit, and a change of the load where there is evidence of one."""
        if span.end - span.start < TUNING.rows_before_jump:
            return fit, None
        jump = find_jump(self.cache, window, fit)
        if jump is not None and jump.evidence > TUNING.jump_evidence:  # or is the fit not at its minimum yet?
            fit = solve(self.cache, window, [fit.unknowns], TUNING.iterations_before_event) or fit
            jump = find_jump(self.cache, window, fit)
        return fit, jump if jump is not None and jump.evidence > TUNING.jump_evidence else None

    def _begin_after(self, state: PlanarAgentState, span: Span, jump: Jump) -> tuple[PlanarLoadEvent, ...]:
        """A new window from a change of the load on, and the events that report it."""
        state.fit_iteration, state.fit_end = span.iteration, span.end
        row = span.start + jump.row
        begin_window(self, state, span, row, (LOG_SCALE,), 0.0)
        time = row * self.per_row / self.rate
        return tuple(PlanarLoadEvent(time, "change", quantity) for quantity in ("mass", "inertia"))

    def covariance_of(self, state: PlanarAgentState, window: Window, fit: Fit) -> np.ndarray:
        """Of the motion at the end and the load, with the newest joint step's account of the contact positions."""
        found = newest_contributions(self.cache, state)
        return covariance(self.cache, window, fit, None if found is None else found.joint)

    def _outbox(self, state: PlanarAgentState) -> dict[str, Message]:
        state.sequence += 1
        newest = sorted(state.own.positions.items(), reverse=True)[: TUNING.iterations_stored]
        positions = tuple((iteration, z.real, z.imag) for iteration, z in newest if z is not None)
        successor, start = min(self.neighbours, default=""), -1 if state.start is None else state.start
        unfinished = sum((f for _, f in state.pending if f is not None), 0j) / self.per_row
        hand_over = state.own.hand_over(unfinished)
        return {
            name: PlanarLoadMessage(
                self.name,
                state.sequence,
                state.time,
                state.tree.message(state.tick, state.sequence, name),
                positions,
                state.own.first,
                state.own.last,
                start,
                hand_over if name == successor else b"",
                successor,
            )
            for name in self.neighbours
        }
