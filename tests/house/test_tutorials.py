"""What the tutorials tell people to type works, in their order; every page is in the site's menu."""

import re
import shlex
from pathlib import Path

import pytest
from commands import typed
from earnest import in_earnest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def lines_of(page: Path) -> list[str]:
    """What the page tells people to type."""
    return [line[2:] for block in CONSOLE.findall(page.read_text(encoding="utf-8")) for line in block.splitlines()]


PAGES = sorted((DOCS / "tutorials").glob("*.md"))
TUTORIALS = [page for page in PAGES if not lines_of(page)[0].startswith("python examples/")]
"""Examples are run by test_examples.py."""


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_the_commands_of_a_tutorial_work(tutorial: Path, tmp_path: Path):
    for line in lines_of(tutorial):
        program, *words = shlex.split(line)
        assert program == "steelyard"
        done = in_earnest(typed, tmp_path, *words)
        assert done.returncode == 0, f"{line}\n{done.stderr[-2000:]}"


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert [page for page in pages if f": {page}\n" not in menu] == []
