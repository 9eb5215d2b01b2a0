"""What must hold of every log, and the error message where it does not."""

import difflib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput


def check(
    origin: str,
    time: NDArray[np.float64],
    columns: Mapping[str, NDArray[np.float64]],
    lines: Sequence[int] | None = None,
) -> None:
    """Raises `BadInput` at the first thing that makes these arrays no log.

    `lines`, where the rows came from a text file, gives the line number of every row.
    """
    if time.ndim != 1 or len(time) == 0:
        raise BadInput(f"{origin}: the log has no rows; record at least one sample.")
    _check_time(origin, time, lines)
    for name, values in columns.items():
        if not name or name != name.strip() or not name.isprintable() or name == "time":
            raise BadInput(f"{origin}: {name!r} cannot name a column; use names such as r1/velocity/x.")
        if values.shape != time.shape:
            raise BadInput(
                f"{origin}: column {name} has shape {values.shape} where time has {time.shape}; "
                "give every column one value a row, NaN where a sample is missing."
            )
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            raise BadInput(
                f"{origin}: column {name} is infinite at {place(row, lines)}; "
                "leave the cell empty or write NaN where a sample is missing."
            )


def place(row: int, lines: Sequence[int] | None = None) -> str:
    """How a sentence names a row, counted from 0 here and from 1 there: "row 3", "row 3 (line 4)"."""
    return f"row {row + 1}" if lines is None else f"row {row + 1} (line {lines[row]})"


def no_time(origin: str, names: Sequence[str]) -> BadInput:
    """The sentence for a table without a `time` column, naming the column that was probably meant."""
    plain = {name.lower().strip("# ").split("[")[0].split("(")[0].rstrip("_ "): name for name in reversed(names)}
    usual = ["time", "t", "timestamp", "time_s", "t_s", "stamp", "sec", "seconds", "secs"]
    close = next((plain[word] for word in usual if word in plain), None)
    if close is None:
        close = next((plain[word] for word in difflib.get_close_matches("time", list(plain), n=1)), None)
    if close is None:
        return BadInput(f'{origin}: there is no "time" column; add one, in seconds.')
    return BadInput(f'{origin}: there is no "time" column; rename "{close}" to "time" if it holds seconds.')


def _check_time(origin: str, time: NDArray[np.float64], lines: Sequence[int] | None) -> None:
    if not np.isfinite(time).all():
        row = int(np.argmin(np.isfinite(time)))
        what = "missing" if np.isnan(time[row]) else "infinite"
        raise BadInput(f"{origin}: time is {what} at {place(row, lines)}; give the row its time or delete it.")
    onward = time[1:] > time[:-1]
    if onward.all():
        return
    row = int(np.argmin(onward)) + 1
    before, now = float(time[row - 1]), float(time[row])
    where = f"at {place(row, lines)}, {now!r} s after {before!r} s"
    if now == before:
        raise BadInput(f"{origin}: time stands still {where}; delete the repeated row or give each row its own time.")
    raise BadInput(f"{origin}: time goes backwards {where}; sort the rows, or split the log where its clock was reset.")
