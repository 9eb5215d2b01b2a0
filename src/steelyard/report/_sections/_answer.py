"""For a glance: the answer in one sentence and one picture."""

from steelyard.problems import Identification
from steelyard.report._headline import headline
from steelyard.report._markup import Markup, fill, unbroken
from steelyard.report._page import Section
from steelyard.report._plots import PLOTTING

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
        headline=headline(identification),
        picture=picture or "",
        verdict=unbroken(identification.verdict),
        problem=identification.problem,
        method=identification.method,
        origin=identification.origin,
    )
    return Section("The answer", body, PLOTTING if picture else ())
