"""Errors of a robot's estimates."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.papers.planar._load import Moment
from steelyard.papers.planar._scenario import LINE, MASS, NAMES

Errors = dict[str, float]
"""By quantity: of scalars relative to the truth and signed, of vectors their length relative to the true one, and of
`com/x` and `com/y` m in world axes; NaN where nothing is known."""


def errors_of(estimates: Mapping[str, Estimate], robot: str, inertia: float, moment: Moment) -> Errors:
    """Of one robot's estimates at the moment they are for."""
    arms = moment.arms
    found = {"inertia": _relative(estimates, "inertia", inertia), "mass": _relative(estimates, "mass", MASS)}
    com = _vector(estimates, "com") + arms[robot]
    found |= {"com": abs(com) / abs(arms[robot]), "com/x": com.real, "com/y": com.imag}
    for other in LINE.neighbours(robot):
        z = arms[other] - arms[robot]
        found[f"contact/{other}"] = abs(_vector(estimates, f"contact/{other}") - z) / abs(z)
        if f"distance/{other}" in estimates:
            found[f"distance/{other}"] = _relative(estimates, f"distance/{other}", abs(z))
    return found


def worst(by_robot: Mapping[str, Sequence[Errors]], quantity: str) -> float | None:
    """RMS at the worst robot over the trials in which it knew; `contact/` stands for all neighbours. None if never."""
    rms = []
    for errors in by_robot.values():
        for name in errors[0]:
            if name == quantity or (quantity.endswith("/") and name.startswith(quantity)):
                known = [one[name] ** 2 for one in errors if not np.isnan(one[name])]
                rms.append(float(np.sqrt(np.mean(known))) if known else float("nan"))
    return max(rms) if rms and np.isfinite(rms).all() else None


def z_c_error(errors: Mapping[str, Errors]) -> complex:
    """Of the middle of the contacts from the centre of mass (m, world axes), as the robots' answers have it together.

    The mean of all estimates of the vector from their contact to the centre of mass is minus z_c.
    """
    return -complex(np.mean([complex(one["com/x"], one["com/y"]) for one in errors.values()]))


def by_robot(trials: Sequence[Mapping[str, Errors]]) -> dict[str, list[Errors]]:
    """Trials of robots turned into robots of trials."""
    return {name: [trial[name] for trial in trials] for name in NAMES}


def _relative(estimates: Mapping[str, Estimate], quantity: str, truth: float) -> float:
    value = estimates[quantity].value
    return float("nan") if value is None else float(value) / truth - 1.0


def _vector(estimates: Mapping[str, Estimate], quantity: str) -> complex:
    value = estimates[quantity].value
    return complex("nan") if value is None else complex(float(value[0]), float(value[1]))
