"""Which reader and writer a file's name asks for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import BadInput
from steelyard.logs._log import Log
from steelyard.logs.formats._csv import read_csv, write_csv
from steelyard.logs.formats._mcap import read_mcap, read_mcap_folder, write_mcap
from steelyard.logs.formats._parquet import read_parquet, write_parquet


@dataclass(frozen=True, slots=True)
class Kind:
    """A file format: what reads it and what writes it."""

    read: Callable[[str | Path], Log]
    write: Callable[[Log, str | Path], None]


_CSV = Kind(read_csv, write_csv)
_PARQUET = Kind(read_parquet, write_parquet)
_MCAP = Kind(read_mcap, write_mcap)

# A new format is one more line here; its module imports what it needs when it is called.
KINDS: Mapping[str, Kind] = {".csv": _CSV, ".csv.gz": _CSV, ".parquet": _PARQUET, ".pq": _PARQUET, ".mcap": _MCAP}


def read(path: str | Path) -> Log:
    """Reads a log in the format that its name's ending says: .csv, .csv.gz, .parquet, .pq or .mcap.

    A folder is a ROS 2 bag, or several: all .mcap files in it are one log.
    """
    if Path(path).is_dir():
        return read_mcap_folder(path)
    return _kind(path).read(path)


def write(log: Log, path: str | Path) -> None:
    """Writes a log in the format that its name's ending says; the file appears whole or not at all."""
    _kind(path).write(log, path)


def _kind(path: str | Path) -> Kind:
    for ending, kind in KINDS.items():
        if Path(path).name.lower().endswith(ending):
            return kind
    raise BadInput(f"{path}: a log's name must end with {', '.join(KINDS)}; convert or rename the file.")
