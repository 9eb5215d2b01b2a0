"""What is written is read back to the last bit; what cannot be read is said with line and column."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.logs import Log, read, read_csv, write, write_csv
from steelyard.logs.formats import _csv

NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8).filter(lambda s: s != "time")


@st.composite
def any_parts(draw) -> tuple:
    """What a log is made from; made in the test, because beartype rolls dice, which a strategy must not."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    time = sorted(draw(st.sets(finite.map(lambda t: t + 0.0), min_size=1, max_size=6)))
    sample = st.floats(allow_infinity=False)
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    columns = {name: draw(st.lists(sample, min_size=len(time), max_size=len(time))) for name in names}
    metadata = draw(st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2))
    return np.array(time), {name: np.array(values) for name, values in columns.items()}, "any", metadata


def same(one: Log, other: Log) -> bool:
    """Bit for bit, signs of zeros included; one NaN is as good as another."""
    ours, theirs = ([log.time, *log.columns.values()] for log in (one, other))
    return list(one.columns) == list(other.columns) and all(
        np.array_equal(np.isnan(a), np.isnan(b)) and a[~np.isnan(a)].tobytes() == b[~np.isnan(b)].tobytes()
        for a, b in zip(ours, theirs, strict=True)
    )


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_what_is_written_is_read_back(tmp_path_factory, ending):
    path = tmp_path_factory.mktemp("logs") / f"any{ending}"

    @settings(deadline=None, max_examples=100)
    @given(any_parts())
    def round_trip(parts):
        log = Log(*parts)
        write(log, path)
        again = read(path)
        assert same(log, again)
        assert again.origin == str(path)
        if ending == ".parquet":
            assert again.metadata == log.metadata

    round_trip()


def test_equal_logs_make_equal_files(log, tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write(log, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_a_missing_sample_is_an_empty_cell(tmp_path):
    write_csv(Log(np.array([0.0]), {"r1/thrust": np.array([np.nan])}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "time,r1/thrust\n0.0,\n"


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_an_interruption_leaves_the_old_file_and_no_debris(log, tmp_path, monkeypatch, ending):
    path = tmp_path / f"a{ending}"
    write(log, path)
    before = path.read_bytes()

    def interrupted(log):
        yield (0.0,) * 8
        raise KeyboardInterrupt

    monkeypatch.setattr(_csv, "_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(log, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "data",
    [
        b"time,a\n0,1\n1,\n",
        b"\xef\xbb\xbftime,a\n0,1\n1,\n",
        b"time,a\r\n0,1\r\n1,\r\n",
        b"time,a\r0,1\r1,\r",
        b"time,a\n0,1\n1,\n\n  \n\n",
        b"\n\ntime,a\n\n0,1\n1,",
        b"time;a\n0;1\n1;\n",
        b"time\ta\n0\t1\n1\t\n",
        b'"time","a"\n"0","1"\n"1",""\n',
        b" time , a \n 0 , 1 \n 1 , \n",
        b"time,a\n0,1e0\n+1.,nan\n",
        b"a,time\n1,0\nNaN,1\n",
    ],
)
def test_the_many_spellings_of_one_file(tmp_path, data):
    (tmp_path / "a.csv").write_bytes(data)
    log = read_csv(tmp_path / "a.csv")
    assert log.time.tolist() == [0, 1]
    assert list(log.columns) == ["a"]
    assert log.columns["a"][0] == 1
    assert np.isnan(log.columns["a"][1])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ["empty"]),
        (b"\n \n", ["empty"]),
        (b"time,a\n", ["no row"]),
        (b"time,a\n\n\n", ["no row"]),
        (b"0,1\n1,2\n", ["header"]),
        (b"t,a\n0,1\n", ['no "time" column', 'rename "t" to "time"']),
        (b"timestamp,a\n0,1\n", ['rename "timestamp"']),
        (b"Time;a\n0;1\n", ['rename "Time"']),
        (b"# time,a\n0,1\n", ['rename "# time"']),
        (b"time [s],a\n0,1\n", ['rename "time [s]"']),
        (b"tiem,a\n0,1\n", ['rename "tiem"']),
        (b"a,b\n0,1\n", ['no "time" column', "add one"]),
        (b"time,a,a\n0,1,2\n", ["column a appears twice"]),
        (b"time,,a\n0,1,2\n", ["column 2 has no name"]),
        (b"time,a\n0,1\n1\n", ["line 3", "1 cell ", "2 columns"]),
        (b"time,a\n0,1\n1,2,3\n", ["line 3", "3 cells"]),
        (b"time,r1/thrust\n0,1\n\n1,high\n", ["line 4", "column r1/thrust", '"high"', "not a number"]),
        (b"time,a\nnow,1\n", ["line 2", "column time", '"now"']),
        (b"time;a\n0;1,5\n", ["line 2", "column a", '"1,5"', "decimal point"]),
        (b"time,a\n0,1_000\n", ["line 2", "column a", '"1_000"']),
        (b"time,a\n0,0x10\n", ["line 2", "column a", '"0x10"']),
        (b"time,a\n0,inf\n", ["column a is infinite at row 1 (line 2)"]),
        (b"time,a\n0,1\n\n1,-1e999\n", ["column a is infinite at row 2 (line 4)"]),
        (b"time,a\n0,1\n,1\n", ["time is missing at row 2 (line 3)"]),
        (b"time,a\n0,1\n0.0,1\n", ["time stands still at row 2 (line 3)"]),
        (b"time,a\n1,1\n0.5,1\n", ["time goes backwards at row 2 (line 3)", "0.5 s after 1.0 s"]),
        (b"time,a\n0,\xff\xfe\n", ["not a UTF-8 text file"]),
        ("time,a\n0,1\n".encode("utf-16"), ["not a UTF-8 text file"]),
        (bytes(range(256)), ["not a UTF-8 text file"]),
        (b"time,a\x1b\n0,1\n", ["cannot name a column"]),
        (b'time,a\n0,"' + b"1" * 200_000, ["line 2", "not CSV"]),
        (b'time,a\n0,"1\n1,2\n', ["line 3", "column a", "not a number"]),
        (b"time,a\n0," + b"x" * 500 + b"\n", ["line 2", "x…"]),
    ],
)
def test_every_bad_file_gets_its_sentence(tmp_path, complaint, data, words):
    path = tmp_path / "bad.csv"
    path.write_bytes(data)
    complaint(lambda: read_csv(path), str(path), *words)


def test_a_file_that_is_not_there_and_a_folder(tmp_path, complaint):
    complaint(lambda: read_csv(tmp_path / "no.csv"), "no.csv", "does not exist")
    complaint(lambda: read_csv(tmp_path), str(tmp_path), "is a folder")
    complaint(lambda: read(tmp_path), str(tmp_path), "is a folder")


def test_an_unknown_kind_is_refused_with_those_there_are(log, tmp_path, complaint):
    for call in (lambda: read(tmp_path / "a.xlsx"), lambda: write(log, tmp_path / "a.xlsx")):
        complaint(call, "a.xlsx", ".csv, .csv.gz, .parquet, .pq")


@pytest.mark.parametrize("data", [b"not gzip", b"\x1f\x8b\x08\x00\x00"])
def test_a_broken_gzip_file(tmp_path, complaint, data):
    (tmp_path / "a.csv.gz").write_bytes(data)
    complaint(lambda: read(tmp_path / "a.csv.gz"), "a.csv.gz", "gzip")


def test_capitals_do_not_matter_in_an_ending(log, tmp_path):
    write(log, tmp_path / "A.CSV")
    assert same(read(tmp_path / "A.CSV"), log)
