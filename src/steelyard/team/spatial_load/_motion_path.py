"""The motion along which rows are linearised, as the filter predicted it last: a value."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class MotionPath:
    """Angular velocity, velocity and gravity in the first robot's frame, by row."""

    first: int
    """Row of the first entry."""
    values: np.ndarray
    """(time, 9)."""

    @staticmethod
    def empty() -> "MotionPath":
        """Of no rows."""
        return MotionPath(0, np.empty((0, 9)))

    def between(self, begin: int, end: int) -> np.ndarray:
        """(time, 9): rows from `begin` on, before `end`; NaN where no motion was predicted yet."""
        rows = np.full((end - begin, 9), np.nan)
        known = self.values[begin - self.first : max(end - self.first, 0)]
        rows[: len(known)] = known
        return rows

    def replaced(self, begin: int, values: np.ndarray) -> "MotionPath":
        """The same with other values (time, 9) from a row on; the rest stays."""
        size = max(len(self.values), begin - self.first + len(values))
        path = np.full((size, 9), np.nan)
        path[: len(self.values)] = self.values
        path[begin - self.first : begin - self.first + len(values)] = values
        return MotionPath(self.first, path)

    def since(self, first: int) -> "MotionPath":
        """Without the rows before `first`."""
        return self if first <= self.first else MotionPath(first, self.values[first - self.first :])
