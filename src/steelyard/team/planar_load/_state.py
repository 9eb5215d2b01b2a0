"""The state of one robot's agent, and which of the team's sums belong together."""

import math
import zlib

import numpy as np

from steelyard.estimators import Estimate
from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.consensus._tree_sums import TreeSum
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import Members, RowMembers, checksum_of
from steelyard.team.planar_load._contact import Contact
from steelyard.team.planar_load._fit import LOG_MASS
from steelyard.team.planar_load._sum_keys import SumKey, contribution_number, last_row_of
from steelyard.team.planar_load._sums import Sum
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._window import LONGEST, Fit, Prior, Span


def iteration_at(row: int) -> int:
    """The outer iteration of the contact positions that is made after a row."""
    done = row + 1
    return sum(done >= early for early in TUNING.early_iterations) + max(0, done // TUNING.iteration_period - 1)


def arbitrary_position(name: str) -> complex:
    """To begin with: any position will do, if they are not all the same."""
    angle = 2.0 * math.pi * zlib.crc32(f"{name}/place".encode()) / 2**32
    return complex(math.cos(angle), math.sin(angle))


def members_of(total: np.ndarray) -> Members:
    """Who is in a sum."""
    return Members(float(total[Sum.MEMBERS]), float(total[Sum.CHECKSUM]))


class PlanarAgentState:
    """One robot's state: a value, of which a step makes the next."""

    def __init__(self, name: str, neighbours: tuple[str, ...], width: int, per_message: int, lets_go: int = 0):
        """`lets_go`: rows for which a robot that goes may push on, unheard; zero where it stops as it goes."""
        self.lets_go = lets_go
        self.tree = TreeSum(name, neighbours, width, per_message)
        self.tick = self.sequence = self.reported_at = 0
        self.time = 0.0

        self.own = Contact(checksum_of(name))
        self.hand_overs: dict[str, Contact] = {}  # by neighbour, what it would leave to this robot
        self.inherited: dict[tuple[str, int], Contact] = {}  # of those that are gone, by name and first row
        self.last_force: complex | None = None
        self.last_key = -1  # of the last sample with a force
        self.unforced: dict[int, complex | None] = {}  # velocities since then, by key, whose force is not known yet
        self.recent: dict[int, complex] = {}  # the latest velocities by key
        self.pending: list[tuple[complex | None, complex | None]] = []  # samples of the unfinished row
        self.pending_row = -1
        self.row = self.iteration = -1
        self.without_sample = self.without_any = 0  # steps since the last whole sample, and since any

        self.received_positions: dict[str, dict[int, complex]] = {neighbour: {} for neighbour in neighbours}
        self.first_rows: dict[str, int] = {}  # by neighbour, the first row of its own contact
        self.last_rows: dict[str, int] = {}  # by neighbour, the last row that it has measured
        self.window_starts: dict[str, int] = {}  # by neighbour, the first row of its window

        self.relays = False  # whether the robot was found faulty: it adds nothing of its own to the team's sums
        self.excluded: dict[str, int] = {}  # by neighbour that was, the row by which it must have stopped adding
        self.members = RowMembers()
        self.sums: dict[SumKey, np.ndarray] = {}
        self.contributions: dict[SumKey, np.ndarray] = {}  # the first number of each is of how many contacts it is
        self.complete_until: dict[tuple[int, int], int] = {}  # by iteration and start, the first incomplete row

        self.start: int | None = None
        self.later_window: tuple[int, int] | None = None  # first row of a neighbour's later window, and since which row
        self.prior = Prior.none()
        self.fit: Fit | None = None
        self.fit_iteration = self.fit_end = -1
        self.due: dict[int, int] = {}  # by outer iteration, the number of the contributions that it waits for
        self.contributed = -1  # number of the last contributions that were made, or passed over
        self.steps_missed = 0  # outer iterations since the last joint step
        self.joint_steps = 0
        self.one_load = False  # whether the rows of the window have been shown to be of one load
        self.began_again = False  # whether the window has none before it that told anything
        self.rows_needed = 0  # of a window before it counts: as many as one had that was given up
        self.given_up = 1.0  # that one's mean squared residual, in variances
        self.inconsistent_since: int | None = None  # last row of the first of the latest fits, all too far off
        self.converged = False  # whether the positions once were near their optimum: before, no change can be told
        self.estimates: dict[str, Estimate] = {}

    @property
    def contacts(self) -> list[Contact]:
        """All that the robot contributes for, its own first."""
        return [self.own, *self.inherited.values()]

    def part_of(self, row: int, iteration: int) -> np.ndarray:
        """What the robot adds to the team's sums."""
        return np.sum([contact.row(row, iteration) for contact in self.contacts], axis=0)

    def copied(self) -> "PlanarAgentState":
        """The same, to go on from without touching this one."""
        state = copy_with_own_tables(self)
        state.estimates = self.estimates  # replaced by another one, never changed
        state.tree, state.members = self.tree.copied(), self.members.copied()
        state.received_positions = {name: received.copy() for name, received in self.received_positions.items()}
        state.own = copy_with_own_tables(self.own)
        state.hand_overs = {name: copy_with_own_tables(contact) for name, contact in self.hand_overs.items()}
        state.inherited = {name: copy_with_own_tables(contact) for name, contact in self.inherited.items()}
        return state

    def take_totals(self) -> None:
        """Who is in the team, from the sums that just came."""
        for key in map(SumKey._make, self.tree.fresh):
            total = self.tree.totals.get(key)
            if total is None:
                continue
            if key.is_contribution:  # a robot that has gone since does not take its contribution back
                before = self.contributions.get(key)
                self.contributions[key] = total if before is None or total[0] >= before[0] else before
            if key.is_row:
                self._take_row(key, total)
        self.tree.fresh.clear()

    def _take_row(self, key: SumKey, total: np.ndarray) -> None:
        row, members = key.row, members_of(total)
        if self.members.confirms(row, members, self.own.first, self.row):
            for known, sums in self.sums.items():
                self._set_members(known.row, members_of(sums))
        self._set_members(row, members)
        # When a robot goes, the rest add up old rows without it: its force is then missing.
        before = self.sums.get(key)
        if before is not None and members_of(before) == members and before[Sum.POSITIONED] > total[Sum.POSITIONED]:
            return  # a successor does not know the position in this iteration
        if before is None or members == self.members.get(row) or members_of(before) != self.members.get(row):
            self.sums[key] = total
            if before is not None and members_of(before) != members:
                self.complete_until.clear()

    def _set_members(self, row: int, members: Members) -> None:
        if self.members.set(row, members):
            self.complete_until.clear()

    def complete_span(self) -> Span | None:
        """The longest span of complete sums from the window's start."""
        start = self.members.first if self.start is None else self.start
        if start is None or self.members.first is None:
            return None
        best = None
        for iteration in sorted(iteration for iteration in self.own.positions if iteration > 0):
            row = self.complete_until.get((iteration, start), start)
            while self.complete(row, iteration, start):
                row += 1
            self.complete_until[iteration, start] = row
            if row > start and (best is None or row - 1 >= best.end):
                best = Span(iteration, start, row - 1)
        return best

    def fitted_span(self) -> Span | None:
        """The rows of the fit, if it is usable and its sums are still there."""
        tries = self.unknown and self.steps_missed > TUNING.iterations_stored and not self.prior.information.any()
        if (
            self.fit is None
            or self.start is None
            or not self.fit.usable(TUNING.worth_a_try if tries else TUNING.usable)
        ):
            return None
        if self.fit_end - self.start + 1 != self.fit.n_rows:  # a new window has begun
            return None
        there = all(SumKey(row, self.fit_iteration) in self.sums for row in range(self.start, self.fit_end + 1))
        return Span(self.fit_iteration, self.start, self.fit_end) if there else None

    @property
    def continues(self) -> bool:
        """Whether a window has begun in which nothing was fitted yet, with a load that was known before."""
        begun = self.fit is not None and self.start is not None and self.fit_end - self.start + 1 != self.fit.n_rows
        return begun and bool(self.prior.information[LOG_MASS, LOG_MASS] > 0.0)

    def complete(self, row: int, iteration: int, start: int) -> bool:
        """Whether all of a row's sum has come, and the window that began at `start` reaches it."""
        total, members = self.sums.get(SumKey(row, iteration)), self.members.get(row)
        if total is None or members is None or members_of(total) != members:
            return False
        if row > start and self.ends_window(self.members.get(row - 1) or members, members):
            return False
        return bool(total[Sum.POSITIONED] == total[Sum.MEMBERS])

    @property
    def over(self) -> bool:
        """Whether nobody that is heard has samples any more: then what is known stays so."""
        return self.without_any > 0 and max(self.last_rows.values(), default=0) <= self.row + MEMBERSHIP.steady_rows

    @property
    def finishing(self) -> bool:
        """Whether there have been no more samples for some steps: time for the final joint steps."""
        return self.over and self.without_any > MEMBERSHIP.steady_rows

    def ends_window(self, before: Members, after: Members) -> bool:
        """Whether a window ends here: one robot that goes has a successor, of several one may not; or it pushes on."""
        return after.robots < before.robots - (0.0 if self.lets_go else 1.0)

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of the load, or has been for so long that it no longer counts."""
        mass = self.estimates.get("mass")
        return mass is None or mass.value is None

    @property
    def lost(self) -> bool:
        """Whether nothing is known of the load, and the window has had no fit for long."""
        newcomer = self.start is None
        since = max(self.fit_end, self.own.first, -1 if self.start is None else self.start)
        return self.unknown and self.row - since >= (TUNING.stalled if newcomer else TUNING.lost_after)

    @property
    def oldest_iteration(self) -> int:
        """Of those that a fit may still need."""
        stored = sorted(self.own.positions)[-TUNING.iterations_stored :]
        return min(iteration for iteration in (*stored, self.fit_iteration, self.iteration) if iteration >= 0)

    @property
    def oldest_contribution(self) -> int:
        """Up to which number contributions are forgotten."""
        return contribution_number(self.row) - TUNING.contributions_stored

    def forget(self) -> None:
        """Keeps what a window can still need."""
        oldest = self.row - LONGEST - TUNING.jump_onsets[-1]
        oldest_iteration, oldest_contribution = self.oldest_iteration, self.oldest_contribution

        def contribution_needed(number: int) -> bool:
            return number > oldest_contribution or (number < 0 and last_row_of(number) >= oldest)

        def needed(pair: tuple[int, int]) -> bool:
            key = SumKey._make(pair)
            if key.is_contribution:
                return contribution_needed(key.number)
            return (not key.is_row or key.row >= oldest) and key.number >= oldest_iteration

        self.complete_until.clear()
        self.tree.forget(needed)
        self.sums = {key: total for key, total in self.sums.items() if needed(key)}
        self.contributions = {key: total for key, total in self.contributions.items() if needed(key)}
        self.members.forget(oldest)
        for contact in (*self.contacts, *self.hand_overs.values()):
            contact.forget(oldest, oldest_iteration, contribution_needed)
        self.inherited = {name: contact for name, contact in self.inherited.items() if contact.last >= oldest}
        for positions in self.received_positions.values():
            for iteration in [iteration for iteration in positions if iteration < oldest_iteration]:
                del positions[iteration]

    def rows(self, span: Span) -> np.ndarray:
        """The sums of a span."""
        return np.stack([self.sums[SumKey(row, span.iteration)] for row in range(span.start, span.end + 1)])
