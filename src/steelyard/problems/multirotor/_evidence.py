"""How probable an explanation of a flight is, so that explanations of several kinds may be compared."""

import numpy as np

from steelyard.problems.multirotor._coloured import Likelihood, log_prior
from steelyard.problems.multirotor._piecewise import Fit, columns_of
from steelyard.problems.multirotor._tuning import TUNING


def evidence(found: Fit) -> float:
    """Logarithm of the probability of the flight under these changes and this error model, but for a constant.

    All coefficients are integrated out. So that this is possible for a step and a slope alike, whatever their units,
    each has the width that changes of its kind have before a flight; each may begin at any block.
    """
    unknowns, mass = found.unknowns, float(np.mean(found.linearised))
    widths = {
        "step": TUNING.jump_std * mass,
        "slope": TUNING.flow_jump_share * mass,
        "drag": TUNING.drag_prior[0],
        "drag/quadratic": TUNING.drag_prior[1],
    }
    kinds = [kind for kind, _ in unknowns.pieces]
    prior = np.array([widths.get(name, np.inf) ** -2 for name in (*kinds, *unknowns.forces)])
    prior = np.where(prior > 0, prior, unknowns.prior)
    columns = columns_of(found.motion, unknowns, found.linearised)
    at = found.error.logarithms()
    likelihood = Likelihood(found.blocks, columns, prior)(at) + 0.5 * float(np.sum(np.log(prior[prior > 0])))
    changes = len(kinds) - kinds.count("level")
    return likelihood + float(np.sum(log_prior(at))) - changes * float(np.log(len(found.blocks)))
