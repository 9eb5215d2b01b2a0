"""Whatever a file holds, reading it ends in a recording or in one sentence, in little time and memory."""

import gzip
import os
import struct
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import fuzz_logs
import numpy as np
import pytest
from log_files import write_ulog

from steelyard.errors import BadInput
from steelyard.logs import Limits, read, read_recording

FORMATS = [
    "mcap", "sqlite", "ros1", "ros1-lz4", "ulog", "dataflash", "crazyflie", "csv", "parquet", "own-mcap", "csv.gz",
    "mcap-zstd", "ulog.gz", "ulog.zst",
]  # fmt: skip


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> dict[str, Path]:
    return fuzz_logs.samples(tmp_path_factory.mktemp("originals"))


@pytest.fixture
def quick_folder(tmp_path: Path):
    """In memory where that is possible: thousands of small files are written."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.mark.parametrize("kind", FORMATS)
def test_200_damaged_files_are_read_or_refused(originals, quick_folder: Path, kind: str):
    found, longest = fuzz_logs.fuzz(kind, originals[kind], 200, seed=2, seconds=30.0, keep=quick_folder)
    assert found["read"] + found["refused"] == 200
    assert found["refused"] > 0
    assert longest < 30.0  # s: the limit that it was given


@pytest.mark.parametrize("kind", FORMATS)
def test_every_beginning_of_a_file_is_read_or_refused(originals, tmp_path: Path, kind: str):
    data = originals[kind].read_bytes()
    copy = tmp_path / f"cut{''.join(originals[kind].suffixes)}"
    for length in [0, 1, 2, 3, 5, 8, 9, 13, 15, 16, 17, 31, 40, 64, len(data) // 3, len(data) - 5, len(data) - 1]:
        copy.write_bytes(data[:length])
        fuzz_logs.outcome(copy)


def in_little_memory(code: str, megabytes: int = 1500) -> str:
    """Runs a program whose memory is bounded; returns what it prints."""
    start = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20},) * 2)\n"
    done = subprocess.run(
        [sys.executable, "-c", start + textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def refused_in_little_memory(*paths: Path, functions: tuple[str, ...] = ("read_recording",)) -> list[str]:
    """The sentence for each file and each function, from one process."""
    code = f"""
    from steelyard.errors import BadInput
    from steelyard import logs
    for path in {[str(path) for path in paths]!r}:
        for function in {functions!r}:
            try:
                getattr(logs, function)(path)
            except BadInput as error:
                print(error)
    """
    sentences = in_little_memory(code).splitlines()
    assert len(sentences) == len(paths) * len(functions), sentences
    return sentences


BOTH = ("read_recording", "read")
LIMIT = "STEELYARD_LOG_LIMIT_GB"


def test_a_small_gzip_file_that_expands_to_gigabytes(tmp_path: Path):
    packed = gzip.compress(b"0,0,0\n" * 8_000_000, 9)  # a file may hold several such members
    with (tmp_path / "bomb.csv.gz").open("wb") as file:
        file.write(gzip.compress(b"time,a,b\n"))
        for _ in range(30):
            file.write(packed)
    assert (tmp_path / "bomb.csv.gz").stat().st_size < 3_000_000
    assert all(LIMIT in text for text in refused_in_little_memory(tmp_path / "bomb.csv.gz", functions=BOTH))


def test_a_small_zstd_file_that_expands_to_gigabytes(tmp_path: Path):
    from backports import zstd

    frame = zstd.compress(bytes(1 << 26))
    (tmp_path / "bomb.ulg.zst").write_bytes(frame * 48)
    assert LIMIT in refused_in_little_memory(tmp_path / "bomb.ulg.zst")[0]


def test_mcap_chunks_that_expand_to_gigabytes_or_declare_less_than_they_hold(tmp_path: Path):
    from backports import zstd

    packed = zstd.compress(bytes(1 << 27))
    for name, declared, times in (("bomb", 1 << 27, 40), ("understated", 1000, 1)):
        chunk = struct.pack("<QQQII", 0, 0, declared, 0, 4) + b"zstd" + struct.pack("<Q", len(packed)) + packed
        record = bytes([6]) + struct.pack("<Q", len(chunk)) + chunk
        (tmp_path / f"{name}.mcap").write_bytes(b"\x89MCAP0\r\n" + record * times)
    found = refused_in_little_memory(tmp_path / "bomb.mcap", tmp_path / "understated.mcap", functions=BOTH)
    assert all(LIMIT in text for text in found[:2])
    assert "damaged" in found[2]


def test_a_small_parquet_file_that_expands_to_gigabytes(tmp_path: Path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    zeros = pa.array(np.zeros(1_000_000))
    table = pa.table({"time": pa.array(np.arange(1_000_000.0)), **{f"c{k}": zeros for k in range(200)}})
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd")
    assert (tmp_path / "bomb.parquet").stat().st_size < 20_000_000
    assert all(LIMIT in text for text in refused_in_little_memory(tmp_path / "bomb.parquet", functions=BOTH))


def test_joint_states_that_share_no_joint(tmp_path: Path):
    """Each message names other joints: as a table, rows times columns."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    kind = "sensor_msgs/msg/JointState"
    header = store.types["std_msgs/msg/Header"](store.types["builtin_interfaces/msg/Time"](1, 0), "")
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        topic = writer.add_connection("/r1/joint_states", kind, typestore=store)
        for k in range(400):
            names = [f"j{k}_{i}" for i in range(100)]
            message = store.types[kind](header, names, np.ones(100), np.ones(100), np.zeros(0))
            writer.write(topic, 10**9 + k * 10**6, store.serialize_cdr(message, kind))
    refused_in_little_memory(tmp_path / "bag" / "bag.mcap", functions=BOTH)


def test_millions_of_columns_and_long_headers(tmp_path: Path):
    (tmp_path / "wide.csv").write_text(
        "time," + ",".join(f"c{k}" for k in range(1_000_000)) + "\n" + "0," * 1_000_000 + "0\n"
    )
    names = [f"column_number_{k}" for k in range(9999)]  # a header of more characters than a cell may have
    (tmp_path / "long.csv").write_text(
        ";".join(["time", *names]) + "\n" + ("0;" * 9999 + "1\n") + ("1;" * 9999 + "2\n")
    )
    (tmp_path / "line.csv").write_text("time,a\n0," + "1" * 20_000_000)
    found = refused_in_little_memory(tmp_path / "wide.csv", tmp_path / "line.csv", functions=BOTH)
    assert all("columns" in text for text in found[:2])
    assert all(function(tmp_path / "long.csv") is not None for function in (read, read_recording))


def test_a_limit_can_be_raised(tmp_path: Path, monkeypatch):
    file = write_ulog(tmp_path / "log.ulg", 3000)
    with pytest.raises(BadInput, match="STEELYARD_LOG_LIMIT_GB"):
        read_recording(file, limits=Limits(memory=20_000))
    monkeypatch.setenv("STEELYARD_LOG_LIMIT_GB", "0.00001")
    with pytest.raises(BadInput, match="STEELYARD_LOG_LIMIT_GB"):
        read_recording(file)
    monkeypatch.setenv("STEELYARD_LOG_LIMIT_GB", "2.5")
    assert read_recording(file)["battery_status"].rows == 3000
    monkeypatch.setenv("STEELYARD_LOG_LIMIT_GB", "much")
    with pytest.raises(BadInput, match="number of gigabytes"):
        read_recording(file)


def test_files_that_are_not_there_and_names_that_deceive(tmp_path: Path):
    for path in (tmp_path / "no.ulg", tmp_path):
        with pytest.raises(BadInput):
            read_recording(path)
    (tmp_path / "a.csv.gz").write_bytes(b"time,a\n0,1\n")
    with pytest.raises(BadInput, match="gzip"):
        read_recording(tmp_path / "a.csv.gz")
    with pytest.raises(BadInput, match="no file"):
        read_recording()
    write_ulog(tmp_path / "a.csv", 50)  # what is in a file counts, not its name
    assert read_recording(tmp_path / "a.csv").system == "px4"
    (tmp_path / "b.csv").write_bytes(gzip.compress(b"t,a\n0,1\n1,2\n"))
    assert read_recording(tmp_path / "b.csv").streams[0].rows == 2
