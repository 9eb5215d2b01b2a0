"""What a terminal shows."""

import dataclasses
import io
import re
from typing import get_args, get_type_hints

import numpy as np
import pytest
from rich.console import Console

from steelyard.estimators import Estimate
from steelyard.problems import Event
from steelyard.report import print_identification, rows, tables
from steelyard.report._table import paragraphs


def shown(identification, width=140) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_identification(identification, console)
    return console.file.getvalue()


def line_with(text: str, *words: str) -> str:
    return next(line for line in text.splitlines() if all(word in line for word in words))


def test_a_row_has_value_interval_unit_status_truth_and_error(identification):
    line = line_with(shown(identification), "mass", "known")
    for word in ("2.010 ± 0.020", "kg", "known", "2.000", "+0.5 %, 1.0 σ"):
        assert word in line


def test_a_vector_is_shown_by_component(identification):
    text = shown(identification)
    assert "x 0.1010 ± 0.0039" in text
    assert "y -0.1990 ± 0.0039" in text
    assert "max 0.5 σ" in text


def test_an_unknown_quantity_has_words_and_no_number(identification):
    text = shown(identification)
    for quantity, words in (
        ("drag", "not yet known"),
        ("bias/force", "this motion cannot tell"),
        ("thrust/1", "failed"),
    ):
        assert "—" in line_with(text, quantity, words)
    assert "nan" not in text.lower()


def test_events_verdict_and_notes_follow(identification):
    text = shown(identification)
    assert "+0.25 kg" in line_with(text, "10.00 s", "change", "mass")
    assert "—" in line_with(text, "20.00 s", "fault")
    assert line_with(text, "The mass is known to 1 %.").startswith("  ")
    assert line_with(text, "Noise of position was estimated from the log.").startswith("  ")
    assert text.index("2.010") < text.index("10.00 s") < text.index("Verdict") < text.index("Notes")


@pytest.mark.parametrize("kind", get_args(get_type_hints(Event)["kind"]))
def test_every_kind_of_event_has_a_line(identification, kind):
    """A contact once ended the command after the whole log was identified."""
    event = Event(3.0, kind, "r1", "mass", "It happened.", 0.1, 3.2)
    assert kind in line_with(shown(dataclasses.replace(identification, events=[event])), "3.00 s", "It happened.")


def test_the_answer_in_one_sentence_comes_first(identification):
    assert shown(identification).splitlines()[0].startswith("Mass of r1: 2.010 ± 0.020 kg (95 %)")


def test_notes_can_be_left_out(identification):
    console = Console(file=io.StringIO(), width=140)
    print_identification(identification, console, notes=False)
    assert "Noise of position" not in console.file.getvalue()


@pytest.mark.parametrize("width", [30, 50, 80])
def test_a_narrow_terminal_cuts_no_digit(identification, width):
    """Cells are folded where they must be; every figure is there."""
    digits = [sorted(re.sub(r"\D", "", shown(identification, columns))) for columns in (width, 300)]
    assert digits[0] == digits[1]


def test_a_long_verdict_is_wrapped_between_words(identification):
    long = dataclasses.replace(identification, verdict="r1: " + "the interval can be believed, " * 20)
    lines = shown(long, 200).splitlines()
    prose = [line for line in lines if "believed" in line]
    assert len(prose) > 3
    assert all(len(line.rstrip()) <= 100 for line in prose)
    assert re.sub(r"\s+", " ", " ".join(prose)).count("the interval can be believed,") == 20


def test_every_robot_has_its_paragraph():
    verdict = "r1: the mass is 2 kg. It holds. r2: it is not known: r1 is silent."
    assert paragraphs(verdict, ["r1", "r2"]) == [
        "r1: the mass is 2 kg. It holds.",
        "r2: it is not known: r1 is silent.",
    ]


def test_without_truth_there_is_no_column_for_it(identification):
    asked, sensors = tables(dataclasses.replace(identification, truth={}))
    assert [column.header for column in asked.columns] == ["quantity", "value (95 %)", "unit", "status"]
    assert [column.header for column in sensors.columns] == ["sensor error", "value (95 %)", "unit", "status"]


def test_long_names_of_sensor_errors_leave_the_rest_whole_in_80_columns(identification):
    robots = {
        "r1": {**identification.robots["r1"], "bias/foot_right/wrench/torque": identification.robots["r1"]["com"]}
    }
    lines = shown(dataclasses.replace(identification, robots=robots), 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert line_with("\n".join(lines), "2.010 ± 0.020", "kg", "known", "2.000", "+0.5 %, 1.0 σ")
    assert line_with("\n".join(lines), "bias/foot_right/wrench/torque", "x 0.1010 ± 0.0039", "known")


def test_the_least_identification_prints(bare):
    text = shown(bare)
    assert "failed" in text
    assert "what happened" not in text


def test_names_from_a_log_are_shown_as_they_are(named):
    text = shown(named("[red]a[/red]\x1b[2J"))
    assert "[red]a[/red]\N{REPLACEMENT CHARACTER}[2J" in text
    assert "\x1b" not in text


def test_truth_of_an_unknown_quantity_is_still_said(identification):
    truth = {**identification.truth, "drag": dataclasses.replace(identification.truth["mass"], unit="N s/m")}
    row = next(row for row in rows(dataclasses.replace(identification, truth=truth)) if row.quantity == "drag")
    assert (row.parts, row.truth, row.error) == ((), "2", "")


def test_a_pose_has_its_rotation_apart(bare):
    value = np.array([1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0])
    pose = Estimate(value, np.diag([1e-4] * 3 + [4e-4] * 3), "m", "r1", 0.0, "known")
    (row,) = rows(dataclasses.replace(bare, robots={"r1": {"pose/r2": pose}}))
    assert [part.value for part in row.parts[:4]] == ["1.000 ± 0.020", "2.000 ± 0.020", "3.000 ± 0.020", "1.000"]
    assert row.parts[-1].value == "± 0.039, 0.039, 0.039 rad"


def test_an_error_from_zero_has_no_percentage(bare, identification):
    truth = {"mass": dataclasses.replace(identification.truth["mass"], value=np.zeros(5001))}
    robots = {"r1": {"mass": Estimate.known(0.02, 0.01, "kg", None, 0.0)}}
    (row,) = rows(dataclasses.replace(bare, robots=robots, truth=truth))
    assert row.error == "+0.02 from 0, 2.0 σ"
