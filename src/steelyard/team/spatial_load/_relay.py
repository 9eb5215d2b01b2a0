"""Samples on their way to everybody: each robot passes on what a neighbour is not known to have.

Every origin numbers its samples. A message tells a neighbour which samples its sender has, and brings it some that it
lacks, the oldest first. What is lost is sent again once the neighbour should have answered; what comes twice is known
already. So a bad radio costs time, and nothing else. Who is not heard any more is only told what there is.
"""

import itertools
import math

import msgspec

from steelyard.team._agent import Message
from steelyard.team._fresh import shallow
from steelyard.team.spatial_load._paged_table import PagedTable

KEPT = 20.0  # s of samples that a robot can still pass on
_MOST = 128  # samples a message
_UNHEARD = 50  # messages without an answer, after which a neighbour is only greeted
_AHEAD = 63  # samples beyond the first that is missing of which a message tells
_SIZE = 120  # bytes of fifteen numbers


class Parcel(msgspec.Struct, frozen=True, array_like=True):
    """One sample of one robot."""

    origin: str
    born: int
    number: int
    row: int
    time: float
    values: bytes
    """Fifteen numbers of eight bytes, the least significant first; NaN where a sensor was silent."""


class Stand(msgspec.Struct, frozen=True, array_like=True):
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
    stands: tuple[Stand, ...]
    parcels: tuple[Parcel, ...]


class Series:
    """Samples of one robot, by number, from its latest start on."""

    def __init__(self, born: int, front: int):
        self.born, self.front = born, front
        self.parcels: PagedTable[Parcel] = PagedTable()
        self.by_row: PagedTable[Parcel] = PagedTable()
        self.last_row = -1  # of the samples before `front`
        self.oldest: int | None = None  # number of the first that is here
        self.beyond: tuple[int, ...] = ()  # numbers after `front` that are here, in order

    def copied(self) -> "Series":
        """The same, on its own."""
        twin = shallow(self)
        twin.parcels, twin.by_row = self.parcels.copied(), self.by_row.copied()
        return twin

    def add(self, parcel: Parcel) -> None:
        """Keeps a sample that is not known yet."""
        if parcel.number < self.front or parcel.number in self.parcels:
            return
        number = parcel.number
        self.parcels[number] = self.by_row[parcel.row] = parcel
        self.oldest = number if self.oldest is None else min(self.oldest, number)
        if number != self.front:
            self.beyond = tuple(sorted((*self.beyond, number)))
        self._go_on()

    def _go_on(self) -> None:
        """Moves the front past all that is here."""
        while (parcel := self.parcels.get(self.front)) is not None:
            self.last_row = max(self.last_row, parcel.row)
            self.front += 1
        if self.beyond and self.beyond[0] < self.front:
            self.beyond = tuple(number for number in self.beyond if number >= self.front)

    def skip_to(self, front: int) -> None:
        """Gives up on samples that nobody has any more."""
        if front > self.front:
            self.front = front
            self._go_on()

    def forget(self, before_row: int) -> None:
        """Drops samples of rows before this one."""
        if self.oldest is None or (first := self.parcels.get(self.oldest)) is None or first.row >= before_row:
            return
        self.by_row.keep_from(before_row)
        row = self.by_row.first()
        kept = None if row is None else self.by_row.get(row)
        self.parcels.keep_from(self.front if kept is None else kept.number)
        self.oldest = self.parcels.first()
        self.beyond = tuple(number for number in self.beyond if number in self.parcels)

    def stand(self, origin: str) -> Stand:
        """Which samples are here."""
        ahead = sum(1 << (number - self.front - 1) for number in self.beyond if number - self.front <= _AHEAD)
        return Stand(origin, self.born, self.front if self.oldest is None else self.oldest, self.front, ahead)


class Link:
    """What is known of one neighbour: which samples it has, and what is on its way to it."""

    def __init__(self) -> None:
        self.heard = -1
        self.stands: dict[str, Stand] = {}
        self.sent: dict[tuple[str, int, int], int] = {}
        self.answer_after = 3.0  # messages until an answer, smoothed towards the slow side
        self.unheard = 0  # messages to it since it was last heard

    def copied(self) -> "Link":
        """The same, on its own."""
        twin = shallow(self)
        twin.stands, twin.sent = self.stands.copy(), self.sent.copy()
        return twin

    def has(self, parcel: Parcel) -> bool:
        """Whether the neighbour is known to have a sample, or not to want it."""
        stand = self.stands.get(parcel.origin)
        if stand is None or stand.born < parcel.born:
            return False
        if stand.born > parcel.born or parcel.number < stand.front:
            return True
        k = parcel.number - stand.front - 1
        return 0 <= k < _AHEAD and bool(stand.ahead >> k & 1)


class Relay:
    """A robot's own and everybody else's samples, and its links."""

    def __init__(self, name: str, neighbours: tuple[str, ...], names: tuple[str, ...]):
        self.name, self.names = name, names
        self.series: dict[str, Series] = {}
        self.links = {neighbour: Link() for neighbour in neighbours}
        self.sequence = 0
        self.newest = -1

    def copied(self) -> "Relay":
        """The same, on its own."""
        twin = shallow(self)
        twin.series = {origin: series.copied() for origin, series in self.series.items()}
        twin.links = {neighbour: link.copied() for neighbour, link in self.links.items()}
        return twin

    def measure(self, row: int, time: float, values: bytes) -> None:
        """Takes in a sample of one's own."""
        own = self.series.setdefault(self.name, Series(row, 0))
        if row > own.last_row:
            own.add(Parcel(self.name, own.born, own.front, row, time, values))
            self.newest = max(self.newest, row)

    def hear(self, message: Message) -> None:
        """Takes in a message; one that makes no sense is none."""
        link = self.links.get(message.sender)
        if link is None or not isinstance(message, SpatialLoadMessage):
            return
        link.unheard = 0
        if message.sequence > link.heard:
            link.heard = message.sequence
            after = float(self.sequence - message.echo)
            if message.echo >= 0 and 0.0 <= after < 1000.0:
                link.answer_after = max(after, 0.9 * link.answer_after)
            for stand in message.stands:
                known = link.stands.get(stand.origin)
                if known is None or (stand.born, stand.front) >= (known.born, known.front):
                    link.stands[stand.origin] = stand
        for stand in message.stands:  # what the sender lacks itself may yet come
            self._meet(stand.origin, stand.born, min(stand.oldest, stand.front))
        for parcel in message.parcels:
            series = self.series.get(parcel.origin)
            sound = len(parcel.values) == _SIZE and parcel.row >= 0 and math.isfinite(parcel.time)
            if series is not None and parcel.born == series.born and parcel.origin != self.name and sound:
                series.add(parcel)
                self.newest = max(self.newest, parcel.row)

    def _meet(self, origin: str, born: int, oldest: int) -> None:
        if origin == self.name or origin not in self.names:
            return
        known = self.series.get(origin)
        if known is None or born > known.born:
            self.series[origin] = Series(born, oldest)
        elif born == known.born and not known.parcels and oldest > known.front:
            known.skip_to(oldest)

    def silence(self, origins: frozenset[str], beginning: bytes) -> None:
        """Takes the beginning of every sample of these robots away."""
        for series in (self.series[origin] for origin in origins if origin in self.series):
            for number, parcel in list(series.parcels.items()):
                less = msgspec.structs.replace(parcel, values=beginning + parcel.values[len(beginning) :])
                series.parcels[number] = series.by_row[parcel.row] = less

    def begin_again(self) -> None:
        """One's own samples are a new series from now on."""
        self.series[self.name] = Series(self.newest + 1, 0)

    def reset_link(self, neighbour: str) -> None:
        """Nothing is known of a neighbour but that it is there."""
        self.links[neighbour] = Link()

    def outbox(self, time: float) -> dict[str, Message]:
        """A message to every neighbour."""
        self.sequence += 1
        stands = tuple(series.stand(origin) for origin, series in self.series.items())
        return {
            neighbour: SpatialLoadMessage(
                self.name, self.sequence, time, link.heard, stands, tuple(self._lacking(neighbour, link))
            )
            for neighbour, link in self.links.items()
        }

    def _lacking(self, neighbour: str, link: Link) -> list[Parcel]:
        """Samples that a neighbour may lack, and that are not on their way to it already."""
        wait, chosen = link.answer_after + 1.0, []
        link.unheard += 1
        if link.unheard > _UNHEARD:
            return chosen
        for origin, series in self.series.items():
            if origin == neighbour:
                continue
            stand = link.stands.get(origin)
            low = stand.front if stand is not None and stand.born == series.born else 0
            candidates = range(max(low, series.oldest or 0), series.front)
            most = len(chosen) + _MOST
            for number in itertools.chain(candidates, series.beyond):
                parcel = series.parcels.get(number)
                if parcel is None or link.has(parcel):
                    continue
                key = (origin, parcel.born, number)
                if self.sequence - link.sent.get(key, -(10**9)) > wait:
                    chosen.append(parcel)
                    if len(chosen) == most:
                        break
        chosen.sort(key=lambda parcel: parcel.row)
        chosen = chosen[:_MOST]
        for parcel in chosen:
            link.sent[parcel.origin, parcel.born, parcel.number] = self.sequence
        return chosen

    def forget(self, before: int | None) -> None:
        """Drops samples of rows before this one, and who was told what of them."""
        if before is None:
            return
        for series in self.series.values():
            series.forget(before)
        for link in self.links.values():
            kept = {
                key: when
                for key, when in link.sent.items()
                if (series := self.series.get(key[0])) is not None
                and series.born == key[1]
                and (parcel := series.parcels.get(key[2])) is not None
                and not link.has(parcel)
            }
            link.sent = kept
