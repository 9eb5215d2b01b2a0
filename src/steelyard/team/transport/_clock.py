"""One time for a team whose clocks differ: each robot follows a neighbour, and all of them the same robot.

The team's time is the clock of the leader by election. A robot follows the neighbour with the fewest hops to it, by the
time that the neighbour sends, measured by round trips of which the shortest count. If the leader goes, the next one
goes on with the time as it is. Road not taken: averaging of clocks, which on a long line takes minutes.
"""

from collections import deque

from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import Election, Offer
from steelyard.team.transport._envelope import Timing
from steelyard.team.transport._tuning import TUNING

_T = TUNING.clock


class _Peer:
    """What a robot knows of a neighbour's clock."""

    def __init__(self) -> None:
        self.received = -1e9  # own clock, when its last timing arrived
        self.timing: Timing | None = None
        self.trips: deque[tuple[float, float, float]] = deque()  # when, how long, its clock less the own one

    def comparison(self, now: float) -> tuple[float, float] | None:
        """The best trip, s, and the team's time less own clock by this neighbour; None before it knows.

        The neighbour's own offset is the newest that it sent.
        """
        self._forget(now)
        if not self.trips or self.timing is None or self.timing.team is None:
            return None
        # By the bound on its error: half of the trip, and what the clocks may have drifted since.
        _, trip, ahead = min(self.trips, key=lambda one: 0.5 * one[1] + _T.largest_drift * (now - one[0]))
        return trip, ahead + self.timing.team - self.timing.stamp

    def add_trip(self, now: float, trip: float, ahead: float) -> None:
        """A round trip, s, and by how much the neighbour's clock was ahead in its middle, s."""
        self._forget(now)
        self.trips.append((now, trip, ahead))

    def _forget(self, now: float) -> None:
        while self.trips and now - self.trips[0][0] > _T.round_trip_window:
            self.trips.popleft()


class TeamClock:
    """A robot's estimate of the team's time. All `now` are its own clock's, in seconds."""

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
        self._election = Election(name, MEMBERSHIP.forgotten, now, keeps_parent=False)
        self._peers = {neighbour: _Peer() for neighbour in neighbours}
        self._born, self._synchronous_at = now, now
        self._running_since: float | None = None
        self._next_beat = int(now * 10.0)  # a later process of this robot has later beats

    @property
    def leader(self) -> str:
        """The robot whose clock is the team's."""
        return self._election.leader

    @property
    def known(self) -> bool:
        """Whether the team's time is known."""
        return self.offset is not None

    @property
    def begun(self) -> bool:
        """Whether the team has taken samples, by this robot or any neighbour."""
        timings = (peer.timing for peer in self._peers.values())
        return self.start is not None or any(timing is not None and timing.start is not None for timing in timings)

    def ready(self, now: float) -> bool:
        """Whether the time is known, and neighbours had time to report a start."""
        return self.known and now - self._synchronous_at > MEMBERSHIP.start_report

    def team_time(self, own: float) -> float:
        """Of a time by the own clock."""
        return own + (self.offset or 0.0)

    def begin(self, own: float) -> None:
        """The first sample was taken; unless a neighbour knows of an earlier one, it is the team's first."""
        self._running_since = own
        if self.start is None:
            self.start = self.team_time(own)

    def timing_for(self, neighbour: str, now: float) -> Timing:
        """What to send to a neighbour now."""
        peer, election = self._peers[neighbour], self._election
        echo, held = (None, 0.0) if peer.timing is None else (peer.timing.stamp, max(now - peer.received, 0.0))
        team = None if self.offset is None else now + self.offset
        return Timing(now, team, election.leader, election.beat, election.hops, self.start, echo, held)

    def receive(self, neighbour: str, timing: Timing, now: float) -> None:
        """What a neighbour sent; `now` is when it arrived."""
        peer = self._peers[neighbour]
        if peer.timing is not None and timing.stamp <= peer.timing.stamp and now - peer.received < MEMBERSHIP.forgotten:
            return  # overtaken
        peer.timing, peer.received = timing, now
        if timing.echo is None or timing.echo < self._born:  # of an earlier process, by whatever its clock showed
            return
        trip = now - timing.echo - timing.held
        if 0.0 <= trip < MEMBERSHIP.forgotten:
            peer.add_trip(now, trip, timing.stamp + 0.5 * trip - now)

    def reset_peer(self, neighbour: str) -> None:
        """A neighbour's process has been replaced: its clock may show any other time."""
        self._peers[neighbour] = _Peer()

    def agrees(self, timing: Timing) -> bool:
        """Whether a neighbour, when it sent this, numbered its samples from the start that is the own one now."""
        return (
            self.start is not None and timing.start is not None and abs(timing.start - self.start) <= 0.5 * self._tick
        )

    def update(self, now: float) -> bool:
        """Follows; called some ten times a second. True where the team's start moved under samples already taken."""
        heard = {
            name: peer.timing
            for name, peer in self._peers.items()
            if peer.timing is not None and now - peer.received < MEMBERSHIP.forgotten and peer.timing.team is not None
        }
        parent = self._follow(heard, now)
        found = None if parent is None else self._peers[parent].comparison(now)
        if self.offset is None:
            trips = [one for name in heard if (one := self._peers[name].comparison(now)) is not None]
            trip, offset = min(trips, default=(0.0, 0.0))  # a neighbour that stood still answers late
            waited = now - self._born
            if waited > MEMBERSHIP.alone or (trips and (trip < _T.short_trip or waited > _T.trips_wait)):
                self.offset, self._synchronous_at = offset, now
        elif found is not None:
            received = found[1]
            error = received - self.offset
            if self._running_since is None:
                self._synchronous_at = now if abs(error) > _T.jump else self._synchronous_at
                self.offset = received
            else:
                self.offset += max(-_T.slew, min(_T.slew, _T.gain * error))
        return self._agree_on_start(heard, now)

    def _follow(self, heard: dict[str, Timing], now: float) -> str | None:
        """The neighbour to follow, None for the one whose clock it is; a robot without a time follows nobody."""
        known = heard if self.known else {}
        offers = {name: Offer(timing.root, timing.beat, timing.hops) for name, timing in known.items()}
        self._election.update(offers, now, self._next_beat)
        self._next_beat += self._election.leader == self.name
        return self._election.parent or None

    def _agree_on_start(self, heard: dict[str, Timing], now: float) -> bool:
        """The earliest start wins; once it is settled, only if all neighbours report an earlier one."""
        starts = [timing.start for timing in heard.values() if timing.start is not None]
        if not starts or not self.known:
            return False
        running = self._running_since is not None
        settled = self._running_since is not None and now - self._running_since > MEMBERSHIP.start_settled
        earliest = max(starts) if settled else min(starts)
        if settled and len(starts) < len(heard):
            return False
        if self.start is not None and earliest >= self.start - 1e-6:
            return False
        moved = running and self.start is not None and self.start - earliest > 0.5 * self._tick
        self.start = earliest
        return moved
