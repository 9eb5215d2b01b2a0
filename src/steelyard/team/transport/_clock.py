"""One time for a team whose clocks differ: each robot follows a neighbour, and all of them the same robot.

The robot with the smallest name beats; who hears a newer beat follows that neighbour's account of the time, measured by
round trips, of which the shortest count. If that robot goes, the next goes on with the time as it is. Road not taken:
averaging of clocks, which on a long line takes minutes.
"""

import itertools
from collections import deque

from steelyard.team.transport._envelope import Timing

_PATIENCE = 1.5  # s without anybody who knows the time, after which a robot's own clock is the team's
_SILENCE = 2.0  # s without a new beat, or without a word, after which a robot is no longer followed
_WINDOW = 3.0  # s over which the shortest round trip is looked for
_GAIN = 0.3  # share of an error that is corrected at once
_SLEW = 0.002  # s, the most that is corrected at once while samples are being taken
_UNDISPUTED = 5.0  # s after which only all neighbours together can move the team's start


class _Peer:
    """What a robot knows of a neighbour's clock."""

    def __init__(self) -> None:
        self.heard = -1e9  # own clock, when its last timing arrived
        self.timing: Timing | None = None
        self.trips: deque[tuple[float, float, float]] = deque()  # when, how long, its clock less the own one

    def offset(self, now: float) -> float | None:
        """Team time less own clock by this neighbour's account; None before it has one.

        Clocks are compared over the shortest trip; what the neighbour makes of its clock is its newest account.
        """
        self._forget(now)
        if not self.trips or self.timing is None or self.timing.team is None:
            return None
        return min(self.trips, key=lambda trip: trip[1])[2] + self.timing.team - self.timing.stamp

    def note(self, now: float, trip: float, ahead: float) -> None:
        """A round trip, s, and by how much the neighbour's clock was ahead in its middle, s."""
        self._forget(now)
        self.trips.append((now, trip, ahead))

    def _forget(self, now: float) -> None:
        while self.trips and now - self.trips[0][0] > _WINDOW:
            self.trips.popleft()


class TeamClock:
    """A robot's account of the team's time. All `now` are its own clock's, in seconds."""

    def __init__(
        self, name: str, neighbours: tuple[str, ...], now: float, tick: float = 0.01, offset: float | None = None
    ):
        """`tick` is the time between two samples of the team, s."""
        self.name = name
        self._tick = tick
        self.offset = offset
        """Team's time less own clock; None while it is not known."""
        self.start: float | None = None
        """When the team's first sample was, team's time."""
        self.root, self.beat, self.hops = name, 0, 0
        self._peers = {neighbour: _Peer() for neighbour in neighbours}
        self._born, self._beat_at, self._synchronous_at = now, now, now
        self._running_since: float | None = None
        self._dead: dict[str, int] = {}
        self._beats = itertools.count(int(now * 10.0))  # a later process of this robot has later beats

    @property
    def known(self) -> bool:
        """Whether the team's time is known."""
        return self.offset is not None

    @property
    def begun(self) -> bool:
        """Whether the team has taken samples, by anybody's account."""
        told = (peer.timing for peer in self._peers.values())
        return self.start is not None or any(timing is not None and timing.start is not None for timing in told)

    def ready(self, now: float) -> bool:
        """Whether the time is known, and neighbours had time to tell of a start."""
        return self.known and now - self._synchronous_at > 0.3

    def team_time(self, own: float) -> float:
        """Of a time by the own clock."""
        return own + (self.offset or 0.0)

    def begin(self, own: float) -> None:
        """The first sample was taken; unless a neighbour knows of an earlier one, it is the team's first."""
        self._running_since = own
        if self.start is None:
            self.start = self.team_time(own)

    def timing_for(self, neighbour: str, now: float) -> Timing:
        """What to tell a neighbour now."""
        peer = self._peers[neighbour]
        echo, held = (None, 0.0) if peer.timing is None else (peer.timing.stamp, max(now - peer.heard, 0.0))
        team = None if self.offset is None else now + self.offset
        return Timing(now, team, self.root, self.beat, self.hops, self.start, echo, held)

    def hear(self, neighbour: str, timing: Timing, now: float) -> None:
        """What a neighbour told; `now` is when it arrived."""
        peer = self._peers[neighbour]
        if peer.timing is not None and timing.stamp <= peer.timing.stamp and now - peer.heard < _SILENCE:
            return  # overtaken
        peer.timing, peer.heard = timing, now
        if timing.echo is None:
            return
        trip = now - timing.echo - timing.held
        if 0.0 <= trip < _SILENCE:
            peer.note(now, trip, timing.stamp + 0.5 * trip - now)

    def agrees(self, timing: Timing) -> bool:
        """Whether a neighbour, when it wrote this, numbered its samples from the start that is the own one now."""
        return (
            self.start is not None and timing.start is not None and abs(timing.start - self.start) <= 0.5 * self._tick
        )

    def update(self, now: float) -> bool:
        """Follows; called some ten times a second. True where the team's start moved under samples already taken."""
        heard = {
            name: peer.timing
            for name, peer in self._peers.items()
            if peer.timing is not None and now - peer.heard < _SILENCE and peer.timing.team is not None
        }
        parent = self._follow(heard, now)
        said = None if parent is None else self._peers[parent].offset(now)
        if self.offset is None:
            others = [one for name in heard if (one := self._peers[name].offset(now)) is not None]
            if others or now - self._born > _PATIENCE:
                self.offset, self._synchronous_at = others[0] if others else 0.0, now
        elif said is not None:
            error = said - self.offset
            if self._running_since is None:
                self._synchronous_at = now if abs(error) > 0.001 else self._synchronous_at
                self.offset = said
            else:
                self.offset += max(-_SLEW, min(_SLEW, _GAIN * error))
        return self._agree_on_start(heard, now)

    def _follow(self, heard: dict[str, Timing], now: float) -> str | None:
        """The neighbour to follow, None for the one whose clock it is."""
        offers = {
            name: timing
            for name, timing in heard.items()
            if timing.root < self.name and timing.beat > self._dead.get(timing.root, -1)
        }
        if not offers or not self.known:
            self.root, self.hops = self.name, 0
        parent = None
        if offers and self.known:
            parent = min(offers, key=lambda name: (offers[name].root, offers[name].hops, name))
            chosen = offers[parent]
            if chosen.root != self.root or chosen.beat > self.beat:
                self.beat, self._beat_at = chosen.beat, now
            self.root, self.hops = chosen.root, chosen.hops + 1
            if now - self._beat_at > _SILENCE:
                self._dead[self.root] = self.beat
                self.root, self.hops, parent = self.name, 0, None
        if self.root == self.name:
            self.beat, self._beat_at = next(self._beats), now
        return parent

    def _agree_on_start(self, heard: dict[str, Timing], now: float) -> bool:
        """The earliest start wins; once it is settled, only if all neighbours say so."""
        starts = [timing.start for timing in heard.values() if timing.start is not None]
        if not starts or not self.known:
            return False
        running = self._running_since is not None
        settled = self._running_since is not None and now - self._running_since > _UNDISPUTED
        earliest = max(starts) if settled else min(starts)
        if settled and len(starts) < len(heard):
            return False
        if self.start is not None and earliest >= self.start - 1e-6:
            return False
        moved = running and self.start is not None and self.start - earliest > 0.5 * self._tick
        self.start = earliest
        return moved
