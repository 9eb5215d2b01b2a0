"""Pictures of a plane seen from above: outlines, points, and arrows between them, metres both ways alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.report._markup import visible
from steelyard.report._plots import Trace, drawn, ink, layout


def plane_layout(height: int, unit: str = "m") -> dict[str, Any]:
    """The look of a picture from above."""
    return layout(height, unit) | {"equal": True, "x_suffix": "", "x_title": unit}


def outline_trace(corners: np.ndarray, name: str) -> Trace:
    """A closed outline (n, 2), lightly filled."""
    closed = np.concatenate([corners, corners[:1]])
    return {
        "kind": "outline",
        "x": drawn(closed[:, 0]),
        "y": drawn(closed[:, 1]),
        "name": visible(name),
        "fill": "var(--grid)",
        "color": "var(--quiet)",
        "width": 1.2,
    }


def points(places: np.ndarray, name: str, nth: int | None, symbol: str = "circle", size: int = 8) -> Trace:
    """Markers at places (n, 2); without a number they have the colour of what is true."""
    return {
        "kind": "points",
        "x": drawn(places[:, 0]),
        "y": drawn(places[:, 1]),
        "name": visible(name),
        "symbol": symbol,
        "size": size,
        "color": ink(nth),
    }


def spokes(start: np.ndarray, ends: Sequence[np.ndarray], name: str, nth: int, symbol: str = "x") -> Trace:
    """Lines from one place to others, a marker at the end of each: an estimated position."""
    x: list[float | None] = []
    y: list[float | None] = []
    for end in ends:
        x += [float(start[0]), float(end[0]), None]
        y += [float(start[1]), float(end[1]), None]
    sizes = [size for _ in ends for size in (0, 9, 0)]
    return {
        "kind": "spokes",
        "x": [None if v is None else round(v, 5) for v in x],
        "y": [None if v is None else round(v, 5) for v in y],
        "name": visible(name),
        "color": ink(nth),
        "width": 1.4,
        "dash": "dot",
        "symbol": symbol,
        "size": sizes,
    }
