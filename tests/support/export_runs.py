"""Exports by command, for a process where nothing checks types at run time (see earnest.py)."""

from pathlib import Path

from steelyard.cli._main import run
from steelyard.logs import Log, write
from steelyard.native.c import _sizes
from steelyard.worlds import (
    MultirotorScenario,
    SpatialScenario,
    simulate,
    simulate_spatial,
)

LOGS = {
    "multirotor": lambda: simulate(MultirotorScenario(duration=2.0), seed=1),
    "spatial-load": lambda: simulate_spatial(SpatialScenario(robots=2, duration=2.0), seed=1),
}


def exported(problem: str, method: str, folder: Path) -> int:
    """Simulates, exports to `folder`, and gives the exit code."""
    _sizes.TARGETS = {}  # how large they are takes an optimising compiler many seconds
    columns, log = LOGS[problem](), folder.parent / "log.csv"
    write(Log(columns.pop("time"), columns, "simulation"), log)
    command = ["export", "--as", problem, "--method", method, "--log", str(log), "--name", "hover"]
    return run([*command, "-o", str(folder)])
