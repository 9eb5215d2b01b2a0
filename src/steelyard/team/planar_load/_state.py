"""The state of one robot's agent."""

import math
import zlib

from steelyard.estimators import Estimate
from steelyard.team._state_copies import copy_with_own_tables, shallow_copy
from steelyard.team.consensus._tree_sums import TreeSum
from steelyard.team.membership import TUNING as MEMBERSHIP
from steelyard.team.membership import checksum_of
from steelyard.team.planar_load._contact import Contacts
from steelyard.team.planar_load._sum_keys import Occasion, occasion_number
from steelyard.team.planar_load._team_sums import TeamSums
from steelyard.team.planar_load._tuning import TUNING
from steelyard.team.planar_load._velocity_relay import VelocityRelay
from steelyard.team.planar_load._window import LONGEST, Span
from steelyard.team.planar_load._window_progress import WindowProgress


def iteration_at(row: int) -> int:
    """The outer iteration of the contact positions that is made after a row."""
    done = row + 1
    return sum(done >= early for early in TUNING.early_iterations) + max(0, done // TUNING.iteration_period - 1)


def arbitrary_position(name: str) -> complex:
    """To begin with: any position will do, if they are not all the same."""
    angle = 2.0 * math.pi * zlib.crc32(f"{name}/place".encode()) / 2**32
    return complex(math.cos(angle), math.sin(angle))


class OwnSamples:
    """The robot's own samples that are not whole rows yet; keys are times in samples."""

    def __init__(self) -> None:
        self.time = 0.0
        self.last_force: complex | None = None
        self.last_key = -1  # of the last sample with a force
        self.unforced: dict[int, complex | None] = {}  # velocities since then, by key, whose force is not known yet
        self.recent: dict[int, complex] = {}  # the latest velocities by key
        self.pending: list[tuple[complex | None, complex | None]] = []  # samples of the unfinished row
        self.pending_row = -1
        self.without_sample = self.without_any = 0  # steps since the last whole sample, and since any


class Heard:
    """What neighbours report, each by its name."""

    def __init__(self, name: str, neighbours: tuple[str, ...]):
        self.positions: dict[str, dict[int, complex]] = {neighbour: {} for neighbour in neighbours}
        """By outer iteration."""
        self.first_rows: dict[str, int] = {}  # the first row of its own contact
        self.last_rows: dict[str, int] = {}  # the last row that it has measured
        self.window_starts: dict[str, int] = {}  # the first row of its window
        self.relay = VelocityRelay(name, neighbours)
        self.later_window: tuple[int, int] | None = None  # first row of a later window, and since which row
        self.excluded: dict[str, int] = {}  # of a faulty one, the row by which it must have stopped adding

    def copied(self) -> "Heard":
        """The same, on its own."""
        twin = copy_with_own_tables(self)
        twin.positions = {name: received.copy() for name, received in self.positions.items()}
        twin.relay = self.relay.copied()
        return twin


class PositionSteps:
    """How far the outer iterations of the contact positions have come."""

    def __init__(self) -> None:
        self.iteration = -1  # the newest that is due
        self.due: dict[int, Occasion] = {}  # by outer iteration, the contributions that it waits for
        self.contributed = -1  # number of the last occasion to which the robot contributed, or that it passed over
        self.taken = 0  # joint steps
        self.missed = 0  # outer iterations since the last joint step
        self.stepped: set[int] = set()  # outer iterations whose own position a joint step has made
        self.converged = False  # whether the positions once were near their optimum: before, no change can be told


class Consistency:
    """Whether the rows of the window are of one load."""

    def __init__(self) -> None:
        self.one_load = False  # whether they have been shown to be
        self.began_again = False  # whether the window has none before it that told anything
        self.rows_needed = 0  # of a window before it counts: as many as one had that was given up
        self.given_up = 1.0  # that one's mean squared residual, in variances
        self.since: int | None = None  # last row of the first of the latest fits, all too far off
        self.excess = 0.0  # of the squared residuals there, in variances, summed over rows
        self.steps = 0  # joint steps until then


class Reports:
    """What the robot has sent and reported."""

    def __init__(self) -> None:
        self.sequence = 0  # of its newest message
        self.at = 0  # step of the newest estimates
        self.estimates: dict[str, Estimate] = {}


class PlanarAgentState:
    """One robot's state: a value, of which a step makes the next."""

    def __init__(self, name: str, neighbours: tuple[str, ...], width: int, per_message: int, lets_go: int = 0):
        """See `TreeSum` and `TeamSums`."""
        self.tick, self.row = 0, -1
        self.contacts = Contacts(checksum_of(name))
        self.samples, self.heard = OwnSamples(), Heard(name, neighbours)
        self.sums = TeamSums(TreeSum(name, neighbours, width, per_message), lets_go)
        self.steps, self.window = PositionSteps(), WindowProgress()
        self.consistency, self.reports = Consistency(), Reports()

    def copied(self) -> "PlanarAgentState":
        """The same, to go on from without touching this one."""
        state = shallow_copy(self)
        state.contacts, state.heard, state.sums = self.contacts.copied(), self.heard.copied(), self.sums.copied()
        state.samples, state.steps = copy_with_own_tables(self.samples), copy_with_own_tables(self.steps)
        state.window, state.consistency = shallow_copy(self.window), shallow_copy(self.consistency)
        state.reports = shallow_copy(self.reports)  # estimates are replaced by others, never changed
        return state

    def complete_span(self, start: int | None = None) -> Span | None:
        """The longest span of complete sums from a row on, by default from the window's start."""
        first = self.sums.members.first
        start = self.window.start if start is None else start
        start = first if start is None else start
        if start is None or first is None:
            return None
        return self.sums.complete_span(start, sorted(one for one in self.contacts.own.positions if one > 0))

    def fitted_span(self) -> Span | None:
        """The rows of the fit, if it is usable and its sums are still there."""
        fit, start, end = self.window.fit, self.window.start, self.window.fit_end
        tries = self.unknown and self.steps.missed > TUNING.iterations_stored
        most = TUNING.worth_a_try if tries and not self.window.prior.information.any() else TUNING.usable
        if fit is None or start is None or not fit.usable(most):
            return None
        if end - start + 1 != fit.n_rows:  # a new window has begun
            return None
        span = Span(self.window.fit_iteration, start, end)
        there = all(self.sums.rows.get(key) is not None for key in span.keys)
        return span if there else None

    @property
    def over(self) -> bool:
        """Whether nobody that is heard has samples any more: then what is known stays so."""
        newest = max(self.heard.last_rows.values(), default=0)
        return self.samples.without_any > 0 and newest <= self.row + MEMBERSHIP.steady_rows

    @property
    def finishing(self) -> bool:
        """Whether there have been no more samples for some steps: time for the final joint steps."""
        return self.over and self.samples.without_any > MEMBERSHIP.steady_rows

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of the load, or has been for so long that it no longer counts."""
        mass = self.reports.estimates.get("mass")
        return mass is None or mass.value is None

    @property
    def lost(self) -> bool:
        """Whether nothing is known of the load, and the window has had no fit for long."""
        start = self.window.start
        since = max(self.window.fit_end, self.contacts.own.first, -1 if start is None else start)
        return self.unknown and self.row - since >= (TUNING.stalled if start is None else TUNING.lost_after)

    @property
    def oldest_contribution(self) -> int:
        """Up to which number contributions are forgotten."""
        return occasion_number(self.row) - TUNING.contributions_stored

    def forget(self) -> None:
        """Keeps what a window can still need."""
        stored = sorted(self.contacts.own.positions)[-TUNING.iterations_stored :]
        iterations = (*stored, self.window.fit_iteration, self.steps.iteration)
        oldest = self.row - LONGEST - TUNING.jump_onsets[-1]
        oldest_iteration = min(iteration for iteration in iterations if iteration >= 0)
        self.sums.forget(oldest, oldest_iteration, self.oldest_contribution)
        self.contacts.forget(oldest, oldest_iteration, self.oldest_contribution)
        self.steps.stepped = {iteration for iteration in self.steps.stepped if iteration >= oldest_iteration}
        for positions in self.heard.positions.values():
            for iteration in [iteration for iteration in positions if iteration < oldest_iteration]:
                del positions[iteration]
