"""How good a method's mass is: over whole flights, and away from the moments at which it changes."""

import dataclasses
import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.papers.sesame._data import Flown
from steelyard.papers.sesame._filters import Run
from steelyard.papers.sesame._tuning import FILTERS
from steelyard.worlds import SESAME_AIRFRAME, SesameScenario, turning_times


@dataclasses.dataclass(frozen=True)
class Score:
    """Of one flight, or of several together."""

    rmspe: float
    """[sesame, Eq. (48)], over whole flights; a share, not percent."""
    settled_rmspe: float
    """The same more than a second after the start and after every change."""
    coverage: float
    """Share of settled rows that the 95 % band covers."""
    seconds_a_row: float
    false_alarms: int
    """Changes that were reported more than a second after any true one."""

    @staticmethod
    def of(flown: Flown, run: Run) -> "Score":
        """One flight's."""
        flight, columns = flown
        truth = columns["truth/mass"]
        error = run.mass / truth - 1.0
        calm = settled(flight, columns["time"])
        covered = np.abs(run.mass - truth) < 1.96 * run.std
        turns = np.asarray(turning_times(flight.profile, SESAME_AIRFRAME.duration))
        false = sum(not np.any((turns <= noticed) & (noticed < turns + FILTERS.settled)) for noticed in run.events)
        return Score(_rms(error), _rms(error[calm]), float(covered[calm].mean()), run.seconds_a_row, false)

    @staticmethod
    def over(scores: Sequence["Score"]) -> "Score":
        """Of flights of one length: errors in the mean square, times in the median."""
        return Score(
            rmspe=_rms(np.array([score.rmspe for score in scores])),
            settled_rmspe=_rms(np.array([score.settled_rmspe for score in scores])),
            coverage=float(np.mean([score.coverage for score in scores])),
            seconds_a_row=statistics.median(score.seconds_a_row for score in scores),
            false_alarms=sum(score.false_alarms for score in scores),
        )


Scores = Mapping[SesameScenario, Score]


def grouped(scores: Scores, trajectory: str | None = None, profile: str | None = None) -> Score:
    """Of the flights of a trajectory and a profile, or of all."""
    return Score.over(
        [
            score
            for flight, score in scores.items()
            if trajectory in (None, flight.trajectory) and profile in (None, flight.profile)
        ]
    )


def settled(flight: SesameScenario, time: np.ndarray) -> np.ndarray:
    """Rows more than a second after the start and after every change."""
    calm = time > FILTERS.settled
    for moment in turning_times(flight.profile, SESAME_AIRFRAME.duration):
        calm &= (time < moment) | (time > moment + FILTERS.settled)
    return calm


@dataclasses.dataclass(frozen=True)
class Abrupt:
    """How jumps of one size were taken, over flights with one jump each."""

    flights: int
    found: int
    median_delay: float
    """s, from the jump to the event."""
    median_error: float
    """Of the mass one second after the jump, as a share of it."""
    worst_error: float


def abrupt(runs: Sequence[tuple[Flown, Run]]) -> Abrupt:
    """Delays and errors over flights of the profiles with a single step."""
    delays, errors = [], []
    for (flight, columns), run in runs:
        (step,) = turning_times(flight.profile, SESAME_AIRFRAME.duration)
        noticed = [event - step for event in run.events if 0 <= event - step < FILTERS.settled]
        delays += noticed[:1]
        row = int(np.searchsorted(columns["time"], step + FILTERS.settled))
        errors.append(abs(run.mass[row] / columns["truth/mass"][row] - 1.0))
    return Abrupt(
        len(runs), len(delays), statistics.median(delays or [float("inf")]), statistics.median(errors), max(errors)
    )


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))
