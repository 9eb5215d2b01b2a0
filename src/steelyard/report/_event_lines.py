"""Events as labelled vertical lines across a plot."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from steelyard.problems import Event
from steelyard.report._digits import signed
from steelyard.report._markup import plot_text

_COLOURS = {"change": "var(--change)", "fault": "var(--fault)", "recovered": "var(--recovered)"}
_ROOM_LYING = 0.14  # of the width that a lying label needs on a narrow screen
_ROOM_UPRIGHT = 0.045
_UPRIGHT_HEIGHT = 64  # px


def mark_events(layout: dict[str, Any], events: Sequence[Event], quantity: str, span: tuple[float, float]) -> None:
    """Adds the events to a plot of one quantity; those of other quantities stay faint and without a label."""
    own = sorted((event for event in events if event.quantity == quantity), key=lambda event: event.time)
    others = [event for event in events if event.quantity != quantity]
    layout["shapes"] += [_line(event, faint=True) for event in others] + [_line(event) for event in own]
    width = (span[1] - span[0]) or 1.0
    gaps = [(later.time - earlier.time) / width for earlier, later in pairwise(own)]
    upright = min(gaps, default=1.0) < _ROOM_LYING
    last = -float("inf")
    for event in own:
        if upright and (event.time - last) / width < _ROOM_UPRIGHT:
            continue  # its line stays, and the table of events has it
        last = event.time
        layout["annotations"].append(_label(event, upright))
    if upright and own:
        layout["height"] += _UPRIGHT_HEIGHT - layout["margin"]["t"]
        layout["margin"]["t"] = _UPRIGHT_HEIGHT


def _line(event: Event, faint: bool = False) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": event.time,
        "x1": event.time,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "opacity": 0.35 if faint else 0.9,
        "line": {"color": _COLOURS[event.kind], "width": 1, "dash": "dot"},
    }


def _label(event: Event, upright: bool) -> dict[str, Any]:
    words = signed(event.size) if event.kind == "change" and event.size is not None else event.kind
    return {
        "x": event.time,
        "xref": "x",
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "center",
        "showarrow": False,
        "text": plot_text(words),
        "hovertext": plot_text(event.message),
        "textangle": -90 if upright else 0,
        "font": {"size": 12, "color": _COLOURS[event.kind]},
    }
