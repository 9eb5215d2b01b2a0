"""Leader election by heartbeats: all robots that can reach each other follow the one with the smallest name.

The leader raises its beat; a beat passes from neighbour to neighbour, and a robot follows the neighbour with the
smallest leader. Where no newer beat comes for `timeout`, the leader counts as dead: its beats up to the last one are
refused for a while, so that old beats which still travel between others cannot bring it back. The robot then leads
itself until a neighbour announces a smaller name.
"""

from collections.abc import Mapping
from typing import NamedTuple

from steelyard.team.membership._tuning import TUNING


class Offer(NamedTuple):
    """What a neighbour announces."""

    leader: str
    beat: int
    """The newest beat of that leader which it knows."""
    hops: int = 0
    """Links from it to the leader; of no account where a parent is kept."""


class Election:
    """One robot's part. Times and beats are in any unit; `copied` states share nothing that changes."""

    def __init__(self, name: str, timeout: float | int, now: float | int, keeps_parent: bool):
        """`keeps_parent`: stay with a parent while it has newer beats, as a tree needs it that carries sums.

        Otherwise the parent is always the neighbour with the fewest hops to the leader, as a clock needs it.
        """
        self.name, self.timeout, self.keeps_parent = name, timeout, keeps_parent
        self.leader, self.beat, self.beat_at = name, 0, now
        self.parent, self.hops = "", 0
        """The neighbour that it follows, empty for the leader; and links to the leader."""
        self.dead: dict[str, tuple[int, float | int]] = {}
        """By leader that has died, its last beat, and when it counted as dead."""

    def update(self, offers: Mapping[str, Offer], now: float | int, own_beat: int) -> None:
        """Follows or leads, by what the neighbours that are heard announce; `own_beat` is the robot's if it leads."""
        self.dead = {
            one: last for one, last in self.dead.items() if now - last[1] <= TUNING.refused_timeouts * self.timeout
        }
        valid = {
            name: offer
            for name, offer in offers.items()
            if offer.leader < self.name and offer.beat > self.dead.get(offer.leader, (-1, 0))[0]
        }
        if self.keeps_parent:
            self._keep_or_change(offers.get(self.parent), valid, now)
        else:
            self._take_nearest(valid, now)
        if self.leader == self.name:
            self.beat, self.beat_at = own_beat, now

    def _keep_or_change(self, parent: Offer | None, valid: Mapping[str, Offer], now: float | int) -> None:
        if parent is not None and parent.leader == self.leader and parent.beat > self.beat:
            self.beat, self.beat_at = parent.beat, now
        gone = parent is None or parent.leader != self.leader
        lost = self.leader != self.name and (gone or self._expired(now))
        better = {name: offer for name, offer in valid.items() if offer.leader < self.leader}
        if not better and lost:
            better = {n: offer for n, offer in valid.items() if offer.leader == self.leader and offer.beat > self.beat}
        if better:
            name = min(better, key=lambda name: (better[name].leader, -better[name].beat, name))
            self.leader, self.beat, self.beat_at, self.parent = better[name].leader, better[name].beat, now, name
        elif lost and self._expired(now):
            self._declare_dead(now)

    def _take_nearest(self, valid: Mapping[str, Offer], now: float | int) -> None:
        if not valid:
            self._lead()
            return
        self.parent = min(valid, key=lambda name: (valid[name].leader, valid[name].hops, name))
        chosen = valid[self.parent]
        if chosen.leader != self.leader or chosen.beat > self.beat:
            self.beat, self.beat_at = chosen.beat, now
        self.leader, self.hops = chosen.leader, chosen.hops + 1
        if self._expired(now):
            self._declare_dead(now)

    def _expired(self, now: float | int) -> bool:
        return now - self.beat_at > self.timeout

    def _declare_dead(self, now: float | int) -> None:
        self.dead[self.leader] = self.beat, now
        self._lead()

    def _lead(self) -> None:
        self.leader, self.parent, self.hops = self.name, "", 0
