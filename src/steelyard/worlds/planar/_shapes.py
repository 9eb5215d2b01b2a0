"""Loads that lie on a plane: their outlines, how their mass is spread, where robots hold them."""

from typing import Literal

import numpy as np
from jaxtyping import Float

ShapeName = Literal["plate", "rod", "disc"]

_LENGTH, _WIDTH = 4.0, 2.0
_CUT_LENGTH, _CUT_DEPTH = 2.5, 0.5
_ROD = (2.0, 0.1)
_RADIUS = 1.0

_PLATE_INERTIA = 8.6891 / 5.0  # stated in [icra15, Sec. VI]; an even plate of this outline has 8.7577 kg m² at 5 kg


def inertia_by_mass(shape: ShapeName) -> float:
    """Moment of inertia about the centre of mass of a load of 1 kg, m²: as the paper states it, or for even mass."""
    if shape == "plate":
        return _PLATE_INERTIA
    if shape == "rod":
        return (_ROD[0] ** 2 + _ROD[1] ** 2) / 12.0
    return 0.5 * _RADIUS**2


def outline(shape: ShapeName) -> Float[np.ndarray, "corner 2"]:
    """Corners of the load, counter-clockwise from its centre of mass, m; a disc has a hundred.

    The plate is the papers': 2 m x 4 m with a cut of 0.5 m x 2.5 m in the middle of a long side.
    """
    if shape == "disc":
        angles = 2.0 * np.pi * np.arange(100) / 100
        return _RADIUS * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if shape == "rod":
        x, y = _ROD[0] / 2, _ROD[1] / 2
        return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
    x, y, cut_x, cut_y = _LENGTH / 2, _WIDTH / 2, _CUT_LENGTH / 2, _WIDTH / 2 - _CUT_DEPTH
    whole, cut = _LENGTH * _WIDTH, _CUT_LENGTH * _CUT_DEPTH
    com_y = -cut * (y - _CUT_DEPTH / 2) / (whole - cut)
    corners = [(-x, -y), (x, -y), (x, y), (cut_x, y), (cut_x, cut_y), (-cut_x, cut_y), (-cut_x, y), (-x, y)]
    return np.array(corners) - np.array([0.0, com_y])


def contacts_on(
    shape: ShapeName, n_robots: int, rng: np.random.Generator | None = None
) -> Float[np.ndarray, "robot 2"]:
    """From the centre of mass to contacts on the outline, m: evenly along it, or anywhere by chance."""
    corners = outline(shape)
    sides = np.roll(corners, -1, axis=0) - corners
    ends = np.concatenate([[0.0], np.cumsum(np.hypot(*sides.T))])
    shares = (np.arange(n_robots) + 0.5) / n_robots if rng is None else np.sort(rng.uniform(size=n_robots))
    closed = np.concatenate([corners, corners[:1]])
    along = shares * ends[-1]
    return np.stack([np.interp(along, ends, closed[:, axis]) for axis in range(2)], axis=1)
