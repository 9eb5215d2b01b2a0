"""Which reader a file needs: by its first bytes, then by its name."""

from pathlib import Path

from steelyard.errors import BadInput
from steelyard.logs._recording import Limits, Recording
from steelyard.logs.formats._crazyflie import is_crazyflie, read_crazyflie
from steelyard.logs.formats._dataflash import MAGIC as DATAFLASH
from steelyard.logs.formats._dataflash import read_dataflash
from steelyard.logs.formats._dataflash_text import read_dataflash_text
from steelyard.logs.formats._parquet_table import MAGIC as PARQUET
from steelyard.logs.formats._parquet_table import read_parquet_table
from steelyard.logs.formats._ros_recording import bag_of, read_bag, read_folder
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._table import read_table
from steelyard.logs.formats._ulog import MAGIC as ULOG
from steelyard.logs.formats._ulog import read_ulog


def read_any(path: str | Path, limits: Limits) -> Recording:
    """Reads one file, or one folder as a bag."""
    try:
        return _read(path, limits)
    except MemoryError:  # the machine has less than the limits allow
        raise BadInput(f"{path} needs more memory than there is; split it, or read it on a larger machine.") from None


def _read(path: str | Path, limits: Limits) -> Recording:
    if Path(path).is_dir():
        return read_folder(Path(path), limits)
    source = Source(path, limits)
    head = source.read(0, 64)
    if head.startswith(ULOG):
        return read_ulog(source)
    bag = bag_of(source)
    if bag is not None:
        return read_bag(source, bag)
    if head.startswith(DATAFLASH):
        return read_dataflash(source)
    if head.lstrip().startswith((b"FMT, ", b"FMT,1")):
        return read_dataflash_text(source)
    if head.startswith(PARQUET):
        return read_parquet_table(source)
    if is_crazyflie(head):
        return read_crazyflie(source)
    return read_table(source)
