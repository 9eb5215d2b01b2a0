"""Whether the load has changed: the evidence of the latest rows for another load from some row on."""

import dataclasses

import numpy as np

from steelyard.team.spatial_load._filter_pass import Course
from steelyard.team.spatial_load._linearisation_point import LOAD, load_numbers, moved_load

_THRESHOLD = 20.0
"""Evidence asked for, as a natural logarithm: what changed nothing reaches it once in 5·10⁸ onsets tried."""
_SETTLED = 1.0
"""Mean square of the step to the likeliest point, in its standard deviations, up to which a course is settled."""
_DOUBTFUL = 0.25
"""Of the squares that the likeliest point is said to save: so much may be an error of linearising far from it."""


@dataclasses.dataclass(frozen=True)
class Jump:
    """Another load from a row on."""

    row: int
    evidence: float
    size: np.ndarray
    """(10,), of the load's coordinates."""


def find_jump(course: Course, earliest: int) -> Jump | None:
    """The likeliest onset among the marks' rows from `earliest` on, if it convinces; None where none does."""
    step, precision = course.step, course.precision
    start = next((k for k, mark in enumerate(course.marks) if mark.row >= earliest and _settled(mark.before)), None)
    if start is None:
        return None
    marks, before = course.marks[start:], course.known_before(course.marks[start].row)
    score = np.cumsum([mark.load_score for mark in marks[::-1]], axis=0)[::-1]
    J = np.cumsum([mark.load_information for mark in marks[::-1]], axis=0)[::-1]
    score = score - J @ step
    told = np.linalg.solve(precision, J.reshape(-1, len(step)).T).T.reshape(J.shape)
    free = J[:, :, LOAD] - J @ np.swapaxes(told, 1, 2)
    free = 0.5 * (free + np.swapaxes(free, 1, 2))
    moment = float(np.sum(course.best.load[1:4]))
    spread = np.array([0.3, *[0.5 * moment] * 6, *[0.5 * np.sqrt(moment)] * 3])
    prior = np.diag(spread**-2.0)
    posterior = free + prior
    size = np.linalg.solve(posterior, score[:, :, None])[:, :, 0]
    growth = np.linalg.slogdet(posterior)[1] - np.sum(-2.0 * np.log(spread))
    evidence = (0.5 * np.sum(score * size, axis=1) - 0.5 * growth) / before.doubt
    best = int(np.argmax(evidence))
    if evidence[best] <= _THRESHOLD + _DOUBTFUL * course.unsettled:
        return None
    return Jump(marks[best].row, float(evidence[best]), size[best])


def _settled(course: Course | None) -> bool:
    return course is not None and course.count > 0 and course.unsettled < _SETTLED * course.point.size


def mass_of(course: Course, jump: Jump | None = None) -> float:
    """kg; after a jump, to first order of it."""
    load = course.best.load
    return float(load_numbers(load if jump is None else moved_load(load, jump.size))[0])
