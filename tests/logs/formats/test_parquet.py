"""Parquet keeps what CSV keeps, and units and metadata; its bad files get sentences too."""

import sys

import numpy as np
import pytest

from steelyard.logs import read, write

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_units_and_metadata_are_in_the_file(log, tmp_path):
    write(log, tmp_path / "a.pq")
    schema = pq.read_schema(tmp_path / "a.pq")
    assert schema.field("r1/velocity/x").metadata[b"unit"] == b"m/s"
    assert schema.field("time").metadata[b"unit"] == b"s"
    assert read(tmp_path / "a.pq").metadata == {"scenario": "demo", "seed": "7"}


def test_whole_numbers_nulls_and_small_floats_are_read(tmp_path):
    columns = {
        "time": pa.array([0, 1], pa.int32()),
        "a": pa.array([None, 2], pa.int64()),
        "b": pa.array([1.5, None], pa.float32()),
        "c": pa.nulls(2),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    log = read(tmp_path / "a.parquet")
    assert log.time.tolist() == [0, 1]
    np.testing.assert_array_equal(np.array(list(log.columns.values())), [[np.nan, 2], [1.5, np.nan], [np.nan] * 2])


def with_unit(unit: str):
    fields = [pa.field("time", pa.float64()), pa.field("r1/rates/x", pa.float64(), metadata={"unit": unit})]
    return pa.table([[0.0], [1.0]], schema=pa.schema(fields))


def test_a_unit_may_be_spelt_in_its_own_way(tmp_path):
    pq.write_table(with_unit("[rad / s]"), tmp_path / "a.pq")
    assert len(read(tmp_path / "a.pq")) == 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pa.table({"time": [0.0], "a": ["x"]}), ["column a", "string"]),
        (pa.table({"time": [0.0], "a": [True]}), ["column a", "bool"]),
        (pa.table({"time": [0.0], "a": [[1.0]]}), ["column a", "list"]),
        (pa.table({"time": pa.array([0], pa.timestamp("ns"))}), ["column time", "convert it to seconds"]),
        (pa.table({"t": [0.0]}), ['no "time" column', 'rename "t"']),
        (pa.table({"time": pa.array([], pa.float64())}), ["no rows"]),
        (pa.table({"time": [0.0, 0.0]}), ["time stands still at row 2"]),
        (pa.table({"time": [0.0], "a": [np.inf]}), ["column a is infinite at row 1"]),
        (pa.table([[0.0], [1.0], [2.0]], names=["time", "a", "a"]), ["column a appears twice"]),
        (with_unit("deg/s"), ["r1/rates/x", "'deg/s'", "rad/s"]),
    ],
)
def test_every_bad_table_gets_its_sentence(tmp_path, complaint, table, words):
    path = tmp_path / "bad.parquet"
    pq.write_table(table, path)
    complaint(lambda: read(path), str(path), *words)


@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: b"PAR1", lambda d: d[: len(d) // 2], lambda d: d[::-1]])
def test_a_corrupt_file(log, tmp_path, complaint, damage):
    path = tmp_path / "a.parquet"
    write(log, path)
    path.write_bytes(damage(path.read_bytes()))
    complaint(lambda: read(path), str(path), "not a readable Parquet file")


def test_a_file_that_is_not_there(tmp_path, complaint):
    complaint(lambda: read(tmp_path / "no.pq"), "no.pq", "does not exist")


def test_an_interruption_leaves_the_old_file_and_no_debris(log, tmp_path, monkeypatch):
    path = tmp_path / "a.pq"
    write(log, path)
    before = path.read_bytes()

    def interrupted(table, draft):
        draft.write_bytes(b"PAR1 half")
        raise KeyboardInterrupt

    monkeypatch.setattr(pq, "write_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(log, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_without_pyarrow_the_remedy_is_named(log, tmp_path, complaint, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: read(tmp_path / "a.pq"), lambda: write(log, tmp_path / "a.pq")):
        complaint(call, "a.pq", 'pip install "steelyard[logs]"')
