"""Our own logs as MCAP with ROS 2 messages: files, bags, folders of them. Needs rosbags, imported when called."""

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput
from steelyard.logs._log import Log
from steelyard.logs._recording import Limits
from steelyard.logs.formats._bag import Bag, load_rosbags
from steelyard.logs.formats._mcap_bag import MAGIC, McapBag
from steelyard.logs.formats._mcap_signals import KINDS, columns_of
from steelyard.logs.formats._ros_recording import decode
from steelyard.logs.formats._source import Source

Pieces = dict[str, list[tuple[NDArray[np.int64], NDArray]]]
"""By column, times in ns and numbers, piece by piece."""


def read_mcap(path: str | Path) -> Log:
    """Reads a log from an MCAP file, also from one that a killed process left unfinished.

    A topic is a column's name without its axis; a row's time is its messages' stamp, or where they have none the
    time at which they were recorded. Topics of types that hold no signal are left out.
    """
    return _log(str(path), [Path(path)])


def read_mcap_folder(path: str | Path) -> Log:
    """Reads all MCAP files in a folder and the folders in it as one log: a ROS 2 bag, or those of a whole team."""
    files = sorted(Path(path).rglob("*.mcap"))
    if not files:
        raise BadInput(f"{path} is a folder without .mcap files; give the name of a log file or of a ROS 2 bag.")
    return _log(str(path), files)


def write_mcap(log: Log, path: str | Path) -> None:
    """Writes a log as MCAP; the file appears whole or not at all."""
    load_rosbags(path)
    from steelyard._files import whole_file

    with whole_file(path) as draft, tempfile.TemporaryDirectory() as folder:
        bag = Bag(Path(folder) / "log")
        whos: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
        for name, values in log.columns.items():
            who, _, rest = name.partition("/")
            whos[who][rest] = values
        for row, time in enumerate(log.time):
            for who, columns in whos.items():
                bag.signals(float(time), who, {name: float(values[row]) for name, values in columns.items()})
        bag.close()
        shutil.copyfile(Path(folder) / "log" / "log.mcap", draft)


def _read_into(source: Source, pieces: Pieces) -> None:
    if not source.read(0, 8).startswith(MAGIC):
        raise BadInput(f"{source.path} is no readable MCAP file with ROS 2 messages; record it again.")
    bag = McapBag(source)
    wanted = {
        number: topic
        for number, topic in bag.topics.items()
        if topic.count and topic.kind in KINDS and "/estimate/" not in topic.name
    }
    found = decode(source, bag, wanted)
    first = {number: (int(one.time[0]) if len(one.time) else 0, number) for number, one in found.items()}
    for number in sorted(found, key=first.__getitem__):  # columns in the order in which they first appear
        topic, one = wanted[number], found[number]
        if one.missed:
            raise source.bad(f"{one.missed} messages of {topic.name} are no {topic.kind}")
        for name, rows, values in columns_of(topic, one):
            pieces[name].append((one.time[rows], values))


def _log(origin: str, files: list[Path]) -> Log:
    load_rosbags(origin)
    limits = Limits.from_environment()
    pieces: Pieces = defaultdict(list)
    for file in files:
        _read_into(Source(file, limits), pieces)
    if not pieces:
        raise BadInput(f"{origin} holds no signal that a log can have; see docs/LOGS.md for topics and types.")
    times = np.unique(np.concatenate([time for several in pieces.values() for time, _ in several]))
    if len(times) * len(pieces) * 8 > limits.memory:
        raise limits.too_large(origin, f"a table of {len(pieces)} columns and {len(times)} rows")
    columns = {}
    for name, several in pieces.items():
        values = np.full(len(times), np.nan)
        for time, numbers in several:
            values[np.searchsorted(times, time)] = numbers
        if not np.isnan(values).all():
            columns[name] = values
    return Log(times / 1e9, columns, origin)
