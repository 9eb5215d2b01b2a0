"""A planar load from above: every robot's estimates of the centre of mass and of its neighbours."""

import numpy as np

from steelyard.problems import Identification
from steelyard.report._markup import Markup, fill
from steelyard.report._picture_from_above import plane_layout, points, spokes
from steelyard.report._plots import drawing

_ABOVE = """<p>$words</p>$plot"""


def from_above(identification: Identification) -> Markup | None:
    """Robots that know the way to the centre of mass, drawn around it; None where no two of them do.

    Each robot's knowledge is relative to its own contact, so all are drawn with their centres of mass in one place.
    """
    known = {
        name: -np.asarray(estimates["com"].value)
        for name, estimates in identification.robots.items()
        if "com" in estimates and estimates["com"].value is not None and np.shape(estimates["com"].value) == (2,)
    }
    if len(known) < 2:
        return None
    traces = []
    for nth, (name, own) in enumerate(known.items()):
        group = {"group": f"robot {nth}"}
        traces.append(points(own[None, :], name, nth, size=10) | group)
        traces.append(spokes(own, [np.zeros(2)], f"{name}: way to the centre of mass", nth, "cross") | group)
        contacts = [
            estimate.value
            for quantity, estimate in identification.robots[name].items()
            if quantity.startswith("contact/") and estimate.value is not None
        ]
        if contacts:
            ends = own[None, :] + np.array(contacts)
            traces.append(points(ends, f"{name}: contacts of its neighbours", nth, "circle-open", 14 + 3 * nth) | group)
    words = (
        "Each robot's contact (dot), the way to the centre of mass in the middle, and its estimates of its neighbours' "
        "contacts (rings in its colour), in world axes at the last sample."
    )
    return fill(_ABOVE, words=words, plot=drawing(traces, plane_layout(480), "The load from above", words))
