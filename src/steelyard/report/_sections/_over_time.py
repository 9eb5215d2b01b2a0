"""How each quantity went, against the truth where it is known."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.problems import Event, Identification, Series
from steelyard.report._components import components
from steelyard.report._digits import number, percent
from steelyard.report._event_lines import mark_events
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section
from steelyard.report._plots import PLOTTING, Trace, band, drawing, focused_range, layout, line, truth_line
from steelyard.report._rows import QUANTITY_WORDS
from steelyard.report._truth import agreement, truth_at, truth_of
from steelyard.report._tuning import LAYOUT

_BODY = """
<p class="aside">Shaded: the 95 % interval. $dashed$upright</p>
$plots
"""
_AGREEMENT = """<p class="under">$words</p>"""
_NONE = "<p>This run recorded no history of its quantities.</p>"
_THRUST = "thrust/"


def plots_over_time(identification: Identification) -> list[Markup]:
    """A plot for each quantity that changes: scalars of all robots together, vectors a robot, each in its own frame.

    The thrusts of a robot's engines are one plot.
    """
    quantities = list(dict.fromkeys(name for series in identification.series.values() for name in series))
    thrusts = [name for name in quantities if name.startswith(_THRUST)]
    if len(thrusts) < 2:
        return [plot for quantity in quantities for plot in _plots(identification, quantity)]
    made = [_thrust_plot(identification, robot) for robot in identification.series]
    others = [plot for name in quantities if name not in thrusts for plot in _plots(identification, name)]
    return [plot for plot in made if plot is not None] + others


def over_time(identification: Identification, plots: Sequence[Markup]) -> Section:
    """The plots that the answer does not show already."""
    if not plots:
        return Section("Over time", Markup(_NONE))
    body = fill(
        _BODY,
        dashed="Dashed: the truth. " if identification.truth else "",
        upright="Vertical lines: events, labelled with the size of the change." if identification.events else "",
        plots=list(plots),
    )
    return Section("Over time", body, PLOTTING)


def _plots(identification: Identification, quantity: str) -> list[Markup]:
    having = {
        robot: series[quantity]
        for robot, series in identification.series.items()
        if quantity in series and _varies(series[quantity])
    }
    scalars = {robot: series for robot, series in having.items() if np.ndim(series.value) == 1}
    vectors = {robot: series for robot, series in having.items() if np.ndim(series.value) > 1}
    made = [_scalar_plot(identification, quantity, scalars)] if scalars else []
    return made + [_vector_plot(identification, quantity, robot, series) for robot, series in vectors.items()]


def _varies(series: Series) -> bool:
    """Whether there is more to see than the number in the table."""
    value, std = np.asarray(series.value, float), np.asarray(series.std, float)
    if not np.isfinite(value).any():
        return False
    return len(value) == 1 or bool(np.any(np.diff(value, axis=0) != 0.0) or np.any(np.diff(std, axis=0) != 0.0))


def _scalar_plot(identification: Identification, quantity: str, having: Mapping[str, Series]) -> Markup:
    bands, lines, truths, drawn_truths = [], [], [], []
    for nth, (robot, series) in enumerate(having.items()):
        half = 1.96 * np.asarray(series.std, float)
        bands.append(band(series.time, series.value, half, nth))
        lines.append(line(series.time, series.value, robot, nth, half))
        truth = truth_of(identification, robot, quantity)
        true = truth_at(truth, series.time, ())
        if true is not None and not any(truth is other for other in drawn_truths):
            drawn_truths.append(truth)
            name = "truth" if truth is identification.truth.get(quantity) else f"truth of {robot}"
            truths.append(truth_line(series.time, true, name))
    name = QUANTITY_WORDS.get(quantity, quantity)
    caption = name if len(having) > 1 else f"{name} of {next(iter(having))}"
    events = [event for event in identification.events if event.robot in having]
    below = [_agreement(robot, series, truth_of(identification, robot, quantity)) for robot, series in having.items()]
    return _plot(quantity, caption, having, events, [*bands, *truths, *lines], below)


def _thrust_plot(identification: Identification, robot: str) -> Markup | None:
    """All engines of a robot together."""
    having = {
        name.removeprefix(_THRUST): series
        for name, series in identification.series[robot].items()
        if name.startswith(_THRUST) and np.isfinite(np.asarray(series.value, float)).any()
    }
    if not having:
        return None
    bands, lines, truths, below = [], [], [], []
    for nth, (engine, series) in enumerate(having.items()):
        half = 1.96 * np.asarray(series.std, float)
        bands.append(band(series.time, series.value, half, nth))
        lines.append(line(series.time, series.value, engine, nth, half))
        truth = truth_of(identification, robot, _THRUST + engine)
        below.append(_agreement(engine, series, truth))
        true = truth_at(truth, series.time, ())
        if true is not None:
            truths.append(truth_line(series.time, true, "truth", legend=not truths))
    events = [
        dataclasses.replace(event, quantity="thrust") if event.quantity.startswith(_THRUST) else event
        for event in identification.events
        if event.robot == robot
    ]
    return _plot("thrust", f"thrust of {robot}'s engines", having, events, [*bands, *truths, *lines], below)


def _vector_plot(identification: Identification, quantity: str, robot: str, series: Series) -> Markup:
    value, std = np.asarray(series.value, float), np.asarray(series.std, float)
    true = truth_at(truth_of(identification, robot, quantity), series.time, value.shape[1:])
    bands, lines, truths = [], [], []
    for nth, part in enumerate(components(value)):
        at = (slice(None), *part.index)
        half = 1.96 * std[at] if std.shape == value.shape else None
        lines.append(line(series.time, value[at], part.label, nth, half))
        if half is not None:
            bands.append(band(series.time, value[at], half, nth))
        if true is not None:
            truths.append(truth_line(series.time, true[at], f"truth {part.label}", legend=False))
    events = [event for event in identification.events if event.robot == robot]
    caption = f"{QUANTITY_WORDS.get(quantity, quantity)} of {robot}"
    below = [_agreement(robot, series, truth_of(identification, robot, quantity))]
    return _plot(quantity, caption, {robot: series}, events, [*bands, *truths, *lines], below)


def _plot(
    quantity: str,
    caption: str,
    having: Mapping[str, Series],
    events: Sequence[Event],
    traces: Sequence[Trace],
    below: Sequence[Markup | str],
) -> Markup:
    first = next(iter(having.values()))
    start = min(float(series.time[0]) for series in having.values())
    end = max(float(series.time[-1]) for series in having.values())
    title = f"{QUANTITY_WORDS.get(quantity, quantity)}, {first.unit}".rstrip(", ")
    look: dict[str, Any] = layout(LAYOUT.over_time + 12 * len(traces) // 3, title, focused_range(traces))
    mark_events(look, events, quantity, (start, end))
    label = f"Plot of {caption} in {first.unit or 'no unit'} over time, {start:g} to {end:g} s, with its 95 % interval."
    return drawing(traces, look, caption, label, list(below))


def _agreement(name: str, series: Series, truth: Series | None) -> Markup | str:
    """How far off the line was, and how often its band held the truth; nothing where the truth is not known."""
    against = agreement(series, truth)
    if against is None:
        return ""
    words = f"{name}: RMS error {number(against.rms_error, 3)} {series.unit}".rstrip()
    if against.covered is not None:
        words += f"; the band holds the truth in {percent(against.covered)} of {against.samples} samples"
    return fill(_AGREEMENT, words=f"{words}.")
