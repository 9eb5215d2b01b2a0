"""The site as `make docs` builds it: strict, nothing fetched, links and search work in pages opened from a folder."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import browser
import pytest

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r'(?:src|href)="([^"]*)"')
FOUND = re.compile(r'class="md-search-result__meta">(\d+) matching documents')


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A strict build: a broken link, a missing anchor or a name without documentation fails it."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_address_of_every_page_is_a_file_of_the_site(site):
    wrong, count = [], 0
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue  # a server's own page: its addresses begin at the server's root
        for address in ADDRESS.findall(page.read_text(encoding="utf-8")):
            path, _, anchor = unquote(address).partition("#")
            count += 1
            file = (page.parent / path) if path else page
            if re.match(r"data:|https://", path):
                continue
            named = not anchor or file.suffix != ".html"
            if not file.exists() or not (named or f'id="{anchor}"' in file.read_text(encoding="utf-8")):
                wrong.append(f"{page.name}: {address}")
    assert wrong == []
    assert count > 1000


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="?(?:https?:)?//', text) == [], page.name


def test_search_works_without_a_server(site):
    text = browser.dom(f"{(site / 'index.html').as_uri()}?q=coloured")
    assert int(FOUND.search(text)[1]) >= 3
    assert "concepts/coloured.html" in text.partition("md-search-result__list")[2]


def test_the_start_page_has_drawing_table_and_three_ways(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<svg[^>]*role="img"', text)
    assert "What can you weigh?" in text
    assert {"drone", "wrist", "team"} <= set(re.findall(r'<strong><a href="tutorials/([\w-]+)\.html">', text))
