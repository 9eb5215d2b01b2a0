"""A contact that a robot speaks for: its own, or that of a neighbour which has gone and left it its readings."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steelyard.team.planar_load._contact_position import NOTHING_HELD, Own
from steelyard.team.planar_load._sums import N_SUMS, own_row

_RECENT = 4  # rows that a robot tells its heir again and again
_WIDTH = 4  # numbers a row: velocity and force


class Part(NamedTuple):
    """What was told of a contact's place, and next to which fit."""

    fit: tuple[int, int, int]
    """Its version, first and last row."""
    own: Own


class Contact:
    """Readings by row and places by version; plane vectors are complex."""

    def __init__(self, roll: float):
        self.roll = roll
        self.first, self.last = -1, -1
        """Rows between which the robot was there to measure; −1 before the first."""
        self.velocities: dict[int, complex] = {}
        self.forces: dict[int, complex] = {}
        self.places: dict[int, complex | None] = {}
        self.held = NOTHING_HELD
        self.weight = 0.0
        self.parts: dict[int, Part] = {}  # what was told of the place, by the number of the notes

    @property
    def newest_place(self) -> complex | None:
        """In the newest version that it has one in."""
        known = [version for version, place in self.places.items() if place is not None]
        return self.places[max(known)] if known else None

    def measured(self, row: int, velocity: complex | None, force: complex | None) -> None:
        """Takes the means over a row in; None is none."""
        self.first = row if self.first < 0 else self.first
        self.last = max(self.last, row)
        if velocity is not None:
            self.velocities[row] = velocity
        if force is not None:
            self.forces[row] = force

    def row(self, row: int, version: int) -> np.ndarray:
        """Its part of the team's sums."""
        if not self.first <= row <= self.last:  # it was not there
            return np.zeros(N_SUMS)
        return own_row(self.roll, self.places.get(version), self.velocities.get(row), self.forces.get(row))

    def readings(self, start: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Velocities (NaN where there is none) and forces of a stretch, complex."""
        rows = range(start, end + 1)
        v = np.array([self.velocities.get(row, complex(math.nan)) for row in rows])
        return v, np.array([self.forces.get(row, 0j) for row in rows])

    def forget(self, oldest_row: int, oldest_version: int, note_is_needed: Callable[[int], bool]) -> None:
        """Keeps what a window can still need."""
        for table in (self.velocities, self.forces):
            for row in [row for row in table if row < oldest_row]:
                del table[row]
        self.places = {version: place for version, place in self.places.items() if version >= oldest_version}
        self.parts = {at: part for at, part in self.parts.items() if note_is_needed(at)}

    def recent(self, unfinished: complex) -> bytes:
        """The last rows, and the force of the row that is not finished yet, as a share of a whole row."""
        table = np.full((_RECENT + 1, _WIDTH), math.nan)
        for k, row in enumerate(range(self.last - _RECENT + 1, self.last + 1)):
            v, f = self.velocities.get(row, complex(math.nan, math.nan)), self.forces.get(row)
            if f is not None:
                table[k] = v.real, v.imag, f.real, f.imag
        table[-1, 2:] = unfinished.real, unfinished.imag
        return table.astype("<f8").tobytes()

    def inherit(self, last: int, recent: bytes) -> None:
        """Notes a neighbour's last rows; the unfinished one counts as its last of all, should nothing follow."""
        if len(recent) != 8 * (_RECENT + 1) * _WIDTH or last < 0:
            return
        table = np.frombuffer(recent, "<f8").reshape(-1, _WIDTH)
        for row, (vx, vy, fx, fy) in zip(range(last - _RECENT + 1, last + 2), table, strict=True):
            if row >= 0 and math.isfinite(fx + fy) and (row <= last or row > self.last or row not in self.velocities):
                v = complex(vx, vy) if math.isfinite(vx + vy) else None
                self.measured(row, v, complex(fx, fy))
