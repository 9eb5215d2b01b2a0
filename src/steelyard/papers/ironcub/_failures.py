"""Engines that fail, standing and in flight: who is named, how soon, and how wrong the thrusts are meanwhile."""

import dataclasses
import itertools

import numpy as np

from steelyard.papers.ironcub._trial import OURS, PUBLISHED, SimulatedRun, rms, simulate_run
from steelyard.papers.ironcub._tuning import TRIAL
from steelyard.problems import ThrustTrack
from steelyard.worlds import FailureName, JetsScenario, JetsTrajectory

METHODS = {
    "ours": (OURS, False),
    "ours with rotor speed": (OURS, True),
    "ours, not scheduled": (dataclasses.replace(OURS, detection="none"), False),
    "published": (PUBLISHED, True),
    "published, not scheduled": (dataclasses.replace(PUBLISHED, detection="none"), False),
}
"""Tuning, and whether rotor speeds are given; the paper's schedule needs them."""

_WHAT: tuple[tuple[FailureName, int], ...] = (
    ("starvation", 1),
    ("starvation", 4),
    ("flame-out", 2),
    ("flame-out", 3),
    ("stuck", 1),
    ("stuck", 4),
)
_WHERE: tuple[JetsTrajectory, ...] = ("standing", "flight")

CASES = [
    JetsScenario(
        trajectory=place,
        duration=36.0 if place == "standing" else 22.0,
        failure=failure,
        failed_engine=engine,
        failure_time=16.0 if place == "standing" else 14.0,
        mass_error=0.03,
        foot_bias=2.0,
    )
    for (failure, engine), place in itertools.product(_WHAT, _WHERE)
]


@dataclasses.dataclass(frozen=True)
class FailureScore:
    """What one method did with one failure."""

    named: bool
    """Whether the engine that failed was named, not before it failed, and before any other."""
    delay: float
    """From where the failure shows to its naming, s; NaN where it was not."""
    wrongly: int
    """Engines that were called failed while they were healthy."""
    rms: np.ndarray
    """Of each thrust during the failure, as a share of its maximum."""


@dataclasses.dataclass(frozen=True, eq=False)
class FailureTrial:
    """Every method on one failure."""

    flight: JetsScenario
    largest: float
    """By how much the engine fell short at the most, share of its maximum."""
    scores: dict[str, FailureScore]
    shown: "tuple[SimulatedRun, dict[str, ThrustTrack]] | None"


def failure_trial(number: int, seed: int, show: bool) -> FailureTrial:
    """One of the cases."""
    flight = CASES[number]
    flown = simulate_run(flight, seed)
    tracks = {name: flown.run(tuning, speed) for name, (tuning, speed) in METHODS.items()}
    scores = {name: score(flown, track) for name, track in tracks.items()}
    short = np.abs(flown.columns["truth/deficit"]).max() / flown.robot.maximum[flight.failed_engine - 1]
    return FailureTrial(flight, float(short), scores, (flown, tracks) if show else None)


def score(flown: SimulatedRun, track: ThrustTrack) -> FailureScore:
    """Of one method on a log in which an engine fails."""
    flight, time = flown.flight, flown.time
    e = flight.failed_engine - 1
    apart = np.abs(flown.columns["truth/deficit"]) > TRIAL.failure_shows * flown.robot.maximum[e]
    shows = float(time[np.argmax(apart)]) if apart.any() else np.nan
    failed = np.asarray(track.health.failed) > 0
    first = np.where(failed.any(axis=0), time[np.argmax(failed, axis=0)], np.inf)
    others = np.delete(first, e)
    too_soon = bool(first[e] < flight.failure_time)
    named = bool(np.isfinite(first[e]) and not too_soon and first[e] <= others.min())
    during = (time >= flight.failure_time) & (time <= flight.failure_time + TRIAL.failure_window)
    delay = float(first[e] - shows) if np.isfinite(first[e]) else np.nan
    return FailureScore(named, delay, int(np.isfinite(others).sum()) + too_soon, rms(flown.errors(track)[during]))
