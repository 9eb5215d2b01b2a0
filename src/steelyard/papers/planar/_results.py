"""Everything that came out of the trials of icra15, and the values that follow from it."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from steelyard.papers.planar._bound import Attainable
from steelyard.papers.planar._curves import Record
from steelyard.papers.planar._load import Load
from steelyard.papers.planar._observer import Scatter
from steelyard.papers.planar._our_method import OurTrial
from steelyard.papers.planar._scenario import NAMES
from steelyard.papers.planar._score import by_robot, worst, z_c_error
from steelyard.papers.planar._trials import PaperTrial
from steelyard.team import TeamRun


@dataclasses.dataclass(frozen=True)
class Results:
    """Of all trials; the first of the paper's is also shown over time."""

    paper: Sequence[PaperTrial]
    ours: Sequence[OurTrial]
    bounds: Sequence[Attainable]
    scatter: Sequence[Scatter]
    load: Load
    run: TeamRun
    record: Record

    @property
    def finished(self) -> int:
        """Trials of the paper's method in which every robot got to the end."""
        return sum(trial.done for trial in self.paper)

    def paper_rms(self, quantity: str) -> float | None:
        """Relative, or m for parts of `com`, at the worst robot."""
        return worst(by_robot([trial.errors for trial in self.paper]), quantity)

    def our_rms(self, quantity: str) -> float | None:
        """Likewise."""
        return worst(by_robot([trial.errors for trial in self.ours]), quantity) if self.ours else None

    def bound_rms(self, quantity: str) -> float:
        """Likewise, of the centralised bound; `com/x` and `com/y` at the robot where it is widest."""
        if quantity in ("mass", "inertia"):
            return _rms([getattr(bound, quantity) for bound in self.bounds])
        stds = np.sqrt(np.mean([bound.com**2 for bound in self.bounds], axis=0))
        return float(stds[:, "xy".index(quantity[-1])].max())

    def z_c(self, which: str) -> np.ndarray:
        """RMS error of z_c, x and y (m): of `paper`, of `ours`, or the `bound`; NaN where there is none."""
        if which == "bound":
            return np.sqrt(np.mean([bound.z_c**2 for bound in self.bounds], axis=0))
        errors = self.z_c_errors(which)
        pairs = np.array([[error.real, error.imag] for error in errors]) if errors else np.full((1, 2), np.nan)
        return np.sqrt(np.mean(pairs**2, axis=0))

    def z_c_errors(self, which: str) -> list[complex]:
        """Of the trials in which all robots knew, m."""
        trials = self.paper if which == "paper" else self.ours
        found = [z_c_error(trial.errors) for trial in trials]
        return [error for error in found if not np.isnan(error)]

    def fits(self, quantity: str) -> dict[str, np.ndarray]:
        """By robot (trial, 3): error, stated deviation and the printed one, of its own least squares, relative."""
        return {
            name: np.array([dataclasses.astuple(t.fits[quantity][name]) for t in self.paper if t.done])
            for name in NAMES
        }

    def coverage(self, quantity: str) -> float | None:
        """Share of our 95 % intervals that hold the truth."""
        held = [one for trial in self.ours for one in trial.covered[quantity]]
        return float(np.mean(held)) if held else None


def _rms(values: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
