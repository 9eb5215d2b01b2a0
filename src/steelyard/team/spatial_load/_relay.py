"""Samples on their way to everybody: each robot passes on what a neighbour is not known to have.

Every origin numbers its samples. A message tells a neighbour which samples its sender has, and brings it some that it
lacks, the oldest first. What is lost is sent again once the neighbour has received later messages and still lacks it,
or should have answered; what comes twice is known already. So a bad radio costs time, and nothing else. A neighbour
that is not heard any more gets inventories only.
"""

import itertools
import math

import msgspec

from steelyard.team._agent import Message
from steelyard.team._state_copies import shallow_copy
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import FailureDetector
from steelyard.team.spatial_load._paged_table import PagedTable

RELAY_MEMORY = 20.0  # s of samples that a robot can still pass on
_MOST = 128  # samples a message
_OVERTAKEN = 3  # later messages that a neighbour has received, after which one before counts as lost
_AHEAD = 63  # samples beyond the first that is missing of which a message tells
_SIZE = 120  # bytes of fifteen numbers
_MOST_BEFORE_START = 100_000  # messages that a robot may have sent before the row of the team's start, and by restarts


class RelayedSample(msgspec.Struct, frozen=True, array_like=True):
    """One sample of one robot."""

    origin: str
    born: int
    number: int
    row: int
    time: float
    values: bytes
    """Fifteen numbers of eight bytes, the least significant first; NaN where a sensor was silent."""


class Inventory(msgspec.Struct, frozen=True, array_like=True):
    """Which samples of a robot the sender has."""

    origin: str
    born: int
    """Row of the robot's first sample: a robot that starts again begins a new series."""
    oldest: int
    """The first that it can still pass on."""
    front: int
    """The first that it lacks."""
    ahead: int
    """Bits: which of those after `front` it has."""


class SpatialLoadMessage(Message, frozen=True, array_like=True):
    """What robots that hold a load in space tell each other."""

    echo: int
    """Number of the last message from the recipient."""
    inventories: tuple[Inventory, ...]
    samples: tuple[RelayedSample, ...]

    def possible_by(self, row: int, dt: float) -> bool:
        """Whether all that it tells can have been measured by a row; rows are `dt` s apart.

        A robot numbers its samples from its first row on, at most one a row. One that came back from a checkpoint may
        lack samples that are older than the oldest it still has: `front` before `oldest`.
        """
        most = 2 * row + _MOST_BEFORE_START
        return (
            max(self.sequence, self.echo) <= most
            and all(
                one.born <= row and max(one.oldest, one.front) <= row - one.born + 1 and one.ahead >= 0
                for one in self.inventories
            )
            and all(
                one.row <= row and 0 <= one.number <= one.row - one.born and abs(one.time - one.row * dt) <= dt
                for one in self.samples
            )
        )


class RelayedSeries:
    """Samples of one robot, by number, from its latest start on."""

    def __init__(self, born: int, front: int):
        self.born, self.front, self._begin = born, front, front
        self.samples: PagedTable[RelayedSample] = PagedTable()
        self.by_row: PagedTable[RelayedSample] = PagedTable()
        self.last_row = -1  # of the samples before `front`
        self.oldest: int | None = None  # number of the first that is here
        self.beyond: tuple[int, ...] = ()  # numbers after `front` that are here, in order

    def copied(self) -> "RelayedSeries":
        """The same, on its own."""
        twin = shallow_copy(self)
        twin.samples, twin.by_row = self.samples.copied(), self.by_row.copied()
        return twin

    def add(self, sample: RelayedSample) -> None:
        """Keeps a sample that is not known yet."""
        if sample.number < self.front or sample.number in self.samples:
            return
        number = sample.number
        self.samples[number] = self.by_row[sample.row] = sample
        self.oldest = number if self.oldest is None else min(self.oldest, number)
        if number != self.front:
            self.beyond = tuple(sorted((*self.beyond, number)))
        self._go_on()

    def _go_on(self) -> None:
        """Moves the front past all that is here."""
        while (sample := self.samples.get(self.front)) is not None:
            self.last_row = max(self.last_row, sample.row)
            self.front += 1
        if self.beyond and self.beyond[0] < self.front:
            self.beyond = tuple(number for number in self.beyond if number >= self.front)

    def skip_to(self, front: int) -> None:
        """Gives up on samples that nobody has any more."""
        if front > self.front:
            self.front = self._begin = front
            self._go_on()

    def forget(self, before_row: int) -> None:
        """Drops samples of rows before this one."""
        if self.oldest is None or (first := self.samples.get(self.oldest)) is None or first.row >= before_row:
            return
        self.by_row.keep_from(before_row)
        row = self.by_row.first()
        oldest = None if row is None else self.by_row.get(row)
        self.samples.keep_from(self.front if oldest is None else oldest.number)
        self.oldest = self.samples.first()
        self._begin = self.front if self.oldest is None else self.oldest
        self.beyond = tuple(number for number in self.beyond if number in self.samples)

    def first_row(self) -> int | None:
        """Of its samples that are here or may come; None before one is here."""
        first = self.by_row.first()
        return self.born if self._begin == 0 and first is not None else first

    def may_bring(self, row: int) -> bool:
        """Whether a sample of a row may yet come."""
        return self.born <= row and self.last_row <= row

    def inventory(self, origin: str) -> Inventory:
        """Which samples are here."""
        ahead = sum(1 << (number - self.front - 1) for number in self.beyond if number - self.front <= _AHEAD)
        return Inventory(origin, self.born, self.front if self.oldest is None else self.oldest, self.front, ahead)


class Link:
    """What is known of one neighbour: which samples it has, and what is on its way to it."""

    def __init__(self) -> None:
        self.heard = -1
        self.inventories: dict[str, Inventory] = {}
        self.sent: dict[tuple[str, int, int], int] = {}
        self.received = -1  # own message that it had received when it sent its inventories
        self.answer_after = 3.0  # messages until an answer, smoothed towards the slow side

    def copied(self) -> "Link":
        """The same, on its own."""
        twin = shallow_copy(self)
        twin.inventories, twin.sent = self.inventories.copy(), self.sent.copy()
        return twin

    def has(self, sample: RelayedSample) -> bool:
        """Whether the neighbour is known to have a sample, or not to want it."""
        inventory = self.inventories.get(sample.origin)
        if inventory is None or inventory.born < sample.born:
            return False
        if inventory.born > sample.born or sample.number < inventory.front:
            return True
        k = sample.number - inventory.front - 1
        return 0 <= k < _AHEAD and bool(inventory.ahead >> k & 1)


class Relay:
    """A robot's own and everybody else's samples, and its links."""

    def __init__(self, name: str, neighbours: tuple[str, ...], names: tuple[str, ...]):
        self.name, self.names = name, names
        self.series: dict[str, RelayedSeries] = {}
        self.links = {neighbour: Link() for neighbour in neighbours}
        self.detector = FailureDetector(neighbours, MEMBERSHIP.silent_messages, since=0)
        """By own messages; who is absent is only greeted."""
        self.sequence = 0
        self.newest = -1

    def copied(self) -> "Relay":
        """The same, on its own."""
        twin = shallow_copy(self)
        twin.series = {origin: series.copied() for origin, series in self.series.items()}
        twin.links = {neighbour: link.copied() for neighbour, link in self.links.items()}
        twin.detector = self.detector.copied()
        return twin

    def first_common_row(self) -> int | None:
        """The first row of which everybody may have a sample; None before everybody has been heard."""
        first = [self.series[name].first_row() for name in self.names if name in self.series]
        rows = [row for row in first if row is not None]
        return max(rows) if len(rows) == len(self.names) else None

    def samples_of(self, row: int) -> dict[str, RelayedSample]:
        """Those of a row that are here, by robot, in the team's order."""
        found = ((name, self.series[name].by_row.get(row)) for name in self.names)
        return {name: sample for name, sample in found if sample is not None}

    def measure(self, row: int, time: float, values: bytes) -> None:
        """Takes in a sample of one's own."""
        own = self.series.setdefault(self.name, RelayedSeries(row, 0))
        if row > own.last_row:
            own.add(RelayedSample(self.name, own.born, own.front, row, time, values))
            self.newest = max(self.newest, row)

    def hear(self, message: Message) -> None:
        """Takes in a message; one that makes no sense is none."""
        link = self.links.get(message.sender)
        if link is None or not isinstance(message, SpatialLoadMessage):
            return
        self.detector.hear(message.sender, self.sequence)
        if message.sequence > link.heard:
            link.heard = message.sequence
            after = float(self.sequence - message.echo)
            if message.echo >= 0 and 0.0 <= after < 1000.0:
                link.answer_after = max(after, 0.9 * link.answer_after)
                link.received = message.echo
            for inventory in message.inventories:
                known = link.inventories.get(inventory.origin)
                if known is None or (inventory.born, inventory.front) >= (known.born, known.front):
                    link.inventories[inventory.origin] = inventory
        for inventory in message.inventories:  # what the sender lacks itself may yet come
            self._meet(inventory.origin, inventory.born, min(inventory.oldest, inventory.front))
        for sample in message.samples:
            series = self.series.get(sample.origin)
            sound = len(sample.values) == _SIZE and sample.row >= 0 and math.isfinite(sample.time)
            if series is not None and sample.born == series.born and sample.origin != self.name and sound:
                series.add(sample)
                self.newest = max(self.newest, sample.row)

    def _meet(self, origin: str, born: int, oldest: int) -> None:
        if origin == self.name or origin not in self.names:
            return
        known = self.series.get(origin)
        if known is None or born > known.born:
            self.series[origin] = RelayedSeries(born, oldest)
        elif born == known.born and not known.samples and oldest > known.front:
            known.skip_to(oldest)

    def silence(self, origins: frozenset[str], beginning: bytes) -> None:
        """Takes the beginning of every sample of these robots away."""
        for series in (self.series[origin] for origin in origins if origin in self.series):
            for number, sample in list(series.samples.items()):
                less = msgspec.structs.replace(sample, values=beginning + sample.values[len(beginning) :])
                series.samples[number] = series.by_row[sample.row] = less

    def begin_again(self) -> None:
        """One's own samples are a new series from now on."""
        self.series[self.name] = RelayedSeries(self.newest + 1, 0)

    def reset_link(self, neighbour: str) -> None:
        """Nothing is known of a neighbour but that it is there."""
        self.links[neighbour] = Link()
        self.detector.hear(neighbour, self.sequence)

    def outbox(self, time: float) -> dict[str, Message]:
        """A message to every neighbour."""
        self.sequence += 1
        inventories = tuple(series.inventory(origin) for origin, series in self.series.items())
        return {
            neighbour: SpatialLoadMessage(
                self.name, self.sequence, time, link.heard, inventories, tuple(self._lacking(neighbour, link))
            )
            for neighbour, link in self.links.items()
        }

    def _lacking(self, neighbour: str, link: Link) -> list[RelayedSample]:
        """Samples that a neighbour may lack, and that are not on their way to it already."""
        wait, chosen = link.answer_after + 1.0, []
        if self.detector.absent(neighbour, self.sequence):
            return chosen
        for origin, series in self.series.items():
            if origin == neighbour:
                continue
            inventory = link.inventories.get(origin)
            low = inventory.front if inventory is not None and inventory.born == series.born else 0
            candidates = range(max(low, series.oldest or 0), series.front)
            most = len(chosen) + _MOST
            for number in itertools.chain(candidates, series.beyond):
                sample = series.samples.get(number)
                if sample is None or link.has(sample):
                    continue
                key = (origin, sample.born, number)
                sent = link.sent.get(key, -(10**9))
                if self.sequence - sent > wait or link.received - sent >= _OVERTAKEN:
                    chosen.append(sample)
                    if len(chosen) == most:
                        break
        chosen.sort(key=lambda sample: sample.row)
        chosen = chosen[:_MOST]
        for sample in chosen:
            link.sent[sample.origin, sample.born, sample.number] = self.sequence
        return chosen

    def forget(self, before: int | None) -> None:
        """Drops samples of rows before this one, and what was sent of them."""
        if before is None:
            return
        for series in self.series.values():
            series.forget(before)
        for link in self.links.values():
            link.sent = {
                key: when
                for key, when in link.sent.items()
                if (series := self.series.get(key[0])) is not None
                and series.born == key[1]
                and (sample := series.samples.get(key[2])) is not None
                and not link.has(sample)
            }
