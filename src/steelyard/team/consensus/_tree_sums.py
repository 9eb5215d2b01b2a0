"""Exact sums over a team by messages to neighbours: up a tree that the robots grow themselves, and down again.

The robot with the smallest name is the root and beats like a heart; who hears a newer beat from a neighbour may hang on
to it. A key's part goes to the parent once every child has told its own, and the total comes back the same way. What
was not acknowledged is sent again, so loss, delay, doubling and disorder cost time and nothing else. Road not taken:
consensus averaging, which is never exact and needs rounds that grow with the square of a line's length.
"""

from collections.abc import Callable

import msgspec
import numpy as np

from steelyard.team._fresh import fresh

Key = tuple[int, int]
"""What a sum is of: a row (negative ones are notes) and the version of the places that it was made with."""
Row = Callable[[Key], np.ndarray | None]

SILENCE = 40  # samples without a word, or without a new beat, after which a robot counts as gone
_REMEMBERED = 64
_ALL = (1 << (_REMEMBERED - 1)) - 1


class TreeMessage(msgspec.Struct, frozen=True, array_like=True):
    """The tree's share of a letter to one neighbour."""

    root: str
    beat: int
    parent: str
    heard: int
    """The newest of the recipient's letters that has arrived; −1 before any."""
    others: int
    """One bit for each of the 63 letters before it: whether it has arrived."""
    up: bytes
    """Keys and parts, float64, for the parent."""
    down: bytes
    """Keys and totals for a child."""


class Line:
    """What a robot keeps for one neighbour."""

    def __init__(self) -> None:
        self.last = -(10**9)  # own sample at which it was last heard
        self.root, self.beat, self.parent = "", -1, ""
        self.newest = -1  # sequence of its letters
        self.others = 0  # one bit for each of those before: whether it has arrived
        self.parts: dict[Key, np.ndarray] = {}
        self.from_letter: dict[tuple[bool, Key], int] = {}
        self.queue: dict[tuple[bool, Key], None] = {}  # (up?, key) to send, in order
        self.flying: dict[int, tuple[int, list[tuple[bool, Key]]]] = {}
        self.late: dict[int, tuple[int, list[tuple[bool, Key]]]] = {}  # given up, but may have arrived
        self.patience = 4

    def has(self, sequence: int) -> bool:
        """Whether a letter has arrived before, or is too old to tell."""
        gap = self.newest - sequence
        return gap == 0 or gap >= _REMEMBERED or (gap > 0 and bool(self.others >> (gap - 1) & 1))

    def note(self, sequence: int) -> None:
        """Another letter has arrived."""
        gap = sequence - self.newest
        if gap > 0:
            self.others = ((self.others << 1 | 1) << (gap - 1)) & _ALL if gap < _REMEMBERED else 0
            self.newest = sequence
        else:
            self.others |= 1 << (-gap - 1)

    def enqueue(self, up: bool, key: Key) -> None:
        """A sum to be sent, once; what is already waiting keeps its place."""
        self.queue.setdefault((up, key))


class TreeSum:
    """One robot's end of the tree; `step` is called once a sample. It is part of an agent's state."""

    def __init__(self, name: str, neighbours: tuple[str, ...], width: int, per_letter: int = 8):
        """`width` is of a sum; a letter carries at most `per_letter` of them each way."""
        self.name, self.width, self.per_letter = name, width, per_letter
        self.lines = {neighbour: Line() for neighbour in neighbours}
        self.root, self.beat, self.beat_at, self.parent = name, 0, 0, ""
        self.dead: dict[str, int] = {}
        self.own: dict[Key, np.ndarray] = {}
        self.totals: dict[Key, np.ndarray] = {}
        self.fresh: list[Key] = []
        self._children: tuple[str, ...] = ()

    def copied(self) -> "TreeSum":
        """The same, to go on from without touching this one."""
        tree = fresh(self)
        tree.lines = {name: fresh(line) for name, line in self.lines.items()}
        return tree

    def meet_again(self, neighbour: str) -> None:
        """Nothing is known of a neighbour but that it is there."""
        self.lines[neighbour] = Line()
        self._children = tuple(name for name in self._children if name != neighbour)

    def silent(self, tick: int, neighbour: str) -> bool:
        """Whether a neighbour counts as gone."""
        return tick - self.lines[neighbour].last >= SILENCE

    def add(self, key: Key, row: np.ndarray) -> None:
        """The robot's own part of a sum."""
        self.own[key] = row
        self._offer(key)

    def forget(self, keep: Callable[[Key], bool]) -> None:
        """Lets go of sums that nobody needs any more."""
        for table in (self.own, self.totals, *(line.parts for line in self.lines.values())):
            for key in [key for key in table if not keep(key)]:
                del table[key]
        for line in self.lines.values():
            for item in [item for item in line.queue if not keep(item[1])]:
                del line.queue[item]
            line.from_letter = {item: at for item, at in line.from_letter.items() if keep(item[1])}

    def hear(self, tick: int, sender: str, sequence: int, parcel: TreeMessage) -> None:
        """Takes in a neighbour's parcel; what is old or malformed is left out."""
        line = self.lines.get(sender)
        if line is None or line.has(sequence):
            return
        up, down = _opened(parcel.up, self.width), _opened(parcel.down, self.width)
        if up is None or down is None:
            return
        line.last = tick
        if sequence > line.newest:
            line.root, line.beat, line.parent = parcel.root, parcel.beat, parcel.parent
        line.note(sequence)
        self._acknowledged(line, tick, parcel)
        for key, row in up:
            if line.from_letter.get((True, key), -1) < sequence:
                line.from_letter[True, key] = sequence
                line.parts[key] = row
                if sender in self._children:
                    self._offer(key)
        for key, row in down:
            if sender == self.parent and line.from_letter.get((False, key), -1) < sequence:
                line.from_letter[False, key] = sequence
                self._settle(key, row)

    def step(self, tick: int) -> None:
        """Beats or follows a beat, and notices who came and who went; after all of a sample's parcels were heard."""
        parent = self.parent
        self._follow(tick)
        children = tuple(
            name
            for name, line in self.lines.items()
            if line.parent == self.name and name != self.parent and tick - line.last < SILENCE
        )
        if children == self._children and parent == self.parent:
            return
        newcomers = [name for name in children if name not in self._children]
        for name in self._children:
            if name not in children:
                self.lines[name].parts.clear()
                self.lines[name].from_letter = {k: v for k, v in self.lines[name].from_letter.items() if not k[0]}
        self._children = children
        for key in sorted(set(self.own).union(*(self.lines[name].parts for name in children)), reverse=True):
            self._offer(key)
        for name in newcomers:
            for key in self.totals:
                self.lines[name].enqueue(False, key)

    def parcel(self, tick: int, sequence: int, neighbour: str) -> TreeMessage:
        """What to send to a neighbour now."""
        line = self.lines[neighbour]
        for old in [old for old, (sent, _) in line.flying.items() if tick - sent > line.patience]:
            line.late[old] = line.flying.pop(old)
            line.queue = dict.fromkeys(line.late[old][1]) | line.queue
        chosen: dict[bool, list[tuple[Key, np.ndarray]]] = {True: [], False: []}
        wanted = {True: neighbour == self.parent, False: neighbour in self._children}
        for item in sorted(line.queue, key=_urgency) if len(line.queue) > self.per_letter else list(line.queue):
            up, key = item
            row = (self._part(key) if up else self.totals.get(key)) if wanted[up] else None
            if row is None:
                del line.queue[item]
            elif len(chosen[up]) < self.per_letter:
                del line.queue[item]
                chosen[up].append((key, row))
            elif all(len(rows) >= self.per_letter or not wanted[way] for way, rows in chosen.items()):
                break
        sent = [(up, key) for up, rows in chosen.items() for key, _ in rows]
        if sent:
            line.flying[sequence] = (tick, sent)
        told = _closed(chosen[True]), _closed(chosen[False])
        return TreeMessage(self.root, self.beat, self.parent, line.newest, line.others, *told)

    def _follow(self, tick: int) -> None:
        heard = {name: line for name, line in self.lines.items() if tick - line.last < SILENCE}
        line = heard.get(self.parent)
        if line is not None and line.root == self.root and line.beat > self.beat:
            self.beat, self.beat_at = line.beat, tick
        lost = self.root != self.name and (line is None or line.root != self.root or tick - self.beat_at > SILENCE)
        offers = {
            name: line
            for name, line in heard.items()
            if line.beat > self.dead.get(line.root, -1) and line.root <= self.root and line.root < self.name
        }
        better = {name: line for name, line in offers.items() if line.root < self.root}
        if not better and lost:
            better = {name: line for name, line in offers.items() if line.root == self.root and line.beat > self.beat}
        if better:
            name = min(better, key=lambda name: (better[name].root, -better[name].beat, name))
            self.root, self.beat, self.beat_at, self.parent = better[name].root, better[name].beat, tick, name
        elif lost and tick - self.beat_at > SILENCE:
            self.dead[self.root] = self.beat
            self.root, self.parent = self.name, ""
        if self.root == self.name:
            self.beat, self.beat_at = tick, tick

    def _part(self, key: Key) -> np.ndarray | None:
        """Own and children's parts; None while one of them is missing."""
        total = self.own.get(key)
        if total is None:
            return None
        for name in self._children:
            part = self.lines[name].parts.get(key)
            if part is None:
                return None
            total = total + part
        return total

    def _offer(self, key: Key) -> None:
        row = self._part(key)
        if row is None:
            return
        if self.root == self.name:
            self._settle(key, row)
        elif self.parent:
            self.lines[self.parent].enqueue(True, key)

    def _settle(self, key: Key, row: np.ndarray) -> None:
        """A total as the root has it; passed on to the children."""
        self.totals[key] = row
        self.fresh.append(key)
        for name in self._children:
            self.lines[name].enqueue(False, key)

    @staticmethod
    def _acknowledged(line: Line, tick: int, parcel: TreeMessage) -> None:
        for table in (line.flying, line.late):
            for sequence in list(table):
                gap = parcel.heard - sequence
                if gap == 0 or (0 < gap < _REMEMBERED and parcel.others >> (gap - 1) & 1):
                    sent, _ = table.pop(sequence)
                    line.patience = min(max(line.patience, tick - sent + 2), SILENCE)
                elif gap >= _REMEMBERED and table is line.late:
                    del table[sequence]


def _urgency(item: tuple[bool, Key]) -> int:
    """Notes first, then rows from the newest to the oldest: a new version of old rows must not hold up new ones."""
    row = item[1][0]
    return -(10**9) if row < 0 else -row


def _closed(rows: list[tuple[Key, np.ndarray]]) -> bytes:
    return b"".join(np.array([*key, *row]).tobytes() for key, row in rows)


def _opened(data: bytes, width: int) -> list[tuple[Key, np.ndarray]] | None:
    if len(data) % (8 * (width + 2)):
        return None
    table = np.frombuffer(data).reshape(-1, width + 2)
    if not np.isfinite(table).all():
        return None
    return [((int(row[0]), int(row[1])), row[2:]) for row in table]
