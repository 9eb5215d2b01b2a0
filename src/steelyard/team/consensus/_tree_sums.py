"""Exact sums over a team by messages to neighbours: up a tree that the robots grow themselves, and down again.

The tree is that of the leader election: its root is the robot with the smallest name, and a robot's parent is the
neighbour whose beats it follows. A robot's part of a sum goes to its parent once every child has sent its own, and the
total comes back the same way. What is not acknowledged is sent again, so loss, delay, duplication and reordering cost
time and nothing else. Road not taken: consensus averaging, which is never exact and needs rounds that grow with the
square of a line's length.
"""

import functools
from collections.abc import Callable

import msgspec
import numpy as np

from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.consensus._tuning import TUNING
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import Election, FailureDetector, Offer

Key = tuple[int, int, int, int]
"""What a sum is of: its kind, then three numbers, whose meaning is the user's. Kind 0 is sent last, newest first."""

_REMEMBERED = 64  # messages before the newest that are confirmed: those of the bits of an integer
_ALL = (1 << (_REMEMBERED - 1)) - 1


class TreeMessage(msgspec.Struct, frozen=True, array_like=True):
    """The tree's part of a message to one neighbour."""

    root: str
    beat: int
    parent: str
    received: int
    """Sequence of the recipient's newest message that has arrived; −1 before any."""
    others: int
    """One bit for each of the 63 messages before it: whether it has arrived."""
    up: bytes
    """Keys (int32) and parts (float64) for the parent."""
    down: bytes
    """Keys and totals for a child."""

    def keys(self, width: int) -> np.ndarray:
        """(key, 4), of all sums in it; none where it is malformed."""
        data, layout = self.up + self.down, _layout(width)
        return np.zeros((0, 4), int) if len(data) % layout.itemsize else np.frombuffer(data, layout)["key"]


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
        return gap == 0 or gap >= _REMEMBERED or (gap > 0 and bool(self.others >> (gap - 1) & 1))

    def mark(self, sequence: int) -> None:
        """Another message has arrived."""
        gap = sequence - self.newest
        if gap > 0:
            self.others = ((self.others << 1 | 1) << (gap - 1)) & _ALL if gap < _REMEMBERED else 0
            self.newest = sequence
        else:
            self.others |= 1 << (-gap - 1)

    def enqueue(self, up: bool, key: Key) -> None:
        """A sum to be sent, once; what is already waiting keeps its turn."""
        self.queue.setdefault((up, key))


class TreeSum:
    """One robot's end of the tree, part of its agent's state; `step` is called once a sample."""

    def __init__(self, name: str, neighbours: tuple[str, ...], width: int, per_message: int = TUNING.per_message):
        """`width` is of a sum; a message carries at most `per_message` of them each way."""
        self.name, self.width, self.per_message = name, width, per_message
        self.links = {neighbour: Link() for neighbour in neighbours}
        self.detector = FailureDetector(neighbours, MEMBERSHIP.silent_messages)
        """By own samples."""
        self.election = Election(name, MEMBERSHIP.silent_messages, now=0, keeps_parent=True)
        self.own: dict[Key, np.ndarray] = {}
        self.totals: dict[Key, np.ndarray] = {}
        self.fresh: list[Key] = []
        """Keys whose totals have come since the user last cleared it."""
        self._children: tuple[str, ...] = ()

    def copied(self) -> "TreeSum":
        """The same, to go on from without touching this one."""
        tree = copy_with_own_tables(self)
        tree.links = {name: copy_with_own_tables(link) for name, link in self.links.items()}
        tree.election, tree.detector = copy_with_own_tables(self.election), self.detector.copied()
        return tree

    def reset_link(self, neighbour: str) -> None:
        """Forgets all of a neighbour but that it is there: its process has been replaced, and gets all sums again."""
        self.links[neighbour] = Link()
        self.detector.forget(neighbour)
        self._children = tuple(name for name in self._children if name != neighbour)
        for key in sorted(self.own, reverse=True) if neighbour == self.election.parent else ():
            self._offer(key)

    def silent(self, tick: int, neighbour: str) -> bool:
        """Whether a neighbour counts as gone."""
        return self.detector.absent(neighbour, tick)

    def add(self, key: Key, row: np.ndarray) -> None:
        """The robot's own part of a sum."""
        self.own[key] = row
        self._offer(key)

    def forget(self, needed: Callable[[Key], bool]) -> None:
        """Drops sums that nobody needs any more."""
        for table in (self.own, self.totals, *(link.parts for link in self.links.values())):
            for key in [key for key in table if not needed(key)]:
                del table[key]
        for link in self.links.values():
            for item in [item for item in link.queue if not needed(item[1])]:
                del link.queue[item]
            link.by_message = {item: at for item, at in link.by_message.items() if needed(item[1])}

    def receive(self, tick: int, sender: str, sequence: int, message: TreeMessage) -> None:
        """Takes a neighbour's message; an old or malformed one is left out."""
        link = self.links.get(sender)
        if link is None or link.has(sequence):
            return
        up, down = _unpacked(message.up, self.width), _unpacked(message.down, self.width)
        if up is None or down is None:
            return
        self.detector.hear(sender, tick)
        if sequence > link.newest:
            link.root, link.beat, link.parent = message.root, message.beat, message.parent
        link.mark(sequence)
        self._take_confirmations(link, tick, message)
        for key, row in up:
            if link.by_message.get((True, key), -1) < sequence:
                link.by_message[True, key] = sequence
                link.parts[key] = row
                if sender in self._children:
                    self._offer(key)
        for key, row in down:
            if sender == self.election.parent and link.by_message.get((False, key), -1) < sequence:
                link.by_message[False, key] = sequence
                self._settle(key, row)

    def step(self, tick: int) -> None:
        """Leads or follows, and finds who came and who went; after all of a sample's messages were received."""
        parent = self.election.parent
        heard = {name: link for name, link in self.links.items() if not self.silent(tick, name)}
        self.election.update({name: Offer(link.root, link.beat) for name, link in heard.items()}, tick, tick)
        children = tuple(
            name for name, link in heard.items() if link.parent == self.name and name != self.election.parent
        )
        if children == self._children and parent == self.election.parent:
            return
        newcomers = [name for name in children if name not in self._children]
        for name in self._children:
            if name not in children:
                self.links[name].parts.clear()
                self.links[name].by_message = {k: v for k, v in self.links[name].by_message.items() if not k[0]}
        self._children = children
        for key in sorted(set(self.own).union(*(self.links[name].parts for name in children)), reverse=True):
            self._offer(key)
        for name in newcomers:
            for key in self.totals:
                self.links[name].enqueue(False, key)

    def message(self, tick: int, sequence: int, neighbour: str) -> TreeMessage:
        """What to send to a neighbour now."""
        link = self.links[neighbour]
        for old in [old for old, (sent, _) in link.unconfirmed.items() if tick - sent > link.timeout]:
            link.late[old] = link.unconfirmed.pop(old)
            link.queue = dict.fromkeys(link.late[old][1]) | link.queue
        chosen: dict[bool, list[tuple[Key, np.ndarray]]] = {True: [], False: []}
        wanted = {True: neighbour == self.election.parent, False: neighbour in self._children}
        for item in sorted(link.queue, key=_urgency) if len(link.queue) > self.per_message else list(link.queue):
            up, key = item
            row = (self._part(key) if up else self.totals.get(key)) if wanted[up] else None
            if row is None:
                del link.queue[item]
            elif len(chosen[up]) < self.per_message:
                del link.queue[item]
                chosen[up].append((key, row))
            elif all(len(rows) >= self.per_message or not wanted[way] for way, rows in chosen.items()):
                break
        sent = [(up, key) for up, rows in chosen.items() for key, _ in rows]
        if sent:
            link.unconfirmed[sequence] = (tick, sent)
        election, packed = self.election, (_packed(chosen[True], self.width), _packed(chosen[False], self.width))
        return TreeMessage(election.leader, election.beat, election.parent, link.newest, link.others, *packed)

    def _part(self, key: Key) -> np.ndarray | None:
        """Own and children's parts; None while one of them is missing."""
        total = self.own.get(key)
        if total is None:
            return None
        for name in self._children:
            part = self.links[name].parts.get(key)
            if part is None:
                return None
            total = total + part
        return total

    def _offer(self, key: Key) -> None:
        row = self._part(key)
        if row is None:
            return
        if self.election.leader == self.name:
            self._settle(key, row)
        elif self.election.parent:
            self.links[self.election.parent].enqueue(True, key)

    def _settle(self, key: Key, row: np.ndarray) -> None:
        """A total as the root has it; passed on to the children."""
        self.totals[key] = row
        self.fresh.append(key)
        for name in self._children:
            self.links[name].enqueue(False, key)

    @staticmethod
    def _take_confirmations(link: Link, tick: int, message: TreeMessage) -> None:
        for table in (link.unconfirmed, link.late):
            for sequence in list(table):
                gap = message.received - sequence
                if gap == 0 or (0 < gap < _REMEMBERED and message.others >> (gap - 1) & 1):
                    sent, _ = table.pop(sequence)
                    link.timeout = min(max(link.timeout, tick - sent + 2), MEMBERSHIP.silent_messages)
                elif gap >= _REMEMBERED and table is link.late:
                    del table[sequence]


def _urgency(item: tuple[bool, Key]) -> int:
    """Kind 0 from the newest to the oldest, after all others: old rows made again must not hold up new ones."""
    kind, number, *_ = item[1]
    return -(10**9) if kind else -number


@functools.cache
def _layout(width: int) -> np.dtype:
    """Of a sum in a message."""
    return np.dtype([("key", "<i4", 4), ("sum", "<f8", width)])


def _packed(rows: list[tuple[Key, np.ndarray]], width: int) -> bytes:
    table = np.empty(len(rows), _layout(width))
    if rows:
        table["key"], table["sum"] = [key for key, _ in rows], [row for _, row in rows]
    return table.tobytes()


def _unpacked(data: bytes, width: int) -> list[tuple[Key, np.ndarray]] | None:
    layout = _layout(width)
    if len(data) % layout.itemsize:
        return None
    table = np.frombuffer(data, layout)
    if not np.isfinite(table["sum"]).all():
        return None
    return list(zip(map(tuple, table["key"].tolist()), np.ascontiguousarray(table["sum"]), strict=True))
