"""Equations of the pages as MathML, which browsers draw without a script: `$…$` in a line, `$$…$$` on its own."""

import re

from latex2mathml.converter import convert

_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<![\w$\\])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w$])")


def with_equations(markdown: str) -> str:
    """The page with its equations drawn; code is left alone.

    >>> "<math" in with_equations("The mass $m$."), with_equations("Costs `$x$`.")
    (True, 'Costs `$x$`.')
    """
    parts = _CODE.split(markdown)
    return "".join(part if k % 2 else _drawn(part) for k, part in enumerate(parts))


def _drawn(text: str) -> str:
    text = _DISPLAY.sub(lambda found: f'<div class="equation">{_math(found[1], "block")}</div>', text)
    return _INLINE.sub(lambda found: _math(found[1], "inline"), text)


def _math(latex: str, display: str) -> str:
    return convert(" ".join(latex.split()), display=display).replace("\n", "")
