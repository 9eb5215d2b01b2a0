"""A robot's record of one neighbour in a tree of sums: what has come from it, and what is on its way to it."""

import numpy as np

from steelyard.team.consensus._tree_message import Key
from steelyard.team.consensus._tuning import TUNING

REMEMBERED = 64
"""Messages before the newest that are confirmed: those of the bits of an integer."""
_ALL = (1 << (REMEMBERED - 1)) - 1


class Link:
    """A robot's record of one neighbour."""

    def __init__(self) -> None:
        self.root, self.beat, self.parent = "", -1, ""
        self.newest = -1  # sequence of its messages
        self.others = 0  # one bit for each of those before: whether it has arrived
        self.parts: dict[Key, np.ndarray] = {}
        self.by_message: dict[tuple[bool, Key], int] = {}  # the newest sequence that brought a part or a total
        self.queue: dict[tuple[bool, Key], None] = {}  # (up?, key) to send, in order
        self.unconfirmed: dict[int, tuple[int, list[tuple[bool, Key]]]] = {}
        self.late: dict[int, tuple[int, list[tuple[bool, Key]]]] = {}  # sent again, but may have arrived
        self.timeout = TUNING.first_timeout

    def has(self, sequence: int) -> bool:
        """Whether a message has arrived before, or is too old to tell."""
        gap = self.newest - sequence
        return gap == 0 or gap >= REMEMBERED or (gap > 0 and bool(self.others >> (gap - 1) & 1))

    def mark(self, sequence: int) -> None:
        """Another message has arrived."""
        gap = sequence - self.newest
        if gap > 0:
            self.others = ((self.others << 1 | 1) << (gap - 1)) & _ALL if gap < REMEMBERED else 0
            self.newest = sequence
        else:
            self.others |= 1 << (-gap - 1)

    def enqueue(self, up: bool, key: Key) -> None:
        """A sum to be sent, once; what is already waiting keeps its turn."""
        self.queue.setdefault((up, key))
