"""How long a command takes to start, the first time and the second, when the compilation cache should help."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from steelyard.bench._rows import Row
from steelyard.logs import Log, write
from steelyard.worlds import MultirotorFlight, simulate


def measure_start() -> list[Row]:
    """Seconds of the same `identify`, twice, from an empty cache; the peer is the first start."""
    with tempfile.TemporaryDirectory() as folder:
        columns = simulate(MultirotorFlight(duration=10.0), seed=1)
        log = Path(folder) / "flight.csv"
        write(Log(columns.pop("time"), columns, "bench"), log)
        first, second = (_timed(log, Path(folder) / "cache") for _ in range(2))
    return [Row("second_start", second, "s", first)]


def _timed(log: Path, cache: Path) -> float:
    environment = {**os.environ, "STEELYARD_CACHE": str(cache)}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "steelyard", "identify", str(log), "--as", "multirotor", "--json"],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begin
