"""The scenario of the spatial paper: what it states, and what it leaves open and we chose.

Stated: five robots in a ring, noise of 0.4 on every channel in SI units, a load of 2.0 kg that drops to 1.2 kg at 35 s.
Left open: sample rate, load, grips, forces. Ours are 100 Hz, the inertia of an even box, grips drawn on its ellipsoid,
and sinusoids of 30 N and 3.5 N m rms an axis. With less turning the paper's own filter cannot get to the pose errors
that it states: its q_d shrinks by the share of the noise in the squares of ω. With less force it cannot get to the
masses that it states, for the noise of the total force is a regressor's.
"""

import dataclasses

import numpy as np

from steelyard.models import WRIST_SIGNALS
from steelyard.problems import SpatialRecord
from steelyard.team import Graph
from steelyard.worlds import SpatialScenario, SpatialTruth, errors_of, spatial_truth

SCENARIO = SpatialScenario(robots=5, duration=50.0, force=30.0, torque=3.5, drop_share=0.4, drop_time=35.0)
NAMES = tuple(f"r{i + 1}" for i in range(SCENARIO.robots))
RING = Graph.ring(NAMES)
MOMENTS = (8.0, 20.0, 37.0, 47.0, 50.0)
"""s, at which robots are asked."""
PUBLISHED = {
    ("rotation", 8.0): 0.036,
    ("position", 8.0): 0.032,
    ("inertia", 20.0): 0.075,
    ("com", 20.0): 0.015,
    ("mass", 20.0): 100.0 * (2.03 / 2.0 - 1.0),
    ("inertia", 50.0): 0.058,
    ("com", 50.0): 0.017,
    ("mass", 50.0): 100.0 * (1.0 - 1.196 / 1.2),
}
"""[fan17, Sec. VII]: rad, m, kg m², m and %, of one run."""


@dataclasses.dataclass(frozen=True, eq=False)
class SimulatedRun:
    """One run of the scenario."""

    truth: SpatialTruth
    record: SpatialRecord
    """What the robots measured."""


def simulated_run(seed: int) -> SimulatedRun:
    """Its noise, grips and wrenches follow from the seed."""
    truth = spatial_truth(SCENARIO, seed)
    return SimulatedRun(truth, measured(SCENARIO, truth, RING, seed))


def measured(scenario: SpatialScenario, truth: SpatialTruth, graph: Graph, seed: int) -> SpatialRecord:
    """What the robots read, with the noise of this seed, which they know."""
    errors = errors_of(scenario, len(truth.time), seed)
    readings = np.concatenate([truth.readings, truth.wrenches], axis=-1) + np.concatenate(list(errors), axis=-1)
    noise = {str(signal): size for signal, size in zip(WRIST_SIGNALS, scenario.noises, strict=True)}
    return SpatialRecord(graph, truth.time, readings, noise, (0.0, 0.0, -9.81), zero_order_hold=False, notes=())


def row_at(time: float) -> int:
    """The row of a time, s."""
    return min(round(time * SCENARIO.rate), round(SCENARIO.duration * SCENARIO.rate))


def true_pose(truth: SpatialTruth, own: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position (m) of another robot's frame in a robot's own."""
    R_t = truth.turns[own].T
    return R_t @ truth.turns[other], R_t @ (truth.grips[other] - truth.grips[own])
