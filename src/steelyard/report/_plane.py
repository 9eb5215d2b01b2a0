"""Pictures of a plane seen from above: outlines, points, and arrows between them, metres both ways alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.report._markup import plot_text
from steelyard.report._plots import Trace, axis, colour, drawn, layout


def plane_layout(height: int, unit: str = "m") -> dict[str, Any]:
    """The look of a picture from above."""
    look = layout(height, unit)
    look["xaxis"] = axis(unit)
    look["yaxis"] |= {"scaleanchor": "x", "scaleratio": 1}
    look["hovermode"] = "closest"
    look["margin"] = {"l": 56, "r": 16, "t": 26, "b": 44}
    return look


def outline_trace(corners: np.ndarray, name: str) -> Trace:
    """A closed outline (n, 2), lightly filled."""
    closed = np.concatenate([corners, corners[:1]])
    return {
        "type": "scatter",
        "mode": "lines",
        "x": drawn(closed[:, 0]),
        "y": drawn(closed[:, 1]),
        "name": plot_text(name),
        "fill": "toself",
        "fillcolor": "var(--grid)",
        "line": {"color": "var(--quiet)", "width": 1.2},
        "hoverinfo": "skip",
    }


def points(places: np.ndarray, name: str, nth: int | None, symbol: str = "circle", size: int = 8) -> Trace:
    """Markers at places (n, 2); without a number they have the colour of what is true."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": drawn(places[:, 0]),
        "y": drawn(places[:, 1]),
        "name": plot_text(name),
        "marker": {"symbol": symbol, "size": size, "color": _ink(nth)},
        "hovertemplate": "%{x:.4f}, %{y:.4f}<extra>%{fullData.name}</extra>",
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
        "type": "scatter",
        "mode": "lines+markers",
        "x": [None if v is None else round(v, 5) for v in x],
        "y": [None if v is None else round(v, 5) for v in y],
        "name": plot_text(name),
        "line": {"color": _ink(nth), "width": 1.4, "dash": "dot"},
        "marker": {"symbol": symbol, "size": sizes, "color": _ink(nth)},
        "hovertemplate": "%{x:.4f}, %{y:.4f}<extra>%{fullData.name}</extra>",
    }


def _ink(nth: int | None) -> str:
    return "var(--ink)" if nth is None else colour(nth)
