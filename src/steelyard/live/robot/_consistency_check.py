"""Which robot's measurements of a rigid load's motion are inconsistent with all others'?"""

import math
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from steelyard.live.robot._team_file import TeamPlan
from steelyard.live.robot._tuning import TUNING
from steelyard.team import Agent


class ConsistencyCheck:
    """Looks now and then at what robots report to have measured, as the agent has it anyway."""

    def __init__(self, plan: TeamPlan):
        self._robots, self._faulty_member = plan.graph.names, plan.task.faulty_member
        self._next = self._span = round(TUNING.check_span * plan.rate)
        self._every = round(TUNING.check_interval * plan.rate)
        self._suspects: dict[str, int] = {}

    def find_faulty(self, tick: int, agent: Agent, state: Any, known: frozenset[str]) -> list[str]:
        """Members that are faulty as of now beside those `known`: the only one that is inconsistent with all others."""
        if tick < self._next:
            return []
        self._next = tick + self._every
        robots, found = [name for name in self._robots if name not in known], None
        if len(robots) >= 4:
            # A member that has found itself faulty reports no more: others may still need its earlier reports.
            reports = agent.reported_motion(state, tuple(robots), TUNING.check_row, TUNING.check_span)
            enough = len(reports.table) * reports.samples >= 0.5 * self._span
            if enough and np.all(np.abs(reports.table) < TUNING.largest_report):
                number = self._faulty_member(reports.table, reports.samples)
                found = None if number is None else robots[number]
        self._suspects = {} if found is None else {found: self._suspects.get(found, 0) + 1}
        if found is None or self._suspects[found] < TUNING.check_verdicts:
            return []
        return [found]


def only_inconsistent(misfits: Float[np.ndarray, " robot"], together: float) -> int | None:
    """The robot without which all others fit together, if it is the only such; `misfits` are of all but one each."""
    if together < TUNING.inconsistent:
        return None
    fitting = np.flatnonzero(misfits < TUNING.consistent)
    if len(fitting) != 1 or np.sum(misfits > TUNING.inconsistent) < len(misfits) - 1:
        return None
    return int(fitting[0])


def planar_faulty_member(velocities: Complex[np.ndarray, "time robot"], sigma: float) -> int | None:
    """From the velocities of contacts with a load on a plane, world axes; `sigma` is their noise an axis.

    Whatever the load does, v_j = v_O + s z_j with the same v_O and s for all robots, and z_j is constant: less the mean
    over the robots, the table has rank one. [icra15, Eq. (8)]
    """
    everybody = range(velocities.shape[1])
    misfits = [_planar_misfit(np.delete(velocities, one, axis=1), sigma) for one in everybody]
    return only_inconsistent(np.array(misfits), _planar_misfit(velocities, sigma))


def _planar_misfit(velocities: Complex[np.ndarray, "time robot"], sigma: float) -> float:
    """By how many standard deviations of chi-square they are too far from rank one."""
    rows, robots = velocities.shape
    freedom = 2 * (rows - 1) * (robots - 2)
    if freedom <= 0:
        return 0.0
    spread = velocities - velocities.mean(axis=1, keepdims=True)
    sizes = np.linalg.svd(spread, compute_uv=False)
    return (float(np.sum(sizes[1:] ** 2)) / sigma**2 - freedom) / math.sqrt(2.0 * freedom)


def spatial_faulty_member(twists: Float[np.ndarray, "time robot 6"]) -> int | None:
    """From twists, each in its robot's own frame, in units of their noise.

    All are linear in the six numbers of one of them: side by side, the table has rank six. [fan17, Eq. (9)]
    """
    everybody = range(twists.shape[1])
    misfits = [_spatial_misfit(np.delete(twists, one, axis=1)) for one in everybody]
    return only_inconsistent(np.array(misfits), _spatial_misfit(twists))


def _spatial_misfit(twists: Float[np.ndarray, "time robot 6"]) -> float:
    """By how many standard deviations of chi-square they are too far from rank six."""
    rows, robots, _ = twists.shape
    freedom = (rows - 6) * (6 * robots - 6)
    if freedom <= 0:
        return 0.0
    sizes = np.linalg.svd(twists.reshape(rows, -1), compute_uv=False)
    return (float(np.sum(sizes[6:] ** 2)) - freedom) / math.sqrt(2.0 * freedom)
