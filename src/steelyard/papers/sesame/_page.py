"""The report of a reproduction: the paper's tables and Figures 6-16, from our flights."""

from collections.abc import Sequence

import numpy as np

from steelyard.papers.sesame._filters import FAITHFUL
from steelyard.papers.sesame._results import METHODS, OURS, WITHHELD, Results
from steelyard.report import (
    PLOTTING,
    Markup,
    Section,
    band,
    drawing,
    fill,
    layout,
    line,
    truth_line,
    value_table,
)
from steelyard.worlds import PROFILES, TRAJECTORIES, SesameScenario, TrajectoryName

_FIGURES = {"loop": 6, "zigzag": 7, "square": 8, "random": 9, "lemniscate": 10}
_LIST = """<ul class="notes">$items</ul>"""


def sections(results: Results, findings: Sequence[str]) -> list[Section]:
    """In the order of the paper."""
    items = [fill("<li>$finding</li>", finding=finding) for finding in findings]
    return [
        Section("What came out", fill(_LIST, items=items)),
        _against_the_bound(results),
        *[_trajectory(results, trajectory) for trajectory in sorted(TRAJECTORIES, key=_FIGURES.__getitem__)],
        _controls(results),
        *results.machines.sections(),
    ]


def _against_the_bound(results: Results) -> Section:
    rows = []
    for trajectory in TRAJECTORIES:
        bounds = [bound for flight, bound in results.bound.items() if flight.trajectory == trajectory]
        rows.append(
            [
                trajectory,
                f"{100 * results.best('settled_rmspe', trajectory):.2f} %",
                f"{100 * results.of(OURS, trajectory).settled_rmspe:.2f} %",
                f"{100 * float(np.sqrt(np.mean(np.square(bounds)))):.2f} %",
                f"{100 * results.of(OURS, trajectory).coverage:.1f} %",
                f"{100 * results.of(WITHHELD, trajectory).settled_rmspe:.2f} %",
            ]
        )
    headings = [
        "trajectory",
        "best of the paper's",
        "ours",
        "attainable",
        "covered by the 95 % band",
        "without the map",
    ]
    note = fill(
        "<p>RMS percentage error of the mass more than a second after the start and after every change. "
        "Attainable is the bound of a filter that knows drag, lag, noise and the times of the changes.</p>"
    )
    return Section("Settled errors", Markup(note + value_table("Settled errors", headings, rows)))


def _trajectory(results: Results, trajectory: TrajectoryName) -> Section:
    """A figure of the paper: five plots and the table below them."""
    plots = [_mass_plot(results, SesameScenario(trajectory, profile, 0)) for profile in PROFILES]
    headings = ["mass", *[word for method in METHODS for word in (method, "ms")]]
    rows = []
    for profile in PROFILES:
        cells = [profile]
        for method in METHODS:
            score = results.of(method, trajectory, profile)
            cells += [f"{100 * score.rmspe:.2f} %", f"{1e3 * score.seconds_a_row:.3f}"]
        rows.append(cells)
    body = fill(
        """<p>RMSPE over whole flights, and time of an update, of $flights flights a row.</p>$table
<div class="grid">$plots</div>""",
        flights=len(results.flown) // (len(TRAJECTORIES) * len(PROFILES)),
        table=value_table(f"Errors on the {trajectory}", headings, rows),
        plots=plots,
    )
    return Section(f"The {trajectory} (Figure {_FIGURES[trajectory]} of the paper)", body, PLOTTING)


def _mass_plot(results: Results, flight: SesameScenario) -> Markup:
    columns = dict(results.flown)[flight]
    time = columns["time"]
    shown = (*FAITHFUL, OURS)
    ours = results.shown[OURS][flight]
    traces = [
        band(time, ours.mass, np.where(np.isfinite(ours.std), 1.96 * ours.std, np.nan), len(FAITHFUL)),
        *[line(time, results.shown[method][flight].mass, method, nth) for nth, method in enumerate(shown)],
        truth_line(time, columns["truth/mass"]),
    ]
    least, most = columns["truth/mass"].min(), columns["truth/mass"].max()
    margin = 0.25 + 0.3 * (most - least)
    look = layout(300, "kg", (float(least - margin), float(most + margin)))
    caption = f"{flight.trajectory}, {flight.profile}"
    return drawing(traces, look, caption, f"Mass over time by every method, and the truth: {caption}.")


def _controls(results: Results) -> Section:
    """Figure 11: what the lemniscate asks of the vehicle, next to the loop."""
    plots = []
    flown = dict(results.flown)
    for name, column, unit in (("Thrust", "r1/thrust", "N"), ("Rate about x", "r1/rates/x", "rad/s")):
        traces = []
        for nth, trajectory in enumerate(("loop", "lemniscate")):
            columns = flown[SesameScenario(trajectory, "constant", 0)]
            traces.append(line(columns["time"], columns[column], trajectory, nth))
        plots.append(drawing(traces, layout(280, unit), name, f"{name} on the loop and on the lemniscate."))
    return Section("Inputs (Figure 11 of the paper)", fill('<div class="grid">$plots</div>', plots=plots), PLOTTING)
