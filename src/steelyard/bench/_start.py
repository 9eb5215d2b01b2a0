"""How long a command takes to start, the first time and the second, when the compilation cache should help."""

import os
import subprocess
import sys
import tempfile
import time

from steelyard.bench._rows import BenchRow


def measure_start() -> list[BenchRow]:
    """Seconds of `steelyard identify` on a flight, twice, from an empty cache; the peer is the first start."""
    with tempfile.TemporaryDirectory() as folder:
        _timed(folder, "simulate", "multirotor", "-o", f"{folder}/flight.csv")
        first, second = (_timed(folder, "identify", f"{folder}/flight.csv", "--as", "multirotor") for _ in range(2))
    return [BenchRow("second_start", second, "s", first)]


def _timed(folder: str, *arguments: str) -> float:
    environment = {**os.environ, "STEELYARD_CACHE": f"{folder}/cache"}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments, "--json"],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begin
