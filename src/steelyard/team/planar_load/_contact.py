"""The contacts that a robot contributes for: its own, and those of neighbours which have gone."""

import math
from typing import NamedTuple

import numpy as np

from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.planar_load._contact_position import NO_CONTACT_PRIOR, ContactLikelihood
from steelyard.team.planar_load._sum_keys import Occasion, contribution_needed
from steelyard.team.planar_load._sums import N_SUMS, own_row
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import Span

_WIDTH = 4  # numbers a row: velocity and force


class Contribution(NamedTuple):
    """The likelihood of the contact's position, and the fit next to which it was made."""

    fit: Span
    likelihood: ContactLikelihood


class Contact:
    """Readings by row, and positions by outer iteration; plane vectors are complex."""

    def __init__(self, checksum: float):
        self.checksum = checksum
        self.first, self.last = -1, -1
        """Rows between which the robot was there to measure; −1 before the first."""
        self.velocities: dict[int, complex] = {}
        self.weights: dict[int, float] = {}
        """Of velocities that are not of whole rows; see `own_row`."""
        self.forces: dict[int, complex] = {}
        self.positions: dict[int, complex | None] = {}
        self.prior = NO_CONTACT_PRIOR
        self.information = 0.0
        self.contributions: dict[Occasion, Contribution] = {}

    @property
    def newest_position(self) -> complex | None:
        """Of the newest outer iteration that has one."""
        known = [iteration for iteration, position in self.positions.items() if position is not None]
        return self.positions[max(known)] if known else None

    def add_row(self, row: int, velocity: complex | None, force: complex | None, weight: float = 1.0) -> None:
        """Takes the means over a row; None is none. `weight`: the share of its samples with a velocity."""
        self.first = row if self.first < 0 else self.first
        self.last = max(self.last, row)
        if velocity is not None:
            self.velocities[row] = velocity
            if weight < 1.0:
                self.weights[row] = weight
        if force is not None:
            self.forces[row] = force

    def row(self, row: int, iteration: int) -> np.ndarray:
        """Its part of the team's sums."""
        if not self.first <= row <= self.last:  # it was not there
            return np.zeros(N_SUMS)
        position, weight = self.positions.get(iteration), self.weights.get(row, 1.0)
        return own_row(self.checksum, position, self.velocities.get(row), self.forces.get(row), weight)

    def readings(self, start: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocities (NaN where there is none) and forces of some rows, complex, and the velocities' weights."""
        rows = range(start, end + 1)
        v = np.array([self.velocities.get(row, complex(math.nan)) for row in rows])
        f, w = [self.forces.get(row, 0j) for row in rows], [self.weights.get(row, 1.0) for row in rows]
        return v, np.array(f), np.array(w)

    def forget(self, oldest_row: int, oldest_iteration: int, oldest_number: int) -> None:
        """Drops rows and outer iterations from before these, and contributions up to a number."""
        for table in (self.velocities, self.forces, self.weights):
            for row in [row for row in table if row < oldest_row]:
                del table[row]
        self.positions = {one: position for one, position in self.positions.items() if one >= oldest_iteration}
        found = self.contributions.items()
        self.contributions = {when: one for when, one in found if contribution_needed(when, oldest_row, oldest_number)}

    def hand_over(self, unfinished: complex) -> bytes:
        """For the successor: the last rows, and the force of the unfinished row as a share of a whole row."""
        table = np.full((TUNING.rows_handed_over + 1, _WIDTH), math.nan)
        for k, row in enumerate(range(self.last - TUNING.rows_handed_over + 1, self.last + 1)):
            v, f = self.velocities.get(row, complex(math.nan, math.nan)), self.forces.get(row)
            if f is not None:
                table[k] = v.real, v.imag, f.real, f.imag
        table[-1, 2:] = unfinished.real, unfinished.imag
        return table.astype("<f8").tobytes()

    def within(self, span: Span) -> bool:
        """Whether it was there in a row of a span."""
        return self.first <= span.end and self.last >= span.start

    def misses(self, last: int) -> bool:
        """Whether rows were lost between those that were handed over before and the last ones up to a row."""
        return 0 <= self.last < last - TUNING.rows_handed_over + 1

    def take_hand_over(self, last: int, data: bytes) -> None:
        """Takes a neighbour's last rows; the unfinished one is its last of all, should nothing follow."""
        if len(data) != 8 * (TUNING.rows_handed_over + 1) * _WIDTH or last < 0:
            return
        table = np.frombuffer(data, "<f8").reshape(-1, _WIDTH)
        for row, (vx, vy, fx, fy) in zip(range(last - TUNING.rows_handed_over + 1, last + 2), table, strict=True):
            if row >= 0 and math.isfinite(fx + fy) and (row <= last or row > self.last or row not in self.velocities):
                v = complex(vx, vy) if math.isfinite(vx + vy) else None
                self.add_row(row, v, complex(fx, fy))


class Contacts:
    """Of one robot."""

    def __init__(self, checksum: float):
        self.own = Contact(checksum)
        self.inherited: dict[tuple[str, int], Contact] = {}
        """Of those that are gone, by name and first row."""
        self.hand_overs: dict[str, Contact] = {}
        """By neighbour, what it would leave to this robot."""
        self.relays = False
        """Whether the robot was found faulty: it adds nothing of its own to the team's sums."""

    @property
    def all(self) -> list[Contact]:
        """That it contributes for, its own first."""
        return [self.own, *self.inherited.values()]

    def part_of(self, row: int, iteration: int) -> np.ndarray:
        """What the robot adds to the team's sums."""
        return np.sum([contact.row(row, iteration) for contact in self.all], axis=0)

    def copied(self) -> "Contacts":
        """The same, on their own."""
        twin = copy_with_own_tables(self)
        twin.own = copy_with_own_tables(self.own)
        twin.hand_overs = {name: copy_with_own_tables(contact) for name, contact in self.hand_overs.items()}
        twin.inherited = {name: copy_with_own_tables(contact) for name, contact in self.inherited.items()}
        return twin

    def forget(self, oldest_row: int, oldest_iteration: int, oldest_number: int) -> None:
        """See `Contact`."""
        for contact in (*self.all, *self.hand_overs.values()):
            contact.forget(oldest_row, oldest_iteration, oldest_number)
        self.inherited = {name: contact for name, contact in self.inherited.items() if contact.last >= oldest_row}
