"""A view: who is in the team, since which row, and who leads."""

import hashlib
from collections.abc import Iterable

import msgspec


class View(msgspec.Struct, frozen=True):
    """A value: the robots that may act on the load, from a row on."""

    since: int
    """The first row with these members."""
    members: frozenset[str]

    @property
    def leader(self) -> str:
        """The member with the smallest name; empty where there is none."""
        return min(self.members, default="")

    @property
    def epoch(self) -> int:
        """A number that names the view: of views with the same epoch, members and first row are the same."""
        content = "\n".join((str(self.since), *sorted(self.members)))
        return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=7).digest(), "big")

    def at(self, row: int, members: Iterable[str]) -> "View":
        """The view of a later row with these members: this one, unless somebody came or went."""
        found = frozenset(members)
        return self if found == self.members else View(row, found)
