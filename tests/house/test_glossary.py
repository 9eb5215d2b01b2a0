"""The glossary names things that exist, and words that were given up do not come back as names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "steelyard"
GLOSSARY = ROOT / "docs" / "GLOSSARY.md"

RETIRED = frozenset(
    re.findall(
        r"\w+",
        "mind told course lean doubt doubts heir heirs stranger strangers crew witness judge liar gears slope slopes "
        "shot shots plant surprise surprises absurd honest honesty parcel patience earnest handling weighed weighing "
        "swept sweep kept said anchor anchors versions refine refined will piecemeal",
    )
)
"""Private words for which the field has its own; docs/GLOSSARY.md has what is used instead. Words that also have an
ordinary meaning (notes, places, point, words, figures, ready) are not here: a list cannot tell which one is meant."""
RETIRED_TYPES = frozenset({"hold", "push", "handling", "told"})
"""Of no class: logs of a problem are its `Record`."""


class Entry(NamedTuple):
    """One row of the glossary's table."""

    term: str
    path: str
    name: str


def entries(text: str) -> list[Entry]:
    """The rows `term | symbol | meaning | where`; `where` is `path::Name`, several divided by commas."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 4 or cells[0].lower() == "term" or set(cells[0]) <= set("-: "):
            continue
        for where in cells[3].split(","):
            path, _, name = where.strip().strip("`").partition("::")
            found.append(Entry(cells[0].strip("*`"), path, name))
    return found


def names_in(source: str) -> Iterator[str]:
    """Every identifier of a module: variables, attributes, arguments, functions, classes, imports."""
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield from value.split(".")


def words_of(identifier: str) -> set[str]:
    """`read_ToldRows` has the words read, told and rows."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)}


def retired_in(name: str, source: str) -> list[str]:
    """The identifiers of a module that hold a retired word; `name` is the module's own."""
    return sorted({each for each in (name, *names_in(source)) if words_of(each) & RETIRED})


@pytest.mark.skipif(not GLOSSARY.exists(), reason="the glossary is not written yet")
def test_every_term_of_the_glossary_exists_in_the_code():
    missing = []
    for entry in entries(GLOSSARY.read_text(encoding="utf-8")):
        file = ROOT / entry.path
        if not file.is_file() or entry.name.split(".")[-1] not in set(names_in(file.read_text(encoding="utf-8"))):
            missing.append(f"{entry.term}: {entry.path}::{entry.name}")
    assert not missing, "\n".join(missing)


@pytest.mark.skipif(not GLOSSARY.exists(), reason="the glossary is not written yet")
def test_the_glossary_is_alphabetical():
    terms = [entry.term.lower() for entry in entries(GLOSSARY.read_text(encoding="utf-8"))]
    assert terms
    assert terms == sorted(terms)


def test_retired_words_do_not_come_back():
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in sorted(SRC.rglob("*.py"))
        for name in retired_in("/".join(file.relative_to(SRC).with_suffix("").parts), file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n" + "\n".join(found)


def test_records_have_the_same_word_in_each_problem():
    found = [
        f"{file.relative_to(ROOT)}: {node.name}"
        for file in sorted(SRC.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and words_of(node.name) & RETIRED_TYPES
    ]
    assert not found, "\n" + "\n".join(found)


def test_the_checker_finds_retired_words_in_every_kind_of_name():
    source = "class ToldRows:\n    def swept(self, mind): self.kept = slope_of(x=1)\nfrom a import course as c\n"
    assert retired_in("_gears", source) == ["ToldRows", "_gears", "course", "kept", "mind", "slope_of", "swept"]
    assert retired_in("_coursework", "minder = 'told'  # doubt") == []


def test_the_checker_reads_the_table():
    table = "| term | symbol | meaning | where |\n|---|---|---|---|\n| belief | b | state | `src/a.py::Belief` |\n"
    assert entries(table) == [Entry("belief", "src/a.py", "Belief")]
