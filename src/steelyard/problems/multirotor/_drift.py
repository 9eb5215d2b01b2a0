"""What changes more slowly than the coloured error: a drift of the mass, and a wander of the thrust's scale.

Turbulence has lengths of some metres up and down and of tens of metres along: a model error of a second comes with a
smaller one of ten seconds, which one correlation time cannot follow. It is an unknown of its own, a process whose
eigenfunctions have their variances as priors. A mean over the flight hardly feels it; a drift, and the level after a
late change, do.
"""

import dataclasses

from steelyard.problems.multirotor._blocks import WIND, usual_size, wander_names
from steelyard.problems.multirotor._changes import refit, slow_error, smallest_change
from steelyard.problems.multirotor._piecewise import Fit, Unknowns, fit
from steelyard.problems.multirotor._placing import ordered
from steelyard.problems.multirotor._tuning import TUNING


def with_slow_errors(found: Fit) -> Fit:
    """With drift and wander, and the changes that are still beyond four deviations and large enough beside them."""
    whole = _with_drift(found)
    steps = [piece for piece in found.unknowns.pieces if piece[0] == "step"]
    least = smallest_change(found)
    ratio = {piece: (value / std) ** 2 * (abs(value) > least) for piece in steps for value, std in [whole.of(piece)]}
    weakest = min(steps, key=ratio.__getitem__, default=None)
    if weakest is None or ratio[weakest] > TUNING.lasting_change:
        return whole
    return with_slow_errors(refit(found, tuple(piece for piece in found.unknowns.pieces if piece != weakest)))


def _with_drift(found: Fit) -> Fit:
    """A slope from the first row on, where no other slope is.

    A drift that the flight does not show is as small as what the model lacks elsewhere: batteries sag. Thrust by rotor
    speeds does not: there an unseen drift is none, or it would make the mass of the last row half again as uncertain as
    that of the flight. The wander has what is left; its mean over the flight is the thrust's scale.
    """
    size = slow_error(found)
    if any(kind == "slope" for kind, _ in found.unknowns.pieces):
        return _wandering(found, found.unknowns, size)
    drift = ("slope", float(found.motion.time[0]))
    pieces = (*found.unknowns.pieces, drift)
    tried = refit(found, pieces)
    tried = _wandering(tried, tried.unknowns, slow_error(tried))
    value, std = tried.of(drift)
    if value**2 > TUNING.believed_drift[size > 0] * std**2:
        return tried
    if size == 0.0:
        return found
    if found.motion.by_speeds:
        return _wandering(found, found.unknowns, size)
    width = size * float(found.mass(found.motion.time).mean()) / found.motion.seconds
    unknowns = ordered(pieces, found)
    return _wandering(found, dataclasses.replace(unknowns, widths=(*unknowns.widths, (drift, width))), size)


def _wandering(found: Fit, unknowns: Unknowns, size: float) -> Fit:
    """The fit with a thrust whose scale wanders by a share of the coloured error's `size`, a share of the weight.

    Where there is no clear wind, what a slight one may take from rotors that lean is as small as that error, too.
    """
    if size > 0.0:
        steady = found.motion.by_speeds and not found.motion.windy
        added = dict.fromkeys(wander_names(found.motion), TUNING.wander_share[0 if steady else 1] * size)
        if WIND not in unknowns.forces:
            added[WIND] = size / usual_size(found.motion, WIND)
        widths = (*unknowns.widths, *added.items())
        unknowns = dataclasses.replace(unknowns, forces=(*unknowns.forces, *added), widths=widths)
    again = fit(found.motion, found.blocks, unknowns, found.error, found.mass(found.motion.time))
    return dataclasses.replace(again, coloured=found.coloured, plain=found.plain)
