"""What a robot of a team said over time, quantity by quantity."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems._identification import Series


def series_of_said(history: Sequence[Mapping[str, Estimate]]) -> dict[str, Series]:
    """Every quantity over the times at which the robot said something; NaN while it was not known."""
    found = {}
    for quantity in dict.fromkeys(name for said in history for name in said):
        said = [one[quantity] for one in history if quantity in one]
        value = next((one.value for one in said if one.value is not None), np.array(np.nan))
        std = next((one.std for one in said if one.std is not None), np.array(np.nan))
        found[quantity] = Series(
            np.array([one.time for one in said]),
            np.array([np.full(value.shape, np.nan) if one.value is None else one.value for one in said]),
            np.array([np.full(std.shape, np.nan) if one.std is None else one.std for one in said]),
            said[0].unit,
        )
    return found
