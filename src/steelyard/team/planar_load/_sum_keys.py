"""What the team's sums are of: the keys under which robots add up rows, contributions and shifts.

On the wire a key is two integers, (row, number). A row from 0 on is a row of sums, and `number` the outer iteration of
the contact positions that it was made with. Negative rows are no rows: −1 to −80 are the parts of a contribution to the
joint step (80 sums of 15 numbers), with `number` the contribution's; −81 is the shift of the fit that comes with
the outer iteration `number`.
"""

from typing import NamedTuple

import numpy as np

from steelyard.team.planar_load._tuning import TUNING

N_PARTS = 80
"""Sums that one contribution takes."""
_SHIFT = -1 - N_PARTS
_ITERATIONS = 64  # more than there are at a time


class SumKey(NamedTuple):
    """Equal to the pair of integers that `TreeSum` knows."""

    row: int
    number: int
    """Outer iteration, or number of the contribution."""

    @property
    def is_row(self) -> bool:
        """Whether it is of a row of sums."""
        return self.row >= 0

    @property
    def is_contribution(self) -> bool:
        """Whether it is of a part of a contribution."""
        return _SHIFT < self.row < 0


def possible_keys(keys: np.ndarray, row: int) -> bool:
    """Whether keys (key, 2) can be of sums over rows up to a row; final contributions are negative numbers."""
    if not len(keys):
        return True
    rows, numbers = keys[:, 0], keys[:, 1]
    most = _ITERATIONS * (row + 2)
    return bool(rows.min() >= _SHIFT and rows.max() <= row and np.abs(numbers).max() <= most)


def contribution_keys(number: int) -> list[SumKey]:
    """Of all parts of a contribution."""
    return [SumKey(-1 - part, number) for part in range(N_PARTS)]


def shift_key(iteration: int) -> SumKey:
    """Of the shift of the fit that comes with an outer iteration."""
    return SumKey(_SHIFT, iteration)


def contribution_number(end: int) -> int:
    """Of the contributions on a fit up to row `end`, while samples come: 0, 1, … every `contribute_every` rows."""
    return end // TUNING.contribute_every


def last_row_of(number: int) -> int:
    """The last row of the fit that a contribution is on; of a final one, the row that it was numbered by."""
    return -number // _ITERATIONS if number < 0 else (number + 1) * TUNING.contribute_every - 1


def final_contribution_number(end: int, iteration: int) -> int:
    """Of the contributions on a fit after which no more rows come: negative, by its last row and outer iteration."""
    return -1 - (_ITERATIONS * end + iteration % _ITERATIONS)
