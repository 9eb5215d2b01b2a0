"""The identified load as robots and simulators take it: MJCF, Universal Robots, Franka.

Units and frame are those of the answer, and each text names them: kg, m, kg m², axes and origin of the force sensor. A
robot whose flange frame differs needs the transform between the two.
"""

import json
from collections.abc import Callable

import numpy as np

from steelyard.errors import BadInput
from steelyard.geometry import MOMENT_ENTRIES
from steelyard.problems import Identification


def mjcf_of(mass: float, com: np.ndarray, inertia: np.ndarray, frame: str) -> str:
    """A MuJoCo `<inertial>`: `fullinertia` is xx, yy, zz, xy, xz, yz about the centre of mass, in the body's axes."""
    entries = [inertia[p] for p in MOMENT_ENTRIES]
    return (
        f"<!-- kg, m, kg m²; body frame: the force sensor's of {frame}; inertia about the centre of mass -->\n"
        f'<inertial pos="{_listed(com)}" mass="{mass!r}" fullinertia="{_listed(entries)}"/>\n'
    )


def ur_of(mass: float, com: np.ndarray, inertia: np.ndarray, frame: str) -> str:
    """URScript `set_target_payload(m, cog, inertia)`: Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass."""
    entries = [inertia[p] for p in MOMENT_ENTRIES]
    return (
        f"# kg, m, kg m2; force sensor's axes and origin of {frame}, to be those of the tool flange\n"
        f"set_target_payload({mass!r}, [{_listed(com, ', ')}], [{_listed(entries, ', ')}])\n"
    )


def franka_of(mass: float, com: np.ndarray, inertia: np.ndarray, frame: str) -> str:
    """Franka's `endeffector-config.json`: matrices column by column; the end effector's frame is left at the flange."""
    numbers = {
        "id": f"steelyard-{frame}",
        "name": f"load at {frame} (kg, m, kg m2; force sensor's axes and origin, to be those of the flange)",
        "color": "#808080",
        "mass": mass,
        "centerOfMass": [float(x) for x in com],
        "transformation": [float(x) for x in np.eye(4).T.ravel()],
        "inertia": [float(x) for x in inertia.T.ravel()],
    }
    return json.dumps(numbers, indent=2) + "\n"


FORMATS: dict[str, Callable[[float, np.ndarray, np.ndarray, str], str]] = {
    "mjcf": mjcf_of,
    "ur": ur_of,
    "franka": franka_of,
}


def payload_of(identification: Identification, name: str) -> str:
    """The load of the one robot as text; `BadInput` where something of it is not known."""
    if len(identification.robots) != 1:
        raise BadInput(f"--payload is of one robot's load; this log has {len(identification.robots)} robots.")
    ((robot, quantities),) = identification.robots.items()
    values = []
    for quantity in ("mass", "com", "inertia"):
        estimate = quantities.get(quantity)
        if estimate is None or estimate.value is None:
            raise BadInput(f"--payload: the {quantity} of {robot} is not known; a payload needs mass, com and inertia.")
        values.append(np.asarray(estimate.value))
    mass, com, inertia = values
    if com.shape != (3,) or inertia.shape != (3, 3):
        raise BadInput(f"--payload: a {identification.problem} has no payload in space; it goes with --as rigid-body.")
    return FORMATS[name](float(mass), com, inertia, robot)


def _listed(values, separator: str = " ") -> str:
    return separator.join(repr(float(x)) for x in values)
