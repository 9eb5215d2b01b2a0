"""What the linearised filter knows of the motion after a row, and what rows add to score and information."""

import dataclasses

import numpy as np

from steelyard.team.spatial_load._excitation import Excitation


@dataclasses.dataclass(frozen=True, eq=False)
class FilterState:
    """Mean and covariance of the motion after a row, and the derivative of the mean by the linearisation point."""

    mean: np.ndarray
    """(9,), at the row."""
    columns: np.ndarray
    """(15, 1 + param): the expected deviation from `mean`, then its derivative by the point."""
    covariance: np.ndarray
    """(15, 15)."""


@dataclasses.dataclass(frozen=True, eq=False)
class FilterResult:
    """Score, information and NIS that rows add."""

    score: np.ndarray
    """(time, param)."""
    information: np.ndarray
    """(param, param), of all rows together."""
    spurious: np.ndarray
    """(param, param), the part of it that noise alone would have made: Jacobians are noisy, too."""
    load_information: np.ndarray
    """(time, 10, param), its rows about the load, by row."""
    nis: np.ndarray
    """(time,): normalised innovation squared."""
    count: np.ndarray
    """(time,): how many there were."""
    excitation: Excitation
    predicted: np.ndarray
    """(time, 9): the motion, each row as the rows before it tell."""
    residual: np.ndarray
    """(time, robot, 9): reading less expectation, in standard deviations as expected; zero where silent."""

    def then(self, later: "FilterResult") -> "FilterResult":
        """Of both, one after the other; the later one's last row stands for what noise makes in all."""
        both = {
            name: np.concatenate([getattr(self, name), getattr(later, name)])
            for name in ("score", "load_information", "nis", "count", "predicted", "residual")
        }
        information = self.information + later.information
        return FilterResult(
            information=information, spurious=later.spurious, excitation=self.excitation + later.excitation, **both
        )
