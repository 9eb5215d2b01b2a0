"""Which reader a file needs: by its first bytes, then by its name."""

from pathlib import Path

from steelyard.logs._recording import Limits, Recording
from steelyard.logs.formats._crazyflie import is_crazyflie, read_crazyflie
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._table import read_table
from steelyard.logs.formats._ulog import MAGIC as ULOG
from steelyard.logs.formats._ulog import read_ulog


def read_any(path: str | Path, limits: Limits) -> Recording:
    """Reads one file, or one folder as a bag."""
    source = Source(path, limits)
    head = source.read(0, 64)
    if is_crazyflie(head):
        return read_crazyflie(source)
    if head.startswith(ULOG):
        return read_ulog(source)
    return read_table(source)
