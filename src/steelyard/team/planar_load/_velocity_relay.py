"""What robots report of their contacts' velocities, passed on through the team: the sums do not tell who is wrong."""

import numpy as np

from steelyard.team._state_copies import copy_with_own_tables
from steelyard.team.planar_load._tuning import TUNING

Report = tuple[str, int, float, float]
"""Robot, row, and its contact's mean velocity in it, m/s."""


class VelocityRelay:
    """One robot's, part of its agent's state."""

    def __init__(self, name: str, neighbours: tuple[str, ...]):
        self._name = name
        self._rows: dict[int, dict[str, tuple[float, float]]] = {}
        self._queues: dict[str, tuple[Report, ...]] = dict.fromkeys(neighbours, ())
        self._newest = -1

    def copied(self) -> "VelocityRelay":
        """The same, on its own."""
        return copy_with_own_tables(self)

    def measure(self, row: int, velocity: complex) -> None:
        """The robot's own."""
        self._take((self._name, row, velocity.real, velocity.imag), None)

    def receive(self, reports: tuple[Report, ...], sender: str) -> None:
        """What a neighbour passed on; the robot has its own."""
        for report in reports[: TUNING.reports_a_message]:
            if report[0] != self._name:
                self._take(report, sender)

    def message(self, neighbour: str) -> tuple[Report, ...]:
        """What to pass on now."""
        queue, most = self._queues[neighbour], TUNING.reports_a_message
        self._queues[neighbour] = queue[most:]
        return queue[:most]

    def table(self, robots: tuple[str, ...], rows: int) -> np.ndarray:
        """(time, robot, 2): of the last rows of which all of them report numbers."""
        whole = [row for row in sorted(self._rows) if all(name in self._rows[row] for name in robots)][-rows:]
        table = np.array([[self._rows[row][name] for name in robots] for row in whole])
        table = table.reshape(len(whole), len(robots), 2)
        return table[np.isfinite(table).all(axis=(1, 2))]

    def _take(self, report: Report, sender: str | None) -> None:
        origin, row, x, y = report
        known = self._rows.get(row, {})
        if row < self._newest - TUNING.rows_relayed or origin in known or len(known) >= TUNING.most_reports_a_row:
            return
        self._rows[row] = {**known, origin: (x, y)}
        for neighbour, queue in self._queues.items():
            if neighbour not in (sender, origin):
                self._queues[neighbour] = (*queue, *[report] * TUNING.report_repeats)[-TUNING.reports_waiting :]
        if row > self._newest:
            self._newest = row
            for old in [old for old in self._rows if old < row - TUNING.rows_relayed]:
                del self._rows[old]
