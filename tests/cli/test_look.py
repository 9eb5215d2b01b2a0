"""`steelyard look` and `identify` on files that are not in our own columns."""

import json

import numpy as np
import pytest

import steelyard as sy
from steelyard.bench.disguises import DISGUISES, HOLD, hold
from steelyard.logs.mapping import REQUIREMENTS
from steelyard.problems import PROBLEMS


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A simulated hold in degrees and milliseconds under other names, and its true mass."""
    columns = hold(1)
    table = DISGUISES["degrees"](columns, HOLD)[0]
    table.time = 1e3 * table.time
    return table.write(tmp_path_factory.mktemp("foreign")), float(columns["truth/mass"][0])


def test_look_prints_one_object_with_the_agreed_keys(steelyard, foreign):
    code, out, err = steelyard("look", foreign[0], "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert {"files", "streams", "clocks", "problems"} <= set(answer)
    assert set(answer["streams"][0]) == {"name", "file", "rate", "rows", "start", "end", "fields"}
    assert answer["streams"][0]["rate"] == pytest.approx(100.0, rel=1e-3)
    by_name = {one["problem"]: one for one in answer["problems"]}
    assert by_name["rigid-body"]["possible"]
    rates = by_name["rigid-body"]["mapping"]["r1/rates"]
    assert {"source", "unit", "scale", "frame", "delay", "why"} <= set(rates)
    assert rates["unit"] == "deg/s"
    assert rates["scale"] == pytest.approx(np.pi / 180)
    assert not by_name["multirotor"]["possible"]
    assert any("attitude" in text for text in by_name["multirotor"]["missing"])


def test_look_shows_people_the_mapping_and_what_is_missing(steelyard, foreign):
    code, out, _ = steelyard("look", foreign[0])
    assert code == 0
    assert "r1/rates = run: gyro_x, gyro_y, gyro_z (deg/s)" in out
    assert "rigid-body: possible" in out
    assert "multirotor: missing the attitude" in out


def test_identify_takes_the_one_problem_that_is_possible_and_python_gives_the_same_numbers(
    steelyard, foreign, tmp_path
):
    """Also where the log was cut: both go from the recording to the rows by the same function."""
    path, mass = foreign
    units = tmp_path / "units.toml"
    units.write_text('"run".units = {fx = "N", tx = "N m"}\n', encoding="utf-8")
    code, out, err = steelyard("identify", path, "--map", units, "--json", "--start", "1", "--end", "9")
    assert code == 0, err
    command = json.loads(out)
    assert command["problem"] == "rigid-body"
    assert command["mapping"]["r1/rates"]["unit"] == "deg/s"
    mass_found = command["robots"]["r1"]["mass"]
    assert mass_found["status"] == "known"
    assert abs(mass_found["value"] - mass) < 3 * mass_found["std"]
    log = sy.read(path, map=units)
    assert log.mapping["r1/rates"].unit == "deg/s"
    found = sy.identify(log.between(1.0, 9.0)).to_dict()
    assert found["robots"] == command["robots"]
    assert found["notes"] == command["notes"]


def test_a_mass_from_forces_of_no_stated_unit_is_doubtful_and_one_line_answers_the_question(steelyard, foreign):
    path, _ = foreign
    code, out, _ = steelyard("identify", path, "--json")
    assert code == 3
    answer = json.loads(out)
    found = answer["robots"]["r1"]["mass"]
    assert (found["status"], found["value"]) == ("doubtful", None)
    assert [reason["code"] for reason in found["reasons"]] == ["unit"]
    assert '"run".units = {fx = "N", tx = "N m"}' in answer["verdict"]


def test_a_problem_is_said_to_be_answered_where_it_is():
    assert {name for name, one in REQUIREMENTS.items() if one.answered} == set(PROBLEMS)


def test_a_mapping_that_was_written_is_taken_back(steelyard, foreign, tmp_path):
    written = tmp_path / "map.toml"
    assert steelyard("look", foreign[0], "-o", written)[0] == 0
    code, out, _ = steelyard("look", foreign[0], "--map", written, "--json")
    assert code == 0
    problems = {one["problem"]: one for one in json.loads(out)["problems"]}
    assert problems["rigid-body"]["mapping"]["r1/rates"]["unit"] == "deg/s"


def test_identify_says_what_is_missing_where_nothing_is_possible(steelyard, tmp_path):
    path = tmp_path / "temperatures.csv"
    path.write_text("t,kitchen,cellar\n" + "\n".join(f"{0.01 * k},{20 + k},{12 - k}" for k in range(100)))
    code, out, err = steelyard("identify", path)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "can answer no problem" in err
    assert "temperatures" in err


def test_a_file_without_a_header_is_one_question(steelyard, foreign, tmp_path):
    table = DISGUISES["no header"](hold(1), HOLD)[0]
    code, out, err = steelyard("identify", table.write(tmp_path))
    assert (code, out) == (2, "")
    assert "Which column is which signal?" in err
