"""Who is there by the rows of a team: what each robot's samples, and their absence, tell of its hold on the load.

Every robot of a connected part has the same rows, so it has the same views. No message is added: the samples tell.
"""

from collections.abc import Mapping, Set
from enum import Enum

import msgspec

from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.membership._view import View


class Standing(Enum):
    """What a row tells of one robot; docs/TEAMS.md has the transitions."""

    PRESENT = "present"
    """It is heard."""
    SILENT = "silent"
    """It is not heard, and may hold on: nobody knows what it does."""
    RELEASED = "released"
    """It is not heard, and has let go."""


class GripRules(msgspec.Struct, frozen=True):
    """The agreement that a robot which none of its neighbours hears lets go of the load; in rows."""

    released: int
    """After its last sample, within which it has let go."""
    neighbours: Mapping[str, tuple[str, ...]]
    """Of every robot."""


class Roster:
    """One robot's account of all others, fed with rows in their order.

    Without rules nobody knows whether a silent robot holds on.
    """

    def __init__(self, names: tuple[str, ...], rules: GripRules | None = None):
        self.names, self._rules = names, rules
        self.view: View | None = None
        """Of the last row; None before any."""
        self._last: dict[str, int] = {}  # by robot, the last row with a sample of it

    def copied(self) -> "Roster":
        """The same, on its own."""
        return copy_with_own_tables(self)

    def take(self, row: int, heard: Set[str]) -> dict[str, Standing]:
        """The next row, with the robots of which it has a sample: what it tells of each."""
        found = {name: Standing.PRESENT if name in heard else self._miss(name, row, heard) for name in self.names}
        self._last |= dict.fromkeys(heard, row)
        members = frozenset(name for name, standing in found.items() if standing is not Standing.RELEASED)
        self.view = View(row, members) if self.view is None else self.view.at(row, members)
        return found

    def _miss(self, name: str, row: int, heard: Set[str]) -> Standing:
        """All of a robot's neighbours are heard, and none of them has passed a sample of it on for long: it has let go.

        Where a neighbour of it is silent, too, the two may hold on together.
        """
        rules = self._rules
        if rules is None or row - self._last.get(name, row) <= rules.released:
            return Standing.SILENT
        return Standing.RELEASED if heard >= set(rules.neighbours[name]) else Standing.SILENT
