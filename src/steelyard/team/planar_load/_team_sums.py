"""The team's sums as they come: who is in each row, and which rows are complete."""

import numpy as np

from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.consensus._tree_sums import TreeSum
from steelyard.team.membership import Members, RowMembers
from steelyard.team.planar_load._sum_keys import Kind, SumKey, contribution_needed, row_key
from steelyard.team.planar_load._sums import Sum
from steelyard.team.planar_load._window import Span


def members_of(total: np.ndarray) -> Members:
    """Who is in a sum."""
    return Members(float(total[Sum.MEMBERS]), float(total[Sum.CHECKSUM]))


class TeamSums:
    """A robot's end of the tree, and the sums that have come over it."""

    def __init__(self, tree: TreeSum, lets_go: int):
        """`lets_go`: rows for which a robot that goes may push on, unheard; zero where it stops as it goes."""
        self.tree, self.lets_go = tree, lets_go
        self.members = RowMembers()
        self.rows: dict[SumKey, np.ndarray] = {}
        self.contributions: dict[SumKey, np.ndarray] = {}  # the first number of each is of how many contacts it is
        self.complete_until: dict[tuple[int, int], int] = {}  # by iteration and start, the first incomplete row

    def copied(self) -> "TeamSums":
        """The same, on its own."""
        twin = copy_with_own_tables(self)
        twin.tree, twin.members = self.tree.copied(), self.members.copied()
        return twin

    def take_totals(self, own_first: int, own_row: int) -> None:
        """Who is in the team, from the sums that just came; see `RowMembers.confirms`."""
        for key in map(SumKey._make, self.tree.fresh):
            total = self.tree.totals.get(key)
            if total is None:
                continue
            if key.kind == Kind.CONTRIBUTION:  # a robot that has gone since does not take its contribution back
                before = self.contributions.get(key)
                self.contributions[key] = total if before is None or total[0] >= before[0] else before
            if key.kind == Kind.ROW:
                self._take_row(key, total, own_first, own_row)
        self.tree.fresh.clear()

    def _take_row(self, key: SumKey, total: np.ndarray, own_first: int, own_row: int) -> None:
        row, members = key.row, members_of(total)
        if self.members.confirms(row, members, own_first, own_row):
            for known, sums in self.rows.items():
                self._set_members(known.row, members_of(sums))
        self._set_members(row, members)
        # When a robot goes, the rest add up old rows without it: its force is then missing.
        before = self.rows.get(key)
        if before is not None and members_of(before) == members and before[Sum.POSITIONED] > total[Sum.POSITIONED]:
            return  # a successor does not know the position in this iteration
        if before is None or members == self.members.get(row) or members_of(before) != self.members.get(row):
            self.rows[key] = total
            if before is not None and members_of(before) != members:
                self.complete_until.clear()

    def _set_members(self, row: int, members: Members) -> None:
        if self.members.set(row, members):
            self.complete_until.clear()

    def complete_span(self, start: int, iterations: list[int]) -> Span | None:
        """The longest span of complete sums from a row on, of any of the outer iterations."""
        best = None
        for iteration in iterations:
            row = self.complete_until.get((iteration, start), start)
            while self.complete(row, iteration, start):
                row += 1
            self.complete_until[iteration, start] = row
            if row > start and (best is None or row - 1 >= best.end):
                best = Span(iteration, start, row - 1)
        return best

    def complete(self, row: int, iteration: int, start: int) -> bool:
        """Whether all of a row's sum has come, and the window that began at `start` reaches it."""
        total, members = self.rows.get(row_key(row, iteration)), self.members.get(row)
        if total is None or members is None or members_of(total) != members:
            return False
        if row > start and self.ends_window(self.members.get(row - 1) or members, members):
            return False
        return bool(total[Sum.POSITIONED] == total[Sum.MEMBERS])

    def ends_window(self, before: Members, after: Members) -> bool:
        """Whether a window ends here: one robot that goes has a successor, of several one may not; or it pushes on."""
        return after.robots < before.robots - (0.0 if self.lets_go else 1.0)

    def window(self, span: Span) -> np.ndarray:
        """The sums of a span."""
        return np.stack([self.rows[key] for key in span.keys])

    def whole(self, row: int, iteration: int) -> np.ndarray | None:
        """A row's sum, if it is of all of its members."""
        total = self.rows.get(row_key(row, iteration))
        return total if total is not None and members_of(total) == self.members.get(row) else None

    def forget(self, oldest_row: int, oldest_iteration: int, oldest_number: int) -> None:
        """Drops rows and outer iterations from before these, and contributions up to a number."""

        def needed(pair: tuple[int, ...]) -> bool:
            key = SumKey._make(pair)
            if key.kind == Kind.CONTRIBUTION:
                return contribution_needed(key.occasion, oldest_row, oldest_number)
            return (key.kind != Kind.ROW or key.row >= oldest_row) and key.iteration >= oldest_iteration

        self.complete_until.clear()
        self.tree.forget(needed)
        self.rows = {key: total for key, total in self.rows.items() if needed(key)}
        self.contributions = {key: total for key, total in self.contributions.items() if needed(key)}
        self.members.forget(oldest_row)
