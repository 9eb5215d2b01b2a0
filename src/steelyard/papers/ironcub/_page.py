"""The report: findings, tables, and the paper's figures."""

from collections.abc import Sequence

import numpy as np

from steelyard.papers.ironcub._results import Results
from steelyard.papers.ironcub._trial import SimulatedRun
from steelyard.problems import ThrustTrack
from steelyard.report import PLOTTING, Markup, Section, band, drawing, fill, layout, line, truth_line, value_table

_PAIRS = "grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr))"  # four engines, two by two
_GRID = f"""<p>$words</p><div class="grid" style="{_PAIRS}">$plots</div>"""
_LIST = """<ul class="notes">$items</ul>"""


def sections(results: Results, findings: Sequence[str]) -> list[Section]:
    """In the order of the paper; tables first."""
    items = [fill("<li>$finding</li>", finding=finding) for finding in findings]
    parts = [Section("What came out", fill(_LIST, items=items)), _flights(results)]
    shown = results.flights[0].shown
    if shown is not None:
        flown, tracks = shown
        drawn = {name: tracks[name] for name in ("ours", "published", "centroidal")}
        words = "One flight: thrusts as three filters estimate them (Figure 2 of the paper); the band is ours, 95 %."
        parts.append(Section("Thrusts in flight", fill(_GRID, words=words, plots=_thrusts(flown, drawn)), PLOTTING))
        words = "The same, less the truth: ours and the paper's filter."
        errors = _errors(flown, {name: tracks[name] for name in ("ours", "published")})
        parts.append(Section("Errors in flight", fill(_GRID, words=words, plots=errors), PLOTTING))
        words = "Centroidal momentum of the same flight, as it was measured and as ours filters it (Figure 3)."
        plots = _momentum(flown, tracks["ours"])
        parts.append(Section("Momentum", fill(_GRID, words=words, plots=plots), PLOTTING))
    parts.append(_scales(results))
    parts.append(_failures(results))
    for trial in results.failures:
        if trial.shown is not None:
            flown, tracks = trial.shown
            drawn = {name: tracks[name] for name in ("ours", "published", "ours, not scheduled")}
            flight = trial.flight
            words = (
                f"A {flight.failure} of {flown.robot.names[flight.failed_engine - 1]} at {flight.failure_time:g} s, "
                "the robot standing (Figure 9): the band widens where an engine's model is no longer used."
            )
            plots = _thrusts(flown, drawn, (flight.failure_time - 3.0, flight.failure_time + 6.0))
            parts.append(Section("A failure", fill(_GRID, words=words, plots=plots), PLOTTING))
    return parts


def _flights(results: Results) -> Section:
    methods = list(results.flights[0].scores)
    rows = [
        [m, *(f"{x:.2f} %" for x in results.rms(m)), f"{results.nees(m):.2f}", f"{results.alarms(m)}"] for m in methods
    ]
    table = value_table("Thrust errors", ["method", *results.engines, "NEES", "false alarms"], rows)
    words = f"RMS error of each thrust over {len(results.flights)} flights, as a share of its engine's maximum."
    return Section("Flights", fill("<p>$words</p>$table", words=words, table=table))


def _thrusts(
    flown: SimulatedRun, tracks: dict[str, ThrustTrack], span: tuple[float, float] | None = None
) -> list[Markup]:
    rows = np.ones(len(flown.time), bool)
    if span is not None:
        rows = (flown.time >= span[0]) & (flown.time <= span[1])
    t = flown.time[rows]
    plots = []
    for e, name in enumerate(flown.robot.names):
        traces = []
        for nth, (method, track) in enumerate(tracks.items()):
            value = np.asarray(track.state.thrust)[rows, e]
            if nth == 0:
                traces.append(band(t, value, 1.96 * np.asarray(track.std)[rows, e], nth))
            traces.append(line(t, value, method, nth))
        traces.append(truth_line(t, flown.thrust[rows, e]))
        top = 1.05 * float(max(flown.thrust[rows, e].max(), 10.0))
        look = layout(300, "N", (-0.1 * top, 1.2 * top))
        plots.append(drawing(traces, look, name, f"Thrust of {name} by each method, and the truth."))
    return plots


def _errors(flown: SimulatedRun, tracks: dict[str, ThrustTrack]) -> list[Markup]:
    plots = []
    for e, name in enumerate(flown.robot.names):
        traces = []
        for nth, (method, track) in enumerate(tracks.items()):
            off = np.asarray(track.state.thrust)[:, e] - flown.thrust[:, e]
            if nth == 0:
                traces.append(band(flown.time, np.zeros_like(off), 1.96 * np.asarray(track.std)[:, e], nth))
            traces.append(line(flown.time, off, method, nth))
        plots.append(drawing(traces, layout(300, "N"), name, f"Error of the thrust of {name}; the band is ours, 95 %."))
    return plots


def _momentum(flown: SimulatedRun, track: ThrustTrack) -> list[Markup]:
    plots = []
    for k, (part, unit) in enumerate((("angular", "kg m²/s"), ("linear", "kg m/s"))):
        traces = []
        for a, axis in enumerate("xyz"):
            traces.append(line(flown.time, flown.record.momentum[:, 3 * k + a], f"{axis}, measured", a + 3))
            traces.append(line(flown.time, np.asarray(track.state.momentum)[:, 3 * k + a], f"{axis}, ours", a))
        words = f"The {part} momentum, measured and filtered."
        plots.append(drawing(traces, layout(300, unit), f"{part} momentum", words))
    return plots


def _scales(results: Results) -> Section:
    stood = results.standings[0]
    t = stood.run.time
    traces = [line(t, stood.ground(method), method, nth) for nth, method in enumerate(stood.tracks)]
    traces.append(line(t, stood.raw, "scales, not corrected", len(traces)))
    traces.append(truth_line(t, stood.corrected, "scales, corrected"))
    caption = "What the ground still carries (Figure 7 of the paper)"
    plot = drawing(traces, layout(360, "N"), caption, "Force on the ground by each method, and by the scales.")
    rows = []
    for method in stood.tracks:
        error, share = results.standing(method), results.standing(method, share=True)
        rows.append([method, f"{error:.1f} N", f"{share:.2f} %", f"{results.lift(method):.1f} N"])
    headings = ["method", "largest error", "of the weight", "of the thrusts' own vertical force"]
    table = value_table("Errors on the scales", headings, rows)
    return Section("On the scales", fill("$plot$table", plot=plot, table=table), PLOTTING)


def _failures(results: Results) -> Section:
    rows = []
    for trial in results.failures:
        flight = trial.flight
        cells = []
        for score in trial.scores.values():
            named = f", {score.delay:.2f} s" if score.named else ""
            wrongly = f", and {score.wrongly} healthy" if score.wrongly else ""
            cells.append(f"{100 * score.rms.max():.1f} %{named}{wrongly}")
        rows.append(
            [f"{flight.failure} of {flight.failed_engine}, {flight.trajectory}", f"{100 * trial.largest:.0f} %", *cells]
        )
    headings = ["failure", "falls short by", *results.failures[0].scores]
    words = (
        "RMS error of the worst thrust in the three seconds after the failure, as a share of its maximum, and how soon "
        "after the engine is 2 % of its maximum off it was named, if it was."
    )
    table = value_table("Failures", headings, rows)
    return Section("Failures", fill("<p>$words</p>$table", words=words, table=table))
