"""One table of time from streams of different rates and clocks."""

from typing import TYPE_CHECKING

import numpy as np

from steelyard.errors import BadInput
from steelyard.logs._log import Log
from steelyard.logs._recording import Recording
from steelyard.logs._vocabulary import find_signal
from steelyard.logs.mapping._airborne import airborne
from steelyard.logs.mapping._compare import averaged
from steelyard.logs.mapping._requirements import BRIDGES, Assessment
from steelyard.logs.mapping._rotations import body_rates
from steelyard.logs.mapping._samples import samples, seconds, stream_of
from steelyard.logs.mapping._source import SignalMapping
from steelyard.logs.mapping._tuning import TUNING

if TYPE_CHECKING:
    from steelyard.logs.mapping._look import Look

_AXES = {4: ("w", "x", "y", "z"), 3: ("x", "y", "z")}


def table_of(
    recording: Recording, mapping: SignalMapping, signals: list[str] | None = None, recorded: "Look | None" = None
) -> Log:
    """All samples at their own times: rows are the union of all times, a cell without a sample is NaN.

    Nothing is resampled. Times within a few microseconds are one row.
    """
    taken = {name: samples(recording, mapping, name) for name in (signals or list(mapping.signals))}
    taken = {name: (time, values) for name, (time, values) in taken.items() if len(time)}
    if not taken:
        raise BadInput(f"{', '.join(recording.files)}: no mapped signal has a sample.")
    every = np.sort(np.concatenate([time for time, _ in taken.values()]))
    first = np.concatenate([[True], np.diff(every) > TUNING.merge])
    rows = every[first]
    columns: dict[str, np.ndarray] = {}
    for name, (time, values) in taken.items():
        at = np.clip(np.searchsorted(rows, time + 0.5 * TUNING.merge, side="right") - 1, 0, len(rows) - 1)
        for suffix, channel in zip(_suffixes(name, values.shape[1]), values.T, strict=True):
            cells = np.full(len(rows), np.nan)
            cells[at] = channel
            columns[name + suffix] = cells
    return Log(rows - zero_of(recording, mapping), columns, ", ".join(recording.files), recorded=recorded)


def rows_for(recording: Recording, mapping: SignalMapping, problem: Assessment) -> tuple[Log, tuple[str, ...]]:
    """Synchronous rows, which today's estimators read, and what was done to get them.

    Rows are at the times of the slowest signal that the problem needs. A faster signal is averaged over the time
    between rows, which leaves white noise white and loses no information; one of about the same rate is interpolated.
    No gap longer than the tuning states is bridged, and no signal is made faster than it was.
    """
    if problem.problem in _TAKES_ANY_TIMES:
        return _at_their_own_times(recording, mapping, problem)
    bridges = BRIDGES.get(problem.problem, {})
    taken = {name: samples(recording, mapping, name) for name in problem.mapping}
    notes: list[str] = []
    for robot in dict.fromkeys(mapping.signals[name].robot for name in problem.reads):
        _derive_rates(taken, robot, problem.problem, notes)
    needed = {name: taken[name] for name in problem.reads if len(taken[name][0]) > 2}
    if not needed:
        raise BadInput(f"{', '.join(recording.files)}: too few samples for {problem.problem}.")
    slowest = max(needed, key=lambda name: float(np.median(np.diff(needed[name][0]))))
    rows = needed[slowest][0]
    begin, end = max(t[0] for t, _ in needed.values()), min(t[-1] for t, _ in needed.values())
    rows = rows[(rows >= begin) & (rows <= end)]
    if any(name.endswith("/attitude") for name in problem.reads):  # without one, the method finds the flight itself
        rows = _in_flight(recording, mapping, problem, rows, notes)
    parts = _parts(problem, needed, slowest)
    if len(rows) < 10:
        raise BadInput(f"{', '.join(recording.files)}: the streams for {problem.problem} have no time in common.")
    step = float(np.median(np.diff(rows))) / parts
    rows = np.interp(np.arange(parts * (len(rows) - 1) + 1), parts * np.arange(len(rows)), rows)
    columns: dict[str, np.ndarray] = {}
    slower: list[str] = []
    for name, (time, values) in taken.items():
        if len(time) < 3:
            continue
        own = float(np.median(np.diff(time)))
        placed, how = _placed(name, time, values, rows, step, own)
        if parts > 1 and own > 1.5 * step and name.endswith(_HEARD):
            placed[np.arange(len(rows)) % parts > 0], how = np.nan, "as recorded" if name == slowest else how
        if how == "interpolated":
            slower.append(name)
        robot, _, rest = name.partition("/")
        other, factor = bridges.get(rest, (rest, 1.0))
        if f"{robot}/{other}" in taken and other != rest:
            other, factor = rest, 1.0
        for suffix, channel in zip(_suffixes(f"{robot}/{other}", values.shape[1]), (placed * factor).T, strict=True):
            columns[f"{robot}/{other}{suffix}"] = channel
    zero = zero_of(recording, mapping)
    notes.insert(
        0,
        f"Rows are at the {1 + (len(rows) - 1) // parts} times of {slowest} ({1 / step / parts:.4g} Hz), the slowest "
        f"signal needed"
        f"{f', and {parts - 1} between each two, so that the attitude is followed' if parts > 1 else ''}; faster ones "
        f"are means between rows; {', '.join(slower) or 'none'} interpolated over {TUNING.gap:g} s at most.",
    )
    if zero:
        notes.append(f"Time 0 of the rows is {zero:.6f} s of the recording's clock.")
    return Log(rows - zero, columns, ", ".join(recording.files)), tuple(notes)


_HEARD = ("linear_velocity", "position")
"""What a method compares its motion with: never made more frequent than it was."""


def _parts(problem: Assessment, needed: dict, slowest: str) -> int:
    """Into how many a row's time is divided: a thrust is turned by the attitude, which a slow log must not average."""
    attitude = next((time for name, (time, _) in needed.items() if name.endswith("attitude")), None)
    if problem.problem != "multirotor" or attitude is None:
        return 1
    step, own = (float(np.median(np.diff(time))) for time in (needed[slowest][0], attitude))
    return max(1, round(step / max(own, TUNING.followed)))


_TAKES_ANY_TIMES = ("rigid-body",)
"""Problems whose method takes every sample at its own time."""


def _at_their_own_times(recording, mapping: SignalMapping, problem: Assessment) -> tuple[Log, tuple[str, ...]]:
    """The union of all rows: nothing is resampled."""
    table, bridges = table_of(recording, mapping, list(problem.mapping)), BRIDGES.get(problem.problem, {})
    columns: dict[str, np.ndarray] = {}
    for name, values in table.columns.items():
        robot, _, rest = name.partition("/")
        signal, _, axis = rest.rpartition("/")
        other, factor = bridges.get(signal, (signal, 1.0))
        renamed = f"{robot}/{other}/{axis}" if signal else name
        columns[name if renamed in table.columns and renamed != name else renamed] = values * factor
    zero, notes = zero_of(recording, mapping), ["Every sample keeps its own time; no signal was resampled."]
    if zero:
        notes.append(f"Time 0 of the rows is {zero:.6f} s of the recording's clock.")
    delays = {f"delay/{name}": repr(mapping.signals[name].delay) for name in problem.mapping}  # already taken out
    return Log(table.time, columns, ", ".join(recording.files), delays), tuple(notes)


def _placed(name, time, values, rows, step, own) -> tuple[np.ndarray, str]:
    """A signal at the rows' times, and how it got there."""
    at = np.searchsorted(time, rows).clip(0, len(time) - 1)
    if len(time) == len(rows) and np.all(np.abs(time[at] - rows) <= TUNING.merge):
        return values, "as recorded"
    if np.mean(np.abs(time[at] - rows) <= TUNING.merge) > 0.95:
        exact = np.abs(time[at] - rows) <= TUNING.merge
        return np.where(exact[:, None], values[at], np.nan), "as recorded"
    if name.endswith("attitude"):
        values = _continuous(values)
    if own <= 0.5 * step and not name.endswith(("attitude", "position")):
        return averaged(time, values, rows, step), "averaged"
    placed = np.stack([np.interp(rows, time, channel) for channel in values.T], axis=1)
    after = np.searchsorted(time, rows).clip(1, len(time) - 1)
    far = (time[after] - time[after - 1] > max(TUNING.gap, 1.5 * own)) | (rows < time[0]) | (rows > time[-1])
    placed[far] = np.nan
    if name.endswith("attitude"):
        placed = placed / np.linalg.norm(placed, axis=1, keepdims=True)
    return placed, "interpolated"


def _continuous(q: np.ndarray) -> np.ndarray:
    from steelyard.logs.mapping._rotations import continuous

    return continuous(q)


def _derive_rates(taken: dict, robot: str, problem: str, notes: list[str]) -> None:
    """Angular velocity from an attitude where a wrist has no gyroscope: differences of neighbouring samples."""
    if problem not in ("rigid-body", "spatial-load") or f"{robot}/attitude" not in taken:
        return
    if f"{robot}/rates" not in taken and f"{robot}/twist/angular" not in taken:
        time, q = taken[f"{robot}/attitude"]
        taken[f"{robot}/twist/angular"] = body_rates(time, q)
        notes.append(f"{robot}/twist/angular is made of differences of {robot}/attitude; no gyroscope was recorded.")


def _in_flight(recording, mapping, problem: Assessment, rows: np.ndarray, notes: list[str]) -> np.ndarray:
    """The rows between take-off and landing."""
    if problem.problem != "multirotor":
        return rows
    robot = mapping.signals[problem.reads[0]].robot
    span = airborne(recording, mapping, robot)
    if span is None:
        return rows
    inside = rows[(rows >= span[0]) & (rows <= span[1])]
    if len(inside) < len(rows):
        zero = zero_of(recording, mapping)
        notes.append(
            f"Rows before {span[0] - zero:.2f} s and after {span[1] - zero:.2f} s are left out: {robot} was on the "
            "ground."
        )
    return inside


def zero_of(recording: Recording, mapping: SignalMapping) -> float:
    """The recording's time, s, at which its rows have time 0: whichever signals are taken, the same."""
    names = dict.fromkeys(one.streams[0] for one in mapping.signals.values())
    starts = []
    for stream in (stream_of(recording, name) for name in names):
        how = mapping.times.get(stream.name)
        if stream.rows and (how is None or how.known or how.rate is not None):
            starts.append(float(seconds(stream, how)[0]))
    first = min((start for start in starts if np.isfinite(start)), default=0.0)
    return float(np.floor(first)) if abs(first) > TUNING.late_clock else 0.0


def _suffixes(signal: str, count: int) -> list[str]:
    """`/x`, `/y`, … of a signal's columns; none for a scalar."""
    who, _, name = signal.partition("/")
    word = find_signal(who, name)
    if word is not None and word.numbered:
        return [f"/{k + 1}" for k in range(count)]
    return [""] if count == 1 else [f"/{axis}" for axis in _AXES[count]]
