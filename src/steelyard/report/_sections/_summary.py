"""For a glance: what was asked, what came out, and how reliable it is."""

from itertools import groupby

from steelyard.problems import Identification
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section
from steelyard.report._rows import Row, rows

_BODY = """
<p class="verdict">$verdict</p>
<dl class="facts">
<div><dt>Problem</dt><dd>$problem</dd></div>
<div><dt>Method</dt><dd>$method</dd></div>
<div><dt>Log</dt><dd>$origin</dd></div>
</dl>
$robots
<p class="aside">Intervals are 95 %: value ± 1.96 standard deviations, at the log's last sample.</p>
"""
_ROBOT = """
<h3>$robot</h3>
<ul class="cards">
$cards
</ul>
"""
_CARD = """
<li class="card">
<p class="card-name"><span>$quantity</span> <span class="chip $status">$words</span></p>
$value
$truth
</li>
"""
_SCALAR = """<p class="card-value">$value <span class="unit">$unit</span></p>"""
_UNKNOWN = """<p class="card-value unknown">no value</p>"""
_VECTOR = """
<table class="parts" aria-label="$label">
<thead><tr><th scope="col"><span class="unseen">component</span></th>
<th scope="col">$unit</th>$truth_heading</tr></thead>
<tbody>$parts</tbody>
</table>
"""
_PART = """<tr><th scope="row">$label</th><td>$value</td>$truth</tr>"""
_TRUTH = """<p class="card-truth">$words</p>"""


def summary(identification: Identification) -> Section:
    """Problem, method, log, verdict, and a card for each robot and quantity."""
    robots = [
        fill(_ROBOT, robot=robot, cards=[_card(row) for row in found])
        for robot, found in groupby(rows(identification), key=lambda row: row.robot)
    ]
    body = fill(
        _BODY,
        verdict=identification.verdict,
        problem=identification.problem,
        method=identification.method,
        origin=identification.origin,
        robots=robots,
    )
    return Section("What was found", body)


def _card(row: Row) -> Markup:
    return fill(
        _CARD,
        quantity=row.quantity,
        status=row.status,
        words=row.words,
        value=_value(row),
        truth=fill(_TRUTH, words=words) if (words := _truth(row)) else "",
    )


def _value(row: Row) -> Markup:
    if not row.parts:
        return Markup(_UNKNOWN)
    if _is_scalar(row):
        return fill(_SCALAR, value=row.parts[0].value, unit=row.unit)
    with_truth = any(part.truth for part in row.parts)
    parts = [
        fill(
            _PART,
            label=part.label,
            value=part.value,
            truth=fill("<td>$truth</td>", truth=part.truth) if with_truth else "",
        )
        for part in row.parts
    ]
    heading = Markup('<th scope="col">truth</th>') if with_truth else ""
    label = f"{row.quantity} of {row.robot}, component by component"
    return fill(_VECTOR, label=label, unit=_unit_and_frame(row), truth_heading=heading, parts=parts)


def _truth(row: Row) -> str:
    if not row.parts:
        return f"truth {row.truth} {row.unit}" if row.truth else ""
    if _is_scalar(row):
        return f"truth {row.parts[0].truth} {row.unit}, error {row.error}" if row.error else ""
    return f"error {row.error}" if row.error else ""


def _unit_and_frame(row: Row) -> str:
    return f"{row.unit}, in {row.frame}" if row.frame else row.unit


def _is_scalar(row: Row) -> bool:
    return len(row.parts) == 1 and not row.parts[0].label
