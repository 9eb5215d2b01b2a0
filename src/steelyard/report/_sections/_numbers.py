"""All numbers in one table: a column a robot; poses and sensor errors are folded away."""

from collections.abc import Sequence
from string import Template

from steelyard.errors import BadInput
from steelyard.problems import Identification
from steelyard.report._markup import Markup, asset, fill
from steelyard.report._next_steps import next_step
from steelyard.report._page import Script, Section
from steelyard.report._rows import QUANTITY_WORDS, QuantityRow, rows
from steelyard.report._urdf import urdf_of

_FOLDED = {
    "contact": "contacts of neighbours",
    "pose": "poses of neighbours",
    "offset": "sensor errors",
    "bias": "sensor errors",
    "delay": "sensor errors",
}
"""What is folded away, by the first part of its name, and what it is called."""
_TABLE = """
<div class="scroll" role="region" tabindex="0" aria-label="$label">
<table>
<thead><tr><th scope="col">Quantity</th><th scope="col"><span class="unseen">component</span></th>
<th scope="col">Unit</th>$robots</tr></thead>
<tbody>$rows</tbody>
</table>
</div>
"""
_BODY = """
$shown
$folded
$unknown
$urdf
<p class="aside">Intervals are 95 %: value ± 1.96 standard deviations, at the log's last sample.$frames</p>
"""
_OWN = " Vectors and matrices of a robot are in its own frame."
_ONE = " Vectors and matrices are in the frame of $robot."
_FOLD = """<details><summary>$title</summary>$body</details>"""
_UNKNOWN = """<h3>What is not known, why, and what would help</h3><ul class="notes">$items</ul>"""
_URDF = """<p><button type="button" class="copy" data-copies="urdf">Copy the load's URDF</button></p>
<details><summary>The load as URDF</summary><pre id="urdf">$text</pre></details>"""
_COPY = Script("copy", lambda: asset("copy.js"))


def numbers(identification: Identification) -> Section:
    """The table, what is not known and why, and the load as URDF where it is known."""
    every = rows(identification)
    folded = [row for row in every if row.quantity.split("/")[0] in _FOLDED]
    shown = [row for row in every if row not in folded]
    urdf = _urdf(identification)
    names = list(dict.fromkeys(_FOLDED[row.quantity.split("/")[0]] for row in folded))
    title = ", ".join(names[:-1]) + " and " * (len(names) > 1) + "".join(names[-1:])
    title = title[:1].upper() + title[1:]
    body = fill(
        _BODY,
        shown=_table(shown, "Estimates of every robot") if shown else "",
        folded=_fold(title, _table(folded, title)) if folded else "",
        unknown=_unknown(identification),
        frames=_frames(shown, list(identification.robots)),
        urdf="" if urdf is None else fill(_URDF, text=urdf),
    )
    return Section("Numbers", body, () if urdf is None else (_COPY,))


def _frames(shown: Sequence[QuantityRow], robots: Sequence[str]) -> str:
    """In which frame the vectors are, where it is the robots' own."""
    if not any(row.frame == row.robot for row in shown):
        return ""
    return _OWN if len(robots) > 1 else Template(_ONE).substitute(robot=robots[0])


def _fold(title: str, body: Markup) -> Markup:
    return fill(_FOLD, title=title, body=body)


def _table(shown: Sequence[QuantityRow], label: str) -> Markup:
    robots = list(dict.fromkeys(row.robot for row in shown))
    quantities = dict.fromkeys(row.quantity for row in shown)
    found = {(row.robot, row.quantity): row for row in shown}
    lines = [line for quantity in quantities for line in _lines(quantity, robots, found)]
    headings = [fill('<th scope="col">$robot</th>', robot=robot) for robot in robots]
    return fill(_TABLE, label=label, robots=headings, rows=lines)


def _lines(quantity: str, robots: Sequence[str], found: dict[tuple[str, str], QuantityRow]) -> list[Markup]:
    """One line a component; the status stands in the first of them, and the error against the truth below the last."""
    having = {robot: found[robot, quantity] for robot in robots if (robot, quantity) in found}
    widest = max(having.values(), key=lambda row: len(row.parts))
    labels = [part.label for part in widest.parts] or [""]
    frame = f", in {widest.frame}" if widest.frame and widest.frame not in robots else ""
    lines = []
    for k, label in enumerate(labels):
        cells = [_cell(having.get(robot), k, len(robots) == 1) for robot in robots]
        name = QUANTITY_WORDS.get(quantity, quantity)
        lines.append(_line(name if k == 0 else "", label, cells, widest.unit + frame))
    if any(row.error or row.truth for row in having.values()):
        lines.append(_line("", "error", [_error(having.get(robot)) for robot in robots], ""))
    return lines


def _line(quantity: str, label: str, cells: Sequence[Markup], unit: str) -> Markup:
    template = '<tr><th scope="row">$quantity</th><td class="aside">$label</td><td class="aside">$unit</td>$cells</tr>'
    return fill(template, quantity=quantity, label=label, cells=list(cells), unit=unit)


def _cell(row: QuantityRow | None, k: int, alone: bool) -> Markup:
    """The number, and its status; in a team only a status that is not `known`, so that five robots fit side by side."""
    if row is None:
        return Markup("<td></td>")
    shown = k == 0 and (alone or row.status != "known")
    chip = fill('<span class="chip $status">$words</span>', status=row.status, words=row.words) if shown else ""
    value = row.parts[k].value if k < len(row.parts) else ""
    return fill("<td>$value $chip</td>", value=value, chip=chip)


def _error(row: QuantityRow | None) -> Markup:
    words = "" if row is None else row.error or (f"truth {row.truth}" if row.truth else "")
    return fill('<td class="aside wrapped">$words</td>', words=words)


def _unknown(identification: Identification) -> Markup | str:
    reasons: dict[tuple[str, str], list[str]] = {}
    for robot, estimates in identification.robots.items():
        for quantity, estimate in estimates.items():
            if estimate.status != "known" and estimate.reason:
                reasons.setdefault((quantity, estimate.reason), []).append(robot)
    if not reasons:
        return ""
    items = [
        fill(
            "<li>$what ($robots): $why $next</li>",
            what=QUANTITY_WORDS.get(quantity, quantity),
            robots=", ".join(robots),
            why=why,
            next=next_step(identification.problem, quantity),
        )
        for (quantity, why), robots in reasons.items()
    ]
    return fill(_UNKNOWN, items=items)


def _urdf(identification: Identification) -> str | None:
    try:
        return urdf_of(identification)
    except BadInput:
        return None
