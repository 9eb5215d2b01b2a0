"""The papers' figures: distances, J, z_C and ω, and m, of every robot over time."""

from collections.abc import Sequence

import numpy as np

from steelyard.papers.planar._curves import Record, true_curve
from steelyard.papers.planar._load import Load
from steelyard.papers.planar._scenario import LINE, MASS, NAMES
from steelyard.papers.planar._tuning import TUNING
from steelyard.report import PLOTTING, Markup, Section, Trace, drawing, fill, layout, line, truth_line

_WORDS = ("distances", "coast", "J", "slow down", "z_C", "m", "agree", "done", "halt")
_GRID = """<p>$words</p><div class="grid">$plots</div>"""


def figures(record: Record, load: Load, title: str) -> Section:
    """All of them, stage by stage."""
    plots = [*_distances(record, load), _inertia(record, load), *_observer(record, load), _mass(record)]
    words = (
        "Running numbers of the least squares and of the observer at each robot, before it calls them known. Dashed is "
        "the truth; lines mark where the team went on to the next stage, by a vote."
    )
    return Section(title, fill(_GRID, words=words, plots=plots), PLOTTING)


def findings_list(findings: Sequence[str]) -> Markup:
    """Findings as a list on a page."""
    return fill("""<ul class="notes">$items</ul>""", items=[fill("<li>$finding</li>", finding=f) for f in findings])


def _distances(record: Record, load: Load) -> list[Markup]:
    arms = load.moments[0].arms
    plots = []
    for a, b in LINE.links:
        traces = [_of(record, robot, f"distance/{other}", nth) for nth, (robot, other) in enumerate(((a, b), (b, a)))]
        plots.append(_plot(record, traces, abs(arms[a] - arms[b]), "m", f"Distance from {a} to {b}"))
    return plots


def _inertia(record: Record, load: Load) -> Markup:
    traces = [_of(record, robot, "inertia", nth) for nth, robot in enumerate(NAMES)]
    return _plot(record, traces, load.inertia, "kg m²", "Moment of inertia J")


def _mass(record: Record) -> Markup:
    return _plot(record, [_of(record, robot, "mass", nth) for nth, robot in enumerate(NAMES)], MASS, "kg", "Mass m")


def _observer(record: Record, load: Load) -> list[Markup]:
    """z_C by its components while it is observed, and ω throughout; robot by robot would hide one line by another."""
    plots = []
    for component, pick in (("x", np.real), ("y", np.imag)):
        curves = [record.curve(robot, "z_c") for robot in NAMES]
        traces = [line(times, pick(z), NAMES[nth], nth) for nth, (times, z) in enumerate(curves)]
        times = curves[0][0]
        if times.size:
            traces.append(truth_line(times, pick(true_curve(load, "z_c", times))))
        caption = f"Middle of the contacts from the centre of mass, z_C, {component} of the world"
        plots.append(
            drawing(traces, layout(300, "m"), caption, f"{caption}, as every robot observes it, and the truth.")
        )
    curves = [record.curve(robot, "omega") for robot in NAMES]
    traces = [line(times, np.real(w), NAMES[nth], nth) for nth, (times, w) in enumerate(curves)]
    traces.append(truth_line(curves[0][0], np.real(true_curve(load, "omega", curves[0][0]))))
    caption = "Angular velocity ω"
    plots.append(
        drawing(traces, _marked(record, layout(300, "rad/s")), caption, f"{caption} at every robot, and the truth.")
    )
    return plots


def _of(record: Record, robot: str, quantity: str, nth: int) -> Trace:
    times, values = record.curve(robot, quantity)
    return line(times, np.real(values), robot, nth)


def _plot(record: Record, traces: Sequence[Trace], truth: float, unit: str, caption: str) -> Markup:
    seen = [time for trace in traces for time in trace["x"]]
    ends = np.array([min(seen, default=0.0), max(seen, default=1.0)])
    shown = [*traces, truth_line(ends, np.full(2, truth))]
    look = _marked(
        record, layout(300, unit, ((1.0 - TUNING.drawn_spread) * truth, (1.0 + TUNING.drawn_spread) * truth))
    )
    return drawing(shown, look, caption, f"{caption} at every robot over time, and the truth, {truth:.5g} {unit}.")


def _marked(record: Record, look: dict) -> dict:
    """A thin line where each stage began, with its name where there is room for it."""
    begins = list(record.stages.values())
    ends_at = [*begins[1:], 1.2 * begins[-1]]
    for (stage, time), until in zip(record.stages.items(), ends_at, strict=True):
        mark = {"x": time, "color": "var(--quiet)", "faint": True}
        look["marks"].append(mark if until - time < 0.08 * begins[-1] else mark | {"label": _WORDS[stage]})
    return look
