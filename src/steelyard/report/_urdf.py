"""The identified bodies as a URDF: one link a robot frame, with its `<inertial>`."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from steelyard._files import whole_file
from steelyard.errors import BadInput
from steelyard.problems import Identification

_NEEDED = ("mass", "com", "inertia")
_ENTRIES = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}


def write_urdf(identification: Identification, path: str | Path) -> None:
    """Writes the load as every robot sees it; `BadInput` where something of it is not known.

    Link `r1` is r1's sensor frame: the origin of its `<inertial>` is the centre of mass, in sensor axes and unturned;
    the inertia is about that centre in the same axes, and entries are the matrix's own (`ixy` = −∫ x y dm). Every link
    floats in a `world`: a root that is fixed would be fused into the world by simulators, and its mass lost.
    """
    text = urdf_of(identification)
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def urdf_of(identification: Identification) -> str:
    """The text of that file."""
    root = ElementTree.Element("robot", name="steelyard")
    ElementTree.SubElement(root, "link", name="world")
    for robot in identification.robots:
        mass, com, inertia = (_known(identification, robot, quantity) for quantity in _NEEDED)
        if inertia.shape != (3, 3) or com.shape != (3,):
            raise BadInput(
                f"--urdf: a {identification.problem} has no inertia in space; a URDF goes with --as spatial-load or "
                "rigid-body."
            )
        link = ElementTree.SubElement(root, "link", name=robot)
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=" ".join(_exact(x) for x in com), rpy="0 0 0")
        ElementTree.SubElement(inertial, "mass", value=_exact(float(mass)))
        entries = {name: _exact(inertia[index]) for name, index in _ENTRIES.items()}
        ElementTree.SubElement(inertial, "inertia", entries)
        joint = ElementTree.SubElement(root, "joint", name=f"{robot}_floats", type="floating")
        ElementTree.SubElement(joint, "parent", link="world")
        ElementTree.SubElement(joint, "child", link=robot)
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _known(identification: Identification, robot: str, quantity: str) -> np.ndarray:
    estimate = identification.robots[robot].get(quantity)
    if estimate is None:
        raise BadInput(
            f"--urdf: a {identification.problem} has no {quantity} to write; a URDF goes with --as spatial-load or "
            "rigid-body."
        )
    if estimate.value is None:
        raise BadInput(
            f"--urdf: the {quantity} of {robot}'s load is {estimate.status}, so there is no URDF to write; "
            f"{identification.verdict}"
        )
    return estimate.value


def _exact(number: float) -> str:
    """All of a number's digits."""
    return repr(float(number))
