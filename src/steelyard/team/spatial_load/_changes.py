"""Whether the load has changed: the Bayes factor of another load from some row on."""

import dataclasses

import msgspec
import numpy as np

from steelyard.monitor import JumpScore, eliminate, vector_jump_evidence
from steelyard.team.spatial_load._filter_pass import FilterPass
from steelyard.team.spatial_load._linearisation_point import LOAD, load_parameters, retract_load
from steelyard.team.spatial_load._tuning import TUNING


class SpatialLoadEvent(msgspec.Struct, frozen=True):
    """Something happened to the load or to a robot."""

    time: float
    """s, when it happened, as far as that is known."""
    kind: str
    """`change` of the load."""
    quantity: str
    size: float
    """New less old: kg of mass, m of the centre of mass, or the largest share of a moment of inertia."""


@dataclasses.dataclass(frozen=True)
class Jump:
    """Another load from a row on."""

    row: int
    earliest: int
    """The first row from which on it would be hardly less likely."""
    log_ratio: float
    """Bayes factor, natural logarithm."""
    size: np.ndarray
    """(10,), of the load's coordinates."""


def find_jump(filter_pass: FilterPass, earliest: int) -> Jump | None:
    """The likeliest onset among the segments' rows from `earliest` on, if it convinces; None where none does.

    The load's change δ from an onset on has score b − J δ̂ and, once all coordinates are fitted anew, information
    J_LOAD − J (A + A₀)⁻¹ Jᵀ, summed over the segments from the onset on. The fit δ̂ is along all directions, spurious
    ones, too: what the estimate leaves unexplained along those is no change. A change must explain a good part of what
    readings are off in all of the segments.
    """
    step, precision, found = filter_pass.whole_step, filter_pass.precision, filter_pass.segments
    start = next((k for k, one in enumerate(found) if one.row >= earliest and _converged(one.before)), None)
    if start is None:
        return None
    segments, before = found[start:], filter_pass.known_before(found[start].row)
    score = np.cumsum([segment.load_score for segment in segments[::-1]], axis=0)[::-1]
    J = np.cumsum([segment.load_information for segment in segments[::-1]], axis=0)[::-1]
    fitted_anew = eliminate(JumpScore(score, J[:, :, LOAD]), J, step, precision)
    moment = float(np.sum(filter_pass.estimate.load[1:4]))
    spread = np.array([0.3, *[0.5 * moment] * 6, *[0.5 * np.sqrt(moment)] * 3])
    evidence = vector_jump_evidence(fitted_anew, spread**-2.0)
    log_ratio = evidence.log_ratio / before.covariance_inflation
    best = int(np.argmax(log_ratio))
    # What shows in one segment only is a wrench that was a step between two rows; another load shows in the next, too.
    least = float(np.min(log_ratio[best : best + 2])) if best + 1 < len(log_ratio) else 0.0
    if least <= TUNING.change_log_ratio + TUNING.change_linearisation * filter_pass.newton_decrement:
        return None
    explained = float(evidence.size[best] @ fitted_anew.information[best] @ evidence.size[best])
    if explained < TUNING.change_explains * sum(segment.nis for segment in segments):
        return None  # something else is wrong: a faulty member, or a wrench that is not what it says
    likely = np.flatnonzero(log_ratio[: best + 1] >= log_ratio[best] - TUNING.onset_log_ratio)
    return Jump(segments[best].row, segments[likely[0]].row, float(log_ratio[best]), evidence.size[best])


def _converged(found: FilterPass | None) -> bool:
    if found is None or found.count == 0:
        return False
    return found.newton_decrement < TUNING.change_converged * found.point.size


def change_event(filter_pass: FilterPass, jump: Jump, time: float) -> SpatialLoadEvent:
    """That the load changed at a time; the new mass is to first order of the jump."""
    load = filter_pass.estimate.load
    old, new = (float(load_parameters(one)[0]) for one in (load, retract_load(load, jump.size)))
    return SpatialLoadEvent(time, "change", "mass", new - old)
