"""All trials together, and the values that follow from them."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from steelyard.papers.ironcub._coefficient_trial import CoefficientScore
from steelyard.papers.ironcub._failures import FailureTrial
from steelyard.papers.ironcub._flights import FlightTrial
from steelyard.papers.ironcub._standing import StandingExperiment
from steelyard.problems import ThrustTuning, known_apart, separations


@dataclasses.dataclass(frozen=True, eq=False)
class Results:
    """Everything that came out."""

    flights: Sequence[FlightTrial]
    standings: Sequence[StandingExperiment]
    failures: Sequence[FailureTrial]
    coefficients: Sequence[CoefficientScore]
    tunings: dict[str, ThrustTuning]

    @property
    def engines(self) -> tuple[str, ...]:
        """Names."""
        shown = self.flights[0].shown
        return shown[0].robot.names if shown is not None else ()

    def rms(self, method: str) -> np.ndarray:
        """Of each engine over all flights, percent of its maximum."""
        return 100.0 * np.sqrt(np.mean([trial.scores[method].rms ** 2 for trial in self.flights], axis=0))

    def share_of_halves(self, method: str) -> float:
        """The error of a method in that of the better half alone, engines or momentum, at the worst engine, percent."""
        halves = [self.rms(half) for half in ("centroidal", "ours without engines", "engines alone")]
        return 100.0 * float((self.rms(method) / np.min(halves, axis=0)).max())

    def nees(self, method: str) -> float:
        """Mean over the flights, a dimension."""
        return float(np.mean([trial.scores[method].nees for trial in self.flights]))

    def alarms(self, method: str) -> int:
        """Healthy engines called failed, in all flights."""
        return sum(trial.scores[method].alarms for trial in self.flights)

    def mass_rms(self, method: str) -> float:
        """Percent."""
        return 100.0 * float(np.sqrt(np.mean([trial.scores[method].mass_error ** 2 for trial in self.flights])))

    def standing(self, method: str, share: bool = False) -> float:
        """Largest error of the ground's force against the corrected scales, N, or percent of the robot's weight."""
        return max(one.weight_error(method) * (100.0 / one.weight if share else 1.0) for one in self.standings)

    def lift(self, method: str, share: bool = False) -> float:
        """Largest error of the vertical force of the thrusts, N, or percent of the robot's weight."""
        return max(one.lift_error(method) * (100.0 / one.weight if share else 1.0) for one in self.standings)

    def failure_rms(self, method: str) -> float:
        """At the worst engine of the worst failure, percent of its maximum."""
        return 100.0 * max(float(trial.scores[method].rms.max()) for trial in self.failures)

    def named(self, method: str) -> float:
        """Failures in which the right engine was named first, percent."""
        return 100.0 * float(np.mean([trial.scores[method].named for trial in self.failures]))

    def wrongly(self, method: str) -> int:
        """Engines called failed while they were healthy, in all failures."""
        return sum(trial.scores[method].wrongly for trial in self.failures)

    def slowest(self, method: str) -> float | None:
        """The longest that a naming took, s; None where none was named."""
        delays = [trial.scores[method].delay for trial in self.failures if trial.scores[method].named]
        return max(delays, default=None)

    @property
    def hardest(self) -> str:
        """The pair of engines that A(q) separates the least, and how that shows in the intervals, in a sentence."""
        shown = self.flights[0].shown
        if shown is None:
            return ""
        flown, tracks = shown
        A = flown.record.thrust_matrix[-1:]
        pairs = separations(A)
        sentences = []
        for size, one, other in (pairs[0], pairs[-1]):
            widths = [
                known_apart(np.asarray(tracks[method].thrust_covariance)[-1], one, other)
                for method in ("ours", "ours without engines")
            ]
            sentences.append(
                f"{self.engines[one]} and {self.engines[other]} (a newton from one to the other changes the wrench by "
                f"{size:.2f}; their difference is known to {widths[0]:.1f} N, 95 %, and to {widths[1]:.1f} N without "
                "engine models)"
            )
        sizes = ", ".join(f"{size:.2f}" for size in np.linalg.svd(A[0])[1])
        return (
            f"A(q) has the singular values {sizes}. It separates the least {sentences[0]}, and the best {sentences[1]}."
        )
