"""The samples of a mapped signal: seconds, SI units, our axes."""

import numpy as np

from steelyard.errors import BadInput, nearest
from steelyard.logs._recording import Recording, Stream
from steelyard.logs.mapping._conversions import CONVERSIONS
from steelyard.logs.mapping._rotations import (
    axes_matrix,
    frame_axes,
    matrices,
    normalised,
    quaternions,
    quaternions_from_angles,
    quaternions_from_vectors,
)
from steelyard.logs.mapping._source import SignalMapping, SignalSource, TimeSource, split_field
from steelyard.logs.mapping._unit_names import factor_of, offset_of


def stream_of(recording: Recording, name: str) -> Stream:
    """The stream of this name, or the only one of a file of this name."""
    for stream in recording.streams:
        if stream.name == name:
            return stream
    of_file = [s for s in recording.streams if s.file == name or s.file.replace("\\", "/").rpartition("/")[2] == name]
    if len(of_file) == 1:
        return of_file[0]
    known = [stream.name for stream in recording.streams]
    raise BadInput(f'{", ".join(recording.files)}: there is no stream "{name}"; {nearest(name, known)}')


def column(recording: Recording, source: str) -> np.ndarray:
    """The samples of `stream:field`, as recorded."""
    stream = stream_of(recording, split_field(source)[0])
    return np.asarray(stream.fields[field_of(recording, source)], float)


def field_of(recording: Recording, source: str) -> str:
    """The name of the field in `stream:field`; `#3` is the third column."""
    name, field = split_field(source)
    stream = stream_of(recording, name)
    if field in stream.fields:
        return field
    if field.startswith("#") and field[1:].isdigit() and 0 < int(field[1:]) <= len(stream.fields):
        return list(stream.fields)[int(field[1:]) - 1]
    raise BadInput(f'{stream.file}: "{stream.name}" has no field "{field}"; {nearest(field, list(stream.fields))}')


def seconds(stream: Stream, how: TimeSource | None) -> np.ndarray:
    """Times of a stream in s; `BadInput` where nobody knows them."""
    if how is not None and how.rate is not None:
        return np.arange(stream.rows) / how.rate - how.offset
    if stream.time is None or (how is not None and not how.known):
        raise BadInput(
            f'{stream.file}: the rows have no time; state their rate in a mapping: "{stream.name}".time = '
            "{rate = 100.0}."
        )
    factor = 1.0 if how is None else factor_of(how.unit)
    time = np.asarray(stream.time, float)
    return (time * factor) - (0.0 if how is None else how.offset)


def samples(recording: Recording, mapping: SignalMapping, signal: str) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) and values (n, k) of a mapped signal, converted."""
    return samples_of(recording, mapping.signals[signal], mapping.times)


def samples_of(recording, one: SignalSource, times) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) and values (n, k) of one source, converted; rows without a finite value or in reverse left out."""
    stream = stream_of(recording, one.streams[0])
    time = seconds(stream, times.get(stream.name))
    time = time - one.delay - one.drift * (time - (time[0] if len(time) else 0.0))
    raw = _recorded_at(recording, one, times, time)
    values = convert(one, raw)
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(time) & np.isfinite(values).any(axis=1)
    usable[usable] = _forward(time[usable])  # rows of other messages may have the same times
    if one.held:
        usable &= fresh(time, raw)[0]
    return time[usable], values[usable]


def recorded(recording: Recording, one: SignalSource, times) -> np.ndarray:
    """The rows (n, k) of one source as they are in its files; those of several streams where the first has samples."""
    stream = stream_of(recording, one.streams[0])
    alone = len(one.streams) == 1
    return _recorded_at(recording, one, times, np.zeros(0) if alone else seconds(stream, times.get(stream.name)))


def fresh(time: np.ndarray, raw: np.ndarray) -> tuple[np.ndarray, float]:
    """Which rows are new samples and no repeats of the last one, and the usual time between new ones, s.

    What stands longer than usual stands still, and is no repeat.
    """
    new = np.concatenate([[True], np.any(raw[1:] != raw[:-1], axis=1)])
    starts = time[new]
    period = float(np.median(np.diff(starts))) if len(starts) > 2 else 0.0
    return new | (time - starts[np.cumsum(new) - 1] > 1.5 * period), period


def convert(one: SignalSource, raw: np.ndarray) -> np.ndarray:
    """Recorded numbers (n, k) as ours."""
    if one.conversion is not None:
        if one.conversion not in CONVERSIONS:
            raise BadInput(f'Unknown conversion "{one.conversion}"; {nearest(one.conversion, list(CONVERSIONS))}')
        raw = CONVERSIONS[one.conversion](raw)
    if one.name.endswith("attitude"):
        return _attitude(one, raw)
    values = raw * factor_of(one.unit) + offset_of(one.unit)
    if values.shape[1] != 3:
        return values
    return values @ vector_map(one).T


def vector_map(one: SignalSource) -> np.ndarray:
    """(3, 3): recorded axes to ours."""
    M = np.eye(3) if one.rotation is None else np.array(one.rotation)
    axes = one.axes or (frame_axes(one.frame) if one.frame else None)
    return M if axes is None else axes_matrix(axes) @ M


def attitude_maps(one: SignalSource) -> tuple[np.ndarray, np.ndarray]:
    """World and body matrices (3, 3): R_ours = W R_recorded Bᵀ."""
    world, _, body = (one.frame or "").partition("/")
    W = axes_matrix(one.axes or frame_axes(world or "ours"))
    B = axes_matrix(one.body or frame_axes(body or "ours"))
    return W, B if one.rotation is None else B @ np.array(one.rotation)


def _attitude(one: SignalSource, raw: np.ndarray) -> np.ndarray:
    """Unit quaternions w, x, y, z, body to world."""
    if one.rows == "R":
        R = raw.reshape(-1, 3, 3)
    elif one.order == "rotvec":
        R = matrices(quaternions_from_vectors(raw * factor_of(one.unit)))
    elif one.order == "rpy":
        R = matrices(quaternions_from_angles(raw * factor_of(one.unit)))
    else:
        R = matrices(normalised(raw if one.order in (None, "wxyz") else raw[:, [3, 0, 1, 2]]))
    if one.inverse:
        R = np.swapaxes(R, 1, 2)
    W, B = attitude_maps(one)
    return quaternions(W @ R @ B.T)


def _recorded_at(recording: Recording, one: SignalSource, times, time: np.ndarray) -> np.ndarray:
    stream = stream_of(recording, one.streams[0])
    return np.stack([_on(recording, times, source, stream, time) for source in one.source], axis=1)


def _on(recording: Recording, times, source: str, stream: Stream, time: np.ndarray) -> np.ndarray:
    """A field at the first field's times: as it is in the same stream, the last sample before it from another."""
    values = column(recording, source)
    other = stream_of(recording, split_field(source)[0])
    if other.name == stream.name:
        return values
    rows = np.searchsorted(seconds(other, times.get(other.name)), time, side="right") - 1
    return np.where(rows >= 0, values[np.maximum(rows, 0)], np.nan)


def _forward(time: np.ndarray) -> np.ndarray:
    """Which samples are later than all before them; one that is ahead of the next ones alone is damaged."""
    clean = np.where(np.isfinite(time), time, -np.inf)
    if len(clean) > 2:
        ahead = (clean[1:-1] > clean[2:]) & (clean[2:] >= clean[:-2])
        clean = np.where(np.concatenate([[False], ahead, [False]]), -np.inf, clean)
    before = np.concatenate([[-np.inf], np.maximum.accumulate(clean)[:-1]])
    return clean > before
