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
from steelyard.team.spatial_load._relay_message import VALUES_SIZE, RelayedSample, SpatialLoadMessage
from steelyard.team.spatial_load._relayed_series import Link, RelayedSeries
from steelyard.team.spatial_load._tuning import TUNING


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
            sound = len(sample.values) == VALUES_SIZE and sample.row >= 0 and math.isfinite(sample.time)
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
            most = len(chosen) + TUNING.samples_a_message
            for number in itertools.chain(candidates, series.beyond):
                sample = series.samples.get(number)
                if sample is None or link.has(sample):
                    continue
                key = (origin, sample.born, number)
                sent = link.sent.get(key, -(10**9))
                if self.sequence - sent > wait or link.received - sent >= TUNING.overtaken:
                    chosen.append(sample)
                    if len(chosen) == most:
                        break
        chosen.sort(key=lambda sample: sample.row)
        chosen = chosen[: TUNING.samples_a_message]
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
