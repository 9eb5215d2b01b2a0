"""Claims of what robots measured, passed through the team, so that each can check who is inconsistent."""

from collections import deque

import numpy as np

from steelyard.live.robot._alignment import Aligned
from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.team.transport import Claim


class ConsistencyExchange:
    """Gathers all robots' claims and checks them; the only one that is inconsistent with all others is named."""

    def __init__(self, name: str, plan: TeamPlan):
        self.name = name
        self._robots, self._faulty_member = plan.graph.names, plan.task.faulty_member
        self._columns = len(plan.task.columns)
        self._motion = plan.task.motion
        self._per_row = max(1, round(TUNING.check_row * plan.rate))
        self._keep = round(TUNING.check_span * plan.rate / self._per_row)
        self._rows: dict[int, dict[str, tuple[float, ...] | None]] = {}  # None where a claim is no numbers
        self._queues: dict[str, deque[Claim]] = {one: deque(maxlen=400) for one in plan.graph.neighbours(name)}
        self._pending: list[tuple[float, ...]] = []
        self._pending_row = -1
        self._next = round(TUNING.check_span * plan.rate)
        self._every = round(TUNING.check_interval * plan.rate)
        self._suspects: dict[str, int] = {}
        self._named: set[str] = set()
        self._newest = -1

    def measure(self, aligned: Aligned) -> None:
        """The robot's own sample."""
        row = aligned.tick // self._per_row
        if row != self._pending_row:
            if len(self._pending) == self._per_row:
                values = tuple(np.mean(self._pending, axis=0).tolist())
                self._take(Claim(self.name, self._pending_row, values), None)
            self._pending, self._pending_row = [], row
        self._pending.append(aligned.values)

    def receive(self, claims: tuple[Claim, ...], sender: str) -> None:
        """What a neighbour passed on; claims of the robot's own it has itself."""
        for claim in claims:
            if claim.origin in self._robots and claim.origin != self.name and len(claim.values) <= 64:
                self._take(claim, sender)

    def claims_for(self, neighbour: str) -> tuple[Claim, ...]:
        """What to pass on now."""
        queue = self._queues[neighbour]
        return tuple(queue.popleft() for _ in range(min(len(queue), 8)))

    def find_faulty(self, tick: int) -> list[tuple[str, str]]:
        """Members that are faulty as of now, each named once, and why."""
        if tick < self._next:
            return []
        self._next = tick + self._every
        robots = [name for name in self._robots if name not in self._named]
        # A member that has found itself faulty claims no more: others may still need its earlier claims.
        rows = [row for row in sorted(self._rows) if self._complete(row, robots)][-self._keep :]
        found = None
        if len(robots) >= 4 and len(rows) >= 0.5 * self._keep:
            table = np.array([[self._rows[row][one] for one in robots] for row in rows])
            number = self._faulty_member(table, self._per_row)
            found = None if number is None else robots[number]
        self._suspects = {} if found is None else {found: self._suspects.get(found, 0) + 1}
        if found is None or self._suspects[found] < TUNING.check_verdicts:
            return []
        self._named.add(found)
        what = f"{found} measures a motion that is inconsistent with what all others measure; it is not used."
        return [(found, what)]

    def _complete(self, row: int, robots: list[str]) -> bool:
        """Whether all of them claim numbers."""
        claims = self._rows[row]
        return all(claims.get(one) is not None for one in robots)

    def _sound(self, values: tuple[float, ...]) -> bool:
        """Whether it is numbers: a silent sensor claims none, and a faulty member anything."""
        motion = values[: self._motion]
        return len(values) == self._columns and all(abs(value) < TUNING.largest_claim for value in motion)

    def _take(self, claim: Claim, sender: str | None) -> None:
        if claim.row < self._newest - 2 * self._keep or claim.row > self._newest + 10 * self._keep > 0:
            return
        known = self._rows.setdefault(claim.row, {})
        if claim.origin in known:
            return
        known[claim.origin] = claim.values if self._sound(claim.values) else None
        if claim.origin == self.name:
            self._newest = max(self._newest, claim.row)
            for row in [row for row in self._rows if row < self._newest - 2 * self._keep]:
                del self._rows[row]
        for neighbour, queue in self._queues.items():
            if neighbour not in (sender, claim.origin):
                queue.extend([claim] * TUNING.check_repeats)
