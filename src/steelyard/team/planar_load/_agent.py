"""A robot that estimates the load it pushes with others, as well as all their data together allow."""

import math
from typing import Literal

import msgspec
import numpy as np

from steelyard.team._agent import Agent, Message, MotionReports, Turn
from steelyard.team._cache import Cache
from steelyard.team.planar_load._contact_position import covariance
from steelyard.team.planar_load._contributions import newest_contributions
from steelyard.team.planar_load._fit import Averaging
from steelyard.team.planar_load._fit_rows import fit_rows
from steelyard.team.planar_load._fit_schedule import rows_to_fit
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
from steelyard.team.planar_load._state import PlanarAgentState, iteration_at
from steelyard.team.planar_load._successors import keep_hand_over, take_over
from steelyard.team.planar_load._sum_keys import possible_keys
from steelyard.team.planar_load._sums import N_SUMS
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Fit, Span, Window
from steelyard.team.planar_load._window_prior import begin_again


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
        self.real_time = real_time
        self.clock_noise = TUNING.clock_noise if real_time else 0.0
        """Of the robots' common time, s: the rows of a log have one clock."""
        self.clock_drift = TUNING.clock_drift if real_time else 0.0
        self._message_every = max(round(TUNING.message_seconds * rate), 1) if real_time else 1
        self._decoder = msgspec.msgpack.Decoder(PlanarLoadMessage)

    def init(self) -> PlanarAgentState:
        """Nothing is known but who the neighbours are."""
        per_message = max(16, TUNING.sums_a_row // self.per_row) * self._message_every
        return PlanarAgentState(self.name, self.neighbours, N_SUMS, per_message, self._lets_go)

    def reset_link(self, state: PlanarAgentState, neighbour: str) -> PlanarAgentState:
        """What was sent to the neighbour and not confirmed is sent again."""
        state = state.copied()
        state.sums.tree.reset_link(neighbour)
        return state

    def exclude(self, state: PlanarAgentState, earlier: PlanarAgentState, faulty: frozenset[str]) -> PlanarAgentState:
        """A faulty robot adds nothing more to the sums, which still pass through it; a window begins without it."""
        state = state.copied()
        state.contacts.relays = self.name in faulty
        for name in faulty.intersection(self.neighbours) - state.heard.excluded.keys():
            state.heard.excluded[name] = state.row + TUNING.excluded_within
            state.contacts.hand_overs.pop(name, None)
        every = TUNING.contribute_every  # robots that find it a little apart begin with the same row
        begin_again(state, -(-(state.row + 1 + max(TUNING.guard, self._lets_go)) // every) * every)
        state.reports.estimates = {}
        return state

    def decode(self, data: bytes) -> PlanarLoadMessage:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)

    def reported_motion(
        self, state: PlanarAgentState, robots: tuple[str, ...], row: float, span: float
    ) -> MotionReports:
        """See `Agent`: the contacts' velocities by the team's rows."""
        rows = round(span * self.rate / self.per_row)
        return MotionReports(state.heard.relay.table(robots, rows), self.per_row)

    def plausible(self, message: Message, latest: float) -> bool:
        """See `Agent`."""
        if not isinstance(message, PlanarLoadMessage):
            return False
        row = int(latest * self.rate) // self.per_row
        iterations, newest = [iteration for iteration, _, _ in message.positions], iteration_at(row)
        reported = [one for _, one, _, _ in message.velocities]
        return (
            message.time <= latest
            and message.sequence <= 2 * int(latest * self.rate) + TUNING.messages_before_start
            and max(message.first, message.last, message.start, *reported) <= row
            and max(iterations, default=0) <= newest + TUNING.final_steps
            and possible_keys(message.tree.keys(N_SUMS), row, newest)
        )

    def step(self, state: PlanarAgentState, sample: PlanarSample | None, inbox: tuple[Message, ...]) -> Turn:
        """One sample: receive, measure, add up, fit, send."""
        state = state.copied()
        state.tick += 1
        self._receive(state, inbox)
        measure(self, state, sample)
        take_over(state)
        state.sums.tree.step(state.tick)
        state.sums.take_totals(state.contacts.own.first, state.row)
        complete_iterations(self, state)
        events: tuple[PlanarLoadEvent, ...] = ()
        span = rows_to_fit(self, state, sample is not None)
        if span is not None:
            events = fit_rows(self, state, span)
            contribute_on_fit(self, state)
            state.steps.converged = state.steps.converged or positions_converged(self, state)
        elif state.finishing:
            finish(self, state)
        if span is not None or self.report_is_due(state):
            state.reports.at = state.tick
            state.reports.estimates = report(self, state)
        outbox = {} if state.tick % self._message_every else self._outbox(state)
        return Turn(state, outbox, state.reports.estimates, events=events)

    def report_is_due(self, state: PlanarAgentState) -> bool:
        """Whether the last one is as old as fits are apart."""
        return state.tick - state.reports.at >= TUNING.fit_every * self.per_row

    def _receive(self, state: PlanarAgentState, inbox: tuple[Message, ...]) -> None:
        for message in inbox:
            if not isinstance(message, PlanarLoadMessage) or message.sender not in self.neighbours:
                continue
            sender = message.sender
            if message.last > state.heard.excluded.get(sender, message.last):
                continue  # it goes on adding what it measures
            state.heard.relay.receive(message.velocities, sender)
            state.sums.tree.receive(state.tick, sender, message.sequence, message.tree)
            for iteration, x, y in message.positions[: TUNING.iterations_stored]:
                if math.isfinite(x + y):
                    state.heard.positions[sender][iteration] = complex(x, y)
            state.heard.window_starts[sender], state.heard.last_rows[sender] = message.start, message.last
            state.heard.first_rows[sender] = message.first
            if (
                message.successor == self.name
                and sender not in state.heard.excluded
                and not state.sums.tree.silent(state.tick, sender)
            ):
                keep_hand_over(state, message)

    def window(self, state: PlanarAgentState, span: Span) -> Window:
        """The sums of a span, with what the fit needs beside them."""
        dt, q = 1.0 / self.rate, self.per_row
        means = Averaging(0.5 * (q - 1) * dt, dt * dt * (q * q - 1) / 24.0)
        return Window(state.sums.window(span), q * dt, means, self.row_noise, state.window.prior, self.friction)

    def covariance_of(self, state: PlanarAgentState, window: Window, fit: Fit) -> np.ndarray:
        """Of the motion at the end and the load, with the newest joint step's account of the contact positions."""
        found = newest_contributions(self.cache, state)
        return covariance(self.cache, window, fit, None if found is None else found.joint)

    def _outbox(self, state: PlanarAgentState) -> dict[str, Message]:
        state.reports.sequence += 1
        newest = sorted(state.contacts.own.positions.items(), reverse=True)[: TUNING.iterations_stored]
        positions = tuple((iteration, z.real, z.imag) for iteration, z in newest if z is not None)
        start = -1 if state.window.start is None or state.window.start > state.row else state.window.start
        successor = min(self.neighbours, default="")
        unfinished = sum((f for _, f in state.samples.pending if f is not None), 0j) / self.per_row
        hand_over = state.contacts.own.hand_over(unfinished)
        return {
            name: PlanarLoadMessage(
                self.name,
                state.reports.sequence,
                state.samples.time,
                state.sums.tree.message(state.tick, state.reports.sequence, name),
                positions,
                state.contacts.own.first,
                state.contacts.own.last,
                start,
                hand_over if name == successor else b"",
                state.heard.relay.message(name) if self.real_time else (),
                successor,
            )
            for name in self.neighbours
        }
