"""Logs in our own columns: they are read as they are, and nothing in them is guessed."""

import csv
import gzip
from pathlib import Path

from steelyard.errors import BadInput
from steelyard.logs._log import Log
from steelyard.logs._recording import Recording, read_recording
from steelyard.logs._vocabulary import describe, nearest_column
from steelyard.logs.mapping._requirements import REQUIREMENTS, Assessment, assess
from steelyard.logs.mapping._source import SignalMapping, SignalSource


def foreign_recording(path: str | Path) -> Recording | None:
    """What is in somebody's file; None where it has our own columns, misspelt ones included, or is not there.

    `logs.read` then reads it, or says what is wrong with it.
    """
    path = Path(path)
    if not path.exists():
        return None
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        names = _first_line(path, name.endswith(".gz"))
        if not any(one.strip() for one in names) or _named_as_ours(names):
            return None
        return read_recording(path)
    try:
        recording = read_recording(path)
    except BadInput:
        if path.is_dir() or name.endswith((".parquet", ".pq", ".mcap")):
            return None
        raise
    return None if recording.system == "steelyard" else recording


def _first_line(path: Path, packed: bool) -> list[str]:
    opener = gzip.open if packed else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace") as file:
            line = file.readline(1_000_000)
    except (OSError, EOFError):
        return []
    separator = max(",;\t", key=line.count)
    return next(csv.reader([line], delimiter=separator), []) if len(line) < 131_072 else line.split(separator)


def _named_as_ours(names: list[str]) -> bool:
    """Whether a heading is ours, misspelt or without its `time`; a topic's path, which begins with a slash, is not."""
    others = [name.strip() for name in names if name.strip() != "time"]
    known = sum(describe(name).known for name in others)
    if len(others) == len(names):  # without our time, most of its columns must be ours
        return 2 * known > len(others) or sum(_misspelt(name) for name in others[:50]) > 0.5 * len(others[:50])
    return known > 0 or any(_misspelt(name) for name in others[:50])


def _misspelt(name: str) -> bool:
    return "/" in name.strip("/") and not name.startswith("/") and nearest_column(name) is not None


def assess_own(log: Log) -> tuple[Assessment, ...]:
    """Which problems a log in our own columns can answer."""
    signals = {}
    for robot in log.robots:
        for signal in log.signals(robot):
            name = f"{robot}/{signal}"
            signals[name] = SignalSource(name, (f"log:{name}",), "1", "Our own column.", certain=True)
    mapping = SignalMapping(signals, {})
    recording = Recording((log.origin,), "steelyard", ())
    return tuple(assess(recording, mapping, problem, bridged=False) for problem in REQUIREMENTS)
