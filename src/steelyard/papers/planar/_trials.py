"""Trials of the paper's method, one by one."""

import dataclasses

from steelyard.papers.planar._curves import Record
from steelyard.papers.planar._load import Load
from steelyard.papers.planar._scenario import INERTIA, LINE, MASS, NAMES, RATE, SECONDS, VELOCITY_NOISE
from steelyard.papers.planar._score import Errors, errors_of
from steelyard.papers.planar.robots import PaperState, Stage, drive, icra15_team
from steelyard.team import Bus, TeamRun


@dataclasses.dataclass(frozen=True)
class Fit:
    """What one robot's own least squares gave, before the team averaged, relative to the truth."""

    error: float
    stated: float
    """Its standard deviation as the fit states it."""
    printed: float
    """The same as [icra15, Eq. (32)] is printed."""


@dataclasses.dataclass(frozen=True)
class PaperTrial:
    """What came of one run of the paper's method."""

    done: bool
    errors: dict[str, Errors]
    fits: dict[str, dict[str, Fit]]
    """By quantity (`inertia`, `mass`) and robot."""


def paper_trial(seed: int) -> PaperTrial:
    """One closed loop: the robots choose their forces as they go."""
    load = Load(INERTIA, VELOCITY_NOISE, seed)
    return scored(load, run_paper(load, seed))


def run_paper(load: Load, seed: int, record: Record | None = None) -> TeamRun:
    """The run itself; a record watches where one is given."""
    watch = None if record is None else record.watch
    return drive(icra15_team(LINE, RATE, seed=seed), load, Bus(LINE), SECONDS, RATE, watch=watch)


def scored(load: Load, run: TeamRun) -> PaperTrial:
    """A run against the truth."""
    estimates = {name: run.last(name) for name in NAMES}
    errors = {n: errors_of(estimates[n], n, INERTIA, load.at(estimates[n]["mass"].time)) for n in NAMES}
    states: dict[str, PaperState] = run.states
    done = all(state.stage == Stage.DONE for state in states.values())
    fits = {
        "inertia": {name: _fit(states[name].inertia_fit, INERTIA) for name in NAMES},
        "mass": {name: _fit(states[name].mass_fit, MASS) for name in NAMES},
    }
    return PaperTrial(done, errors, fits)


def _fit(fit, truth: float) -> Fit:
    """The gradient is one over the quantity, and so are their relative deviations alike."""
    share = 1.0 / (fit.gradient * truth)
    return Fit(share - 1.0, share * fit.gradient_std / fit.gradient, share * fit.gradient_std_printed / fit.gradient)
