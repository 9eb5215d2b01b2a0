"""The data set on disk: whole files, nothing flown twice, the same by the same seed."""

import numpy as np
import pytest

from steelyard import logs
from steelyard.errors import BadInput
from steelyard.papers.sesame import fly_all, write_data_set
from steelyard.worlds import SesameScenario, fly_sesame, sesame_flights

FEW = [SesameScenario(course, "steps", 0) for course in ("loop", "square", "zigzag")]


def quietly(steps: int) -> None:
    pass


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    folder, done = tmp_path / "set", []

    def interrupted(steps: int) -> None:
        done.append(steps)
        if sum(done) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_data_set(folder, FEW, 5, ".parquet", interrupted)
    there = sorted(folder.rglob("*.parquet"))
    assert len(there) == 2
    assert [path for path in folder.rglob("*") if path.name.startswith(".")] == []
    stamps = [path.stat().st_mtime_ns for path in there]
    assert write_data_set(folder, FEW, 5, ".parquet", quietly) == (1, 2)
    assert [path.stat().st_mtime_ns for path in there] == stamps
    assert write_data_set(folder, FEW, 5, ".parquet", quietly) == (0, 3)
    for flight in (FEW[0], FEW[2]):  # one from before the interruption, and one from after it
        log = logs.read(folder / f"{flight.name}.parquet")
        for name, column in fly_sesame(flight, 5).items():
            np.testing.assert_array_equal(log.time if name == "time" else log.columns[name], column)


def test_another_seed_or_a_folder_of_others_is_refused(tmp_path):
    folder, foreign = tmp_path / "set", tmp_path / "holiday"
    write_data_set(folder, FEW[:1], 5, ".csv", quietly)
    with pytest.raises(BadInput, match="seed 5"):
        write_data_set(folder, FEW[:1], 6, ".csv", quietly)
    foreign.mkdir()
    (foreign / "photo.jpg").write_bytes(b"x")
    with pytest.raises(BadInput, match="not empty"):
        write_data_set(foreign, FEW[:1], 5, ".csv", quietly)
    with pytest.raises(BadInput, match="is a file"):
        write_data_set(foreign / "photo.jpg", FEW[:1], 5, ".csv", quietly)


def test_flights_come_in_order_however_many_cores_there_are(monkeypatch):
    """On one core four are handed out at a time: the fifth is of the next four."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    flights = list(sesame_flights(1))[:5]
    flown = list(fly_all(flights, 2))
    assert [flight for flight, _ in flown] == flights
    np.testing.assert_array_equal(flown[4][1]["r1/thrust"], fly_sesame(flights[4], 2)["r1/thrust"])
