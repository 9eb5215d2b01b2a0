"""A table of values on a page."""

from collections.abc import Sequence

from steelyard.report._markup import Markup, fill

_TABLE = """
<div class="scroll" role="region" tabindex="0" aria-label="$label">
<table>
<thead><tr>$headings</tr></thead>
<tbody>$rows</tbody>
</table>
</div>
"""
_HEADING = """<th scope="col"$kind>$words</th>"""
_ROW = """<tr><th scope="row">$name</th>$cells</tr>"""
_CELL = """<td class="figure">$words</td>"""
_RIGHT = Markup(' class="figure"')


def value_table(label: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """The first cell of a row names it, the others are values; `label` describes it for screen readers."""
    return fill(
        _TABLE,
        label=label,
        headings=[fill(_HEADING, kind=_RIGHT if k else "", words=words) for k, words in enumerate(headings)],
        rows=[fill(_ROW, name=row[0], cells=[fill(_CELL, words=words) for words in row[1:]]) for row in rows],
    )
