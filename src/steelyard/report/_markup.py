"""HTML from templates, in which everything that is not yet HTML is escaped."""

import html
import json
import re
from importlib import resources
from string import Template
from typing import Any, final

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|kg\b|N\b|m\b|mm\b|s\b|mrad\b)|(?<=kg) (?=m²)|(?<=±) (?=\d)|(?<=\d) (?=±)")


@final
class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def fill(template: str, **values: object) -> Markup:
    """The template with each `$name` replaced: HTML as it is, a list of HTML joined, and all else escaped.

    >>> fill("<b>$name</b>", name="<r1>")
    '<b>&lt;r1&gt;</b>'
    """
    return Markup(Template(template).substitute({name: escape(value) for name, value in values.items()}))


def escape(value: object) -> Markup:
    """HTML that shows the value, whatever it holds; control characters, which HTML forbids, are made visible."""
    match value:
        case Markup():
            return value
        case list() | tuple():
            return Markup("".join(escape(part) for part in value))
    return Markup(html.escape(visible(str(value))))


def unbroken(words: str) -> str:
    """The words with spaces that do not break before a unit, so that no line begins with `%` or `kg`.

    >>> unbroken("It is 2 kg, known to 1 %.") == "It is 2\N{NO-BREAK SPACE}kg, known to 1\N{NO-BREAK SPACE}%."
    True
    """
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", words)


def json_for_script(value: Any) -> Markup:
    """JSON that can stand inside a script element: nothing in it can end the element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def asset(name: str) -> str:
    """A file that is part of every page."""
    return resources.files("steelyard.report").joinpath("_assets", name).read_text(encoding="utf-8")


def visible(words: str) -> str:
    """The words, control characters shown as such."""
    return "".join(
        c if c.isprintable() or c in "\n\t\N{NO-BREAK SPACE}" else "\N{REPLACEMENT CHARACTER}" for c in words
    )
