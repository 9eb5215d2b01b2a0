"""Tables of numbers, in the dialects that people write."""

from pathlib import Path

import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.logs import Stream, read_recording
from steelyard.logs.formats import _table_body, _text
from steelyard.logs.formats._tuning import FormatsTuning

SMALL_BLOCKS = FormatsTuning(text_block=1 << 10)


def table(tmp_path: Path, data: bytes | str, name: str = "run.csv") -> Stream:
    (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    (stream,) = read_recording(tmp_path / name).streams
    return stream


PLAIN = "t,ax,ay\n0.0,1.5,-2\n0.1,2.5,3e-1\n0.2,3.5,4\n"


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", "|"),
        PLAIN.replace(",", "   "),
        PLAIN.replace(",", ";").replace(".", ","),
        PLAIN.replace(",", "\t").replace(".", ","),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        "# recorded by hand\n# rate: 10\n" + PLAIN,
        "Some title\nAnother line, with a comma\n\n" + PLAIN,
        PLAIN.replace("t,ax,ay", '"t","ax","ay"').replace("-2", '"-2"'),
        PLAIN.replace("t,ax,ay", "# t,ax,ay"),
        PLAIN.replace("t,ax,ay", "% t, ax, ay"),
        PLAIN.replace("\n", ",\n").replace("ay,", "ay"),
    ],
)
def test_the_many_spellings_of_one_table(tmp_path: Path, data: bytes | str):
    stream = table(tmp_path, data)
    assert list(stream.fields) == ["ax", "ay"]
    assert stream.clock == "column t"
    assert stream.time is not None
    np.testing.assert_allclose(stream.time, [0, 0.1, 0.2])
    np.testing.assert_array_equal(stream.fields["ax"], [1.5, 2.5, 3.5])
    np.testing.assert_array_equal(stream.fields["ay"], [-2, 0.3, 4])


def test_a_table_without_a_header_has_numbered_columns(tmp_path: Path):
    stream = table(tmp_path, "0.0,1,2\n0.1,3,4\n")
    assert list(stream.fields) == ["#1", "#2", "#3"]
    assert stream.time is None
    np.testing.assert_array_equal(stream.fields["#3"], [2, 4])
    assert "there is no header" in stream.notes


def test_units_in_names_and_in_a_row_of_their_own(tmp_path: Path):
    stream = table(tmp_path, "time [ms],acc_x [g],gyro (deg/s),q[0],rate_dps\n0,1,2,1,3\n10,1,2,1,3\n")
    assert dict(stream.units) == {"acc_x": "g", "gyro": "deg/s", "rate_dps": "deg/s"}
    assert list(stream.fields) == ["acc_x", "gyro", "q[0]", "rate_dps"]
    np.testing.assert_allclose(stream.time, [0, 0.01])
    below = table(tmp_path, "time,acc\ns,m/s^2\n0,1\n1,2\n", "below.csv")
    assert dict(below.units) == {"acc": "m/s^2"}
    assert below.notes == ()
    np.testing.assert_array_equal(below.time, [0, 1])


def test_a_heading_of_two_rows_is_joined(tmp_path: Path):
    stream = table(tmp_path, "time,imu,imu\n,ax,ay\n0,1,2\n1,3,4\n")
    assert list(stream.fields) == ["imu.ax", "imu.ay"]


@pytest.mark.parametrize(
    ("name", "scale"),
    [("time_us", 1e-6), ("t_ms", 1e-3), ("timestamp [ns]", 1e-9), ("Time (s)", 1.0), ("%time", 1e-9), ("seconds", 1.0)],
)
def test_a_unit_of_time_that_is_stated_is_used(tmp_path: Path, name: str, scale: float):
    stream = table(tmp_path, f"{name},x\n1000000000,1\n2000000000,2\n")
    np.testing.assert_allclose(stream.time, np.array([1e9, 2e9]) * scale)
    assert stream.notes == ()


@pytest.mark.parametrize("name", ["t", "time", "Timestamp", "stamp"])
def test_a_unit_of_time_that_is_not_stated_is_not_guessed(tmp_path: Path, name: str):
    stream = table(tmp_path, f"{name},x\n1708857503931759,1\n1708857503935705,2\n")
    np.testing.assert_array_equal(stream.time, [1708857503931759, 1708857503935705])
    assert any("not stated" in note for note in stream.notes)


def test_dates_are_seconds_since_1970(tmp_path: Path):
    stream = table(tmp_path, "timestamp,x\n2024-01-01T00:00:00.5Z,1\n2024-01-01 00:00:01.5,2\n")
    np.testing.assert_allclose(stream.time, [1704067200.5, 1704067201.5])


def test_text_missing_cells_and_short_lines(tmp_path: Path):
    stream = table(tmp_path, "t,x,mode,ok\n0,1,STAB,True\n1,,STAB,False\n2,n/a,LOITER,True\n3\n4,5,STAB,True\n")
    assert list(stream.fields) == ["x", "ok"]
    np.testing.assert_array_equal(stream.fields["x"], [1, np.nan, np.nan, 5])
    np.testing.assert_array_equal(stream.fields["ok"], [1, 0, 1, 1])
    assert any("mode" in note for note in stream.notes)
    assert any("1 lines" in note for note in stream.notes)


def test_names_that_occur_twice_are_told_apart(tmp_path: Path):
    assert list(table(tmp_path, "t,x,x\n0,1,2\n1,3,4\n").fields) == ["x", "x#2"]


def test_latin_1_names(tmp_path: Path):
    stream = table(tmp_path, "t,Winkel [°]\n0,1\n1,2\n".encode("latin-1"))
    assert dict(stream.units) == {"Winkel": "°"}


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"hello world\nthis is no table\n", bytes(range(256)) * 10, b"a,b\n", b"\x00" * 100]
)
def test_what_is_no_table_is_refused(tmp_path: Path, data: bytes):
    with pytest.raises(BadInput) as caught:
        table(tmp_path, data)
    assert "\n" not in str(caught.value)


ODD_CELLS = ["1", "-2.5", " 3 ", "4e-3", "", "nan", "NaN", "NA", "-", "inf", "-Infinity", "+7", "1_0", "1d3", "x",
             "true", "2020-01-01", "#N/A", '"5"', "0x10", ".5", "5.", "1e400", "٣"]  # fmt: skip


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_pyarrow_reads_what_is_read_cell_by_cell(tmp_path: Path, monkeypatch, separator: str):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(3)
    whole = [[f"{v:.9g}" for v in row] for row in np.column_stack([np.arange(3000), rng.normal(size=(3000, 3))])]
    for row in rng.integers(500, 3000, 60):
        whole[row][rng.integers(1, 4)] = str(rng.choice(ODD_CELLS))
    lines = [separator.join(row) for row in [["t", "a", "b", "c"], *whole]]
    for row in rng.integers(500, 3000, 9):
        lines[row] = str(rng.choice(["# a comment", "1,2", "", "   ", lines[row] + separator]))
    text = "\n".join(lines)
    slow = table(tmp_path, text)
    monkeypatch.setattr(_text, "TUNING", SMALL_BLOCKS)  # most blocks are plain, some are not
    for part in (3, 1 << 40):  # all columns are held, or none is
        monkeypatch.setattr(_table_body, "TUNING", FormatsTuning(arrow_from=0, columns_part=part))
        fast = table(tmp_path, text)
        assert (fast.rows, fast.notes, list(fast.fields)) == (slow.rows, slow.notes, list(slow.fields))
        np.testing.assert_array_equal(fast.time, slow.time)
        for name, values in slow.fields.items():
            np.testing.assert_array_equal(fast.fields[name], values)


def test_a_table_that_changes_while_it_is_read_is_said(tmp_path: Path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_text, "TUNING", SMALL_BLOCKS)
    monkeypatch.setattr(_table_body, "TUNING", FormatsTuning(arrow_from=0, columns_part=1 << 40))
    monkeypatch.setenv("STEELYARD_LOG_LIMIT_GB", "0.0001")  # one column at a time
    rows = "".join(f"{k / 100:.2f},{k % 7}\n" for k in range(2000))
    stream = table(tmp_path, "t,a\n" + rows)
    (tmp_path / "run.csv").write_text("t,a\n" + rows.replace("\n", ",\n"))
    with pytest.raises(BadInput, match="changed while it was read"):
        _ = stream.fields["a"]


def test_a_time_of_day_beside_a_date_is_a_time(tmp_path: Path):
    rows = "".join(f"2024-05-06,11:59:{k:02d}.5,{k}\n" for k in range(58, 60)) + "2024-05-06,12:00:00.5,60\n"
    stream = table(tmp_path, "Date,Time,a\n" + rows)
    assert stream.clock == "column Time"
    np.testing.assert_allclose(np.diff(stream.time), 1.0)


@pytest.mark.parametrize(
    ("heading", "clock"),
    [
        ("ros_time_s,rate_solve_time_ms,ax", "ros_time_s"),
        ("rate_solve_time_ms,elapsed_s,ax", "elapsed_s"),
        ("Tick#,IMU_ATTI(0):accelX,Clock:offsetTime", "Clock.offsetTime"),
        ("timestampns,time,ax", "timestampns"),
        ("t_rel_s,px,py", "t_rel_s"),
        ("pc_ts,robot_mode,tcpf_0", "pc_ts"),
        ("seconds_since_launch,position_ned_m[0],ax", "seconds_since_launch"),
    ],
)
def test_the_time_is_a_column_that_rises(tmp_path: Path, heading: str, clock: str):
    """A name alone is no time: how long a solver took falls as often as it rises, and a counter has no unit."""
    names, rng = heading.split(","), np.random.default_rng(0)
    rows = np.arange(40) / 100
    factor = 1e9 if clock == "timestampns" else 1.0
    columns = {clock.replace(".", ":"): 5 + factor * rows, "Tick#": 4.5e6 * rows, "time": np.floor(rows)}
    values = [columns.get(name, rng.normal(size=40)) for name in names]
    lines = [heading, *(",".join(f"{v:.12g}" for v in row) for row in zip(*values, strict=True))]
    stream = table(tmp_path, "\n".join(lines) + "\n")
    assert stream.clock == f"column {clock}"
    assert stream.time is not None
    np.testing.assert_allclose(np.diff(stream.time), 0.01, rtol=1e-3)


def test_a_colon_in_a_name_becomes_a_point(tmp_path: Path):
    """`stream:field` has one colon, and DJI's tables have several in each name."""
    stream = table(tmp_path, "t,IMU_ATTI(0):accelX,Motor:Speed:RFront [rpm]\n0.0,1,2\n0.1,3,4\n")
    assert list(stream.fields) == ["IMU_ATTI(0).accelX", "Motor.Speed.RFront"]
    assert stream.units == {"Motor.Speed.RFront": "rpm"}


def test_a_urdf_among_the_files_is_said_to_be_none_of_them(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text('<?xml version="1.0"?>\n<robot name="arm">\n  <link name="base"/>\n</robot>\n')
    with pytest.raises(BadInput, match=r"a model of a robot \(URDF\), not a recording"):
        read_recording(path)
