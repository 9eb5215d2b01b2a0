"""The failure detector: who has been silent for too long. The only place that decides whether a neighbour is there."""

import math

from steelyard.team._state_copies import copy_with_own_tables


class FailureDetector:
    """When each neighbour was last heard; `now` is of one clock that never runs backwards: s, samples or messages.

    A neighbour is present from the moment it is heard until `silence` has passed; one that never was is absent.
    """

    def __init__(self, names: tuple[str, ...], silence: float, since: float = -math.inf):
        """`since`: when all of them count as heard for the first time; by default never."""
        self._silence = silence
        self._heard: dict[str, float] = dict.fromkeys(names, since)

    def copied(self) -> "FailureDetector":
        """The same, on its own."""
        return copy_with_own_tables(self)

    def hear(self, name: str, now: float) -> None:
        """A message of a neighbour has arrived."""
        self._heard[name] = now

    def forget(self, name: str) -> None:
        """As if it had never been heard."""
        self._heard[name] = -math.inf

    def silence(self, name: str, now: float) -> float:
        """Since a neighbour was last heard; infinite before."""
        return now - self._heard[name]

    def absent(self, name: str, now: float) -> bool:
        """Whether it has been silent for so long that it counts as gone."""
        return self.silence(name, now) >= self._silence

    def present(self, now: float) -> tuple[str, ...]:
        """Those that are there."""
        return tuple(name for name in self._heard if not self.absent(name, now))
