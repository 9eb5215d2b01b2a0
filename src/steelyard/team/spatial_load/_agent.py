"""A robot that estimates the load that it holds in space with others, as well as all their data together allow."""

import math
import struct
from collections.abc import Mapping

import msgspec
import numpy as np

from steelyard.estimators import Estimate
from steelyard.team._agent import Agent, Message, Turn
from steelyard.team._cache import Cache
from steelyard.team._fresh import shallow
from steelyard.team.spatial_load._changes import SpatialLoadEvent
from steelyard.team.spatial_load._incremental import IncrementalEstimator, chunk_rows
from steelyard.team.spatial_load._relay import RELAY_MEMORY, Relay, SpatialLoadMessage
from steelyard.team.spatial_load._report import report
from steelyard.team.spatial_load._sample_history import SampleHistory

_TIMEOUT = 1.0  # s by which a robot's sample may be later than others' before it counts as missing
_CATCHING_UP = 1.5  # s in which neighbours tell a robot that was away what it has missed
_OVER = 0.3  # s in which nothing came, neither of one's own nor of others, after which the last rows count, too
_TAKES_HOLD = 0.2  # s from a robot's first sample, within which it takes hold: it waits until it is heard
_TIDY = 50  # steps
_SENDS_EVERY = 0.02  # s from message to message, where time is short
_Triple = tuple[float, float, float]
_PACK = struct.Struct("<15d")
_MOTION = struct.pack("<9d", *[math.nan] * 9)
_MOST_ROWS = 20  # that are taken in at a step: a robot that has much to catch up on still answers its neighbours


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


class LetsGo(msgspec.Struct, frozen=True):
    """The agreement that a robot which none of its neighbours hears lets go of the load."""

    within: float
    """s since its last sample."""
    neighbours: Mapping[str, tuple[str, ...]]
    """Of every robot."""


class SpatialState:
    """One robot's memory: a value, which a step copies before it changes anything."""

    def __init__(self, relay: Relay, estimator: IncrementalEstimator):
        self.relay, self.estimator = relay, estimator
        self.next_row: int | None = None
        self.time = 0.0
        self.silent = self.quiet = 0  # steps without a sample of one's own, and without a new row
        self.tick = 0
        self.reported = -1
        self.grace = 0  # steps for which no sample counts as missing, because neighbours are still telling it
        self.heard: dict[str, int] = {}  # by robot, the last row with a sample of it
        self.grips_from: dict[str, int] = {}  # by robot that had let go, from when on its wrench is what it says
        self.estimates: Mapping[str, Estimate] = {}

    def copied(self) -> "SpatialState":
        """The same, on its own; large arrays are shared until one of the two changes them."""
        twin = shallow(self)
        twin.relay, twin.estimator = self.relay.copied(), self.estimator.copied()
        twin.heard, twin.grips_from = self.heard.copy(), self.grips_from.copy()
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
        lets_go: "LetsGo | None" = None,
        real_time: bool = False,
        cache: Cache | None = None,
    ):
        self.name, self.neighbours, self.names = name, neighbours, names
        self.cache = self._cache = Cache() if cache is None else cache
        self.lets_go, self.real_time = lets_go, real_time
        self.rate, self.noise, self.gravity, self.held = rate, noise, gravity, held
        self.number = names.index(name)
        # All robots compute at the same rows. Where they share few cores, each lets those before it go first.
        self._waits = chunk_rows(rate, spread_work=True) * self.number // len(names) if real_time else 0
        self._sends_every = max(round(_SENDS_EVERY * rate), 1) if real_time else 1
        self.others = [(names.index(other), other) for other in neighbours]
        self._decoder = msgspec.msgpack.Decoder(SpatialLoadMessage)

    def init(self) -> SpatialState:
        """Nothing is known but who is in the team, and who the neighbours are."""
        history = SampleHistory(len(self.names), self.rate, np.array(self.noise), self.held, compiled=self.real_time)
        estimator = IncrementalEstimator(history, self.gravity, self.real_time)
        return SpatialState(Relay(self.name, self.neighbours, self.names), estimator)

    def to_checkpoint(self, state: SpatialState) -> SpatialState:
        """Without the samples that it has taken in: whoever lacks them has other neighbours."""
        state = state.copied()
        state.relay.forget(state.next_row)
        return state

    def from_checkpoint(self, state: SpatialState) -> SpatialState:
        """Its own samples begin a new series: others may have more of the old one than it remembers."""
        state = state.copied()
        state.relay.begin_again()
        state.grace = round(_CATCHING_UP * self.rate)
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
        state.grace = max(state.grace - 1, 0)
        if state.tick % _TIDY == 0:
            state.relay.forget(state.relay.newest - round(RELAY_MEMORY * self.rate))
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
        relay = state.relay
        if state.next_row is None:
            if len(relay.series) < len(self.names) or not all(series.by_row for series in relay.series.values()):
                return ()
            state.next_row = max(series.by_row.first() or 0 for series in relay.series.values())
        late = relay.newest - round(_TIMEOUT * self.rate)
        last = min(state.next_row + _MOST_ROWS, relay.newest + 1 - (0 if state.silent > 1 else self._waits))
        while state.next_row < last:
            row, raw, time = state.next_row, np.full((len(self.names), 15), np.nan), math.nan
            for j, name in enumerate(self.names):
                series = relay.series[name]
                relayed = series.by_row.get(row)
                if relayed is not None:
                    self._meet(state, name, row)
                    raw[j], time = np.frombuffer(relayed.values, "<f8"), relayed.time
                    if row < state.grips_from.get(name, 0):
                        raw[j, 9:] = np.nan
                elif series.born <= row and series.last_row <= row and (row > late or state.grace > 0):
                    return events
            raw[self._released(state, row), 9:] = 0.0
            events += state.estimator.add(row / self.rate if math.isnan(time) else time, raw, self._cache)
            state.next_row += 1
            state.quiet = 0
        state.quiet += 1
        if min(state.silent, state.quiet) > _OVER * self.rate:
            events += state.estimator.finish(self._cache)
        return events

    def _meet(self, state: SpatialState, name: str, row: int) -> None:
        """A row with a sample of a robot; who had let go takes hold at some moment of the next few."""
        if self.lets_go is not None and row - state.heard.get(name, row) > self.lets_go.within * self.rate:
            state.grips_from[name] = row + round(_TAKES_HOLD * self.rate)
        state.heard[name] = row

    def _released(self, state: SpatialState, row: int) -> list[int]:
        """Robots, by number, that have let go of the load by a row.

        All of a robot's neighbours were heard then, and none of them passed a sample of it on: it is away, or it hears
        nobody and has let go. Where a neighbour of it is silent, too, the two may still hold on together.
        """
        if self.lets_go is None:
            return []
        silent = {name for name in self.names if row not in state.relay.series[name].by_row}
        after = round(self.lets_go.within * self.rate)
        return [
            j
            for j, name in enumerate(self.names)
            if name in silent
            and row - state.heard.get(name, row) > after
            and silent.isdisjoint(self.lets_go.neighbours[name])
        ]

    def report(self, state: SpatialState) -> dict[str, Estimate]:
        """What the robot knows by now."""
        estimator = state.estimator
        row = max(estimator.processed - 1, estimator.history.first)
        time = estimator.history.time(row) if estimator.history.end > row else state.time
        return report(estimator.filter_pass, self.number, self.others, self.name, time, estimator.age, estimator.failed)
