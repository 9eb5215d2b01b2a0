"""What a robot that weighs a load remembers, and which of the team's sums belong together."""

import math
import zlib

import msgspec
import numpy as np

from steelyard.estimators import Estimate
from steelyard.team._agent import Message
from steelyard.team._fresh import fresh
from steelyard.team.consensus._tree_sums import Key, TreeMessage, TreeSum
from steelyard.team.planar_load._contact import Contact
from steelyard.team.planar_load._fit import LOG_MASS
from steelyard.team.planar_load._shared_fit import ONSETS
from steelyard.team.planar_load._sums import Sum
from steelyard.team.planar_load._window import SIZES, Fit, Prior

PERIOD = 50  # rows between new versions of the places; the first come sooner
_EARLY = (12, 25, 50)
STEADY = 12  # rows in a row that show the same members before they count as the team
GUARD = 12  # rows after a robot has gone whose forces may lack its last ones
KEPT = 3  # versions that were made
STALLED = 180  # rows without a new one for a window: by then a newcomer has a place, and who is gone an heir
FIT_EVERY = 6  # rows
NOTE_EVERY = 12  # rows
_VERSIONS = 64  # more than there are at a time
NOTES = 20  # fits whose notes are kept
PART = tuple(range(-1, -81, -1))  # rows of a fit's notes: what robots tell of their places, and of which fit
SHIFT = PART[-1] - 1  # the row of a version's note on how the new places will move the fit


class PlanarLoadMessage(Message, frozen=True, array_like=True):
    """What robots of a load team tell each other."""

    parcel: TreeMessage
    places: tuple[tuple[int, float, float], ...]
    """Versions, and the own place in each."""
    first: int
    """The row from which on the sender speaks for its own contact."""
    last: int
    """The last row that it has measured whole."""
    start: int
    """Where its window begins; −1 before there is one."""
    recent: bytes
    """What its heir should know of its last rows; empty for others."""
    heir: str
    """Who speaks for the contact's past once the sender is gone: the neighbour with the smallest name."""


class PlanarLoadEvent(msgspec.Struct, frozen=True):
    """Something happened to the load or to the team."""

    time: float
    """s, when it happened, as far as that is known."""
    kind: str
    """`change` of the load."""
    quantity: str


def version_at(row: int) -> int:
    """The version of the places that is made after a row."""
    done = row + 1
    return sum(done >= early for early in _EARLY) + max(0, done // PERIOD - 1)


def last_note(end: int, version: int) -> int:
    """The number of notes on a fit after which no more rows come; others count from zero up."""
    return -1 - (_VERSIONS * end + version % _VERSIONS)


def roll_of(name: str) -> float:
    """A number made from a name; sums of up to a thousand of them are exact."""
    return float(zlib.crc32(name.encode()))


def any_place(name: str) -> complex:
    """A place to begin with: any will do, if they are not all the same."""
    angle = 2.0 * math.pi * zlib.crc32(f"{name}/place".encode()) / 2**32
    return complex(math.cos(angle), math.sin(angle))


def _signature(total: np.ndarray) -> tuple[float, float]:
    return float(total[Sum.MEMBERS]), float(total[Sum.ROLL])


class LoadState:
    """One robot's memory: a value, of which a step makes the next. `pickle` keeps it and brings it back."""

    def __init__(self, name: str, neighbours: tuple[str, ...], width: int, per_letter: int, lingers: int = 0):
        """`lingers`: rows for which one that goes may push on, unheard; zero where it stops as it goes."""
        self.lingers = lingers
        self.tree = TreeSum(name, neighbours, width, per_letter)
        self.tick = self.sequence = self.told_at = 0
        self.time = 0.0
        self.own = Contact(roll_of(name))
        self.heard_of: dict[str, Contact] = {}  # by neighbour, what it would leave to this robot
        self.wards: dict[tuple[str, int], Contact] = {}  # what those that are gone have left, by name and first row
        self.last_force: complex | None = None
        self.pending: list[tuple[complex | None, complex | None]] = []
        self.pending_row = -1
        self.row = self.version = -1
        self.told: dict[str, dict[int, complex]] = {neighbour: {} for neighbour in neighbours}
        self.silent = self.idle = 0  # steps since the last whole sample, and since any
        self.lasts: dict[str, int] = {}  # by neighbour, the last row that it has measured
        self.newest = -1
        self.run: tuple[tuple[float, float], int] = ((0.0, 0.0), 0)
        self.past: dict[tuple[float, float], set[int]] = {}  # rows of crews from before the robot came
        self.steady: set[tuple[float, float]] = set()
        self.crew: dict[int, tuple[float, float]] = {}
        self.sums: dict[Key, np.ndarray] = {}
        self.notes: dict[Key, np.ndarray] = {}  # the first number of each is of how many contacts it speaks
        self.reach: dict[tuple[int, int], int] = {}  # by version and start, the row up to which sums are complete
        self.lost = 0
        self.start: int | None = None
        self.starts: dict[str, int] = {}  # by neighbour, where its window begins
        self.firsts: dict[str, int] = {}  # and the row from which on it speaks for itself
        self.apart: tuple[int, int] | None = None  # a later start of a neighbour's window, and since which row it is
        self.prior = Prior.none()
        self.fit: Fit | None = None
        self.fit_version = self.fit_end = -1
        self.owed: dict[int, int] = {}  # by version that is due, the number of the notes that it waits for
        self.noted = -1  # the number of the last notes that were told, or passed over
        self.refined = 0
        self.settled = False  # whether the places were once near their best: before, no change can be told
        self.estimates: dict[str, Estimate] = {}

    @property
    def contacts(self) -> list[Contact]:
        """All that the robot speaks for, its own first."""
        return [self.own, *self.wards.values()]

    def part_of(self, row: int, version: int) -> np.ndarray:
        """What the robot adds to the team's sums."""
        return np.sum([contact.row(row, version) for contact in self.contacts], axis=0)

    def copied(self) -> "LoadState":
        """The same, to go on from without touching this one."""
        state = fresh(self)
        state.estimates = self.estimates  # told anew by another one, never changed
        state.tree = self.tree.copied()
        state.told = {name: told.copy() for name, told in self.told.items()}
        state.own = fresh(self.own)
        state.heard_of = {name: fresh(contact) for name, contact in self.heard_of.items()}
        state.wards = {name: fresh(contact) for name, contact in self.wards.items()}
        return state

    def note_totals(self) -> None:
        """Who is in the team, from the sums that just came."""
        for key in self.tree.fresh:
            total, row = self.tree.totals.get(key), key[0]
            if SHIFT < row < 0 and total is not None:  # who has gone since does not take its words back
                before = self.notes.get(key)
                self.notes[key] = total if before is None or total[0] >= before[0] else before
            if row < 0 or total is None:
                continue
            signature = _signature(total)
            if row > self.newest:
                self.newest = row
                self.run = (signature, self.run[1] + 1 if signature == self.run[0] else 1)
                if self.run[1] >= STEADY and signature not in self.steady:
                    self._trust(signature)
            elif row < self.own.first and signature not in self.steady and self.row < self.own.first + STALLED:
                # Later, old rows come only while ways change, and then somebody may be in them twice.
                self.past.setdefault(signature, set()).add(row)
                if len(self.past[signature]) >= STEADY:
                    self._trust(signature)
            self._join(row, signature)
            # When a robot goes, the rest add up old rows without it: its force is then missing.
            before = self.sums.get(key)
            if before is None or signature == self.crew.get(row) or _signature(before) != self.crew.get(row):
                self.sums[key] = total
                if before is not None and _signature(before) != signature:
                    self.reach.clear()
        self.tree.fresh.clear()

    def _trust(self, signature: tuple[float, float]) -> None:
        """A set of robots that has shown often enough to be a team."""
        self.steady.add(signature)
        for old, known in self.sums.items():
            self._join(old[0], _signature(known))

    def _join(self, row: int, signature: tuple[float, float]) -> None:
        if signature in self.steady and signature[0] > self.crew.get(row, (0.0, 0.0))[0]:
            if row in self.crew:
                self.reach.clear()
            self.crew[row] = signature

    def stretch(self) -> tuple[int, int, int] | None:
        """Version, first and last row of the longest run of complete sums from the window's start."""
        if not self.crew:
            return None
        start = min(self.crew) if self.start is None else self.start
        best = None
        for version in sorted(version for version in self.own.places if version > 0):
            row = self.reach.get((version, start), start)
            while self._complete(row, version, start):
                row += 1
            self.reach[version, start] = row
            if row > start and (best is None or row - 1 >= best[2]):
                best = version, start, row - 1
        return best

    def fitted(self) -> tuple[int, int, int] | None:
        """Version, first and last row of the fit, if it is usable and its sums are still there."""
        if self.fit is None or not self.fit.usable or self.start is None:
            return None
        if self.fit_end - self.start + 1 != self.fit.n_rows:  # a new window has begun
            return None
        there = all((row, self.fit_version) in self.sums for row in range(self.start, self.fit_end + 1))
        return (self.fit_version, self.start, self.fit_end) if there else None

    @property
    def goes_on(self) -> bool:
        """Whether a window has begun in which nothing was fitted yet, with a load that was known before."""
        begun = self.fit is not None and self.start is not None and self.fit_end - self.start + 1 != self.fit.n_rows
        return begun and bool(self.prior.information[LOG_MASS, LOG_MASS] > 0.0)

    def _complete(self, row: int, version: int, start: int) -> bool:
        total, crew = self.sums.get((row, version)), self.crew.get(row)
        if total is None or crew is None or _signature(total) != crew:
            return False
        if row > start and self._broken(self.crew.get(row - 1, crew), crew):
            return False
        return bool(total[Sum.PLACED] == total[Sum.MEMBERS])

    def _spoiled(self, row: int) -> bool:
        """Whether no sum of a row will ever be complete, because somebody's force there is not known."""
        found = (self.sums.get((row, version)) for version in self.own.places)
        return any(one is not None and _signature(one) == self.crew.get(row) and one[Sum.DARK] > 0.0 for one in found)

    @property
    def over(self) -> bool:
        """Whether there are no more samples, for nobody that is heard: then what is known stays so."""
        return self.idle > 0 and max(self.lasts.values(), default=0) <= self.row + STEADY

    @property
    def finishing(self) -> bool:
        """Whether there have been no more samples for some steps: time to take the last steps of all."""
        return self.over and self.idle > STEADY

    def left_behind(self, end: int) -> int | None:
        """The row from which the team goes on after `end` where it is smaller or somebody's force was not known."""
        row = end + 1
        while self._spoiled(row):
            row += 1
        if row > end + 1:
            return row
        now, then = self.crew.get(end + 1), self.crew.get(end)
        if now is None or then is None or not self._broken(then, now):
            return None
        return end + 1 + max(GUARD, self.lingers)

    def _broken(self, before: tuple[float, float], after: tuple[float, float]) -> bool:
        """Whether a window ends between two crews: one that goes has an heir, several may not; or it may push on."""
        return after[0] < before[0] - (0.0 if self.lingers else 1.0)

    def stalled(self, end: int) -> int | None:
        """The row from which the newest sums go on without a break, if the window has long ended at `end`."""
        if self.row - end < STALLED:
            return None
        row = self.newest
        made = max(self.own.places, default=self.version)
        while self._complete(row, made, row):
            row -= 1
        return row + 1 if self.newest - row >= STEADY else None

    @property
    def oldest_version(self) -> int:
        """Of those that a fit may still need."""
        return min(
            version for version in (*sorted(self.own.places)[-KEPT:], self.fit_version, self.version) if version >= 0
        )

    @property
    def oldest_note(self) -> int:
        """Up to which notes are forgotten."""
        return self.row // NOTE_EVERY - NOTES

    def blocked(self, end: int) -> bool:
        """Whether the team has someone without a place at a row up to `end`, and so no fit that reaches it."""
        version = max(self.own.places)
        found = ((row, self.sums.get((row, version))) for row in range(max(self.fit_end + 1, self.start or 0), end + 1))
        return any(
            one is not None and _signature(one) == self.crew.get(row) and one[Sum.PLACED] < one[Sum.MEMBERS]
            for row, one in found
        )

    def forget(self) -> None:
        """Keeps what a window can still need."""
        oldest = self.row - SIZES[-1] - ONSETS[-1]
        oldest_version, oldest_note = self.oldest_version, self.oldest_note

        def note_needed(at: int) -> bool:
            return at > oldest_note or (at < 0 and -at // _VERSIONS >= oldest)

        def needed(key: Key) -> bool:
            if SHIFT < key[0] < 0:
                return note_needed(key[1])
            return (key[0] == SHIFT or key[0] >= oldest) and key[1] >= oldest_version

        self.reach.clear()
        self.tree.forget(needed)
        self.sums = {key: total for key, total in self.sums.items() if needed(key)}
        self.notes = {key: total for key, total in self.notes.items() if needed(key)}
        for row in [row for row in self.crew if row < oldest]:
            del self.crew[row]
        for contact in (*self.contacts, *self.heard_of.values()):
            contact.forget(oldest, oldest_version, note_needed)
        self.wards = {name: ward for name, ward in self.wards.items() if ward.last >= oldest}
        for places in self.told.values():
            for version in [version for version in places if version < oldest_version]:
                del places[version]

    def rows(self, version: int, start: int, end: int) -> np.ndarray:
        """The sums of a stretch."""
        return np.stack([self.sums[row, version] for row in range(start, end + 1)])
