"""The tables of transitions in docs/TEAMS.md are those of the code."""

import itertools
import random
import re
from pathlib import Path

from earnest import in_earnest
from phase_runs import phases_of_runs, window_phases_of_runs

from steelyard.team.membership import GripRules, Roster, Standing
from steelyard.team.planar_load._window_progress import WindowPhase
from steelyard.team.spatial_load._states import Phase

TEXT = (Path(__file__).parents[2] / "docs" / "TEAMS.md").read_text(encoding="utf-8")
NAMES = ("r1", "r2", "r3")


def table(kind: type) -> set[tuple[str, str]]:
    """The pairs (from, to) of the table after the sentence that names a class."""
    after = TEXT.partition(f"(`{kind.__name__}`")[2]
    rows = re.search(r"\n\|[^\n]*\|\n\|[-|]+\|\n((?:\|[^\n]*\n)+)", after)
    assert rows is not None
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in rows[1].splitlines()]
    return {
        (one.strip(), other.strip()) for origin, to, _ in cells for one in origin.split(",") for other in to.split(",")
    }


def test_standings_change_as_the_table_says_and_in_no_other_way():
    found, draw = set(), random.Random(1)
    for _ in range(200):
        roster = Roster(NAMES, GripRules(3, {"r1": ("r2",), "r2": ("r1", "r3"), "r3": ("r2",)}))
        chance, before = draw.random(), {}
        for row in range(60):
            now = roster.take(row, {name for name in NAMES if draw.random() < chance})
            found |= {(before[name].value, now[name].value) for name in NAMES if before and before[name] != now[name]}
            before = now
    assert found == table(Standing)


def test_phases_change_as_the_table_says():
    """Runs with a gap, a change and a late robot show most of its rows, and none that it lacks."""
    allowed = table(Phase)
    assert {phase for pair in allowed for phase in pair} == {phase.value for phase in Phase}
    found = set()
    for phases in in_earnest(phases_of_runs):
        found |= {(one, to) for one, to in itertools.pairwise(phases) if one != to}
    assert found <= allowed, found - allowed
    assert len(found) >= 7, found


def test_windows_of_planar_teams_change_as_the_table_says():
    allowed = table(WindowPhase)
    assert {phase for pair in allowed for phase in pair} == {phase.value for phase in WindowPhase}
    found = set()
    for phases in in_earnest(window_phases_of_runs):
        found |= {(one, to) for one, to in itertools.pairwise(phases) if one != to}
    assert found <= allowed, found - allowed
    assert len(found) >= 7, found
