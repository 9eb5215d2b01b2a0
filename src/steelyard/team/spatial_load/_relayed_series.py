"""Samples of one robot as another has received them, and which of them a neighbour is known to have."""

from steelyard.team._state_copies import shallow_copy
from steelyard.team.spatial_load._paged_table import PagedTable
from steelyard.team.spatial_load._relay_message import Inventory, RelayedSample

AHEAD = 63
"""Samples beyond the first that is missing of which a message tells: the bits of an integer."""


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
        ahead = sum(1 << (number - self.front - 1) for number in self.beyond if number - self.front <= AHEAD)
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
        return 0 <= k < AHEAD and bool(inventory.ahead >> k & 1)
