"""Pictures in space that readers can turn: frames, points, and ellipsoids that show an inertia."""

from typing import Any

import numpy as np

from steelyard.report._markup import visible
from steelyard.report._plots import Trace, ink

_MERIDIANS, _PARALLELS, _POINTS = 6, 5, 33


def space_layout(height: int) -> dict[str, Any]:
    """The look of a picture in space, metres along every axis alike."""
    return {"height": height, "in_space": True}


def ellipsoid(mass: float, com: np.ndarray, inertia: np.ndarray, name: str, nth: int | None) -> Trace:
    """The even ellipsoid of this mass (kg), centre (m) and inertia about it (kg m²), as a net of lines.

    Without a number it has the colour of what is true.
    """
    moments, axes = np.linalg.eigh(inertia)
    semi_axes = np.sqrt(np.maximum(2.5 / mass * (np.sum(moments) - 2.0 * moments), 0.0))
    places = com + (_net() * semi_axes) @ axes.T
    return _lines(places, name, nth, 1.2 if nth is not None else 2.0)


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


def _net() -> np.ndarray:
    """Meridians and parallels of the unit sphere, a gap after each."""
    angle, gap = np.linspace(0.0, 2.0 * np.pi, _POINTS), np.full((1, 3), np.nan)
    curves = []
    for turn in np.arange(_MERIDIANS) * np.pi / _MERIDIANS:
        ring = np.stack([np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn), np.cos(angle)], axis=1)
        curves += [ring, gap]
    for height in np.linspace(-1.0, 1.0, _PARALLELS + 2)[1:-1]:
        radius = np.sqrt(1.0 - height**2)
        curves += [np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(_POINTS, height)], axis=1), gap]
    return np.concatenate(curves)
