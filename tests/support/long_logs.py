"""`python tests/support/long_logs.py`: writes an hour of many topics in a format, and measures `steelyard look` on it.

Prints processor time, largest memory and size of the file. Needs some gigabytes of disk for temporary files.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from log_files import write_long_mcap, write_long_ulog


def _columns(topics: int) -> list[str]:
    names = ["gyro", "acc", *(f"sensor{k}" for k in range(2, topics))]
    return [f"{name}_{axis}" for name in names for axis in "xyz"]


def write_long_parquet(path: Path, seconds: int, topics: int, rate: int) -> Path:
    """One table, three columns a topic."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["t", *_columns(topics)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, seconds, 60):
            t = start + np.arange(60 * rate) / rate
            columns = [pa.array(t), *(pa.array(np.sin(t) + k) for k in range(3 * topics))]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    return path


def write_long_csv(path: Path, seconds: int, topics: int, rate: int) -> Path:
    """The same as text of seven digits."""
    with path.open("w") as file:
        file.write(",".join(["t", *_columns(topics)]) + "\n")
        for start in range(0, seconds, 60):
            t = start + np.arange(60 * rate) / rate
            values = [f"{v:.6f}" for v in np.sin(t)]
            file.writelines(f"{s:.4f}" + f",{v}" * (3 * topics) + "\n" for s, v in zip(t, values, strict=True))
    return path


WRITERS = {"ulog": write_long_ulog, "mcap": write_long_mcap, "parquet": write_long_parquet, "csv": write_long_csv}
ENDINGS = {"ulog": "ulg"}


def main() -> None:
    """Parses, writes, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=WRITERS, default="ulog")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--rate", type=int, default=250)
    command = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"long.{ENDINGS.get(command.format, command.format)}"
        WRITERS[command.format](path, command.seconds, command.topics, command.rate)
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", "look", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        wall, used = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        size = path.stat().st_size / 1e6
    print(
        f"{command.format}, {command.seconds} s of {command.topics} topics at {command.rate} Hz, {size:.0f} MB: "
        f"{used.ru_utime + used.ru_stime:.1f} s of processor time, {wall:.1f} s by the clock, "
        f"{used.ru_maxrss / 1e3:.0f} MB at most, exit code {done.returncode}"
    )
    if done.returncode:
        print(done.stdout.decode()[-500:])


if __name__ == "__main__":
    main()
