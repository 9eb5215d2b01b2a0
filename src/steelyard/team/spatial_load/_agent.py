"""A robot that estimates the load that it holds in space with others, as well as all their data together allow."""

import math
import struct
from collections.abc import Mapping

import msgspec
import numpy as np

from steelyard.estimators import Estimate
from steelyard.team._agent import Agent, Message, MotionReports, Turn
from steelyard.team._cache import Cache
from steelyard.team._state_copies import shallow_copy
from steelyard.team.membership import GripRules, Standing
from steelyard.team.spatial_load._changes import SpatialLoadEvent
from steelyard.team.spatial_load._incremental import IncrementalEstimator, chunk_rows
from steelyard.team.spatial_load._relay import Relay
from steelyard.team.spatial_load._relay_message import SpatialLoadMessage
from steelyard.team.spatial_load._report import Viewer, report
from steelyard.team.spatial_load._row_queue import DecidedRow, RowQueue
from steelyard.team.spatial_load._sample_history import SampleHistory
from steelyard.team.spatial_load._tuning import TUNING

_Triple = tuple[float, float, float]
_PACK = struct.Struct("<15d")
_MOTION = struct.pack("<9d", *[math.nan] * 9)


class SpatialSample(msgspec.Struct, frozen=True):
    """What a robot that holds a load knows by itself, in its own sensor frame; NaN where a sensor is silent."""

    time: float
    """s; clocks of a team agree."""
    angular: _Triple
    """Angular velocity, rad/s."""
    linear: _Triple
    """Velocity of the frame's origin, m/s."""
    specific_force: _Triple
    """What the accelerometer reads, m/s²."""
    torque: _Triple
    """N m, applied to the load about the frame's origin."""
    force: _Triple
    """N, applied to the load."""
    row: int | None = None
    """The how-manieth sampling time of the team it is; by default, time times rate."""


class SpatialState:
    """One robot's memory: a value, which a step copies before it changes anything."""

    def __init__(self, relay: Relay, rows: RowQueue, estimator: IncrementalEstimator):
        self.relay, self.rows, self.estimator = relay, rows, estimator
        self.time = 0.0
        self.silent = self.quiet = 0  # steps without a sample of one's own, and without a new row
        self.tick = 0
        self.reported = -1
        self.estimates: Mapping[str, Estimate] = {}

    def copied(self) -> "SpatialState":
        """The same, on its own; large arrays are shared until one of the two changes them."""
        twin = shallow_copy(self)
        twin.relay, twin.rows, twin.estimator = self.relay.copied(), self.rows.copied(), self.estimator.copied()
        return twin


class SpatialLoadAgent(Agent):
    """Knows its own twist, accelerometer and wrench, and hears its neighbours; made by `spatial_load_team`.

    Robots pass on each other's samples, unchanged, until everybody has everything; then each finds out by itself what
    all the data tell, and says it in its own frame. A sample of None is none.
    """

    def __init__(
        self,
        name: str,
        neighbours: tuple[str, ...],
        names: tuple[str, ...],
        rate: float,
        noise: tuple[float, ...],
        gravity: float,
        held: bool = False,
        grip_rules: GripRules | None = None,
        real_time: bool = False,
        cache: Cache | None = None,
    ):
        self.name, self.neighbours, self.names = name, neighbours, names
        self.cache = self._cache = Cache() if cache is None else cache
        self._grip_rules, self.real_time = grip_rules, real_time
        self.rate, self.noise, self.gravity, self.held = rate, noise, gravity, held
        self.number = names.index(name)
        # All robots compute at the same rows. Where they share few cores, each lets those before it go first.
        self._waits = chunk_rows(rate, spread_work=True) * self.number // len(names) if real_time else 0
        self._sends_every = max(round(TUNING.sends_every * rate), 1) if real_time else 1
        self.viewer = Viewer(name, self.number, [(names.index(other), other) for other in neighbours])
        self._decoder = msgspec.msgpack.Decoder(SpatialLoadMessage)

    def init(self) -> SpatialState:
        """Nothing is known but who is in the team, and who the neighbours are."""
        history = SampleHistory(len(self.names), self.rate, np.array(self.noise), self.held, compiled=self.real_time)
        estimator = IncrementalEstimator(history, self.gravity, self.real_time)
        relay = Relay(self.name, self.neighbours, self.names)
        return SpatialState(relay, RowQueue(self.names, self.rate, self._grip_rules), estimator)

    def to_checkpoint(self, state: SpatialState) -> SpatialState:
        """Without the samples that it has taken in: whoever lacks them has other neighbours."""
        state = state.copied()
        state.relay.forget(state.rows.next_row)
        return state

    def from_checkpoint(self, state: SpatialState) -> SpatialState:
        """Its own samples begin a new series: others may have more of the old one than it remembers."""
        state = self.catch_up(state)
        state.relay.begin_again()
        return state

    def catch_up(self, state: SpatialState) -> SpatialState:
        """For a while no sample counts as missing."""
        state = state.copied()
        state.rows.catch_up()
        return state

    def exclude(self, state: SpatialState, earlier: SpatialState, faulty: frozenset[str]) -> SpatialState:
        """Goes back to what it knew, and takes the samples since then without the motion of faulty robots."""
        earlier = earlier.copied()
        earlier.relay, earlier.time, earlier.tick = state.relay.copied(), state.time, state.tick
        earlier.relay.silence(faulty, _MOTION)
        return earlier

    def reset_link(self, state: SpatialState, neighbour: str) -> SpatialState:
        """What the neighbour had, it may have no more."""
        state = state.copied()
        state.relay.reset_link(neighbour)
        return state

    def decode(self, data: bytes) -> SpatialLoadMessage:
        """A message of another such robot from its bytes."""
        return self._decoder.decode(data)

    def plausible(self, message: Message, latest: float) -> bool:
        """See `Agent`."""
        if not isinstance(message, SpatialLoadMessage):
            return False
        return message.time <= latest and message.possible_by(int(latest * self.rate), 1.0 / self.rate)

    def step(self, state: SpatialState, sample: SpatialSample | None, inbox: tuple[Message, ...]) -> Turn:
        """One sample: receive, measure, estimate, send."""
        state = state.copied()
        for message in inbox:
            state.relay.hear(message)
        self._measure(state, sample)
        if self.real_time:  # of the last step: not both in one
            self._update_estimates(state)
        events = self._process(state)
        if not self.real_time:
            self._update_estimates(state)
        state.tick += 1
        state.rows.tick()
        if state.tick % TUNING.tidy_every == 0:
            state.relay.forget(state.relay.newest - round(TUNING.relay_memory * self.rate))
        outbox = state.relay.outbox(state.time) if state.tick % self._sends_every == 0 else {}
        return Turn(state, outbox, state.estimates, events=events)

    def _update_estimates(self, state: SpatialState) -> None:
        """Makes up its estimates, if there is anything new; what was known stands while nobody can say what acts."""
        if state.estimator.processed != state.reported:
            state.reported = state.estimator.processed
            known = any(one.status == "known" for one in state.estimates.values())
            if not (state.estimator.waiting and known):
                state.estimates = self.report(state)

    def _measure(self, state: SpatialState, sample: SpatialSample | None) -> None:
        state.silent += 1
        if sample is None or not math.isfinite(sample.time):
            return
        state.silent, state.time = 0, sample.time
        row = round(sample.time * self.rate) if sample.row is None else sample.row
        numbers = (*sample.angular, *sample.linear, *sample.specific_force, *sample.torque, *sample.force)
        if row >= 0:
            state.relay.measure(row, sample.time, _PACK.pack(*numbers))

    def _process(self, state: SpatialState) -> tuple[SpatialLoadEvent, ...]:
        """Takes in every row of which all samples are there, or will not come any more."""
        events: tuple[SpatialLoadEvent, ...] = ()
        end = state.relay.newest + 1 - (0 if state.silent > 1 else self._waits)
        for _ in range(TUNING.rows_a_step):
            decided = state.rows.decide(state.relay, end)
            if decided is None:
                break
            time = next((one.time for one in reversed(decided.samples.values())), decided.row / self.rate)
            events += state.estimator.add(time, self._raw(decided), self._cache)
            state.quiet = 0
        if state.rows.next_row is None or state.rows.next_row < end:  # a sample may yet come
            return events
        state.quiet += 1
        if min(state.silent, state.quiet) > TUNING.ends_after * self.rate:
            events += state.estimator.finish(self._cache)
        return events

    def _raw(self, decided: DecidedRow) -> np.ndarray:
        """(robot, 15): a row's samples; NaN where nobody knows, zero wrench of those that have let go."""
        raw = np.full((len(self.names), 15), np.nan)
        for j, name in enumerate(self.names):
            if name in decided.samples:
                raw[j] = np.frombuffer(decided.samples[name].values, "<f8")
            if decided.standings[name] is Standing.RELEASED:
                raw[j, 9:] = 0.0
        return raw

    def reported_motion(self, state: SpatialState, robots: tuple[str, ...], row: float, span: float) -> MotionReports:
        """See `Agent`: twists, from the samples that all robots relay."""
        history, samples = state.estimator.history, max(1, round(row * self.rate))
        count = min(round(span * self.rate), history.end - history.first) // samples
        raw = history.raw(history.end - count * samples, history.end)
        twists = raw[:, [self.names.index(name) for name in robots], :6]
        table = twists.reshape(count, samples, len(robots), 6).mean(axis=1)
        return MotionReports(table[np.isfinite(table).all(axis=(1, 2))], samples)

    def report(self, state: SpatialState) -> dict[str, Estimate]:
        """What the robot knows by now."""
        estimator = state.estimator
        row = max(estimator.processed - 1, estimator.history.first)
        time = estimator.history.time(row) if estimator.history.end > row else state.time
        return report(estimator, self.viewer, time)
