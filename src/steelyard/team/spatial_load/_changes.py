"""Whether the load has changed: the evidence of the latest rows for another load from some row on."""

import dataclasses

import numpy as np

from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._linearisation_point import LOAD, load_parameters, retract_load

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


def find_jump(filter_pass: FilterPass, earliest: int) -> Jump | None:
    """The likeliest onset among the marks' rows from `earliest` on, if it convinces; None where none does."""
    step, precision = filter_pass.step, filter_pass.precision
    start = next(
        (k for k, segment in enumerate(filter_pass.segments) if segment.row >= earliest and _converged(segment.before)),
        None,
    )
    if start is None:
        return None
    segments, before = filter_pass.segments[start:], filter_pass.known_before(filter_pass.segments[start].row)
    score = np.cumsum([segment.load_score for segment in segments[::-1]], axis=0)[::-1]
    J = np.cumsum([segment.load_information for segment in segments[::-1]], axis=0)[::-1]
    score = score - J @ step
    told = np.linalg.solve(precision, J.reshape(-1, len(step)).T).T.reshape(J.shape)
    free = J[:, :, LOAD] - J @ np.swapaxes(told, 1, 2)
    free = 0.5 * (free + np.swapaxes(free, 1, 2))
    moment = float(np.sum(filter_pass.estimate.load[1:4]))
    spread = np.array([0.3, *[0.5 * moment] * 6, *[0.5 * np.sqrt(moment)] * 3])
    prior = np.diag(spread**-2.0)
    posterior = free + prior
    size = np.linalg.solve(posterior, score[:, :, None])[:, :, 0]
    growth = np.linalg.slogdet(posterior)[1] - np.sum(-2.0 * np.log(spread))
    evidence = (0.5 * np.sum(score * size, axis=1) - 0.5 * growth) / before.covariance_inflation
    estimate = int(np.argmax(evidence))
    if evidence[estimate] <= _THRESHOLD + _DOUBTFUL * filter_pass.newton_decrement:
        return None
    return Jump(segments[estimate].row, float(evidence[estimate]), size[estimate])


def _converged(filter_pass: FilterPass | None) -> bool:
    return (
        filter_pass is not None
        and filter_pass.count > 0
        and filter_pass.newton_decrement < _SETTLED * filter_pass.point.size
    )


def mass_of(filter_pass: FilterPass, jump: Jump | None = None) -> float:
    """kg; after a jump, to first order of it."""
    load = filter_pass.estimate.load
    return float(load_parameters(load if jump is None else retract_load(load, jump.size))[0])
