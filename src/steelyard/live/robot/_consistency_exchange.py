"""What robots say they measured, passed through the team, so that each can see who does not fit the others."""

from collections import deque

import numpy as np

from steelyard.live.robot._alignment import Aligned
from steelyard.live.robot._team_file import TeamPlan
from steelyard.team.transport import Claim

_REPEATS = 2  # times that a claim is told to a neighbour: one may be lost
_SPAN = 4.0  # s of claims that are looked at together
_ROW = 0.04  # s over which a robot averages what it claims
_AGAIN = 0.4  # s between two judgements
_LARGEST = 1e6  # in the units of the sensors; more is no claim
_VERDICTS = 2  # in a row, before somebody is called a liar


class Witness:
    """Gathers everybody's claims and judges them; a robot that is alone with its view of the motion is named."""

    def __init__(self, name: str, plan: TeamPlan):
        self.name = name
        self._robots, self._judge = plan.graph.names, plan.task.judge
        self._columns = len(plan.task.columns)
        self._motion = plan.task.motion
        self._per_row = max(1, round(_ROW * plan.rate))
        self._keep = round(_SPAN * plan.rate / self._per_row)
        self._rows: dict[int, dict[str, tuple[float, ...] | None]] = {}  # None where a claim is no numbers
        self._queues: dict[str, deque[Claim]] = {one: deque(maxlen=400) for one in plan.graph.neighbours(name)}
        self._pending: list[tuple[float, ...]] = []
        self._pending_row = -1
        self._next = round(_SPAN * plan.rate)
        self._every = round(_AGAIN * plan.rate)
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

    def hear(self, claims: tuple[Claim, ...], sender: str) -> None:
        """What a neighbour passed on; nobody but the robot itself speaks for it."""
        for claim in claims:
            if claim.origin in self._robots and claim.origin != self.name and len(claim.values) <= 64:
                self._take(claim, sender)

    def claims_for(self, neighbour: str) -> tuple[Claim, ...]:
        """What to pass on now."""
        queue = self._queues[neighbour]
        return tuple(queue.popleft() for _ in range(min(len(queue), 8)))

    def judge(self, tick: int) -> list[tuple[str, str]]:
        """Who is a liar as of now, each named once, and why."""
        if tick < self._next:
            return []
        self._next = tick + self._every
        robots = [name for name in self._robots if name not in self._named]
        # Who has named itself says no more: others may still need what it said before.
        rows = [row for row in sorted(self._rows) if self._complete(row, robots)][-self._keep :]
        found = None
        if len(robots) >= 4 and len(rows) >= 0.5 * self._keep:
            table = np.array([[self._rows[row][one] for one in robots] for row in rows])
            odd = self._judge(table, self._per_row)
            found = None if odd is None else robots[odd]
        self._suspects = {} if found is None else {found: self._suspects.get(found, 0) + 1}
        if found is None or self._suspects[found] < _VERDICTS:
            return []
        self._named.add(found)
        what = f"{found} says that the load moves in a way that does not fit what all others say; it is not believed."
        return [(found, what)]

    def _complete(self, row: int, robots: list[str]) -> bool:
        """Whether all of them claim numbers."""
        claims = self._rows[row]
        return all(claims.get(one) is not None for one in robots)

    def _sound(self, values: tuple[float, ...]) -> bool:
        """Whether it is numbers: a silent sensor claims none, and a fool any."""
        motion = values[: self._motion]
        return len(values) == self._columns and all(abs(value) < _LARGEST for value in motion)

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
                queue.extend([claim] * _REPEATS)
