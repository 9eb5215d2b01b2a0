"""A link that loses, delays, doubles and reorders messages, by the seed."""

import heapq
import itertools
import math
import random

from steelyard.config import CutLinks
from steelyard.errors import BadInput


class DisturbedLink:
    """Between the bus and the gate of the robot that receives. Nobody learns what it loses."""

    def __init__(self, name: str, seed: int, loss: float, jitter: float, double: float, cuts: tuple[CutLinks, ...]):
        if not (0.0 <= loss < 1.0 and 0.0 <= double <= 1.0 and jitter >= 0.0):
            raise BadInput(
                f"A link cannot lose {loss}, double {double} or delay by {jitter} s; give shares from 0 to 1."
            )
        self.name, self.loss, self.jitter, self.double, self.cuts = name, loss, jitter, double, cuts
        self._draw = random.Random(f"{seed}/{name}")
        self._waiting: list[tuple[float, int, str, bytes]] = []
        self._order = itertools.count()

    @property
    def perfect(self) -> bool:
        """Whether it does nothing at all."""
        return self.loss == 0.0 and self.jitter == 0.0 and self.double == 0.0 and not self.cuts

    @property
    def next_due(self) -> float:
        """When `due` has something again, own clock; never, if nothing is under way."""
        return self._waiting[0][0] if self._waiting else math.inf

    def receive(self, now: float, run_time: float, sender: str, data: bytes) -> list[tuple[str, bytes]]:
        """What arrives at once of a message that came: by whom, and what. Others come later, or never, or twice."""
        if self.perfect:  # since `end_faults`
            return [(sender, data)]
        if self._draw.random() < self.loss or self._cut(run_time, sender):
            return []
        twice = self._draw.random() < self.double
        for _ in range(2 if twice else 1):
            due = now + self.jitter * self._draw.random()
            heapq.heappush(self._waiting, (due, next(self._order), sender, data))
        return []

    def due(self, now: float) -> list[tuple[str, bytes]]:
        """What was held back and arrives now."""
        found = []
        while self._waiting and self._waiting[0][0] <= now:
            _, _, sender, data = heapq.heappop(self._waiting)
            found.append((sender, data))
        return found

    def _cut(self, run_time: float, sender: str) -> bool:
        link = {sender, self.name}
        return any(cut.start <= run_time < cut.end and link in map(set, cut.links) for cut in self.cuts)

    def end_faults(self) -> None:
        """From now on nothing is lost or delayed: the end of a run, when all is counted."""
        self.loss = self.jitter = self.double = 0.0
        self.cuts = ()
