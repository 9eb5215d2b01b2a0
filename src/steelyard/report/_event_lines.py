"""Events as labelled vertical lines across a plot."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from steelyard.problems import Event
from steelyard.report._digits import signed
from steelyard.report._markup import visible
from steelyard.report._tuning import LAYOUT

_COLOURS = {
    "change": "var(--change)",
    "contact": "var(--wait)",
    "fault": "var(--fault)",
    "recovered": "var(--recovered)",
}


def mark_events(layout: dict[str, Any], events: Sequence[Event], quantity: str, span: tuple[float, float]) -> None:
    """Adds the events to a plot of one quantity; those of other quantities stay faint and without a label."""
    own = sorted((event for event in events if event.quantity == quantity), key=lambda event: event.time)
    others = [event for event in events if event.quantity != quantity]
    layout["marks"] += [_mark(event) | {"faint": True} for event in others]
    width = (span[1] - span[0]) or 1.0
    gaps = [(later.time - earlier.time) / width for earlier, later in pairwise(own)]
    upright = min(gaps, default=1.0) < LAYOUT.lying_label
    last = -float("inf")
    for event in own:
        mark = _mark(event)
        layout["marks"].append(mark)
        if upright and (event.time - last) / width < LAYOUT.upright_label:
            continue  # its line stays, and the table of events has it
        last = event.time
        words = signed(event.size) if event.kind == "change" and event.size is not None else event.kind
        mark |= {"label": visible(words), "message": visible(event.message), "upright": upright}
    if upright and own:
        layout["height"] += LAYOUT.upright_height - LAYOUT.lying_height
        layout["top"] = LAYOUT.upright_height


def _mark(event: Event) -> dict[str, Any]:
    return {"x": event.time, "color": _COLOURS[event.kind]}
