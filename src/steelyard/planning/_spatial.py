"""What a motion in space identifies before anybody moves: the scenario's own motion, and a better one."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from steelyard.errors import BadInput
from steelyard.information import split_information
from steelyard.planning._spatial_bound import true_linearisation_point
from steelyard.planning._tuning import TUNING
from steelyard.problems.rigid_body._verdict import named_direction
from steelyard.team import load_in_frame, noise_free_information, pose_in_frame
from steelyard.worlds import SpatialScenario, SpatialTruth, check_spatial, grips_of, spatial_truth

_UNITS = {"mass": "relative", "com": "m", "inertia": "relative", "position": "m", "rotation": "rad"}
_NAMES = {
    "mass": "the mass",
    "com": "the centre of mass",
    "inertia": "the inertia",
    "position": "where neighbours hold",
    "rotation": "how neighbours' frames are turned",
}


@dataclasses.dataclass(frozen=True)
class PlannedSpatialMotion:
    """A motion, and the least standard deviations it allows; None where a quantity is not identifiable."""

    name: str
    time: np.ndarray
    """(n,), s."""
    wrenches: np.ndarray
    """(n, robot, 6), torque (N m) and force (N) of every robot, its sensor axes."""
    std: dict[str, float | None]
    """Least standard deviations at the worst robot along the worst axis: `mass` (relative), `com` (m), `inertia` (of an
    entry, relative to the mean moment), and `position` (m) and `rotation` (rad) of the neighbours' frames."""
    verdict: str

    def columns(self) -> dict[str, np.ndarray]:
        """The wrenches by their log names."""
        parts = [
            (f"{signal}/{axis}", 3 * k + a)
            for k, signal in enumerate(("torque", "force"))
            for a, axis in enumerate("xyz")
        ]
        robots = range(self.wrenches.shape[1])
        return {f"r{i + 1}/wrench/{name}": self.wrenches[:, i, at] for i in robots for name, at in parts}

    def as_json(self) -> dict[str, Any]:
        """As `steelyard plan --json` prints it."""
        return {"motion": self.name, "std": self.std, "unit": {q: _UNITS[q] for q in self.std}, "verdict": self.verdict}


def plan_spatial(
    hold: SpatialScenario, seed: int, progress: Callable[[int], None] = lambda steps: None
) -> list[PlannedSpatialMotion]:
    """The scenario's motion, and the best of some that turn every way, within the same force and torque.

    The grips are the scenario's. `progress` is called after each of the `TUNING.candidates` + 1 motions.
    """
    check_spatial(hold)
    if min(hold.noises) <= 0.0:
        raise BadInput("Some sensor has no noise, and then any motion tells everything; give positive noise.")
    if hold.drop_share > 0.0:
        raise BadInput("A plan is for a load that does not change; leave --drop-share out.")
    if hold.weightless:
        raise BadInput("Plans are for loads that have weight; leave --weightless out.")
    own = _judged("as the scenario has it", hold, spatial_truth(hold, seed))
    progress(1)
    better = []
    for nth in range(TUNING.candidates):
        rich = dataclasses.replace(hold, motion="rich")
        truth = spatial_truth(rich, TUNING.candidates * (seed + 1) + nth, grips_of(hold, seed))
        better.append(_judged(f"better: the best of {TUNING.candidates} that turn every way", rich, truth))
        progress(1)
    return [own, max(better, key=_score)]


def _score(motion: PlannedSpatialMotion) -> float:
    """Mean of -log(standard deviation); an unknown quantity counts with its limit."""
    return -float(np.mean([math.log(TUNING.spatial_unknown if std is None else std) for std in motion.std.values()]))


def _judged(name: str, hold: SpatialScenario, truth: SpatialTruth) -> PlannedSpatialMotion:
    point = true_linearisation_point(truth, 0)
    down = truth.attitude[:, 0].transpose(0, 2, 1) @ np.array([0.0, 0.0, -9.81])
    S = noise_free_information(point, truth.time, truth.readings, truth.wrenches, down, np.array(hold.noises))
    known, null_space = split_information(S)

    def std(J: np.ndarray) -> np.ndarray:
        error, open_part = np.linalg.norm(J @ known, axis=1), np.linalg.norm(J @ null_space, axis=1)
        return np.where(open_part > 1e-6 * np.linalg.norm(J, axis=1), np.inf, error)

    robots = range(hold.robots)
    loads = np.stack([std(load_in_frame(point, i)[1]) for i in robots])
    moment = float(np.trace(truth.inertia[0, 0])) / 3.0
    found = {
        "mass": float(loads[:, 0].max()) / float(truth.mass[0]),
        "com": float(loads[:, 1:4].max()),
        "inertia": float(loads[:, 4:].max()) / moment,
    }
    if hold.robots > 1:
        pairs = [(i, (i + 1) % hold.robots) for i in robots]
        poses = np.stack([std(pose_in_frame(point, i, j)[1]) for i, j in pairs])
        found |= {"position": float(poses[:, :3].max()), "rotation": float(poses[:, 3:].max())}
    attainable = {q: one if math.isfinite(one) and one < TUNING.spatial_unknown else None for q, one in found.items()}
    return PlannedSpatialMotion(name, truth.time, truth.wrenches, attainable, _verdict(attainable, truth))


def _verdict(std: dict[str, float | None], truth: SpatialTruth) -> str:
    lacking = [_NAMES[quantity] for quantity, one in std.items() if one is None]
    if not lacking:
        return "Everything can be told from this motion."
    omega = truth.readings[:, 0, :3]
    sizes, axes = np.linalg.eigh(omega.T @ omega / len(omega))
    if sizes[-1] < TUNING.hardly_turns**2:
        why = "the load hardly turns: turn it about every axis"
    elif sizes[0] < TUNING.one_axis * sizes[-1]:
        why = f"the load hardly turns about {named_direction(axes[:, 0])} (r1): turn it about that axis, too"
    else:
        why = "the load turns too little for this noise: turn it faster, or for longer"
    what = " and ".join([", ".join(lacking[:-1]), lacking[-1]] if len(lacking) > 1 else lacking)
    return f"{what[0].upper()}{what[1:]} cannot be told from this motion: {why}."
