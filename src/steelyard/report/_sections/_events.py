"""What happened, and when."""

from steelyard.problems import Identification
from steelyard.report._markup import Markup, fill
from steelyard.report._page import Section
from steelyard.report._rows import EVENT_WORDS, event_size, unit_of

_BODY = """
<div class="scroll" role="region" tabindex="0" aria-label="Table of events">
<table>
<thead><tr><th scope="col">No.</th><th scope="col" class="figure">Time, s</th><th scope="col">Event</th>
<th scope="col">Robot</th><th scope="col">Quantity</th><th scope="col" class="figure">Size</th>
<th scope="col">What happened</th></tr></thead>
<tbody>$rows</tbody>
</table>
</div>
"""
_ROW = """
<tr><th scope="row">$number</th><td class="figure">$time</td><td><span class="chip $kind">$words</span></td>
<td>$robot</td><td>$quantity</td><td class="figure">$size</td><td class="prose">$message</td></tr>
"""
_NONE = "<p>No change and no fault was noticed.</p>"


def events(identification: Identification) -> Section:
    """A table of the events, numbered as in the plots."""
    found = [
        fill(
            _ROW,
            number=number,
            time=f"{event.time:.2f}",
            kind=event.kind,
            words=EVENT_WORDS[event.kind],
            robot=event.robot,
            quantity=event.quantity,
            size=event_size(event, unit_of(identification, event.robot, event.quantity)) or "—",
            message=event.message,
        )
        for number, event in enumerate(identification.events, start=1)
    ]
    return Section("Events", fill(_BODY, rows=found) if found else Markup(_NONE))
