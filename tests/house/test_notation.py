"""docs/NOTATION.md gives every symbol one meaning: no code name stands for two things."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADER = "| meaning | ours in prose | ours in code | unit | in the papers |"


def rows(text: str) -> list[tuple[int, list[str]]]:
    """Line number and cells of every row of the symbol tables."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        inside = line == HEADER or (inside and line.startswith("|"))
        if inside and line != HEADER and not set(line) <= set("|-: "):
            found.append((number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]))
    return found


def clashes(text: str) -> list[str]:
    seen = defaultdict(list)
    for number, (meaning, _, code, *_) in rows(text):
        for name in re.findall(r"`([^`]+)`", code):
            seen[name].append(f"{meaning} (line {number})")
    return [f"`{name}` is {' and '.join(places)}" for name, places in seen.items() if len(places) > 1]


def test_every_row_is_complete_and_every_code_name_is_an_identifier():
    found = rows((ROOT / "docs" / "NOTATION.md").read_text(encoding="utf-8"))
    assert len(found) > 100
    for number, cells in found:
        assert len(cells) == 5, f"line {number}: {len(cells)} cells"
        assert all(cells), f"line {number}: an empty cell; write — where there is nothing to say"
        for name in re.findall(r"`([^`]+)`", cells[2]):
            assert name.isascii(), f"line {number}: {name} is not ASCII"
            assert name.isidentifier(), f"line {number}: {name} is no identifier"


def test_no_code_name_has_two_meanings():
    found = clashes((ROOT / "docs" / "NOTATION.md").read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(found)


def test_the_checker_catches_a_clash():
    table = f"{HEADER}\n|---|---|---|---|---|\n| rotation | R | `R` | 1 | R |\n| covariance | R | `R` | 1 | R |\n"
    assert clashes(table) == ["`R` is rotation (line 3) and covariance (line 4)"]
