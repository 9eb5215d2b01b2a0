"""The pages: links, code blocks, commands, generated pages, spelling."""

import ast
import json
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata, util
from pathlib import Path

import pytest

from steelyard.cli._completion import every_help
from steelyard.config import Config, from_tables

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = DOCS / "_site"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
GENERATED = ("reference/", "figures/")
"""What docs/_site makes; the site's own build checks links into it."""
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def site():
    """The modules that make pages and figures."""
    sys.path.insert(0, str(SITE))
    try:
        import figures
        import mathml
        import reference

        yield {"figures": figures, "mathml": mathml, "reference": reference}
    finally:
        sys.path.remove(str(SITE))


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as the site has them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path):
    text, wrong = FENCE.sub("", page.read_text(encoding="utf-8")), []
    for target in (one or other for one, other in LINK.findall(text)):
        path, _, anchor = target.partition("#")
        if re.match(r"https?://", path):
            continue
        file = page if not path else (page.parent / path).resolve()
        inside = file.relative_to(DOCS).as_posix() if file.is_relative_to(DOCS) else ""
        if inside.startswith(GENERATED):
            continue
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            wrong.append(target)
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_blocks_are_code(page: Path):
    for language, body in FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            ast.parse(body)
        elif language == "toml":
            tables = tomllib.loads(body)
            mapping = any(
                "/" in name or {"time", "units"} & set(table)
                for name, table in tables.items()
                if isinstance(table, dict)
            )
            if not mapping:
                from_tables(tables, Config, f"the TOML of {page.name}")  # raises BadInput for an unknown key


@pytest.fixture(scope="module")
def options() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in every_help():
        found.setdefault(one.words[0], set()).update(one.options)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_exist(page: Path, options):
    text = page.read_text(encoding="utf-8")
    lines = [line[2:] for language, body in FENCE.findall(text) for line in body.splitlines() if line.startswith("$ ")]
    lines += re.findall(r"(?<!`)`(steelyard [a-z][^`\n]*)`", FENCE.sub("", text))
    for line in lines:
        words = shlex.split(line.partition("  #")[0])
        if words[:1] == ["steelyard"] and len(words) > 1 and words[1].islower():
            assert words[1] in options, line
            named = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
            assert named <= options[words[1]], line


def test_every_picture_of_a_concept_is_made_by_the_code(site):
    named = {name for page in PAGES for name in re.findall(r"figures/([\w-]+)\.svg", page.read_text(encoding="utf-8"))}
    assert named == set(site["figures"].FIGURES)


def test_every_configuration_key_has_a_meaning(site):
    page = site["reference"].configuration()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", page, re.MULTILINE)
    assert len(rows) > 60
    assert [key for key, meaning, _ in rows if not meaning.strip()] == []


def test_every_mapping_key_has_a_meaning(site):
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", site["reference"].mapping(), re.MULTILINE)
    assert len(rows) >= 13
    assert [key for key, meaning in rows if not meaning.strip()] == []


def test_the_json_of_every_shape_is_printed_or_read_off_its_class(site):
    page = site["reference"].answer()
    shapes = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert set(json.loads(FENCE.findall(shapes["look"])[0][1])) >= {"files", "streams", "clocks", "problems"}
    assert {"problem", "robots", "events", "verdict"} <= set(json.loads(FENCE.findall(shapes["identify"])[0][1]))
    for command, key in (("reproduce", "bound"), ("bench", "ratio"), ("cover", "fits")):
        rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.*?) \|$", shapes[command], re.MULTILINE)
        assert key in {name for name, _, _ in rows}
        assert [name for name, kind, meaning in rows if not kind.strip() or not meaning.strip()] == []


def test_every_dependency_has_a_licence(site):
    page = site["reference"].licences()
    for text in metadata.requires("steelyard") or ():
        name = re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", text, maxsplit=1)[0]).lower()
        assert name == "steelyard" or re.search(rf"\b{re.escape(name)}\b", page), name
    assert "not stated" not in page.partition("## What these bring along")[0]


def test_equations_become_mathml_and_code_does_not(site):
    drawn = site["mathml"].with_equations("A $x^2$ and\n\n$$ \\frac{a}{b} $$\n\n`$HOME$`\n\n```sh\n$ echo $x $y\n```\n")
    assert drawn.count("<math") == 2
    assert "`$HOME$`" in drawn
    assert "$ echo $x $y" in drawn


@pytest.mark.parametrize("page", sorted((DOCS / "concepts").glob("*.md")), ids=lambda path: path.name)
def test_a_concept_names_its_code(page: Path):
    """Every path below src/ that a concept names exists."""
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`(src/steelyard/[\w/.]+)`", text)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.skipif(util.find_spec("codespell_lib") is None, reason="codespell is not installed")
def test_words_are_spelt():
    done = subprocess.run([sys.executable, "-m", "codespell_lib"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_public_name_is_documented():
    import steelyard as sy

    for name in sy.__all__:
        assert (getattr(sy, name).__doc__ or "").strip(), name


def decisions() -> list[tuple[int, str]]:
    text = (DOCS / "DECISIONS.md").read_text(encoding="utf-8")
    return [(int(number), body) for number, body in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", text, re.M | re.S)]


def test_decisions_have_numbers_of_their_own():
    numbers = [number for number, _ in decisions()]
    assert len(numbers) > 60
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize(("number", "body"), decisions(), ids=[str(number) for number, _ in decisions()])
def test_a_decision_has_date_status_and_code(number: int, body: str):
    heading = body.splitlines()[1] if len(body.splitlines()) > 1 else ""
    found = re.fullmatch(r"\*(\d{4}-\d\d-\d\d) · ([^·]+) · (.+)\*", heading)
    assert found, f"decision {number}: below its title write *date · status · `path of the code`*"
    paths = re.findall(r"`([^`]+)`", found[3])
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    for other in re.findall(r"\b(\d+)\b", found[2]):
        assert int(other) in dict(decisions())
