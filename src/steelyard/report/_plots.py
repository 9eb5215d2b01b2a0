"""Plots as plain values: traces and layouts that the page's own scripts draw in the browser.

Colours are variables of the page (`var(--ink)`), so a plot follows light, dark and paper.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.report._markup import Markup, asset, fill, json_for_script, visible
from steelyard.report._page import Script
from steelyard.report._tuning import LAYOUT

Trace = dict[str, Any]
"""One line, band or set of markers, as JSON: its `kind`, places, name, colour."""

_DASHES = ("solid", "dot", "dashdot", "longdash")

_FIGURE = """
<figure class="drawing">
<figcaption>$caption</figcaption>
<div class="plot" role="img" aria-label="$label" style="min-height:${height}px"></div>
<script type="application/json" class="plot-data">$data</script>
$below
</figure>
"""


def drawing(traces: Sequence[Trace], layout: dict[str, Any], caption: str, label: str, below: object = "") -> Markup:
    """A plot under its caption; `label` says in words what it shows, to those who cannot see it."""
    data = json_for_script({"data": list(traces), "layout": layout})
    return fill(_FIGURE, caption=caption, label=label, height=layout["height"], data=data, below=below)


def layout(height: int, y_title: str, y_range: tuple[float, float] | None = None) -> dict[str, Any]:
    """The look of every plot over time: panels above each other, and vertical marks across them."""
    return {"height": height, "x_suffix": " s", "panels": [panel(y_title, y_range)], "marks": []}


def panel(title: str, y_range: tuple[float, float] | None = None) -> dict[str, Any]:
    """One y axis, from which a trace's `panel` counts."""
    return {"title": visible(title)} | ({} if y_range is None else {"range": list(y_range)})


def line(time: np.ndarray, value: np.ndarray, name: str, nth: int, half_width: np.ndarray | None = None) -> Trace:
    """A coloured line, with half of its interval for the read-out."""
    drawn_rows = thin(value)
    trace: Trace = {
        "kind": "line",
        "x": drawn_times(time[drawn_rows]),
        "y": drawn(value[drawn_rows]),
        "name": visible(name),
        "group": f"series {nth}",
        "color": colour(nth),
        "dash": _DASHES[nth // LAYOUT.colours % len(_DASHES)],
    }
    return trace if half_width is None else trace | {"half": drawn(half_width[drawn_rows])}


def truth_line(time: np.ndarray, value: np.ndarray, name: str = "truth", legend: bool = True) -> Trace:
    """What is true: dashed, in the colour of the text."""
    drawn_rows = thin(value)
    return {
        "kind": "line",
        "x": drawn_times(time[drawn_rows]),
        "y": drawn(value[drawn_rows]),
        "name": visible(name),
        "group": "truth",
        "legend": legend,
        "color": "var(--ink)",
        "width": 1.2,
        "dash": "dash",
    }


def band(time: np.ndarray, value: np.ndarray, half_width: np.ndarray, nth: int) -> Trace:
    """The interval around a line: one closed outline for each stretch without a gap."""
    drawn_rows = thin(value)
    t, lower, upper = time[drawn_rows], (value - half_width)[drawn_rows], (value + half_width)[drawn_rows]
    x: list[float | None] = []
    y: list[float | None] = []
    for run in _runs(np.isfinite(lower) & np.isfinite(upper)):
        if x:
            x.append(None)
            y.append(None)
        x += [*drawn_times(t[run]), *drawn_times(t[run][::-1])]
        y += [*drawn(lower[run]), *drawn(upper[run][::-1])]
    return {"kind": "band", "x": x, "y": y, "fill": colour(nth, "-band"), "group": f"series {nth}", "legend": False}


def thin(value: np.ndarray) -> np.ndarray:
    """Indices of `LAYOUT.most_points` samples at most that keep every peak: the least and the greatest of a stretch."""
    n = len(value)
    if n <= LAYOUT.most_points:
        return np.arange(n)
    drawn_rows: list[int] = []
    for stretch in np.array_split(np.arange(n), LAYOUT.most_points // 2):
        seen = value[stretch]
        finite = np.isfinite(seen)
        if finite.any():
            # A gap that does not fill the stretch is drawn over; one that does stays a gap.
            least, greatest = np.where(finite, seen, np.inf).argmin(), np.where(finite, seen, -np.inf).argmax()
            drawn_rows += sorted({int(stretch[least]), int(stretch[greatest])})
        else:
            drawn_rows.append(int(stretch[0]))
    return np.array(drawn_rows)


def drawn(values: np.ndarray) -> list[float | None]:
    """Values to a hundred-thousandth of their spread, below the resolution of a screen; null where there is none."""
    finite = values[np.isfinite(values)]
    spread = float(np.ptp(finite)) if finite.size else 0.0
    if spread == 0.0:
        spread = float(np.abs(finite).max(initial=0.0)) or 1.0
    decimals = int(np.clip(5 - np.floor(np.log10(spread)), 0, 30))
    return [round(float(v), decimals) if np.isfinite(v) else None for v in values]


def drawn_times(times: np.ndarray) -> list[float]:
    """Times to a tenth of a millisecond."""
    return [round(float(t), 4) for t in times]


def focused_range(traces: Sequence[Trace]) -> tuple[float, float] | None:
    """All of the lines, and of the bands all but their widest moments: a first guess's would dwarf the rest."""
    numbers = [(trace["kind"], np.array([y for y in trace["y"] if y is not None], float)) for trace in traces]
    lines = [y for kind, y in numbers if kind != "band" and y.size]
    bands = [np.quantile(y, (0.03, 0.97)) for kind, y in numbers if kind == "band" and y.size]
    if not lines:
        return None
    every = np.concatenate([*lines, *bands])
    low, high = float(every.min()), float(every.max())
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - margin, high + margin


def colour(nth: int, suffix: str = "") -> str:
    """The page's name for the colour of the nth series."""
    return f"var(--series-{nth % LAYOUT.colours + 1}{suffix})"


def ink(nth: int | None) -> str:
    """The colour of the nth series, or of what is true."""
    return "var(--ink)" if nth is None else colour(nth)


def _runs(flags: np.ndarray) -> list[slice]:
    """The stretches of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


PLOTTING = tuple(Script(name, functools.partial(asset, f"{name}.js")) for name in ("draw", "plot", "space", "start"))
"""What a section with a `drawing` in it asks the page for."""
