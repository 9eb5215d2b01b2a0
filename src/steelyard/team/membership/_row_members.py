"""Who was in which row, for teams whose rows are sums: they tell how many robots are in them, and a checksum.

Rows come in any order and again, while routes change some lack a robot for a moment, and when a robot goes the rest add
up old rows without it. So a set of robots counts once it has shown in enough rows, and then the largest of a row.
"""

import zlib
from typing import NamedTuple

from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.membership._tuning import TUNING


class Members(NamedTuple):
    """A set of robots, as the sums of a row tell it."""

    robots: float
    """How many."""
    checksum: float
    """Sum of `checksum_of` their names."""


NOBODY = Members(0.0, 0.0)


def checksum_of(name: str) -> float:
    """A number made from a name; sums of up to a thousand of them are exact."""
    return float(zlib.crc32(name.encode()))


class RowMembers:
    """The members of each row, by the sums that have come."""

    def __init__(self) -> None:
        self.newest = -1
        """The newest row of which sums have come."""
        self._members: dict[int, Members] = {}
        self._confirmed: set[Members] = set()
        self._streak: tuple[Members, int] = NOBODY, 0  # the newest rows' members, and for how many rows
        self._before: dict[Members, frozenset[int]] = {}  # rows of teams from before the robot came

    def copied(self) -> "RowMembers":
        """The same, on its own."""
        return copy_with_own_tables(self)

    def get(self, row: int) -> Members | None:
        """Of a row; None where nothing is known of it."""
        return self._members.get(row)

    @property
    def first(self) -> int | None:
        """The oldest row of which members are known."""
        return min(self._members, default=None)

    def confirms(self, row: int, members: Members, own_first: int, own_row: int) -> bool:
        """Takes what a sum tells; whether its members have just been confirmed as a team.

        `own_first` and `own_row` are the robot's own first and latest row: of rows before it came it learns from
        others, but only in its first seconds. Later, old rows come while routes change, and then somebody may be in
        them twice.
        """
        if row > self.newest:
            self.newest = row
            self._streak = (members, self._streak[1] + 1 if members == self._streak[0] else 1)
            shown = self._streak[1]
        elif row < own_first and own_row < own_first + TUNING.newcomer_rows:
            self._before[members] = self._before.get(members, frozenset()) | {row}
            shown = len(self._before[members])
        else:
            return False
        if shown < TUNING.steady_rows or members in self._confirmed:
            return False
        self._confirmed.add(members)
        return True

    def set(self, row: int, members: Members) -> bool:
        """Takes a confirmed set as a row's members, if it is the largest yet; whether another one stood there."""
        if members not in self._confirmed or members.robots <= self._members.get(row, NOBODY).robots:
            return False
        replaced = row in self._members
        self._members[row] = members
        return replaced

    def forget(self, before: int) -> None:
        """Drops rows before a number."""
        for row in [row for row in self._members if row < before]:
            del self._members[row]
