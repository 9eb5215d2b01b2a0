"""What people hand in: a log or its files, a configuration in any form."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from steelyard._face._tuning import INPUTS
from steelyard.config import Config, from_tables, load
from steelyard.errors import BadInput, shown
from steelyard.logs import Log


def config_from(given: Config | Mapping[str, Any] | str | Path | None) -> Config:
    """A configuration from itself, from the path of a TOML file, from nested tables, or the defaults."""
    if given is None:
        return Config()
    if isinstance(given, Config):  # made by hand, its values may have any type
        return from_tables(_tables(msgspec.structs.asdict(given)), Config, "The configuration")
    if isinstance(given, str | Path):
        return load(checked_path(given, "A configuration is read from"), Config)
    if isinstance(given, Mapping):
        return from_tables(_tables(given), Config, "The configuration")
    raise BadInput(
        f"A configuration is a Config, the path of a TOML file or a dictionary, not {type(given).__name__}; give "
        "one of these, or None for the defaults."
    )


def _tables(given: Mapping[Any, Any]) -> Any:
    """Nested tables; a table that cannot be read, or that holds itself, is a `BadInput`."""
    try:
        tables = plain(given)
        strange = _strange(tables)
    except Exception:
        raise BadInput("The configuration is a dictionary that cannot be read; give one of plain values.") from None
    if strange is not None:
        raise BadInput(f"The configuration holds {strange}; give numbers, text, lists and dictionaries.")
    return tables


def _strange(tables: Any) -> str | None:
    """A value that no TOML file could hold: what it is."""
    if isinstance(tables, dict | list):
        inner = tables.values() if isinstance(tables, dict) else tables
        return next((found for each in inner if (found := _strange(each)) is not None), None)
    return None if tables is None or isinstance(tables, str | int | float) else shown(tables)


def check_names(problem: Any, method: Any) -> None:
    """Raises `BadInput` where a problem or a method is no name; None stands for the default method."""
    given = {"problem": (problem, "multirotor")} | ({} if method is None else {"method": (method, "ekf")})
    for what, (value, example) in given.items():
        if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= INPUTS.longest_name:
            given = shown(value) if isinstance(value, str) else type(value).__name__
            raise BadInput(f'A {what} is a name such as "{example}", not {given}.')


def check_progress(progress: Any) -> None:
    """Raises `BadInput` where the progress of a work cannot be told."""
    if not callable(progress):
        raise BadInput(f"progress is a function that takes a number, not {type(progress).__name__}; give one or none.")


def checked_path(path: Any, role: str) -> Path:
    """A path that a file system could have; `role` begins the sentence of the `BadInput` where it is none."""
    if not isinstance(path, str | Path):
        raise BadInput(f"{role} a path, not {type(path).__name__}; give the name of a file.")
    try:
        os.lstat(path)
    except (ValueError, OSError) as error:  # a zero byte, or a name that is too long
        if isinstance(error, ValueError) or error.errno == errno.ENAMETOOLONG:
            raise BadInput(f"{role} a path, and {shown(str(path), 40)} cannot be one; give another.") from None
    return Path(path)


def log_from(given: Log | str | Path) -> Log:
    """A log from itself or from its file."""
    if isinstance(given, Log):
        return given
    return read(given)


def read(*files: str | Path, map: str | Path | None = None) -> Log:
    r"""Reads a log: one file in our own columns, or the files of one run in any known format.

    >>> import tempfile, pathlib
    >>> import steelyard as sy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "flight.csv"
    ...     _ = path.write_text("time,r1/thrust\n0.0,9.8\n0.1,9.9\n")
    ...     log = sy.read(path)
    >>> len(log), log.robots, float(log.columns["r1/thrust"][1])
    (2, ('r1',), 9.9)

    Files of other tools are mapped to our signals by names, units and physics, or as the TOML file `map` states; every
    sample keeps its own time. `log.mapping` tells which field became which signal, and why.
    """
    if not files:
        raise BadInput("There is no file to read; give the path of a log.")
    for path in files:
        checked_path(path, "A log is read from")
    if map is not None:
        checked_path(map, "A mapping is read from")

    from steelyard.logs.mapping import log_of, open_log

    return log_of(open_log(files, map))


def plain(tables: Any) -> Any:
    """Nested mappings and sequences as TOML gives them."""
    if isinstance(tables, msgspec.Struct):
        tables = msgspec.structs.asdict(tables)
    if isinstance(tables, Mapping):
        return {str(key): plain(value) for key, value in tables.items()}
    if isinstance(tables, tuple | list):
        return [plain(value) for value in tables]
    return tables.tolist() if isinstance(tables, np.ndarray | np.generic) else tables
