"""Logs as MCAP with ROS 2 messages: single files, bags, folders of them. Needs rosbags, imported when called."""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import BadInput
from steelyard.logs._log import Log
from steelyard.logs._paths import existing_file
from steelyard.logs.formats._bag import Bag, load_rosbags

_MAGIC = b"\x89MCAP0\r\n"
_DATA_END = b"\x0f" + (4).to_bytes(8, "little") + bytes(4)
_FOOTER = b"\x02" + (20).to_bytes(8, "little") + bytes(20)

Cells = dict[str, dict[int, float]]
"""Column, then time in ns."""


def read_mcap(path: str | Path) -> Log:
    """Reads a log from an MCAP file, also from one that a killed process left unfinished.

    A topic is a column's name without its axis; a row's time is its messages' stamp, or where they have none the
    time at which they were recorded. Topics of types that hold no signal are left out.
    """
    load_rosbags(path)
    cells: Cells = defaultdict(dict)
    _read_into(existing_file(path), cells)
    return _log(str(path), cells)


def read_mcap_folder(path: str | Path) -> Log:
    """Reads all MCAP files in a folder and the folders in it as one log: a ROS 2 bag, or those of a whole team."""
    load_rosbags(path)
    files = sorted(Path(path).rglob("*.mcap"))
    if not files:
        raise BadInput(f"{path} is a folder without .mcap files; give the name of a log file or of a ROS 2 bag.")
    cells: Cells = defaultdict(dict)
    for file in files:
        _read_into(file, cells)
    return _log(str(path), cells)


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


def _read_into(file: Path, cells: Cells) -> None:
    from rosbags.rosbag2.errors import ReaderError
    from rosbags.rosbag2.storage_mcap import McapReader

    from steelyard.logs.formats._ros_types import READERS, store

    types = store()
    try:
        with _mended(file) as whole:
            reader = McapReader(whole)
            reader.open()
            try:
                wanted = [one for one in reader.connections if one.msgtype in READERS and "/estimate/" not in one.topic]
                for connection, recorded, data in reader.messages(wanted) if wanted else ():
                    message: Any = types.deserialize_cdr(data, connection.msgtype)
                    time = _stamp(message, recorded)
                    for column, value in READERS[connection.msgtype](connection.topic.strip("/"), message):
                        cells[column][time] = float(value)
            finally:
                reader.close()
    except (ReaderError, ValueError, KeyError, IndexError, TypeError, OSError) as error:
        raise BadInput(f"{file} is no readable MCAP file with ROS 2 messages ({error}); record it again.") from None


def _stamp(message: Any, recorded: int) -> int:
    header = getattr(message, "header", None)
    if header is None or (header.stamp.sec == 0 and header.stamp.nanosec == 0):
        return recorded
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def _log(origin: str, cells: Cells) -> Log:
    times = sorted({time for column in cells.values() for time in column})
    if not times:
        raise BadInput(f"{origin} holds no signal that a log can have; see docs/LOGS.md for topics and types.")
    rows = {time: row for row, time in enumerate(times)}
    columns = {}
    for name, column in cells.items():
        values = np.full(len(times), np.nan)
        for time, value in column.items():
            values[rows[time]] = value
        if not np.isnan(values).all():
            columns[name] = values
    return Log(np.array(times) / 1e9, columns, origin)


@contextmanager
def _mended(file: Path) -> Iterator[Path]:
    """The file itself, or where it has no end a copy of its whole records with one."""
    with file.open("rb") as opened:
        start = opened.read(len(_MAGIC))
        if start != _MAGIC:
            raise ValueError("it does not begin like one")
        opened.seek(-min(len(_MAGIC), file.stat().st_size), 2)
        ended = file.stat().st_size > 2 * len(_MAGIC) and opened.read() == _MAGIC
    if ended:
        yield file
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "mended.mcap"
        shutil.copyfile(file, copy)
        with copy.open("r+b") as opened:
            opened.truncate(_whole_records(opened, file.stat().st_size))
            opened.seek(0, 2)
            opened.write(_DATA_END + _FOOTER + _MAGIC)
        yield copy


def _whole_records(opened: Any, size: int) -> int:
    """Where the last whole record ends."""
    at = len(_MAGIC)
    while at + 9 <= size:
        opened.seek(at + 1)
        after = at + 9 + int.from_bytes(opened.read(8), "little")
        if after > size:
            break
        at = after
    return at
