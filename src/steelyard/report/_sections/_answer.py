"""For a glance: the answer in one sentence and one picture."""

from steelyard.problems import Identification
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section
from steelyard.report._plots import PLOTTING
from steelyard.report._rows import Row, rows

_BODY = """
<p class="headline">$headline</p>
$picture
<p class="verdict">$verdict</p>
<dl class="facts">
<div><dt>Problem</dt><dd>$problem</dd></div>
<div><dt>Method</dt><dd>$method</dd></div>
<div><dt>Log</dt><dd>$origin</dd></div>
</dl>
"""


def answer(identification: Identification, picture: Markup | None) -> Section:
    """The first quantity's value, a picture of the load or of that quantity over time, and the verdict."""
    body = fill(
        _BODY,
        headline=_headline(identification),
        picture=picture or "",
        verdict=identification.verdict,
        problem=identification.problem,
        method=identification.method,
        origin=identification.origin,
    )
    return Section("The answer", body, PLOTTING if picture else ())


def _headline(identification: Identification) -> str:
    every = rows(identification)
    if not every:
        return "Nothing was estimated."
    having = [row for row in every if row.quantity == every[0].quantity]
    known = [row for row in having if row.status == "known"]
    words = _words(known[0] if known else having[0])
    changes = max(_changes(identification, robot) for robot in identification.robots)
    if len(having) > 1:
        words += f"; {len(known)} of {len(having)} robots know it"
    if changes:
        words += f"; {changes} change{'s' if changes > 1 else ''} noticed"
    return f"{words[0].upper()}{words[1:]}."


def _changes(identification: Identification, robot: str) -> int:
    return sum(event.kind == "change" and event.robot == robot for event in identification.events)


def _words(row: Row) -> str:
    values = ", ".join(f"{part.label} {part.value}".strip() for part in row.parts)
    of = f"{row.quantity} of {row.robot}: "
    return of + (f"{values} {row.unit} (95 %)" if row.status == "known" else f"{row.words} {values}".rstrip())
