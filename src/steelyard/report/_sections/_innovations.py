"""Measured less expected: whether the estimator's own uncertainty is consistent."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from steelyard.problems import Identification, Innovations
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section
from steelyard.report._plots import PLOTTING, drawing, layout, line, panel
from steelyard.report._tuning import LAYOUT
from steelyard.report._whiteness import Whiteness, normalised, whiteness

_BODY = """
<p>What was measured less what the estimator expected, in standard deviations that it expected. If its uncertainty can
be believed, 95 % lie within ±1.96 and their mean square is near 1. Fewer inside, or a mean square well above 1, mean
that it is surer than it should be: noise is set too low, or the model lacks something. More inside and a mean square
well below 1 mean that its intervals are wider than they need be.</p>
$robots
"""
_ROBOT = """
<h3>$robot</h3>
<div class="scroll" role="region" tabindex="0" aria-label="Innovations of $robot, channel by channel">
<table>
<thead><tr><th scope="col">Channel</th><th scope="col" class="figure">Inside ±1.96</th>
<th scope="col" class="figure">Mean square</th><th scope="col">Verdict</th>
<th scope="col" class="figure">Samples</th></tr></thead>
<tbody>$rows</tbody>
</table>
</div>
<div class="grid">$plots</div>
"""
_ROW = """
<tr><th scope="row">$channel</th><td class="figure">$inside</td><td class="figure">$mean_square</td>
<td>$words</td><td class="figure">$samples</td></tr>
"""
_SILENT = """<tr><th scope="row">$channel</th><td colspan="3">silent</td><td class="figure">0</td></tr>"""
_BEYOND = """<p class="under">$words</p>"""
_NONE = "<p>This run recorded no innovations.</p>"


def innovations(identification: Identification) -> Section:
    """Statistics and plots, robot by robot; statistics from all samples, plots from what a screen can show."""
    robots = [
        _robot(robot, found)
        for robot, found in identification.innovations.items()
        if len(found.channels) and len(found.time)
    ]
    if not robots:
        return Section("Innovations", Markup(_NONE))
    return Section("Innovations", fill(_BODY, robots=robots), PLOTTING)


def _robot(robot: str, found: Innovations) -> Markup:
    z = normalised(found)
    rows = [_row(channel, whiteness(z[:, i])) for i, channel in enumerate(found.channels)]
    if len(found.channels) > 1:
        rows.append(_row("all channels", whiteness(z)))
    by_signal = groupby(range(len(found.channels)), key=lambda i: _signal(found.channels[i]))
    plots = [_plot(robot, signal, found, z, list(members)) for signal, members in by_signal]
    return fill(_ROBOT, robot=robot, rows=rows, plots=plots)


def _row(channel: str, statistics: Whiteness | None) -> Markup:
    if statistics is None:
        return fill(_SILENT, channel=channel)
    return fill(
        _ROW,
        channel=channel,
        samples=statistics.samples,
        inside=f"{100.0 * statistics.inside:.1f} %",
        mean_square=f"{statistics.mean_square:.2f}",
        words=statistics.words,
    )


def _plot(robot: str, signal: str, found: Innovations, z: np.ndarray, members: Sequence[int]) -> Markup:
    """The channels of one signal above each other, on one scale."""
    sizes = np.abs(z[:, members])
    sizes = sizes[np.isfinite(sizes)]
    reach = float(max(3.6, 1.3 * np.quantile(sizes, 0.995))) if sizes.size else 3.6
    n = len(members)
    look = layout(38 + LAYOUT.innovations * n, "") | {"legend": False, "top": 8}
    look["panels"] = [
        panel(_last(found.channels[i]), (-reach, reach)) | {"ticks": [-1.96, 0, 1.96], "limits": [-1.96, 1.96]}
        for i in members
    ]
    traces = [
        line(found.time, z[:, i], found.channels[i], 0) | {"panel": row, "width": 0.8} for row, i in enumerate(members)
    ]
    label = f"Plot of the normalised innovations of {signal} of {robot} over time, with lines at ±1.96."
    return drawing(traces, look, signal, label, _beyond(sizes, reach))


def _beyond(sizes: np.ndarray, reach: float) -> Markup:
    """The text names what the drawing leaves out."""
    beyond = int((sizes > reach).sum())
    if not beyond:
        return Markup("")
    words = f"{beyond} of {sizes.size} samples lie beyond the drawing, the farthest at {sizes.max():.1f}."
    return fill(_BEYOND, words=words)


def _signal(channel: str) -> str:
    return channel.rpartition("/")[0] or channel


def _last(channel: str) -> str:
    return channel.rpartition("/")[2]
