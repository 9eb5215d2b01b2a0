"""Every citation resolves: the key is in docs/BIBLIOGRAPHY.toml and the paper has what is cited."""

import ast
import io
import itertools
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIBLIOGRAPHY = tomllib.loads((ROOT / "docs" / "BIBLIOGRAPHY.toml").read_text(encoding="utf-8"))

BRACKET = re.compile(r"(?<![\w\])])\[([^\[\]]+)\](?![(\[])")  # neither a subscript nor a markdown link
KEY = re.compile(r"[a-z]+\d\d\b", re.ASCII)
DTYPE = re.compile(r"(float|bfloat|int|uint|complex|utf)\d\d\b")
LOCUS_WORD = r"(?:Eqs?|Secs?|Sections?|Tables?|Props?|Thms?|Figs?|Algs?|Apps?)\b"
LOOKS_LIKE_ONE = re.compile(rf"\w+,?\s+{LOCUS_WORD}")  # [fan, Eq. (31)]: no such key, yet meant as a citation

LABEL = r"[IVX]+\.\d+|\d+"
KINDS = {  # singular, plural, what one item looks like, the bibliography's field
    "equations": ("Eq.", "Eqs.", r"\(\d+[a-z]?\)"),
    "sections": ("Sec.", "Secs.", r"(?:[IVX]+(?:-[A-Z]\d?)?|\d+(?:\.\d+)*)"),
    "tables": ("Table", "Tables", r"\d+"),
    "figures": ("Fig.", "Figs.", r"\d+"),
    "algorithms": ("Alg.", "Algs.", r"\d+"),
    "propositions": ("Prop.", "Props.", rf"(?:{LABEL})"),
    "theorems": ("Thm.", "Thms.", rf"(?:{LABEL})"),
}
FORMS = "write [key], [key, Eq. (n)], [key, Eqs. (a)-(b)], [key, Eqs. (a), (b)], [key, Prop. n], [key, Sec. V-E]"


def citations(text: str) -> Iterator[tuple[int, str]]:
    """Line and content of every bracket that is, or tries to be, a citation."""
    for match in BRACKET.finditer(text):
        content = " ".join(match[1].split())
        word = re.split(r"[\s,;:]", content, maxsplit=1)[0].lower()
        key_like = KEY.match(content) and not DTYPE.match(content)
        if word in BIBLIOGRAPHY or key_like or LOOKS_LIKE_ONE.match(content):
            yield text.count("\n", 0, match.start()) + 1, content


def problem(citation: str) -> str | None:
    """What is wrong with the inside of a bracket, or None."""
    key, comma, rest = citation.partition(",")
    if key not in BIBLIOGRAPHY:
        first = re.match(r"\w*", citation)[0].lower()
        if first in BIBLIOGRAPHY:
            return f"malformed; {FORMS}"
        return f'no key "{key}" in docs/BIBLIOGRAPHY.toml'
    if not comma:
        return None
    while rest:
        kind, items, rest = _next_locus(rest)
        if kind is None:
            return f"malformed; {FORMS}"
        for item in items:
            if not _exists(BIBLIOGRAPHY[key], kind, item):
                return f"{key} has no {kind[:-1]} {item} that docs/BIBLIOGRAPHY.toml knows"
        if any(_ordinal(a) >= _ordinal(b) for a, b in _ranges(items, citation)):
            return "a range that does not rise"
    return None


def _next_locus(text: str) -> tuple[str | None, list[str], str]:
    """Splits ` Eqs. (9)-(15), Sec. V` into its first kind, that kind's items, and what follows the next comma."""
    for kind, (one, many, item) in KINDS.items():
        if match := re.fullmatch(rf" {re.escape(one)} ({item})(?:,(.+))?", text):
            return kind, [match[1]], match[2] or ""
        span = rf"{item}(?:-{item})?"
        if match := re.fullmatch(rf" {re.escape(many)} ({span}(?:, {span})*)(?:,(.+))?", text):
            items = re.findall(item, match[1])
            if len(items) > 1:
                return kind, items, match[2] or ""
    return None, [], ""


def _exists(entry: dict, kind: str, item: str) -> bool:
    limit = entry.get(kind)
    if limit is None:
        return False
    if isinstance(limit, list):
        return item in limit
    if kind == "sections" and re.search(r"[-.]", item):
        return item in entry.get("subsections", [])
    return 1 <= _ordinal(item) <= limit


def _ordinal(item: str) -> int:
    """The number that leads `(33a)`, `7` or `VII`."""
    if digits := re.search(r"\d+", item):
        return int(digits[0])
    values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in item if letter in "IVX"]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _ranges(items: list[str], citation: str) -> Iterator[tuple[str, str]]:
    numbered = [item for item in items if item.startswith("(") or item.isdigit()]
    for a, b in itertools.pairwise(numbered):
        if f"{a}-{b}" in citation:
            yield a, b


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """First line and text of every docstring, and of every run of comment lines, in Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    start, lines = 0, []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if lines and token.start[0] != start + len(lines):
            yield start, "\n".join(lines)
            lines = []
        if not lines:
            start = token.start[0]
        lines.append(token.string.lstrip("#"))
    if lines:
        yield start, "\n".join(lines)


def problems_in(path: str, text: str) -> list[str]:
    pieces = prose_of(text) if path.endswith(".py") else [(1, text)]
    return [
        f"{path}:{first + line - 1}: [{citation}]: {wrong}"
        for first, piece in pieces
        for line, citation in citations(piece)
        if (wrong := problem(citation))
    ]


def files() -> list[Path]:
    return sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])


def test_every_citation_resolves():
    found = [
        line for file in files() for line in problems_in(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("key", BIBLIOGRAPHY)
def test_bibliography_entry_is_complete(key: str):
    entry = BIBLIOGRAPHY[key]
    assert {"authors", "title", "venue", "year"} <= set(entry)
    assert set(entry) <= {"authors", "title", "venue", "year", "doi", "subsections", *KINDS}
    for section in entry.get("subsections", []):
        assert 1 <= _ordinal(section) <= entry["sections"], f"{key}: subsection {section} lies beyond the last section"


@pytest.mark.parametrize(
    "citation",
    [
        "fan17",
        "fan17, Eq. (25)",
        "fan17, Eq. (33a)",
        "fan17, Eqs. (9)-(15)",
        "fan17, Eqs. (9), (15)",
        "fan17, Eqs. (9)-(15), (26)",
        "fan17, Eq. (31), Sec. V-F",
        "fan17, Prop. 3",
        "cdc14, Prop. IV.1",
        "sesame, Table 1",
        "sesame, Tables 1-3",
        "sesame, Alg. 2",
        "sesame, Sec. 4.2.5.1",
        "ironcub, Sec. V-E",
        "ironcub, Sec. VI",
        "willsky76",
    ],
)
def test_good_citation_passes(citation: str):
    assert list(citations(f"text [{citation}] text")) == [(1, citation)]
    assert problem(citation) is None


@pytest.mark.parametrize(
    ("citation", "why"),
    [
        ("fan18, Eq. (1)", "no key"),
        ("fan, Eq. (31)", "no key"),
        ("kalman60", "no key"),
        ("Fan17, Eq. (25)", "malformed"),
        ("fan17 Eq 25", "malformed"),
        ("fan17, Eq. 25", "malformed"),
        ("fan17, eq. (25)", "malformed"),
        ("fan17, Eq (25)", "malformed"),
        ("fan17, Eqs. (9)–(15)", "malformed"),
        ("fan17, Eqs. (9)", "malformed"),
        ("fan17, Eq. (9)-(15)", "malformed"),
        ("fan17,Eq. (25)", "malformed"),
        ("fan17; icra15", "malformed"),
        ("fan17, page 3", "malformed"),
        ("fan17, Eq. (41)", "no equation (41)"),
        ("fan17, Eq. (0)", "no equation (0)"),
        ("fan17, Eqs. (9)-(41)", "no equation (41)"),
        ("fan17, Eqs. (9), (41)", "no equation (41)"),
        ("fan17, Eqs. (15)-(9)", "does not rise"),
        ("fan17, Prop. 4", "no proposition 4"),
        ("cdc14, Prop. 1", "no proposition 1"),
        ("sesame, Table 4", "no table 4"),
        ("ironcub, Table 1", "no table 1"),
        ("ironcub, Sec. V-F", "no section V-F"),
        ("ironcub, Sec. VII", "no section VII"),
        ("willsky76, Eq. (1)", "no equation (1)"),
    ],
)
def test_bad_citation_is_caught(citation: str, why: str):
    found = problems_in("made-up.md", f"first line\nthen [{citation}] here")
    assert len(found) == 1, found
    assert found[0].startswith("made-up.md:2: ")
    assert why in found[0]


@pytest.mark.parametrize(
    "text",
    [
        "[a link](https://example.org)",
        "[fan17 on arXiv](https://example.org)",
        'robots = ["r1", "r2"]',
        "links = [[1, 2], [2, 3]]",
        "Float[Array, 'robot state']",
        "x[k], rows[i, j], table[fan99]",
        "[noise]",
        "[0, 0, -9.81]",
        "an array [float64] of numbers",
        "time in [s], [t0, t1]",
    ],
)
def test_other_brackets_are_no_citations(text: str):
    assert list(citations(text)) == []


def test_python_source_is_searched_in_docstrings_and_comments_only():
    source = '''"""Module. [fan17, Eq. (41)]"""

X = "[fan17, Eq. (42)]"  # a string is data; a comment is not [fan17,
# Eq. (43)] even when it wraps


def f():
    """Words.

    More [fan17, Eq. (44)].
    """
'''
    found = problems_in("made-up.py", source)
    assert [line.partition(": ")[0] for line in found] == ["made-up.py:1", "made-up.py:10", "made-up.py:3"]
    assert "(42)" not in "".join(found)
