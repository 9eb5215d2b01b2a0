"""Everything that a reproduction of sesame measures."""

import dataclasses
from collections.abc import Mapping, Sequence

from steelyard.papers.sesame._data import Flown
from steelyard.papers.sesame._filters import FAITHFUL, Preset, Run
from steelyard.papers.sesame._learning_machines_report import Machines
from steelyard.papers.sesame._scores import Abrupt, Score, Scores, grouped
from steelyard.worlds import SesameScenario

OURS, WITHHELD = "steelyard", "steelyard without the map"
METHODS = (*FAITHFUL, OURS, WITHHELD)


@dataclasses.dataclass(frozen=True)
class Results:
    """Of every method on every flight."""

    presets: Mapping[str, Preset]
    scores: Mapping[str, Scores]
    """By method."""
    shown: Mapping[str, Mapping[SesameScenario, Run]]
    """By method, runs of the first repetition, for the figures."""
    flown: Sequence[Flown]
    bound: Mapping[SesameScenario, float]
    """Settled RMSPE that could be had at best."""
    quiet_window: Mapping[str, float]
    """Error of a window whose mass walks half as fast, over the EKF's, on profiles with no step and with several."""
    abrupt: Abrupt
    minutes: float
    """Of flight, in which false alarms could have been raised."""
    machines: Machines

    def of(self, method: str, trajectory: str | None = None, profile: str | None = None) -> Score:
        """A method's score on a trajectory and a profile, or on all."""
        return grouped(self.scores[method], trajectory, profile)

    def best(self, figure: str, trajectory: str | None = None) -> float:
        """The least `rmspe` or `settled_rmspe` of the paper's filters."""
        return min(getattr(self.of(method, trajectory), figure) for method in FAITHFUL)
