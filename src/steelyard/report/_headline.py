"""The answer in one sentence: the same on a terminal and on a page."""

from steelyard.problems import Identification
from steelyard.report._rows import QuantityRow, rows

_LOADS = ("planar-load", "rigid-body", "spatial-load")
"""Problems whose mass is that of what robots carry."""
_LEVEL = " (95 %)"


def headline(identification: Identification) -> str:
    """The value of the first quantity, how many robots know it, and how often it changed.

    Of quantities such as `thrust/left`, `thrust/right` all are listed.
    """
    every = rows(identification)
    if not every:
        return "Nothing was estimated."
    having = [row for row in every if row.quantity == every[0].quantity]
    known = [row for row in having if row.status == "known"]
    first = known[0] if known else having[0]
    kind, _, member = first.quantity.partition("/")
    alike = [row for row in every if member and row.robot == first.robot and row.quantity.startswith(f"{kind}/")]
    of = "the load" if identification.problem in _LOADS else first.robot
    name = first.quantity.replace("_", " ")
    words = _listed(kind, of, alike) if len(alike) > 1 else f"{name} of {of}: {_words(first)}"
    changes = max(_changes(identification, robot) for robot in identification.robots)
    if len(having) > 1:
        words += f"; {len(known)} of {len(having)} robots know it"
    if changes:
        words += f"; {changes} change{'s' if changes > 1 else ''} noticed"
    return f"{words[0].upper()}{words[1:]}."


def _changes(identification: Identification, robot: str) -> int:
    return sum(event.kind == "change" and event.robot == robot for event in identification.events)


def _listed(kind: str, of: str, alike: list[QuantityRow]) -> str:
    values = ", ".join(f"{row.quantity.partition('/')[2]} {_words(row, '')}" for row in alike)
    return f"{kind} of {of}: {values}" + (_LEVEL if any(row.status == "known" for row in alike) else "")


def _words(row: QuantityRow, level: str = _LEVEL) -> str:
    values = ", ".join(f"{part.label} {part.value}".strip() for part in row.parts)
    return f"{values} {row.unit}{level}" if row.status == "known" else f"{row.words} {values}".rstrip()
