"""Everything that came out of the trials, and the values that follow from it."""

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.papers.fan17._scenario import NAMES
from steelyard.papers.fan17._trials import Trial


@dataclasses.dataclass(frozen=True)
class Results:
    """Of all trials."""

    trials: Sequence[Trial]

    def rms(self, which: str, quantity: str, at: float) -> dict[str, float]:
        """By robot, over the trials, in the quantity's unit; which is `paper`, `ours` or `bounds`.

        NaN for a robot that did not know it in some trial: an error of nothing is no error.
        """
        return {name: _rms([self._one(trial, which, quantity, at, name) for trial in self.trials]) for name in NAMES}

    def _one(self, trial: Trial, which: str, quantity: str, at: float, name: str) -> float:
        if which == "bounds":
            return trial.bounds[at][name][quantity]
        scores: Mapping = getattr(trial, which)
        return scores[at][name].errors[quantity]

    def worst(self, which: str, quantity: str, at: float) -> float | None:
        """At the worst robot; None where some robot did not know it in some trial."""
        found = max(self.rms(which, quantity, at).values(), key=lambda one: math.inf if math.isnan(one) else one)
        return found if math.isfinite(found) else None

    def known(self, which: str, quantity: str, at: float) -> float:
        """Share of trials in which every robot knew it."""
        errors = [
            all(math.isfinite(self._one(trial, which, quantity, at, name)) for name in NAMES) for trial in self.trials
        ]
        return float(np.mean(errors))

    def coverage(self, estimate: str, at: float) -> float | None:
        """Share of our 95 % intervals that held the truth, number by number over robots and trials."""
        held = [one for t in self.trials for name in NAMES for one in t.ours[at][name].covered.get(estimate, ())]
        return float(np.mean(held)) if held else None

    def nees(self, estimate: str, at: float) -> float | None:
        """Mean over robots and trials, a dimension; 1 where covariances are consistent."""
        found = [
            t.ours[at][name].nees[estimate] for t in self.trials for name in NAMES if estimate in t.ours[at][name].nees
        ]
        return float(np.mean(found)) if found else None

    @property
    def delay(self) -> float | None:
        """s, from the drop to the event at the slowest robot in the slowest trial; None where one never reported it."""
        slowest = max(delay for trial in self.trials for delay in trial.delays.values())
        return slowest if math.isfinite(slowest) else None


def _rms(values: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
