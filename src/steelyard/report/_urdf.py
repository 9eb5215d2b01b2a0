"""The identified load as a URDF: one link with its `<inertial>`, and where the robots of a team hold it."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard._files import write_text
from steelyard.errors import BadInput
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.problems import Identification
from steelyard.report._frames import frames_from_first

_NEEDED = ("mass", "com", "inertia")
_ENTRIES = dict(zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), MOMENT_ENTRIES, strict=True))


def write_urdf(identification: Identification, path: str | Path) -> None:
    """Writes the load; `BadInput` where something of it is not known.

    The load of one robot is the link `r1`, its sensor frame. The load of a team is the link `load`, which is the first
    robot's sensor frame; the robots' frames are massless links fixed to it. The origin of the `<inertial>` is the
    centre of mass, in sensor axes and unturned; the inertia is about that centre in the same axes, and entries are the
    matrix's own (`ixy` = −∫ x y dm). The load floats in a `world`: a root that is fixed would be fused into the world
    by simulators, and its mass lost.
    """
    write_text(path, urdf_of(identification))


def urdf_of(identification: Identification) -> str:
    """The text of that file."""
    root = ElementTree.Element("robot", name="steelyard")
    ElementTree.SubElement(root, "link", name="world")
    first, *others = identification.robots
    body = "load" if others else first
    _body(root, identification, first, body)
    _joint(root, f"{body}_floats", "floating", "world", body)
    frames = frames_from_first(identification, true_first=False) if others else {}
    for robot, (R, t) in frames.items():
        ElementTree.SubElement(root, "link", name=robot)
        joint = _joint(root, f"{robot}_holds", "fixed", body, robot)
        ElementTree.SubElement(joint, "origin", xyz=_numbers(t), rpy=_numbers(_roll_pitch_yaw(R)))
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _body(root: ElementTree.Element, identification: Identification, robot: str, name: str) -> None:
    """The link with its `<inertial>`, in this robot's sensor frame."""
    mass, com, inertia = (_known(identification, robot, quantity) for quantity in _NEEDED)
    if inertia.shape != (3, 3) or com.shape != (3,):
        raise BadInput(
            f"--urdf: a {identification.problem} has no inertia in space; a URDF goes with --as spatial-load or "
            "rigid-body."
        )
    inertial = ElementTree.SubElement(ElementTree.SubElement(root, "link", name=name), "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=_numbers(com), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=repr(float(mass)))
    entries = {entry: repr(float(inertia[index])) for entry, index in _ENTRIES.items()}
    ElementTree.SubElement(inertial, "inertia", entries)


def _joint(root: ElementTree.Element, name: str, kind: str, parent: str, child: str) -> ElementTree.Element:
    joint = ElementTree.SubElement(root, "joint", name=name, type=kind)
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    return joint


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


def _numbers(vector: np.ndarray) -> str:
    """All digits of every number."""
    return " ".join(repr(float(number)) for number in vector)


def _roll_pitch_yaw(R: np.ndarray) -> np.ndarray:
    """A rotation as URDF writes it: about the fixed axes x, y and z, in this order."""
    return Rotation.from_matrix(R).as_euler("xyz")
