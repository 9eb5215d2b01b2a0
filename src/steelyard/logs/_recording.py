"""A recording: what is in anybody's log files, stream by stream, before anything is mapped to our signals."""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadInput

Array = NDArray[np.float64]

_VARIABLE = "STEELYARD_LOG_LIMIT_GB"


@dataclass(frozen=True)
class Limits:
    """How much a file may ask for before it is refused. A file that is right and larger needs a higher limit."""

    memory: int = 2**30
    """Bytes held at once: decompressed text, a decoded stream, a chunk. $STEELYARD_LOG_LIMIT_GB sets it."""
    ratio: int = 200
    """Decompressed over compressed size, beyond the first 64 MB. Real logs are below 30, bombs near 1000."""
    rows: int = 100_000_000
    """Samples of one stream: 250 Hz for four days."""
    columns: int = 20_000
    """Fields of one stream."""
    streams: int = 10_000
    """Streams of one recording."""

    @classmethod
    def from_environment(cls) -> "Limits":
        """The default limits, with the memory that $STEELYARD_LOG_LIMIT_GB states."""
        text = os.environ.get(_VARIABLE)
        if text is None:
            return cls()
        try:
            gigabytes = float(text)
        except ValueError:
            gigabytes = math.nan
        if not 0 < gigabytes < 1e6:
            raise BadInput(f'{_VARIABLE} is "{text[:40]}"; set it to a number of gigabytes, such as 4.')
        # Who raises the memory knows that the file is large: the ratio rises with it.
        return cls(memory=int(gigabytes * 2**30), ratio=max(cls.ratio, int(1000 * gigabytes)))

    def too_large(self, path: object, what: str) -> BadInput:
        """The sentence for a file that asks for more than `memory`."""
        return BadInput(
            f"{path}: {what} needs more than the limit of {self.memory / 2**30:g} GB; "
            f"set {_VARIABLE} to a larger number if the file is right."
        )


class Stream:
    """Samples of one topic, message or table, with the clock under which they were recorded.

    `name` is a topic, a message's name or a file's stem, and unique in a recording ("battery_status#1" is the second
    instance); `file` is as the user gave it; `kind` is a message type ("nav_msgs/msg/Odometry", "vehicle_attitude",
    "ATT", "csv"). `time` (n,) is in seconds where the format states its unit, otherwise as recorded, and a note says
    so; it is None where there is none. `clock` names the clock: "boot", "header", "received", "column t". `fields`
    holds (n,) float64 arrays by dotted path: "pose.pose.position.x", "q[0]", "acc_x"; `units` what the file states of
    them, as written. Time and fields are decoded when they are first asked for.
    """

    def __init__(
        self,
        name: str,
        file: str,
        kind: str,
        time: Array | Callable[[], Array | None] | None,
        clock: str,
        fields: Mapping[str, Array],
        units: Mapping[str, str] = MappingProxyType({}),
        notes: tuple[str, ...] = (),
        rows: int | None = None,
    ):
        self.name: str = name
        self.file: str = file
        self.kind: str = kind
        self.clock: str = clock
        self.fields: Mapping[str, Array] = fields
        self.units: Mapping[str, str] = units
        self.notes: tuple[str, ...] = notes
        self._time, self._rows = time, rows

    def with_units(self, units: Mapping[str, str]) -> "Stream":
        """The same samples, with these units in the place of what the file states."""
        return Stream(
            self.name, self.file, self.kind, self._time, self.clock, self.fields, {**self.units, **units}, self.notes,
            self._rows,
        )  # fmt: skip

    @property
    def time(self) -> Array | None:
        """When each sample was taken, (n,); None where the file does not say."""
        return self._time() if callable(self._time) else self._time

    @property
    def rows(self) -> int:
        """How many samples there are."""
        if self._rows is not None:
            return self._rows
        if self.time is not None:
            return len(self.time)
        return len(next(iter(self.fields.values()), ()))

    def renamed(self, name: str) -> "Stream":
        """The same samples under another name."""
        return Stream(
            name, self.file, self.kind, lambda: self.time, self.clock, self.fields, self.units, self.notes, self._rows
        )

    def __repr__(self) -> str:
        return f"Stream({self.name!r}, {self.kind!r}, {self.rows} rows, {len(self.fields)} fields)"


class LazyFields(Mapping[str, Array]):
    """Fields whose names are known and whose values are decoded when the first of them is asked for."""

    def __init__(self, names: tuple[str, ...], decode: Callable[[], Mapping[str, NDArray]]):
        self._names, self._decode = dict.fromkeys(names), decode

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        with np.errstate(invalid="ignore"):  # a damaged number may be a signalling NaN
            return np.asarray(self._decode()[name], np.float64)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True)
class Recording:
    """Everything in one or several files of one run."""

    files: tuple[str, ...]
    system: str
    """What wrote it: "px4", "ardupilot", "crazyflie", "ros2", "ros1", "table" or "steelyard"."""
    streams: tuple[Stream, ...]
    parameters: Mapping[str, float] = field(default_factory=dict)
    """Autopilot parameters, where they were logged."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Versions, vehicle names, frame ids ("frame_id /imu")."""
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Stream:
        for stream in self.streams:
            if stream.name == name:
                return stream
        raise KeyError(name)


def read_recording(*paths: str | Path, limits: Limits | None = None) -> Recording:
    """Reads files of any known format as one recording; a folder is a bag. What cannot be read is a `BadInput`."""
    from steelyard.logs.formats._any import read_any

    limits = Limits.from_environment() if limits is None else limits
    if not paths:
        raise BadInput("there is no file to read; give the name of at least one.")
    return joined([read_any(path, limits) for path in paths])


def joined(recordings: list[Recording]) -> Recording:
    """Several recordings as one; a name that occurs twice gets its file's name in front."""
    if len(recordings) == 1:
        return recordings[0]
    counts: dict[str, int] = {}
    for one in recordings:
        for stream in one.streams:
            counts[stream.name] = counts.get(stream.name, 0) + 1
    streams: dict[str, Stream] = {}
    for one in recordings:
        for stream in one.streams:
            name = stream.name if counts[stream.name] == 1 else f"{Path(stream.file).name}:{stream.name}"
            while name in streams:
                name += "'"
            streams[name] = stream if name == stream.name else stream.renamed(name)
    systems = list(dict.fromkeys(one.system for one in recordings))
    return Recording(
        tuple(file for one in recordings for file in one.files),
        next((system for system in systems if system != "table"), "table"),
        tuple(streams.values()),
        {name: value for one in recordings for name, value in one.parameters.items()},
        {name: text for one in recordings for name, text in one.texts.items()},
        tuple(dict.fromkeys(note for one in recordings for note in one.notes)),
    )
