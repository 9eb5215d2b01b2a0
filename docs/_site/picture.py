"""Makes the README's picture: `python docs/_site/picture.py REPORT.html docs/load.svg`.

The report's first drawing, as a browser draws it, with the page's light colours written into it.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
import browser

STYLE = """<style>
text { font: 12px sans-serif; fill: #1b2430 } .axis-title { fill: #566271 } .grid-line { stroke: #e3e7ec }
.frame, .axis { stroke: #566271; fill: none } .mark { stroke-dasharray: 2 3 }
</style><rect width="100%" height="100%" fill="#ffffff"/>"""


def main(report: Path, picture: Path) -> None:
    """Reads the report and writes the picture."""
    page = browser.dom(report, "--window-size=900,1200")
    light = report.read_text(encoding="utf-8").split("@media")[0]
    colours = dict(re.findall(r"(--[\w-]+): (#\w+|rgba\([^)]*\));", light))
    drawing = re.search(r'<div class="canvas.*?(<svg.*?</svg>)', page, re.DOTALL)
    assert drawing, "the report has no drawing"
    text = re.sub(r"var\((--[\w-]+)\)", lambda found: colours[found[1]], drawing[1])
    text = text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(' aria-hidden="true"', "", 1)
    picture.write_text(re.sub(r"(<svg[^>]*>)", rf"\1{STYLE}", text, count=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
