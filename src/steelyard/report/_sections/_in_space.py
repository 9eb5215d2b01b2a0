"""A load that a team holds in space: every robot's grip, and every robot's belief of the load beside the truth."""

from collections.abc import Mapping

import numpy as np

from steelyard.estimators import Estimate
from steelyard.problems import Identification
from steelyard.report._components import in_shape
from steelyard.report._frames import Frames, frames_from_first
from steelyard.report._markup import Markup, fill
from steelyard.report._picture_in_space import ellipsoid, grip, places_in_space, space_layout
from steelyard.report._plots import Trace, drawing

_SPACE = """<p>$words</p>$plot"""
_TEAM = (
    "The contact frame of every robot, and for each robot's estimate the uniform ellipsoid with that mass, centre of "
    "mass and inertia; a click on a robot's name hides both."
)
_ONE = "The sensor's frame, and the uniform ellipsoid with the estimated mass, centre of mass and inertia."


def in_space(identification: Identification) -> Markup | None:
    """The load as everybody knows it at the end, in the first robot's frame; None where it is not such a load."""
    robots = {
        name: estimates
        for name, estimates in identification.robots.items()
        if "inertia" in estimates
        and estimates["inertia"].value is not None
        and np.shape(estimates["inertia"].value) == (3, 3)
    }
    frames = frames_from_first(identification)
    shown = {name: estimates for name, estimates in robots.items() if name in frames}
    if not shown:
        return None
    return picture_in_space(shown, frames, _truth(identification, frames))


def picture_in_space(
    robots: Mapping[str, Mapping[str, Estimate]], frames: Frames, truth: tuple[float, np.ndarray, np.ndarray] | None
) -> Markup:
    """Beliefs drawn in one frame; `truth` is mass (kg), centre (m) and inertia (kg m²) there, where it is known."""
    traces: list[Trace] = []
    if truth is not None:
        traces += [ellipsoid(*truth, "the load as it is", None) | {"group": "truth"}]
        traces += [places_in_space(truth[1][None], "its centre of mass", None, "cross", 5) | {"group": "truth"}]
    centres = []
    size = 0.2 * max([float(np.linalg.norm(t)) for _, t in frames.values()] + [0.3])
    for nth, (name, (R, t)) in enumerate(frames.items()):
        traces.append(grip(R, t, size, name, nth) | {"group": f"robot {nth}"})
        estimates = robots.get(name)
        if estimates is None or any(estimates[what].value is None for what in ("mass", "com", "inertia")):
            continue
        mass, com, inertia = (np.asarray(estimates[what].value, float) for what in ("mass", "com", "inertia"))
        com, inertia = t + R @ com, R @ inertia @ R.T
        traces.append(ellipsoid(float(mass), com, inertia, f"the load by {name}", nth) | {"group": f"robot {nth}"})
        centres.append((com, name, nth))
    for com, name, nth in centres:
        traces.append(places_in_space(com[None], f"centre of mass by {name}", nth) | {"group": f"robot {nth}"})
    words = _TEAM if len(frames) > 1 else _ONE
    if truth is not None:
        words += " Dashed: the load as it is."
    words += " Turn it with the mouse or the arrow keys, zoom with + and −."
    caption = "The load in the first robot's frame" if len(frames) > 1 else "The load in the sensor's frame"
    plot = drawing(traces, space_layout(560), caption, words)
    return fill(_SPACE, words=words, plot=plot)


def _truth(identification: Identification, frames: Frames) -> tuple[float, np.ndarray, np.ndarray] | None:
    """What the log knows of the load, in the first robot's frame."""
    first = next(iter(frames))
    found = [identification.truth.get(key) for key in ("mass", f"{first}/com", f"{first}/inertia")]
    if any(one is None for one in found):
        return None
    mass, com, inertia = (one.value[-1:] for one in found if one is not None)
    matrix = in_shape(inertia, (3, 3))
    return None if matrix is None else (float(np.ravel(mass)[0]), com[0], matrix[0])
