"""Plots as plain values: traces and layouts that plotly draws in the browser.

Colours are the names of the page's own (`var(--ink)`), looked up when drawn: so a plot follows light, dark and paper.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.errors import BadInput
from steelyard.report._markup import Markup, asset, fill, json_for_script, plot_text
from steelyard.report._page import Script

Trace = dict[str, Any]
"""What plotly calls a trace, as JSON will have it."""

MOST_POINTS = 2000
"""Points a trace is drawn with at most."""
_COLOURS = 6
_DASHES = ("solid", "dot", "dashdot", "longdash")
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
_CLEAR = "rgba(0,0,0,0)"

_FIGURE = """
<figure class="drawing">
<figcaption>$caption</figcaption>
<div class="plot" role="img" aria-label="$label" style="height:${height}px"></div>
<script type="application/json" class="plot-data">$data</script>
$below
</figure>
"""


def drawing(traces: Sequence[Trace], layout: dict[str, Any], caption: str, label: str, below: object = "") -> Markup:
    """A plot under its caption; `label` says in words what it shows, to those who cannot see it."""
    data = json_for_script({"data": list(traces), "layout": layout})
    return fill(_FIGURE, caption=caption, label=label, height=layout["height"], data=data, below=below)


def layout(height: int, y_title: str, y_range: tuple[float, float] | None = None) -> dict[str, Any]:
    """The look of every plot over time."""
    return {
        "height": height,
        "autosize": True,
        "margin": {"l": 56, "r": 16, "t": 26, "b": 30},
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "font": {"family": _FONT, "size": 13, "color": "var(--ink)"},
        "hovermode": "x unified",
        "hoverlabel": {
            "bgcolor": "var(--card)",
            "bordercolor": "var(--line)",
            "font": {"family": _FONT, "size": 12, "color": "var(--ink)"},
        },
        "modebar": {"bgcolor": _CLEAR, "color": "var(--quiet)", "activecolor": "var(--ink)"},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": -0.15, "yanchor": "top", "bgcolor": _CLEAR},
        "xaxis": axis("") | {"ticksuffix": " s", "nticks": 8},
        "yaxis": axis(y_title) | ({} if y_range is None else {"range": list(y_range)}),
        "shapes": [],
        "annotations": [],
    }


def axis(title: str) -> dict[str, Any]:
    """One axis, its grid behind the data."""
    return {
        "title": {"text": plot_text(title), "standoff": 8},
        "automargin": True,
        "gridcolor": "var(--grid)",
        "linecolor": "var(--line)",
        "tickcolor": "var(--line)",
        "ticks": "outside",
        "zeroline": False,
        "showline": True,
        "layer": "below traces",
    }


def line(time: np.ndarray, value: np.ndarray, name: str, nth: int, half_width: np.ndarray | None = None) -> Trace:
    """A coloured line, with its interval in the hover text."""
    drawn_rows = thin(value)
    trace: Trace = {
        "type": "scatter",
        "mode": "lines",
        "x": drawn_times(time[drawn_rows]),
        "y": drawn(value[drawn_rows]),
        "name": plot_text(name),
        "legendgroup": f"series {nth}",
        "line": {"color": colour(nth), "width": 1.8, "dash": _DASHES[nth // _COLOURS % len(_DASHES)]},
        # The name comes from the trace: inside a template, %{…} in a robot's name would be taken for a field.
        "hovertemplate": "%{y:.5g}<extra>%{fullData.name}</extra>",
    }
    if half_width is not None:
        trace["customdata"] = drawn(half_width[drawn_rows])
        trace["hovertemplate"] = "%{y:.5g} ± %{customdata:.2g}<extra>%{fullData.name}</extra>"
    return trace


def truth_line(time: np.ndarray, value: np.ndarray, name: str = "truth", legend: bool = True) -> Trace:
    """What is true: dashed, in the colour of the text."""
    drawn_rows = thin(value)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": drawn_times(time[drawn_rows]),
        "y": drawn(value[drawn_rows]),
        "name": plot_text(name),
        "legendgroup": "truth",
        "showlegend": legend,
        "line": {"color": "var(--ink)", "width": 1.2, "dash": "dash"},
        "hovertemplate": "%{y:.5g}<extra>%{fullData.name}</extra>",
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
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "fill": "toself",
        "fillcolor": colour(nth, "-band"),
        "line": {"width": 0, "color": colour(nth)},
        "legendgroup": f"series {nth}",
        "showlegend": False,
        "hoverinfo": "skip",
    }


def thin(value: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Indices of at most `most` samples that keep every peak: the least and the greatest of each stretch."""
    n = len(value)
    if n <= most:
        return np.arange(n)
    drawn_rows: list[int] = []
    for stretch in np.array_split(np.arange(n), most // 2):
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


def colour(nth: int, suffix: str = "") -> str:
    """The page's name for the colour of the nth series."""
    return f"var(--series-{nth % _COLOURS + 1}{suffix})"


def _runs(flags: np.ndarray) -> list[slice]:
    """The stretches of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise BadInput('A report needs plotly, which is not installed: pip install "steelyard[report]".') from error
    return get_plotlyjs()


def _draw() -> str:
    return asset("draw.js")


PLOTTING = (Script("plotly", _plotly), Script("draw", _draw))
"""What a section with a `drawing` in it asks the page for."""
