"""What must be true of a URDF before a library reads it, which may warn, read zeros, crash or never end."""

import math
import xml.etree.ElementTree as ElementTree

import numpy as np

from steelyard.errors import BadInput, nearest
from steelyard.models._tuning import TUNING

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed")
"""Those that have at most one degree of freedom."""
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def check_names(robot: ElementTree.Element, origin: str) -> None:
    """Every link and joint has a name of its own."""
    for tag in ("link", "joint"):
        names = [one.get("name", "") for one in robot.findall(tag)]
        for name in names:
            if not name:
                raise BadInput(f"{origin} has a {tag} without a name; name it.")
            if names.count(name) > 1:
                raise BadInput(f'{origin} has {names.count(name)} {tag}s "{name}"; give each a name of its own.')


def check_joints(robot: ElementTree.Element, origin: str) -> None:
    """Types are known, axes point somewhere, and the links are a tree."""
    parents: dict[str, str] = {}
    for joint in robot.findall("joint"):
        name, kind = joint.get("name", ""), joint.get("type", "")
        if kind not in JOINT_TYPES:
            raise BadInput(f'{origin}: joint "{name}" has the type "{kind}"; {nearest(kind, list(JOINT_TYPES))}')
        axis = joint.find("axis")
        if axis is not None and kind != "fixed":
            x = numbers(axis.get("xyz", "1 0 0"), 3, f'the axis of joint "{name}"', origin)
            if not np.linalg.norm(x) > 0:
                raise BadInput(f'{origin}: the axis of joint "{name}" is zero; say about which axis it moves.')
        place = joint.find("origin")
        if place is not None:
            for key in ("xyz", "rpy"):
                numbers(place.get(key, "0 0 0"), 3, f'{key} of joint "{name}"', origin)
        ends = [one.get("link", "") for tag in ("parent", "child") if (one := joint.find(tag)) is not None]
        if len(ends) != 2:
            raise BadInput(f'{origin}: joint "{name}" needs a <parent> and a <child>.')
        if ends[1] in parents:
            raise BadInput(f'{origin}: link "{ends[1]}" hangs from two joints; the links must be a tree.')
        parents[ends[1]] = ends[0]
    for link in parents:
        seen = {link}
        while (link := parents.get(link, "")) != "":
            if link in seen:
                raise BadInput(f'{origin}: link "{link}" hangs from itself in a ring; the links must be a tree.')
            seen.add(link)


def check_inertials(robot: ElementTree.Element, origin: str) -> None:
    """Every mass and inertia is finite and that of a possible body."""
    for link in robot.findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        who = f'of link "{link.get("name")}"'
        mass_tag, inertia_tag = inertial.find("mass"), inertial.find("inertia")
        if mass_tag is None:
            raise BadInput(f'{origin}: the <inertial> {who} has no mass; give <mass value="…"/> in kg.')
        mass = float(numbers(mass_tag.get("value", ""), 1, f"the mass {who}", origin)[0])
        if mass < 0:
            raise BadInput(f"{origin}: the mass {who} is {mass:g} kg; give a number above 0.")
        place = inertial.find("origin")
        if place is not None:
            for key in ("xyz", "rpy"):
                numbers(place.get(key, "0 0 0"), 3, f"{key} of the <inertial> {who}", origin)
        if inertia_tag is None:
            continue
        values = {key: float(numbers(inertia_tag.get(key, "0"), 1, f"{key} {who}", origin)[0]) for key in _MOMENTS}
        xx, yy, zz, xy, xz, yz = values.values()
        moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        if mass == 0 and not np.any(moments):
            continue
        if moments[0] < -TUNING.moments_miss * moments[2] or (mass > 0 and moments[0] <= 0 and moments[2] > 0):
            raise BadInput(
                f"{origin}: the inertia {who} is not positive definite (its principal moments are "
                f"{', '.join(f'{m:.3g}' for m in moments)} kg m²); correct it."
            )
        if moments[0] + moments[1] < moments[2] * (1.0 - TUNING.moments_miss):
            raise BadInput(
                f"{origin}: no body has the inertia {who}: one principal moment ({moments[2]:.3g} kg m²) is more than "
                f"the sum of the others ({moments[0]:.3g} and {moments[1]:.3g}); correct it."
            )


def numbers(text: str, count: int, what: str, origin: str) -> np.ndarray:
    """Finite numbers from an attribute; `BadInput` where it holds something else."""
    try:
        values = np.array([float(part) for part in text.split()])
    except ValueError:
        raise BadInput(f'{origin}: {what} is "{text}"; give {_count(count)}.') from None
    if len(values) != count or not all(math.isfinite(value) for value in values):
        raise BadInput(f'{origin}: {what} is "{text}"; give {_count(count)}.')
    return values


def _count(count: int) -> str:
    return "a finite number" if count == 1 else f"{count} finite numbers"
