"""Ours on the paper's load: 20 s of sinusoids, every robot by its neighbours, next to what is attainable."""

import dataclasses

import numpy as np

from steelyard.config import Config, Noise
from steelyard.estimators import Estimate
from steelyard.logs import Log
from steelyard.papers.planar._load import Moment
from steelyard.papers.planar._scenario import INERTIA, NAMES, PUSH, VELOCITY_NOISE
from steelyard.papers.planar._score import Errors, errors_of
from steelyard.problems import read_planar_record, run_planar_load_team
from steelyard.worlds import simulate_planar


@dataclasses.dataclass(frozen=True)
class OurTrial:
    """What came of one push."""

    errors: dict[str, Errors]
    covered: dict[str, list[bool]]
    """By quantity, for every robot and component, whether the 95 % interval held the truth."""
    estimates: dict[str, dict[str, Estimate]]
    moments: dict[str, Moment]
    """The truth at the time of each robot's final estimate."""
    bytes_a_second: float
    """Sent by the busiest robot."""
    false_alarms: int
    """Changes that a robot reported; there was none."""


def our_trial(seed: int) -> OurTrial:
    """One run of `PUSH`, identified by the team."""
    columns = simulate_planar(PUSH, seed)
    log = Log(columns.pop("time"), columns, "simulation")
    result = run_planar_load_team(read_planar_record(log.without_truth(), Config(noise=Noise(velocity=VELOCITY_NOISE))))
    estimates = result.last
    moments = {name: _moment(log, estimates[name]["mass"].time) for name in NAMES}
    errors = {name: errors_of(estimates[name], name, INERTIA, moments[name]) for name in NAMES}
    covered: dict[str, list[bool]] = {"mass": [], "inertia": [], "com": []}
    for name in NAMES:
        arm = moments[name].arms[name]
        truths = {"mass": PUSH.mass, "inertia": INERTIA, "com": np.array([-arm.real, -arm.imag])}
        for quantity, truth in truths.items():
            covered[quantity] += _covered(estimates[name][quantity], truth)
    return OurTrial(errors, covered, estimates, moments, max(result.bytes_a_second.values()), len(result.events))


def _covered(estimate: Estimate, truth: float | np.ndarray) -> list[bool]:
    interval = estimate.interval
    if interval is None:
        return [False] * np.size(truth)
    return np.ravel((interval[0] <= truth) & (truth <= interval[1])).tolist()


def _moment(log: Log, time: float) -> Moment:
    """The load at a time, from the truth that the log holds: the first robot's arm shows the heading."""
    row = int(np.argmin(np.abs(np.asarray(log.time) - time)))
    arm = -complex(*(log.columns[f"truth/{NAMES[0]}/com/{axis}"][row] for axis in "xy"))
    start = Moment(0.0, 0.0, 0j).arms[NAMES[0]]
    return Moment(float(np.angle(arm / start)), float("nan"), complex("nan"))
