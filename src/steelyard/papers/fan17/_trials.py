"""One trial: the paper's method and ours on the same readings, and what was attainable."""

import dataclasses
import time
from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.papers.fan17._scenario import MOMENTS, NAMES, RING, SCENARIO, SimulatedRun, row_at, simulated_run
from steelyard.papers.fan17._score import QUANTITIES, Score, score
from steelyard.papers.fan17._tuning import TUNING
from steelyard.papers.fan17.robots import fan17_team
from steelyard.planning import SpatialBound, spatial_bound
from steelyard.problems import SpatialTeamResult, estimate_spatial_load_at_once, run_spatial_load_team
from steelyard.team import Bus, TeamRun, run_team

History = Sequence[Mapping[str, Estimate]]
Scores = Mapping[float, Mapping[str, Score]]
"""By moment and robot."""


@dataclasses.dataclass(frozen=True)
class Trial:
    """What came of one."""

    paper: Scores
    ours: Scores
    bounds: Mapping[float, Mapping[str, Mapping[str, float]]]
    """By moment, robot and quantity: the least deviation, in the quantity's unit."""
    delays: Mapping[str, float]
    """By robot, s from the drop until it was reported as an event; infinite where it never was."""
    false_events: int
    """Events of any robot that were none."""


@dataclasses.dataclass(frozen=True, eq=False)
class Shown:
    """One trial in full: what is drawn on the page, and what messages cost."""

    run: SimulatedRun
    paper: TeamRun
    ours: SpatialTeamResult
    talking: SpatialTeamResult
    """Its first seconds over messages."""
    paper_bytes: Mapping[str, float]
    """A second, by robot."""
    paper_step: float
    """s."""


def trial(seed: int) -> Trial:
    """Ours without messages: with all messages a robot has the same estimate, two samples later on this ring."""
    run = simulated_run(seed)
    return scored(run, run_paper(run), estimate_spatial_load_at_once(run.record))


def shown_trial(seed: int) -> tuple[Trial, Shown]:
    """The same with the whole history, and ours over messages for a while: what communication costs."""
    run = simulated_run(seed)
    begin = time.perf_counter()
    paper = run_paper(run)
    seconds = (time.perf_counter() - begin) / (len(run.truth.time) * len(NAMES))
    ours = estimate_spatial_load_at_once(run.record)
    sent = {name: sent / SCENARIO.duration for name, sent in paper.bytes_sent.items()}
    rows = slice(row_at(TUNING.messages_seconds))
    talking = run_spatial_load_team(
        dataclasses.replace(run.record, time=run.record.time[rows], readings=run.record.readings[rows])
    )
    return scored(run, paper, ours), Shown(run, paper, ours, talking, sent, seconds)


def run_paper(run: SimulatedRun) -> TeamRun:
    """The paper's method over the bus."""
    agents = fan17_team(RING, rate=SCENARIO.rate, noise=SCENARIO.noises)
    return run_team(agents, run.record.samples(), Bus(RING))


def scored(run: SimulatedRun, paper: TeamRun, ours: SpatialTeamResult) -> Trial:
    """Both against the truth."""
    delays = {name: _noticed(ours, name) for name in NAMES}
    others = [e for robot, _, e in ours.events if abs(e.time - SCENARIO.drop_time) > 1.0 and robot in NAMES]
    return Trial(
        paper={at: _scores(paper.estimates, run, at) for at in MOMENTS},
        ours={at: _scores(ours.history, run, at) for at in MOMENTS},
        bounds={at: _bounds(run, at) for at in MOMENTS},
        delays=delays,
        false_events=len(others),
    )


def _scores(history: Mapping[str, History], run: SimulatedRun, at: float) -> dict[str, Score]:
    return {name: score(latest(history[name], at), run.truth, name, at) for name in NAMES}


def latest(history: History, at: float) -> Mapping[str, Estimate]:
    """The latest estimate of a robot up to a time, s."""
    return [estimates for estimates in history if estimates["mass"].time <= at + 1e-9][-1]


def _noticed(ours: SpatialTeamResult, name: str) -> float:
    found = [noticed for robot, noticed, e in ours.events if robot == name and abs(e.time - SCENARIO.drop_time) <= 1.0]
    return min(found, default=float("inf")) - SCENARIO.drop_time


def _bounds(run: SimulatedRun, at: float) -> dict[str, dict[str, float]]:
    row = row_at(at)
    of = spatial_bound(run.truth, SCENARIO.noises, row)
    return {name: _least(of[i], name, float(run.truth.mass[row])) for i, name in enumerate(NAMES)}


def _least(bound: SpatialBound, name: str, mass: float) -> dict[str, float]:
    poses = np.stack([bound.poses[NAMES.index(other)] for other in RING.neighbours(name)])
    whole = float(np.sqrt(np.sum(bound.inertia**2)))
    found = {
        "rotation": float(np.sqrt(np.mean(np.sum(poses[:, 3:] ** 2, axis=1)))),
        "position": float(np.sqrt(np.mean(np.sum(poses[:, :3] ** 2, axis=1)))),
        "inertia": whole,
        "inertia/entry": whole / 3.0,
        "com": float(np.linalg.norm(bound.com)),
        "mass": 100.0 * bound.mass / mass,
    }
    return {quantity: found[quantity] for quantity in QUANTITIES}
