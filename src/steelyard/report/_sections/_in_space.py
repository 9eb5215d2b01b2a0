"""A load that a team holds in space: every robot's grip, and every robot's belief of the load beside the truth."""

from collections.abc import Mapping

import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Estimate
from steelyard.geometry import SO3
from steelyard.problems import Identification
from steelyard.report._components import in_shape
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section
from steelyard.report._plots import PLOTTING, Trace, drawing
from steelyard.report._space import ellipsoid, grip, places_in_space, space_layout

Frames = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""By robot, the rotation and the origin (m) of its frame in the picture's."""
_SPACE = """<p>$words</p>$plot"""


def in_space(identification: Identification) -> Section | None:
    """The load as everybody knows it at the end, in the first robot's frame; None where it is not such a load."""
    robots = {
        name: estimates
        for name, estimates in identification.robots.items()
        if "inertia" in estimates
        and estimates["inertia"].value is not None
        and np.shape(estimates["inertia"].value) == (3, 3)
    }
    frames = _frames(identification)
    shown = {name: estimates for name, estimates in robots.items() if name in frames}
    if not shown:
        return None
    return Section("The load in space", picture_in_space(shown, frames, _truth(identification, frames)), PLOTTING)


def picture_in_space(
    robots: Mapping[str, Mapping[str, Estimate]], frames: Frames, truth: tuple[float, np.ndarray, np.ndarray] | None
) -> Markup:
    """Beliefs drawn in one frame; `truth` is mass (kg), centre (m) and inertia (kg m²) there, where it is known."""
    traces: list[Trace] = []
    if truth is not None:
        traces += [ellipsoid(*truth, "the load as it is", None)]
        traces += [places_in_space(truth[1][None], "its centre of mass", None, "cross", 5)]
    centres = []
    size = 0.2 * max([float(np.linalg.norm(t)) for _, t in frames.values()] + [0.3])
    for nth, (name, (R, t)) in enumerate(frames.items()):
        traces.append(grip(R, t, size, name, nth))
        estimates = robots.get(name)
        if estimates is None or any(estimates[what].value is None for what in ("mass", "com", "inertia")):
            continue
        mass, com, inertia = (np.asarray(estimates[what].value, float) for what in ("mass", "com", "inertia"))
        com, inertia = t + R @ com, R @ inertia @ R.T
        traces.append(ellipsoid(float(mass), com, inertia, f"the load by {name}", nth))
        centres.append((com, name, nth))
    traces += [places_in_space(com[None], f"centre of mass by {name}", nth) for com, name, nth in centres]
    words = (
        "Every robot's grip with its axes, and the even ellipsoid that has the mass and inertia which the robot "
        "estimates for the load, at the estimated position. Turn it with the mouse; click on a name to hide it."
    )
    plot = drawing(traces, space_layout(560), "The load in the first robot's frame", words)
    return fill(_SPACE, words=words, plot=plot)


def _frames(identification: Identification) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Robots that can be reached from the first by poses: true ones where the log has them, else estimated ones."""
    names = list(identification.robots)
    if not names:
        return {}
    found = {names[0]: (np.eye(3), np.zeros(3))}
    border = [names[0]]
    for name in border:
        R, t = found[name]
        for other in names:
            pose = None if other in found else _pose(identification, name, other)
            if pose is not None:
                found[other] = (R @ pose[0], t + R @ pose[1])
                border.append(other)
    return found


def _pose(identification: Identification, name: str, other: str) -> tuple[np.ndarray, np.ndarray] | None:
    known = identification.truth.get(f"{name}/pose/{other}")
    estimates = identification.robots[name].get(f"pose/{other}")
    value = None if known is None else known.value[-1]
    if value is None and estimates is not None:
        value = estimates.value
    if value is None:
        return None
    return np.asarray(SO3(jnp.asarray(value[3:], float)).as_matrix()), np.asarray(value[:3], float)


def _truth(identification: Identification, frames: Frames) -> tuple[float, np.ndarray, np.ndarray] | None:
    """What the log knows of the load, in the first robot's frame."""
    first = next(iter(frames))
    found = [identification.truth.get(key) for key in ("mass", f"{first}/com", f"{first}/inertia")]
    if any(one is None for one in found):
        return None
    mass, com, inertia = (one.value[-1:] for one in found if one is not None)
    matrix = in_shape(inertia, (3, 3))
    return None if matrix is None else (float(np.ravel(mass)[0]), com[0], matrix[0])
