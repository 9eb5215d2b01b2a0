"""Numbers that no sensor reads: refused before they become infinite in an estimator."""

import numpy as np

from steelyard.errors import BadInput
from steelyard.logs import Log, describe
from steelyard.problems._tuning import TUNING
from steelyard.problems.preflight import OWN

LARGEST = TUNING.largest_reading
"""In any unit."""


def check_sizes(log: Log, problem: str) -> None:
    """`BadInput` where a number is larger than any reading; columns that nothing reads may hold what they like."""
    for name, values in log.columns.items():
        column = describe(name)
        if column.role == "truth" or not (column.known or problem == OWN):
            continue
        beyond = np.abs(values) > LARGEST
        if beyond.any():
            row = int(np.argmax(beyond))
            raise BadInput(
                f"{log.origin}: column {name} is {values[row]:.3g} at row {row + 1}, more than any sensor reads; "
                "leave the cell empty or write NaN where a sample is missing."
            )
