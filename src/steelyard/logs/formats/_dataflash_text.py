"""ArduPilot DataFlash logs as text (.log)."""

from array import array

import numpy as np

from steelyard.logs._recording import Recording, Stream
from steelyard.logs.formats._dataflash import INSTANCES, LISTS, TICKS
from steelyard.logs.formats._packets import unique
from steelyard.logs.formats._source import Source
from steelyard.logs.formats._text import lines_of


def read_dataflash_text(source: Source) -> Recording:
    """Reads a text log: a line a message, its name first."""
    kinds: dict[str, list[str]] = {}
    rows: dict[tuple[str, int], array] = {}
    parameters: dict[str, float] = {}
    texts: dict[str, str] = {}
    cells, most = 0, source.limits.memory // 8
    for line in lines_of(source):
        name, *values = [cell.strip() for cell in line.split(",")]
        if name == "FMT" and len(values) >= 5:
            kinds.setdefault(values[2], unique(values[4:]))
        elif name == "PARM" and len(values) >= 3:
            parameters[values[-3] if len(values) > 3 else values[1]] = _number(values[2])
        elif name == "MSG" and len(texts) < 20:
            texts[f"MSG {len(texts)}"] = ",".join(values[1:])
        elif name in kinds and len(values) == len(kinds[name]) and name not in LISTS:
            columns = kinds[name]
            where = next((k for k, column in enumerate(columns) if column in INSTANCES), None)
            instance = int(_number(values[where], 0.0)) if where is not None else 0
            rows.setdefault((name, instance), array("d")).extend(map(_number, values))
            cells += len(values)
            if cells > most:
                raise source.limits.too_large(source.path, "its table")
    streams = []
    for (name, instance), numbers in rows.items():
        table = np.frombuffer(numbers, np.float64).reshape(-1, len(kinds[name]))
        columns = {column: table[:, k] for k, column in enumerate(kinds[name]) if not np.isnan(table[:, k]).all()}
        time = next((column for column in TICKS if column in columns), None)
        if time is not None:
            seconds = columns.pop(time) * TICKS[time]
            label = f"{name}#{instance}" if instance else name
            streams.append(Stream(label, source.path, name, seconds, "boot", columns))
    if not streams:
        raise source.bad("this DataFlash log holds no data")
    return Recording((source.path,), "ardupilot", tuple(streams), parameters, texts)


def _number(cell: str, otherwise: float = float("nan")) -> float:
    try:
        value = float(cell)
    except ValueError:
        return otherwise
    return value if np.isfinite(value) else otherwise
