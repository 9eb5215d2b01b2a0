"""Damages log files of every format and reads them: each must end in a recording or in one sentence.

    PYTHONPATH=src python tests/support/fuzz_logs.py --files 10000 [--formats mcap ulog …] [--seed 1]

Each format has one small file, written here. Every damaged copy is read, time and values of every stream included, and
mapped, in a process whose memory is bounded; no copy may take longer than `--seconds`. The command prints a line a
format (how many were read, how many were refused, the longest time, the largest memory) and ends with 1 where something
else happened: then the damaged file is kept and named. Our own strict readers (`read`) are tried on the formats that
they know.
"""

import argparse
import gzip
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from foreign_tables import TABLES
from log_files import mutated, write_crazyflie, write_dataflash, write_ros1, write_ros2, write_ulog

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.logs import Log, read, read_recording, write
from steelyard.logs.mapping import look, prepare, to_toml

ROWS = 60


def samples(folder: Path) -> dict[str, Path]:
    """One file a format."""
    time_ = np.arange(ROWS) / 100
    files = {
        "mcap": write_ros2(folder / "mcap", ROWS),
        "sqlite": write_ros2(folder / "sqlite", ROWS, "sqlite"),
        "ros1": write_ros1(folder / "ros1.bag", ROWS),
        "ros1-lz4": write_ros1(folder / "ros1-lz4.bag", ROWS, "lz4"),
        "ulog": write_ulog(folder / "log.ulg", ROWS),
        "dataflash": write_dataflash(folder / "log.bin", ROWS),
        "crazyflie": write_crazyflie(folder / "log00", {"acc.x": ("f", time_), "gyro.x": ("f", time_)}, time_),
    }
    columns = {f"r1/{name}": np.sin(time_ + k) for k, name in enumerate(("velocity/x", "velocity/y", "thrust"))}
    ours = Log(time_, columns, "made")
    for kind, ending in (("csv", ".csv"), ("parquet", ".parquet"), ("own-mcap", ".mcap"), ("csv.gz", ".csv.gz")):
        files[kind] = folder / f"ours{ending}"
        write(ours, files[kind])
    files["table"], files["wrist"] = (
        TABLES["a telephone"].write(folder)[0],
        TABLES["moments and degrees"].write(folder)[0],
    )
    for kind, every in (("table", 8), ("wrist", 4)):  # 12 Hz and 40 Hz: every mapping and test by physics is reached
        lines = files[kind].read_text().splitlines()
        files[kind] = folder / f"{kind}.csv"
        files[kind].write_text("\n".join([lines[0], *lines[1::every]]) + "\n")
    files["mcap-zstd"] = zstd_mcap(files["mcap"], folder / "zstd.mcap")
    files["ulog.gz"] = folder / "log.ulg.gz"
    files["ulog.gz"].write_bytes(gzip.compress(files["ulog"].read_bytes(), mtime=0))
    files["ulog.zst"] = folder / "log.ulg.zst"
    from backports import zstd

    files["ulog.zst"].write_bytes(zstd.compress(files["ulog"].read_bytes()))
    return files


def zstd_mcap(path: Path, target: Path) -> Path:
    """The same messages in chunks that are compressed with zstd, by the format's own library's layout."""
    import struct
    import zlib

    from backports import zstd

    data, out, position = path.read_bytes(), [path.read_bytes()[:8]], 8
    while position + 9 <= len(data):
        operation, length = data[position], int.from_bytes(data[position + 1 : position + 9], "little")
        content = data[position + 9 : position + 9 + length]
        if operation == 6:
            start, end, size, _, name = struct.unpack_from("<QQQII", content)
            plain = content[32 + name + 8 :]
            packed = zstd.compress(plain)
            head = struct.pack("<QQQI", start, end, size, zlib.crc32(plain))
            content = head + struct.pack("<I", 4) + b"zstd" + struct.pack("<Q", len(packed)) + packed
        if operation == 0x0F:  # without a summary, whose offsets would be wrong
            out.append(bytes([15]) + struct.pack("<Q", 4) + bytes(4))
            out.append(bytes([2]) + struct.pack("<Q", 20) + bytes(20) + data[:8])
            break
        out.append(bytes([operation]) + struct.pack("<Q", len(content)) + content)
        position += 9 + length
    target.write_bytes(b"".join(out))
    return target


def outcome(path: Path) -> str:
    """Reads and maps everything in a file, and makes the rows of what it can answer: "read" or "refused".

    Anything else is raised.
    """
    try:
        recording = read_recording(path)
        for stream in recording.streams:
            _ = stream.time
            for name in stream.fields:
                assert len(stream.fields[name]) == stream.rows or stream.time is None
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # absurd numbers may overflow in a test by physics
            looked = look(recording)
            looked.as_json()
            to_toml(looked.mapping)
            for one in looked.problems:  # as far as identify goes before it estimates; most are refused
                try:
                    prepare(looked, one.problem, Config())
                except BadInput as error:
                    check(error)
    except BadInput as error:
        check(error)
        return "refused"
    return "read"


def own_outcome(path: Path) -> str:
    """The same for our own logs."""
    try:
        read(path)
    except BadInput as error:
        check(error)
        return "refused"
    return "read"


def check(error: BadInput) -> None:
    """One sentence on one line."""
    assert "\n" not in str(error), str(error)
    assert str(error).endswith((".", "?")), str(error)


class TooSlow(Exception):
    """A file took longer than it may."""


def fuzz(kind: str, original: Path, files: int, seed: int, seconds: float, keep: Path) -> tuple[Counter, float]:
    """Reads damaged copies of a file; raises at the first that ends otherwise than it should, and keeps that one."""

    def late(*_: object) -> None:
        raise TooSlow(f"{kind}: more than {seconds} s")

    rng = np.random.default_rng(seed)
    data = original.read_bytes()
    found: Counter = Counter()
    longest = 0.0
    signal.signal(signal.SIGALRM, late)
    copy = keep / f"fuzz-{kind}{''.join(original.suffixes)}"
    strict = kind in ("csv", "csv.gz", "parquet", "own-mcap", "mcap", "mcap-zstd")
    for _ in range(files):
        copy.write_bytes(mutated(data, rng))
        began = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            found[outcome(copy)] += 1
            if strict:
                found[f"own {own_outcome(copy)}"] += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        longest = max(longest, time.perf_counter() - began)
    copy.unlink(missing_ok=True)
    return found, longest


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--formats", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--memory-gb", type=float, default=2.0)
    given = parser.parse_args()
    failed = False
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        originals = samples(Path(folder))
        limit = int(given.memory_gb * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        for kind, original in originals.items():
            if given.formats and kind not in given.formats:
                continue
            try:
                found, longest = fuzz(
                    kind, original, given.files, given.seed, given.seconds, Path(tempfile.gettempdir())
                )
            except BaseException:
                failed = True
                print(f"{kind}: FAILED; the file is {tempfile.gettempdir()}/fuzz-{kind}{''.join(original.suffixes)}")
                traceback.print_exc()
                continue
            megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{kind}: {dict(found)}, longest {longest:.2f} s, memory {megabytes} MB", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
