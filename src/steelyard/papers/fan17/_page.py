"""The report of fan17: findings, every robot's values, its errors over time, and the load as robots estimate it."""

from collections.abc import Mapping, Sequence

import numpy as np

from steelyard.estimators import Estimate
from steelyard.papers._reproduction import ReproductionRow
from steelyard.papers.fan17._results import Results
from steelyard.papers.fan17._scenario import NAMES, SCENARIO, row_at, true_pose
from steelyard.papers.fan17._score import QUANTITIES, score
from steelyard.papers.fan17._trials import History, Shown, latest
from steelyard.papers.fan17._tuning import TUNING
from steelyard.papers.planar._figures import findings_list
from steelyard.report import (
    PLOTTING,
    Markup,
    Section,
    drawing,
    fill,
    layout,
    line,
    picture_in_space,
    truth_line,
    value_table,
)

_GRID = """<p>$words</p><div class="grid">$plots</div>"""


def sections(results: Results, shown: Shown, rows: Sequence[ReproductionRow], findings: Sequence[str]) -> list[Section]:
    """In the order of the paper, ours beside it."""
    ways = {"the paper's method": shown.paper.estimates, "ours": shown.ours.history}
    return [
        Section("What came out", fill("$table$list", table=_table(rows), list=findings_list(findings))),
        *(_by_robot(results, at) for at in (20.0, 50.0)),
        *(_over_time(shown, name, history) for name, history in ways.items()),
        *(_picture(shown, name, history) for name, history in ways.items()),
    ]


def _table(rows: Sequence[ReproductionRow]) -> Markup:
    headings = ["", "unit", "published", "the paper's method", "ours", "attainable"]
    cells = [[row.quantity, row.unit, *("" if one is None else f"{one:.3g}" for one in _values(row))] for row in rows]
    return value_table("RMS errors at the worst robot", headings, cells)


def _values(row: ReproductionRow) -> tuple[float | None, ...]:
    return row.published, row.paper_method, row.steelyard, row.bound


def _by_robot(results: Results, at: float) -> Section:
    rows = []
    for quantity, unit in QUANTITIES.items():
        found = [results.rms(which, quantity, at) for which in ("paper", "ours", "bounds")]
        for name in NAMES:
            values = [f"{one[name]:.3g}" if np.isfinite(one[name]) else "not known" for one in found]
            rows.append([f"{quantity}, {name}", unit, *values])
    headings = ["", "unit", "the paper's method", "ours", "attainable"]
    words = (
        f"RMS errors over {len(results.trials)} trials at {at:g} s; an entry of the inertia is an RMS over its nine."
    )
    table = value_table(f"Errors at {at:g} s", headings, rows)
    return Section(f"Robot by robot at {at:g} s", fill("<p>$words</p>$table", words=words, table=table))


def _over_time(shown: Shown, way: str, history: Mapping[str, History]) -> Section:
    """Figures 2-4 of the paper, of one trial."""
    times = np.arange(TUNING.curve_every, SCENARIO.duration + 1e-9, TUNING.curve_every)
    truth = shown.run.truth
    scores = {name: [score(latest(history[name], at), truth, name, at).errors for at in times] for name in NAMES}
    plots = []
    for quantity, caption in (
        ("rotation", "Error of the neighbours' rotation"),
        ("position", "Error of the neighbours' position"),
        ("inertia/entry", "Error of an entry of the inertia"),
        ("com", "Error of the centre of mass"),
    ):
        traces = [
            line(times, np.array([abs(one[quantity]) for one in scores[name]]), name, nth)
            for nth, name in enumerate(NAMES)
        ]
        plots.append(_plot(traces, QUANTITIES[quantity], caption, log=True))
    plots.append(_mass(times, history, truth.mass))
    words = "One trial, every robot; nothing is drawn where a robot did not know. The load changes at 35 s."
    return Section(f"Over time: {way}", fill(_GRID, words=words, plots=plots), PLOTTING)


def _mass(times: np.ndarray, history: Mapping[str, History], masses: np.ndarray) -> Markup:
    traces = []
    for nth, name in enumerate(NAMES):
        values = [latest(history[name], at)["mass"].value for at in times]
        traces.append(line(times, np.array([np.nan if v is None else float(v) for v in values]), name, nth))
    traces.append(truth_line(times, np.array([masses[row_at(at)] for at in times])))
    return _plot(traces, "kg", "Mass")


def _plot(traces: list, unit: str, caption: str, log: bool = False) -> Markup:
    look = layout(300, unit)
    if log:
        look["panels"][0]["log"] = True
    return drawing(traces, look, caption, f"{caption} at every robot over time, {unit}.")


def _picture(shown: Shown, way: str, history: Mapping[str, History]) -> Section:
    truth, row = shown.run.truth, row_at(TUNING.drawn)
    frames = {name: true_pose(truth, 0, i) for i, name in enumerate(NAMES)}
    estimates: Mapping[str, Mapping[str, Estimate]] = {name: latest(history[name], TUNING.drawn) for name in NAMES}
    true = (float(truth.mass[row]), truth.com[row, 0], truth.inertia[row, 0])
    return Section(f"The load at {TUNING.drawn:g} s: {way}", picture_in_space(estimates, frames, true), PLOTTING)
