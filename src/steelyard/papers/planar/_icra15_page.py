"""The report of icra15: findings, tables, the paper's figures, and pictures of every robot's estimates."""

from collections.abc import Sequence

import numpy as np

from steelyard.papers.planar._figures import figures, findings_list
from steelyard.papers.planar._picture import error_cloud, picture
from steelyard.papers.planar._results import Results
from steelyard.papers.planar._scenario import NAMES
from steelyard.report import Markup, Section, fill, value_table


def sections(results: Results, findings: Sequence[str]) -> list[Section]:
    """In the order of the paper; ours last."""
    estimates = {name: results.run.last(name) for name in NAMES}
    moments = {name: results.load.at(estimates[name]["mass"].time) for name in NAMES}
    parts = [
        Section("What came out", findings_list(findings)),
        _stated(results),
        figures(results.record, results.load, "One trial of the paper's method (Figures 3-6 of the paper)"),
        picture(estimates, moments, "Every robot's estimates after that trial"),
        _observer(results),
        _cloud(results),
    ]
    if results.ours:
        first = results.ours[0]
        parts += [
            picture(first.estimates, first.moments, "Every robot's estimates by our method"),
            _coverage(results),
        ]
    return parts


def _stated(results: Results) -> Section:
    """The deviation that each robot's least squares states, next to its errors."""
    rows = []
    for quantity in ("inertia", "mass"):
        for name, fit in results.fits(quantity).items():
            if not len(fit):
                continue
            bias, scatter, rms = np.mean(fit[:, 0]), np.std(fit[:, 0]), np.sqrt(np.mean(fit[:, 0] ** 2))
            stated, printed = (float(np.sqrt(np.mean(fit[:, k] ** 2))) for k in (1, 2))
            values = [f"{100 * one:.3f} %" for one in (stated, printed, scatter, bias, rms)]
            rows.append([f"{quantity}, {name}", *values, f"{rms / stated:.1f}"])
    headings = ["", "stated", "stated, Eq. (32) as printed", "scatter", "bias", "RMS error", "RMS error / stated"]
    words = (
        "Each robot's own least squares before the team averages: the deviation that it states, and what its errors "
        "did over the trials. Low-passed samples are not independent and squared noise is not zero, and neither is in "
        "the formula."
    )
    table = value_table("Stated and actual deviations", headings, rows)
    return Section("Is the stated deviation consistent?", fill("<p>$words</p>$table", words=words, table=table))


def _observer(results: Results) -> Section:
    rows = [[f"{one.level:g} rad/s", f"{1e3 * one.x:.1f} mm", f"{1e3 * one.y:.1f} mm"] for one in results.scatter]
    table = value_table("Scatter of the observer", ["noise of ω", "z_c, x", "z_c, y"], rows)
    words = (
        "RMS error of the observed z_c over the last quarter of 40 s of random sinusoids; published: 75 and 33 mm, "
        "hardly depending on the noise."
    )
    return Section("The observer alone", fill("<p>$words</p>$table", words=words, table=table))


def _cloud(results: Results) -> Section:
    clouds = {"the paper's method": results.z_c_errors("paper")}
    if results.ours:
        clouds["ours"] = results.z_c_errors("ours")
    words = "Errors of the centre of mass as seen from the middle of the contacts, a point a trial."
    return error_cloud({name: found for name, found in clouds.items() if found}, "Trial by trial", words)


def _coverage(results: Results) -> Section:
    rows = [[q, f"{100 * (results.coverage(q) or 0.0):.1f} %"] for q in ("mass", "inertia", "com")]
    table = value_table("Coverage", ["quantity", "covered by the 95 % interval"], rows)
    return Section("Our intervals", Markup(table))
