"""Which rows are decided: all samples have come, or will not count any more; and what each tells of the robots.

A robot waits for a sample for `late`, by the newest row that it knows of. What comes later does not count, so a row is
decided once; a robot that has come back waits longer, because its neighbours are still sending what it has missed.
"""

from collections.abc import Mapping
from typing import NamedTuple

from steelyard.team._state_copies import shallow_copy
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import GripRules, Roster, Standing, View
from steelyard.team.spatial_load._relay import Relay
from steelyard.team.spatial_load._relay_message import RelayedSample


class DecidedRow(NamedTuple):
    """A row as this robot counts it."""

    row: int
    samples: dict[str, RelayedSample]
    """By robot, in the team's order."""
    standings: Mapping[str, Standing]
    """Of every robot."""


class RowQueue:
    """One robot's, part of its state."""

    def __init__(self, names: tuple[str, ...], rate: float, rules: GripRules | None = None):
        self._rate = rate
        self._roster = Roster(names, rules)
        self.next_row: int | None = None
        """The first row that is not decided; None before everybody has been heard."""
        self._patient = 0  # steps for which no sample counts as missing

    def copied(self) -> "RowQueue":
        """The same, on its own."""
        twin = shallow_copy(self)
        twin._roster = self._roster.copied()
        return twin

    @property
    def view(self) -> View | None:
        """Who is in the team as of the last row that was decided."""
        return self._roster.view

    def catch_up(self) -> None:
        """The robot was away: for a while neighbours send what it has missed."""
        self._patient = round(MEMBERSHIP.catching_up * self._rate)

    def tick(self) -> None:
        """A step is over."""
        self._patient = max(self._patient - 1, 0)

    def decide(self, relay: Relay, end: int) -> DecidedRow | None:
        """The next row before `end`; None while it is open."""
        if self.next_row is None:
            self.next_row = relay.first_common_row()
        row = self.next_row
        if row is None or row >= end:
            return None
        samples = relay.samples_of(row)
        if row > relay.newest - round(MEMBERSHIP.late * self._rate) or self._patient:
            missing = (relay.series[name] for name in relay.names if name not in samples)
            if any(series.may_bring(row) for series in missing):
                return None
        self.next_row = row + 1
        return DecidedRow(row, samples, self._roster.take(row, samples.keys()))
