"""A tool that is known, from the URDF of its link."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.errors import BadInput
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.models import check_inertials

_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def known_tool(path: str) -> np.ndarray:
    """(10,): mass, first moment and moments about the origin of the only link that has an `<inertial>`.

    The link's frame is that of the force sensor, as in what `identify --urdf` writes.
    """
    if not Path(path).is_file():
        raise BadInput(f"The known tool's file {path} is not there; give the URDF of one link.")
    try:
        robot = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise BadInput(f"{path} is no XML ({error}); give the URDF of the known tool.") from None
    heavy = [inertial for link in robot.findall("link") if (inertial := link.find("inertial")) is not None]
    if len(heavy) != 1:
        raise BadInput(
            f"{path} has {len(heavy)} links with an <inertial>; the known tool is one, in the sensor's frame."
        )
    check_inertials(robot, path)
    inertial, place = heavy[0], heavy[0].find("origin")
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    m = float(mass.get("value", "0")) if mass is not None else 0.0
    xx, yy, zz, xy, xz, yz = (float(inertia.get(entry, "0")) if inertia is not None else 0.0 for entry in _ENTRIES)
    c, turn = np.zeros(3), np.eye(3)
    if place is not None:
        c = np.array([float(x) for x in place.get("xyz", "0 0 0").split()])
        turn = Rotation.from_euler("xyz", [float(x) for x in place.get("rpy", "0 0 0").split()]).as_matrix()
    moments = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    about = moments + m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.concatenate([[m], m * c, [about[entry] for entry in MOMENT_ENTRIES]])
