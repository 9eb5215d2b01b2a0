"""Where the sensor frames of a team are, seen from the first robot's."""

from collections.abc import Mapping

import jax.numpy as jnp
import numpy as np

from steelyard.geometry import SO3
from steelyard.problems import Identification

Frames = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""By robot, the rotation and the origin (m) of its frame in the first robot's."""


def frames_from_first(identification: Identification, true_first: bool = True) -> Frames:
    """Robots that can be reached from the first by poses; true poses come first where the log has them."""
    names = list(identification.robots)
    if not names:
        return {}
    found = {names[0]: (np.eye(3), np.zeros(3))}
    border = [names[0]]
    for name in border:
        R, t = found[name]
        for other in names:
            pose = None if other in found else _pose(identification, name, other, true_first)
            if pose is not None:
                found[other] = (R @ pose[0], t + R @ pose[1])
                border.append(other)
    return found


def _pose(
    identification: Identification, name: str, other: str, true_first: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    known = identification.truth.get(f"{name}/pose/{other}") if true_first else None
    estimates = identification.robots[name].get(f"pose/{other}")
    value = None if known is None else known.value[-1]
    if value is None and estimates is not None:
        value = estimates.value
    if value is None:
        return None
    return np.asarray(SO3(jnp.asarray(value[3:], float)).as_matrix()), np.asarray(value[:3], float)
