"""Pictures in space that readers can turn: frames, points, and ellipsoids that show an inertia."""

from typing import Any

import numpy as np

from steelyard.report._markup import visible
from steelyard.report._plots import Trace, ink
from steelyard.report._tuning import LAYOUT


def space_layout(height: int) -> dict[str, Any]:
    """The look of a picture in space, metres along every axis alike."""
    return {"height": height, "in_space": True}


def ellipsoid(mass: float, com: np.ndarray, inertia: np.ndarray, name: str, nth: int | None) -> Trace:
    """The even ellipsoid of this mass (kg), centre (m) and inertia about it (kg m²), cut by its planes of symmetry.

    Three ellipses are few enough lines for several estimates in one picture. Without a number it has the colour of
    what is true, and is dashed.
    """
    moments, axes = np.linalg.eigh(inertia)
    semi_axes = np.sqrt(np.maximum(2.5 / mass * (np.sum(moments) - 2.0 * moments), 0.0))
    places = com + (_rings() * semi_axes) @ axes.T
    return _lines(places, name, nth, 1.8) | ({"dash": "dash"} if nth is None else {})


def grip(R: np.ndarray, t: np.ndarray, size: float, name: str, nth: int) -> Trace:
    """A sensor frame: its origin (m) with its name, and its axes, x the longest and z the shortest."""
    gap = np.full(3, np.nan)
    lengths = size * np.array([1.0, 0.75, 0.5])
    places = np.concatenate([np.stack([t, t + lengths[k] * R[:, k], gap]) for k in range(3)])
    return _lines(places, name, nth, 3.0) | {"label": visible(name)}


def places_in_space(places: np.ndarray, name: str, nth: int | None, symbol: str = "circle", size: int = 4) -> Trace:
    """Markers at places (n, 3)."""
    return _at(places) | {
        "kind": "points",
        "name": visible(name),
        "symbol": symbol,
        "size": size,
        "color": ink(nth),
    }


def _lines(places: np.ndarray, name: str, nth: int | None, width: float) -> Trace:
    return _at(places) | {"kind": "line", "name": visible(name), "color": ink(nth), "width": width}


def _at(places: np.ndarray) -> Trace:
    return {
        axis: [round(float(value), 4) if np.isfinite(value) else None for value in places[:, k]]
        for k, axis in enumerate("xyz")
    }


def _rings() -> np.ndarray:
    """The circles of the unit sphere in its three planes of symmetry, a gap after each."""
    angle, gap = np.linspace(0.0, 2.0 * np.pi, LAYOUT.circle_points), np.full((1, 3), np.nan)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(LAYOUT.circle_points)], axis=1)
    return np.concatenate([part for k in range(3) for part in (np.roll(ring, k, axis=1), gap)])
