"""One HTML file that opens anywhere, offline: the generic part of every report."""

import base64
import dataclasses
import datetime
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import steelyard
from steelyard._files import whole_file
from steelyard.report._markup import Markup, asset, fill


@dataclasses.dataclass(frozen=True)
class Script:
    """JavaScript that sections share: it enters the page once, however many of them ask for it."""

    name: str
    load: Callable[[], str]
    """Called only when a page needs it."""


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of a page under its own heading."""

    title: str
    body: Markup
    """Made with `fill`, which escapes."""
    scripts: tuple[Script, ...] = ()
    """What the body needs, in the order in which it must load."""


_SECTION = """
<section aria-labelledby="section-$number">
<h2 id="section-$number">$title</h2>
$body
</section>
"""
_SCRIPT = "<script>$source</script>\n"


def write_page(
    title: str, sections: Sequence[Section], path: str | Path, created: datetime.datetime | None = None
) -> None:
    """Writes one self-contained page, whole or not at all."""
    text = page(title, sections, created or datetime.datetime.now().astimezone())
    with whole_file(path) as draft:
        draft.write_bytes(text.encode("utf-8", errors="replace"))


def page(title: str, sections: Sequence[Section], created: datetime.datetime) -> Markup:
    """The page's text."""
    scripts = list(dict.fromkeys(script for section in sections for script in section.scripts))
    sources = [embeddable(script.load()) for script in scripts]
    return fill(
        asset("page.html"),
        title=title,
        policy=content_policy(sources),
        style=Markup(asset("page.css")),
        sections=[
            fill(_SECTION, number=number, title=section.title, body=section.body)
            for number, section in enumerate(sections, start=1)
        ],
        version=steelyard.__version__,
        created=created.strftime("%Y-%m-%d %H:%M %Z").strip(),
        created_iso=created.isoformat(timespec="seconds"),
        scripts=[fill(_SCRIPT, source=source) for source in sources],
    )


def embeddable(source: str) -> Markup:
    """The source such that no string in it ends the script element, and its hash is the browser's."""
    return Markup(source.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script"))


def content_policy(sources: Sequence[str]) -> str:
    """What the browser may do: run these very scripts, and nothing over the network."""
    digests = (base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() for source in sources)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:"
