"""What the team's sums are of: the keys under which robots add up rows, contributions and shifts."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from steelyard.team.planar_load._tuning import TUNING

N_PARTS = 80
"""Sums that one contribution takes."""
_NONE = -1


class Kind(IntEnum):
    """Of what a sum is; see `TreeSum` for the order in which they are sent."""

    ROW = 0
    """Of the robots' readings in a row, with the contact positions of an outer iteration."""
    SHIFT = 1
    """Of the shifts of the fit that come with an outer iteration."""
    CONTRIBUTION = 2
    """Of a part of the contributions to a joint step."""


class Occasion(NamedTuple):
    """When all robots contribute to a joint step."""

    end: int
    """The last row of the fit that contributions are on."""
    final: int = _NONE
    """After the last sample, the outer iteration of that fit; −1 while samples come."""


class SumKey(NamedTuple):
    """Equal to the four integers that `TreeSum` knows."""

    kind: int
    row: int
    """Of the readings; of a contribution, the last row of the fit that it is on."""
    iteration: int
    """The outer iteration; of a contribution as `Occasion.final`."""
    part: int = 0
    """Of a contribution."""

    @property
    def occasion(self) -> Occasion:
        """Of a contribution."""
        return Occasion(self.row, self.iteration)


def row_key(row: int, iteration: int) -> SumKey:
    """Of the readings of a row."""
    return SumKey(Kind.ROW, row, iteration)


def shift_key(iteration: int) -> SumKey:
    """Of the shift of the fit that comes with an outer iteration."""
    return SumKey(Kind.SHIFT, 0, iteration)


def contribution_keys(occasion: Occasion) -> list[SumKey]:
    """Of all parts of a contribution."""
    return [SumKey(Kind.CONTRIBUTION, *occasion, part) for part in range(N_PARTS)]


def possible_keys(keys: np.ndarray, row: int, iteration: int) -> bool:
    """Whether keys (key, 4) can be of sums up to a row and an outer iteration.

    That somebody will not contribute is announced ahead, to the row from which its next window begins.
    """
    if not len(keys):
        return True
    kind, rows, iterations, parts = keys.T
    latest = row + np.where(kind == Kind.CONTRIBUTION, TUNING.stalled, 0)
    possible = (kind >= 0) & (kind <= max(Kind)) & (rows >= 0) & (rows <= latest) & (parts >= 0) & (parts < N_PARTS)
    return bool(np.all(possible & (iterations >= _NONE) & (iterations <= iteration + TUNING.final_steps)))


def occasion_of(number: int) -> Occasion:
    """By its number while samples come: 0, 1, … every `contribute_every` rows."""
    return Occasion((number + 1) * TUNING.contribute_every - 1)


def occasion_number(row: int) -> int:
    """Of the occasion whose fit ends with a row, or is the next one after it."""
    return row // TUNING.contribute_every


def contribution_needed(occasion: Occasion, oldest_row: int, oldest_number: int) -> bool:
    """Whether contributions may still be used; after the last sample, as long as their rows are."""
    return occasion.end >= oldest_row if occasion.final >= 0 else occasion_number(occasion.end) > oldest_number
