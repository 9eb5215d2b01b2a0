"""The load from above, with every robot's estimates drawn on it."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.papers.planar._load import Moment
from steelyard.papers.planar._scenario import LINE, NAMES
from steelyard.report import (
    PLOTTING,
    Section,
    drawing,
    fill,
    outline_trace,
    plane_layout,
    points,
    spokes,
)
from steelyard.worlds import outline

_PICTURE = "<p>$words</p>$plot"


def picture(estimates: Mapping[str, Mapping[str, Estimate]], moment: Mapping[str, Moment], title: str) -> Section:
    """Every robot's belief of the centre of mass (crosses) and of its neighbours' contacts (open circles).

    Drawn from where the robot truly holds the load, its own knowledge being relative to that; `moment` is of the time
    that its estimates are for, and all are turned to the first robot's.
    """
    heading = moment[NAMES[0]].heading
    corners = _turn(outline("plate"), heading)
    arms = np.array([[arm.real, arm.imag] for arm in moment[NAMES[0]].arms.values()])
    traces = [outline_trace(corners, "the load")]
    for nth, robot in enumerate(NAMES):
        turn, own = heading - moment[robot].heading, arms[nth]
        com = estimates[robot]["com"].value
        if com is not None:
            traces.append(spokes(own, [own + _turn(com, turn)], f"{robot}: centre of mass", nth))
        found = [estimates[robot][f"contact/{other}"].value for other in LINE.neighbours(robot)]
        ends = [own + _turn(contact, turn) for contact in found if contact is not None]
        if ends:
            traces.append(
                points(np.array(ends), f"{robot}: contacts of its neighbours", nth, "circle-open", 13 + 3 * nth)
            )
    traces += [points(arms, "contacts", None), points(np.zeros((1, 2)), "centre of mass", None, "cross", 10)]
    words = "Each robot's estimates of the centre of mass and of its neighbours' contacts, from its own contact."
    plot = drawing(traces, plane_layout(520), "The load from above", f"{words} Beside them, where they truly are.")
    return Section(title, fill(_PICTURE, words=words, plot=plot), PLOTTING)


def error_cloud(errors: Mapping[str, Sequence[complex]], title: str, words: str) -> Section:
    """Errors of the centre of mass over trials, by method, mm from the truth at the middle."""
    traces = [
        points(1e3 * np.array([[error.real, error.imag] for error in found]), name, nth, size=6)
        for nth, (name, found) in enumerate(errors.items())
    ]
    traces.append(points(np.zeros((1, 2)), "truth", None, "cross", 11))
    plot = drawing(traces, plane_layout(460, "mm"), "Errors of the centre of mass, world axes", words)
    return Section(title, fill(_PICTURE, words=words, plot=plot), PLOTTING)


def _turn(places: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(places) @ np.array([[c, s], [-s, c]])
