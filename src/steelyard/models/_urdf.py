"""What a URDF must have before a flying robot can be computed from it; mistakes are named."""

import dataclasses
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from steelyard.errors import BadInput, nearest
from steelyard.models._urdf_check import check_inertials, check_joints, check_names


@dataclasses.dataclass(frozen=True)
class Urdf:
    """A robot's description, checked: a floating base, and mass on everything that moves."""

    text: str
    origin: str
    """Its path, or a short name; begins every error message."""
    joints: tuple[str, ...]
    """Those that move, in the order of the file."""
    frames: tuple[str, ...]
    """Links, frames without mass among them."""
    mass: float = 0.0
    """kg, of all links."""

    def frame(self, name: str, what: str) -> str:
        """The name, if the robot has such a frame."""
        if name not in self.frames:
            raise BadInput(f'{self.origin} has no frame "{name}", which {what} names; {nearest(name, [*self.frames])}')
        return name


def read_urdf(source: str) -> Urdf:
    """A URDF from a path, or from its text where that begins with `<`."""
    if source.lstrip().startswith("<"):
        return _checked(source.lstrip(), "the URDF")
    try:
        return _checked(Path(source).read_text(encoding="utf-8"), source)
    except FileNotFoundError:
        raise BadInput(f"{source} does not exist; give the URDF's path from the folder you are in.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{source} cannot be read as text ({error}); give a URDF file.") from None


def _checked(text: str, origin: str) -> Urdf:
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BadInput(f"{origin} is not XML ({error}); give a URDF.") from None
    check_names(robot, origin)
    check_inertials(robot, origin)
    check_joints(robot, origin)
    links = {link.get("name", ""): _mass(link, origin) for link in robot.findall("link")}
    if robot.tag != "robot" or not links:
        raise BadInput(f"{origin} describes no robot: its outermost tag must be <robot> with <link>s in it.")
    joints = [
        (j.get("name", ""), j.get("type", ""), _link(j, "parent"), _link(j, "child")) for j in robot.findall("joint")
    ]
    children = {child: (kind, parent) for _, kind, parent, child in joints}
    for name, _, parent, child in joints:
        for end in (parent, child):
            if end not in links:
                raise BadInput(f'{origin}: joint "{name}" joins a link "{end}" that is not there; add it.')
    roots = [link for link in links if link not in children]
    if len(roots) != 1:
        raise BadInput(f"{origin} must have one root link, but has {len(roots)}; join its links into one tree.")
    carried = dict.fromkeys([roots[0], *(child for child, (kind, _) in children.items() if kind != "fixed")], 0.0)
    for link, mass in links.items():
        body = link
        while body not in carried:
            body = children[body][1]
        carried[body] += mass
    if roots[0] == "world" or (links[roots[0]] == 0 and carried[roots[0]] > 0):
        raise BadInput(
            f'{origin} has a fixed base: its root "{roots[0]}" stands for the world; delete that link, so that the '
            "robot's own base is the root and can fly."
        )
    for body, mass in carried.items():
        if not mass > 0:
            raise BadInput(
                f'{origin}: link "{body}" moves but has no mass; give it an <inertial> with mass and inertia.'
            )
    moving = tuple(name for name, kind, _, _ in joints if kind != "fixed")
    return Urdf(text, origin, moving, tuple(links), sum(links.values()))


def _link(joint: ElementTree.Element, end: str) -> str:
    found = joint.find(end)
    return "" if found is None else found.get("link", "")


def _mass(link: ElementTree.Element, origin: str) -> float:
    tag = link.find("inertial/mass")
    if tag is None:
        return 0.0
    try:
        return float(tag.get("value", ""))
    except ValueError:
        raise BadInput(
            f'{origin}: the mass of link "{link.get("name")}" is "{tag.get("value")}"; give a number in kg.'
        ) from None
