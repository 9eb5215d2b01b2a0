"""Errors of a robot's estimates."""

import dataclasses
from collections.abc import Mapping, Sequence

import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Estimate
from steelyard.geometry import SO3, group_log
from steelyard.papers.fan17._scenario import NAMES, RING, row_at, true_pose
from steelyard.worlds import SpatialTruth

QUANTITIES = {"rotation": "rad", "position": "m", "inertia": "kg m²", "inertia/entry": "kg m²", "com": "m", "mass": "%"}
"""What is scored, in these units: norms of errors; `inertia/entry` is an RMS over the nine entries."""
_UPPER = np.triu_indices(3)


@dataclasses.dataclass(frozen=True)
class Score:
    """Of one robot at one moment; NaN where it did not know."""

    errors: Mapping[str, float]
    """By quantity, in its unit."""
    covered: Mapping[str, tuple[bool, ...]]
    """By estimate (`mass`, `com`, `inertia`, `pose`), whether each number's 95 % interval held the truth."""
    nees: Mapping[str, float]
    """By estimate, its error squared in the metric of its own covariance, a dimension."""


def score(estimates: Mapping[str, Estimate], truth: SpatialTruth, name: str, time: float) -> Score:
    """Against the truth at that time, not at the one to which the estimate refers: a robot is asked for now."""
    i, row = NAMES.index(name), row_at(time)
    pairs: list[tuple[str, np.ndarray, np.ndarray]] = []
    for what, true in (("mass", truth.mass[row]), ("com", truth.com[row, i]), ("inertia", truth.inertia[row, i])):
        one = estimates[what]
        if one.value is None or one.covariance is None:
            continue
        error, C = one.value - true, one.covariance
        selected = np.ravel_multi_index(_UPPER, (3, 3)) if what == "inertia" else np.arange(error.size)
        pairs.append((what, error.ravel()[selected], C[np.ix_(selected, selected)]))
    for other in RING.neighbours(name):
        one = estimates[f"pose/{other}"]
        if one.value is not None and one.covariance is not None:
            pairs.append(("pose", _pose_error(one.value, *true_pose(truth, i, NAMES.index(other))), one.covariance))
    return Score(_errors(pairs, float(truth.mass[row])), _covered(pairs), _nees(pairs))


def _pose_error(value: np.ndarray, R: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Position, then the rotation vector from the true frame to the estimated, its axes."""
    turned = SO3.from_matrix(jnp.asarray(R)).inverse() @ SO3(jnp.asarray(value[3:]))
    return np.concatenate([value[:3] - t, np.asarray(group_log(turned))])


def _errors(pairs: Sequence[tuple[str, np.ndarray, np.ndarray]], mass: float) -> dict[str, float]:
    found = dict.fromkeys(QUANTITIES, float("nan"))
    poses = [error for what, error, _ in pairs if what == "pose"]
    if len(poses) == 2:
        found["position"], found["rotation"] = (
            float(np.sqrt(np.mean([part @ part for part in parts])))
            for parts in ([error[:3] for error in poses], [error[3:] for error in poses])
        )
    for what, error, _ in pairs:
        if what == "inertia":
            whole = error @ (np.array([1.0, 2.0, 2.0, 1.0, 2.0, 1.0]) * error)
            found["inertia"], found["inertia/entry"] = float(np.sqrt(whole)), float(np.sqrt(whole / 9.0))
        elif what == "com":
            found["com"] = float(np.linalg.norm(error))
        elif what == "mass":
            found["mass"] = 100.0 * float(error[0]) / mass
    return found


def _covered(pairs: Sequence[tuple[str, np.ndarray, np.ndarray]]) -> dict[str, tuple[bool, ...]]:
    held: dict[str, tuple[bool, ...]] = {}
    for what, error, C in pairs:
        held[what] = (*held.get(what, ()), *(np.abs(error) <= 1.96 * np.sqrt(np.diag(C))).tolist())
    return held


def _nees(pairs: Sequence[tuple[str, np.ndarray, np.ndarray]]) -> dict[str, float]:
    squares: dict[str, list[float]] = {}
    for what, error, C in pairs:
        squares.setdefault(what, []).append(float(error @ np.linalg.solve(C, error)) / len(error))
    return {what: float(np.mean(values)) for what, values in squares.items()}
