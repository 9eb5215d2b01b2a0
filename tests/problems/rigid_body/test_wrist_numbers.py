"""Numbers that are not finite: refused where they arise, before LAPACK prints about them on standard output."""

import contextlib
import os
import tempfile
from collections.abc import Iterator

import numpy as np
import pytest

import steelyard as sy
from steelyard.bench.wrist import config_of, log_of, mistaken
from steelyard.errors import BadInput
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems.rigid_body import _stream
from steelyard.problems.rigid_body._quantities import load_from
from steelyard.worlds.wrist import WristScenario, wrist_truth

SCENARIO = WristScenario(duration=3.0)
LOAD = np.array([1.0, 0.0, 0.0, 0.1, 0.02, 0.02, 0.01, 0.0, 0.0, 0.0])


@contextlib.contextmanager
def printed() -> Iterator[list[bytes]]:
    """What anything writes to the process's standard output, LAPACK's Fortran included."""
    found: list[bytes] = []
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield found
        finally:
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            found.append(file.read())


def recorded(**changed: float) -> tuple[Log, sy.Config]:
    """A log with one number replaced in the row 100, by column."""
    log = log_of(SCENARIO, wrist_truth(SCENARIO, 1), 1)
    columns = {name: values.copy() for name, values in log.columns.items()}
    for name, value in changed.items():
        columns[name][100] = value
    return Log(log.time, columns, "log"), config_of(SCENARIO, known=False)


def test_lapack_prints_on_standard_output_where_numbers_are_not_finite():
    """What this file is about; without it the test below would hold by chance."""
    with printed() as found, contextlib.suppress(np.linalg.LinAlgError):
        np.linalg.lstsq(np.full((5, 2), np.nan), np.ones(5), rcond=None)
    assert b"DLASCL" in found[0]


@pytest.mark.parametrize("size", [1e12, 1e25, 1e200])
@pytest.mark.parametrize("column", ["r1/wrench/force/x", "r1/specific_force/y", "r1/twist/angular/z"])
def test_an_absurd_number_is_no_answer_and_prints_nothing(column, size):
    log, config = recorded(**{column: size})
    with printed() as found:
        if size > 1e30:
            with pytest.raises(BadInput, match=f"{column}.*row 101, more than any sensor reads"):
                identify(log, "rigid-body", config)
        else:
            with contextlib.suppress(BadInput):
                answer = identify(log, "rigid-body", config)
                mass = answer.robots["r1"]["mass"]
                assert mass.status != "known" or abs(mass.value - SCENARIO.mass) < 4.0 * mass.std
    assert found == [b""]


def test_mistakes_print_nothing():
    with printed() as found:
        assert mistaken(None, ("gyro with x and y swapped", 5)) in ("named", "refused")
    assert found == [b""]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_a_load_without_a_covariance_is_refused(bad):
    covariance = np.diag(np.full(10, 1e-4))
    covariance[3, 3] = bad
    with printed() as found, pytest.raises(np.linalg.LinAlgError, match="covariance"):
        load_from(LOAD, covariance)
    assert found == [b""]


def test_a_stream_without_an_answer_says_so_and_has_one_a_second_later(monkeypatch):
    log, config = recorded()
    stream, first_fit, calls = sy.stream("rigid-body", config), _stream.first_fit, []

    def failing(record):
        calls.append(record)
        if len(calls) == 1:
            raise np.linalg.LinAlgError("no finite numbers")
        return first_fit(record)

    monkeypatch.setattr(_stream, "first_fit", failing)
    rows = ({"time": float(t)} | {n: float(v[k]) for n, v in log.columns.items()} for k, t in enumerate(log.time))
    mass = [stream.step(row).estimates.mass for row in rows]
    assert mass[150].status == "failed"
    assert "no finite numbers" in mass[150].reason
    assert mass[250].status == "known"
    with pytest.raises(BadInput, match="more than any sensor reads"):
        stream.step({"time": 9.0, "r1/wrench/force/x": 1e200})
