"""How the numbers came about."""

from steelyard.problems import Identification
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section

_NOTES = """<ul class="notes">$notes</ul>"""
_NO_NOTES = "<p>Nothing out of the ordinary.</p>"
_SETTINGS = """
<div class="scroll" role="region" tabindex="0" aria-label="Table of settings">
<table class="settings">
<thead><tr><th scope="col">Setting</th><th scope="col">Value</th></tr></thead>
<tbody>$rows</tbody>
</table>
</div>
"""
_ROW = """<tr><th scope="row">$name</th><td>$value</td></tr>"""
_NO_SETTINGS = "<p>This run recorded none.</p>"


def notes(identification: Identification) -> Section:
    """What the reader should know before trusting a number."""
    found = [fill("<li>$note</li>", note=note) for note in identification.notes]
    return Section("Notes", fill(_NOTES, notes=found) if found else Markup(_NO_NOTES))


def settings(identification: Identification) -> Section:
    """The settings of the run, so that it can be repeated."""
    found = [fill(_ROW, name=name, value=value) for name, value in identification.settings.items()]
    return Section("Settings", fill(_SETTINGS, rows=found) if found else Markup(_NO_SETTINGS))
