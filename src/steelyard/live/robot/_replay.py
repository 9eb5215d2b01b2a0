"""A robot's samples from a log instead of from its sensors."""

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from steelyard.errors import BadInput
from steelyard.live.robot._local_clock import Clock
from steelyard.live.robot._sensor_gate import Reading
from steelyard.logs import Log, read

Deliver = Callable[[bytes], None]


def read_own(path: str | Path, robot: str, columns: tuple[str, ...]) -> Log:
    """A log that has a robot's columns; `BadInput` where one is missing."""
    log = read(path).without_truth()
    missing = [f"{robot}/{column}" for column in columns if f"{robot}/{column}" not in log.columns]
    if missing:
        raise BadInput(f"{log.origin} has no column {missing[0]}; replay a log that robot {robot} has recorded.")
    return log


def replay(log: Log, robot: str, columns: tuple[str, ...], clock: Clock, paced: bool, deliver: Deliver) -> None:
    """Delivers the rows at their own pace, from now on, in a thread of its own that ends with the process."""
    values = {column: log.columns[f"{robot}/{column}"] for column in columns}

    def run() -> None:
        start = time.monotonic()
        for row, at in enumerate(log.time - log.time[0]):
            due = start + float(at)
            if paced:
                time.sleep(max(due - time.monotonic(), 0.0))
            there = {column: float(one[row]) for column, one in values.items() if not math.isnan(one[row])}
            if there:
                deliver(msgspec.json.encode(Reading(clock.at(due) if paced else float(at), there)))

    threading.Thread(target=run, name="replay", daemon=True).start()
