"""A command never writes over what it reads."""

from pathlib import Path

import pytest


@pytest.mark.parametrize("command", [("identify", "--as", "multirotor", "--report"), ("look", "-o")])
def test_an_input_is_no_output(steelyard, flight_csv, tmp_path, command):
    log = tmp_path / "flight.csv"
    before = log.write_bytes(Path(flight_csv).read_bytes())
    name, *options = command
    code, _, err = steelyard(name, log, *options, log)
    assert code == 2
    assert "is read by this command" in err
    assert log.stat().st_size == before


def test_two_outputs_are_two_files(steelyard, flight_csv, tmp_path):
    page = tmp_path / "a.html"
    code, _, err = steelyard("identify", flight_csv, "--report", page, "--vehicle", f"mjcf={page}")
    assert code == 2
    assert "is asked for twice" in err
