"""Rigid loads as ten numbers in the force sensor's frame."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from steelyard.worlds.wrist._scenario import WristScenario
from steelyard.worlds.wrist._tuning import TUNING


@dataclasses.dataclass(frozen=True, eq=False)
class WristLoad:
    """A rigid body at the wrist."""

    mass: float
    """kg."""
    com: np.ndarray
    """(3,), from the force sensor's origin, sensor axes, m."""
    inertia: np.ndarray
    """(3, 3), about the centre of mass, sensor axes, kg m²."""


def box(mass: float, sides: Sequence[float], com: np.ndarray, turn: np.ndarray) -> WristLoad:
    """An even box; `turn` takes its axes to the sensor's."""
    squares = np.square(np.asarray(sides, float))
    principal = mass / 12.0 * (squares.sum() - squares)
    return WristLoad(mass, com, turn @ np.diag(principal) @ turn.T)


def combined(loads: Sequence[WristLoad]) -> WristLoad:
    """Several bodies that are rigidly joined."""
    mass = sum(load.mass for load in loads)
    com = sum((load.mass * load.com for load in loads), start=np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for load in loads:
        d = load.com - com
        inertia += load.inertia + load.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return WristLoad(mass, com, inertia)


def loads_of(scenario: WristScenario) -> tuple[WristLoad, WristLoad]:
    """What the arm holds, without and with what it picks up."""
    turn = Rotation.from_rotvec(math.radians(scenario.tilt) / math.sqrt(2.0) * np.array([1.0, 1.0, 0.0])).as_matrix()
    com = np.array([scenario.com_x, scenario.com_y, scenario.com_z])
    own = box(scenario.mass, (scenario.length, scenario.width, scenario.height), com, turn)
    if scenario.pick_mass == 0.0:
        return own, own
    place = com + np.array([0.0, 0.0, TUNING.picked_beyond])
    return own, combined([own, box(scenario.pick_mass, [TUNING.picked_side] * 3, place, np.eye(3))])
